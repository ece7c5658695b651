package pack

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"syscall"

	"doctor/checks/evidence"
	"doctor/collectors/outfile"
)

// What stays free on the disk that the bundle is written to: a node whose disk
// fills up evicts its pods, and a doctor must not be what does it.
const (
	keepFree  = 64 << 20
	leastRoom = 1 << 20
)

// roomFor is how large the bundle may become on its disk; 0 where that cannot be told.
func roomFor(name string, maxSize int64) (int64, error) {
	dir := filepath.Dir(name)
	free, err := freeBytes(dir)
	if err != nil {
		return 0, nil // a folder that is not there says so when the file is made
	}
	room := free - keepFree
	if room < leastRoom {
		return 0, fmt.Errorf(
			"the disk of %s has only %s free, and doctor leaves %s of it to the node; write to another disk", dir, evidence.SizeText(free), evidence.SizeText(keepFree))
	}
	if maxSize > 0 && room > maxSize {
		return 0, nil
	}
	return room, nil
}

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
