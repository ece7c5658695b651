package node

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"runtime"
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"
)

// accessListOf asks drives of this machine only: one that was mapped from a machine that is gone can
// hang for minutes.
func accessListOf(path string) (string, error) {
	root, err := windows.UTF16PtrFromString(filepath.VolumeName(path) + `\`)
	if err != nil {
		return "", err
	}
	switch windows.GetDriveType(root) {
	case windows.DRIVE_FIXED, windows.DRIVE_RAMDISK:
	case windows.DRIVE_NO_ROOT_DIR:
		return "", fmt.Errorf("%s: %w", path, fs.ErrNotExist)
	default:
		return "", fmt.Errorf("%s: the drive is no disk of this machine", path)
	}
	sd, err := windows.GetNamedSecurityInfo(path, windows.SE_FILE_OBJECT,
		windows.OWNER_SECURITY_INFORMATION|windows.GROUP_SECURITY_INFORMATION|windows.DACL_SECURITY_INFORMATION)
	if err != nil {
		return "", fmt.Errorf("%s: %w", path, err)
	}
	sddl := sd.String() // empty where there is no descriptor, or none that can be written
	if sddl == "" {
		return "", fmt.Errorf("the access list of %s cannot be written as text: %w", path,
			errors.ErrUnsupported)
	}
	return sddl, nil
}

func fixedDrives() ([]string, error) {
	set, err := windows.GetLogicalDrives()
	if err != nil {
		return nil, err
	}
	var list []string
	for i := range 26 {
		drive := string(rune('A'+i)) + ":"
		root, err := windows.UTF16PtrFromString(drive + `\`)
		if err == nil && set&(1<<i) != 0 && windows.GetDriveType(root) == windows.DRIVE_FIXED {
			list = append(list, drive)
		}
	}
	return list, nil
}

var (
	shell32                    = windows.NewLazySystemDLL("shell32.dll")
	procCreateItemFromParsing  = shell32.NewProc("SHCreateItemFromParsingName")
	propsys                    = windows.NewLazySystemDLL("propsys.dll")
	procGetPropertyKeyFromName = propsys.NewProc("PSGetPropertyKeyFromName")
	ole32                      = windows.NewLazySystemDLL("ole32.dll")
	procCoInitializeEx         = ole32.NewProc("CoInitializeEx")
	shellItem2                 = windows.GUID{Data1: 0x7e9fb0d3, Data2: 0x919f, Data3: 0x4307,
		Data4: [8]byte{0xab, 0x2e, 0x9b, 0x18, 0x60, 0x31, 0x0c, 0x93}}
	errNoProtection = errors.New(
		"the shell does not report whether the drive is protected")
)

// propertyKey is PROPERTYKEY.
type propertyKey struct {
	format windows.GUID
	id     uint32
}

// iShellItem2 is the interface of that name; the methods are in Windows' order.
type iShellItem2 struct{ methods *[20]uintptr }

const (
	methodRelease  = 2
	methodGetInt32 = 16 // after GetFileTime
)

// protectionOf asks the shell for a drive's property. COM wants a thread of its
// own, so that the caller gives a goroutine to it, which ends with the call.
func protectionOf(drive string) (int32, error) {
	runtime.LockOSThread() // and never unlocks it: the thread goes with the goroutine
	if err := cmp.Or(procCreateItemFromParsing.Find(), procGetPropertyKeyFromName.Find(),
		procCoInitializeEx.Find()); err != nil {
		return 0, fmt.Errorf("%w: %w", errors.ErrUnsupported, err)
	}
	// S_FALSE
	if err := windows.CoInitializeEx(0, windows.COINIT_APARTMENTTHREADED); err != nil &&
		err != syscall.Errno(1) {
		return 0, err
	}
	defer windows.CoUninitialize()
	name, _ := windows.UTF16PtrFromString("System.Volume.BitLockerProtection")
	root, err := windows.UTF16PtrFromString(drive + `\`)
	if err != nil {
		return 0, err
	}
	var property propertyKey
	if hr, _, _ := procGetPropertyKeyFromName.Call(uintptr(unsafe.Pointer(name)),
		uintptr(unsafe.Pointer(&property))); int32(hr) < 0 {
		return 0, errNoProtection
	}
	var item *iShellItem2
	hr, _, _ := procCreateItemFromParsing.Call(uintptr(unsafe.Pointer(root)), 0,
		uintptr(unsafe.Pointer(&shellItem2)), uintptr(unsafe.Pointer(&item)))
	if int32(hr) < 0 || item == nil {
		return 0, errNoProtection
	}
	defer syscall.SyscallN(item.methods[methodRelease], uintptr(unsafe.Pointer(item)))
	var state int32
	hr, _, _ = syscall.SyscallN(item.methods[methodGetInt32], uintptr(unsafe.Pointer(item)),
		uintptr(unsafe.Pointer(&property)), uintptr(unsafe.Pointer(&state)))
	if int32(hr) != 0 {
		return 0, errNoProtection
	}
	return state, nil
}
