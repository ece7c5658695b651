//go:build !windows

package node

import (
	"errors"
	"fmt"
)

func openKey(string) (key, error) {
	return key{}, fmt.Errorf("this system has no registry: %w", errors.ErrUnsupported)
}
