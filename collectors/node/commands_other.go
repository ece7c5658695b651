//go:build !windows

package node

import (
	"context"
	"errors"
)

func runSystem(context.Context, string, ...string) (string, error) {
	return "", errors.ErrUnsupported
}
