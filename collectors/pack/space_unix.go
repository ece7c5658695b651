//go:build unix

package pack

import (
	"errors"

	"golang.org/x/sys/unix"
)

// freeBytes is what an ordinary user may still write in the folder.
func freeBytes(dir string) (int64, error) {
	var s unix.Statfs_t
	if err := unix.Statfs(dir, &s); err != nil {
		return 0, err
	}
	if s.Blocks == 0 {
		return 0, errors.ErrUnsupported // no disk
	}
	return int64(s.Bavail) * int64(s.Bsize), nil
}

const diskFull = unix.EDQUOT
