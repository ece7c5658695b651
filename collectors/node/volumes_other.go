//go:build !windows

package node

import (
	"errors"
	"fmt"
	"io/fs"
)

func localVolumes(letter string) (fs.FS, error) {
	return nil, fmt.Errorf("this system has no drive %s: %w", letter, errors.ErrUnsupported)
}
