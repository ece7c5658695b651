package pack

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"syscall"

	"doctor/collectors/outfile"
)

// explainDisk turns an error of the disk into one that says what to do.
func explainDisk(err error, f *outfile.File, name string) error {
	var path *fs.PathError
	switch {
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, diskFull):
		return fmt.Errorf("the disk of %s is full; nothing was left on it, write to another disk",
			filepath.Dir(name))
	case errors.As(err, &path) && path.Path == f.Name():
		return fmt.Errorf("%s cannot be written: %w", name, path.Err)
	}
	return err
}
