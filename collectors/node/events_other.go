//go:build !windows

package node

import "errors"

func askEventLog(string, string, func(string, string) bool) error { return errors.ErrUnsupported }
