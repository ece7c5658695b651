package pack

import "golang.org/x/sys/windows"

// freeBytes is what the user may still write in the folder.
func freeBytes(dir string) (int64, error) {
	p, err := windows.UTF16PtrFromString(dir)
	if err != nil {
		return 0, err
	}
	var free uint64
	if err := windows.GetDiskFreeSpaceEx(p, &free, nil, nil); err != nil {
		return 0, err
	}
	return int64(min(free, 1<<62)), nil
}

const diskFull = windows.ERROR_DISK_FULL
