//go:build !unix

package bundle

import "testing"

func asNobody(*testing.T) bool { return false }
