package node

import (
	"fmt"
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"
)

var procEnumerateComputeSystems = vmcompute.NewProc("HcsEnumerateComputeSystems")

// enumerateComputeSystems asks for all of them; the answer is JSON.
func enumerateComputeSystems() (string, error) {
	if err := procEnumerateComputeSystems.Find(); err != nil {
		return "", err
	}
	query, _ := windows.UTF16PtrFromString("{}")
	var systems, result *uint16
	r, _, _ := procEnumerateComputeSystems.Call(uintptr(unsafe.Pointer(query)),
		uintptr(unsafe.Pointer(&systems)), uintptr(unsafe.Pointer(&result)))
	for _, p := range []*uint16{systems, result} {
		if p != nil {
			defer windows.CoTaskMemFree(unsafe.Pointer(p))
		}
	}
	if int32(r) < 0 {
		code := uint32(r)
		if code&0x1fff0000 == 0x00070000 {
			code &= 0xffff // a Win32 error in an HRESULT, such as access denied
		}
		return "", fmt.Errorf("HcsEnumerateComputeSystems (0x%x): %w", uint32(r),
			syscall.Errno(code))
	}
	return windows.UTF16PtrToString(systems), nil
}
