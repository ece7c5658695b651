//go:build !windows

package outfile

import (
	"errors"
	"io/fs"
	"os"
)

func createPrivate(name string) (*os.File, error) {
	return os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
}

func closeFolder(name string) error { return os.Chmod(name, 0o700) }

// renameNew gives a file a name that no other file has. A hard link is refused where the name is
// taken; a file system without hard links is left to Commit's look just before.
func renameNew(from, to string) error {
	err := os.Link(from, to)
	switch {
	case err == nil:
		os.Remove(from)
		return nil
	case errors.Is(err, fs.ErrExist):
		return err
	}
	return os.Rename(from, to)
}
