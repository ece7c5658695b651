package node

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/windows"
)

// localVolumes are the drives that are part of this machine. Drives of other
// machines can hang, and what lies there is not the node's.
func localVolumes(letter string) (fs.FS, error) {
	root := letter + `:\`
	name, err := windows.UTF16PtrFromString(root)
	if err != nil {
		return nil, err
	}
	switch windows.GetDriveType(name) {
	case windows.DRIVE_FIXED, windows.DRIVE_RAMDISK:
		return volume(root), nil
	case windows.DRIVE_NO_ROOT_DIR:
		return nil, fmt.Errorf("there is no drive %s: %w", letter, fs.ErrNotExist)
	}
	return nil, fmt.Errorf("drive %s: is no disk of this machine", letter)
}

// volume is a drive by its root. It implements fs.ReadLinkFS.
type volume string

func (v volume) path(name string) string {
	return filepath.Join(string(v), filepath.FromSlash(name))
}

// Open shares everything, so that a program that writes the file, moves it away
// or deletes it is not in the way, and is not disturbed either.
func (v volume) Open(name string) (fs.File, error) {
	p := v.path(name)
	ptr, err := windows.UTF16PtrFromString(p)
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: p, Err: err}
	}
	h, err := windows.CreateFile(ptr, windows.GENERIC_READ,
		windows.FILE_SHARE_READ|windows.FILE_SHARE_WRITE|windows.FILE_SHARE_DELETE, nil,
		windows.OPEN_EXISTING, windows.FILE_FLAG_BACKUP_SEMANTICS, 0) // which folders need
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: p, Err: err}
	}
	return os.NewFile(uintptr(h), p), nil
}

func (v volume) Stat(name string) (fs.FileInfo, error)  { return os.Stat(v.path(name)) }
func (v volume) Lstat(name string) (fs.FileInfo, error) { return os.Lstat(v.path(name)) }
func (v volume) ReadLink(name string) (string, error)   { return os.Readlink(v.path(name)) }
