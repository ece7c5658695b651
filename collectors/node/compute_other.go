//go:build !windows

package node

import "errors"

func enumerateComputeSystems() (string, error) { return "", errors.ErrUnsupported }
