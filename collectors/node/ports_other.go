//go:build !windows

package node

import "errors"

func socketTable(socketLayout) ([]byte, error) { return nil, errors.ErrUnsupported }
