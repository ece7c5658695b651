//go:build !windows

package node

import (
	"context"
	"errors"
)

func socketTable(socketLayout) ([]byte, error) { return nil, errors.ErrUnsupported }

func runNetsh(context.Context, ...string) (string, error) { return "", errors.ErrUnsupported }
