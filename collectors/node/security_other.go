//go:build !windows

package node

import "errors"

var windowsSecurity = securityCalls{
	accessList: func(string) (string, error) { return "", errors.ErrUnsupported },
	drives:     func() ([]string, error) { return nil, errors.ErrUnsupported },
	protection: func(string) (int32, error) { return 0, errors.ErrUnsupported },
}
