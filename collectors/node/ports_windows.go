package node

import (
	"errors"
	"fmt"
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"
)

var (
	iphlpapi            = windows.NewLazySystemDLL("iphlpapi.dll")
	getExtendedTCPTable = iphlpapi.NewProc("GetExtendedTcpTable")
	getExtendedUDPTable = iphlpapi.NewProc("GetExtendedUdpTable")
)

const maxSocketTable = 64 << 20

// socketTable gets one table as Windows lays it out, of listeners and their owners.
func socketTable(l socketLayout) ([]byte, error) {
	const listenersWithOwner, udpWithOwner = 3, 1
	proc, class, family := getExtendedTCPTable, uintptr(listenersWithOwner),
		uintptr(windows.AF_INET)
	if l.protocol == "udp" {
		proc, class = getExtendedUDPTable, udpWithOwner
	}
	if l.six {
		family = windows.AF_INET6
	}
	if err := proc.Find(); err != nil {
		return nil, fmt.Errorf("%w: %w", err, errors.ErrUnsupported)
	}
	for size := uint32(64 << 10); size <= maxSocketTable; {
		buf := make([]byte, size)
		status, _, _ := proc.Call(uintptr(unsafe.Pointer(&buf[0])), uintptr(unsafe.Pointer(&size)),
			0, family, class, 0)
		if status == 0 {
			return buf, nil
		}
		if err := syscall.Errno(status); err != windows.ERROR_INSUFFICIENT_BUFFER {
			return nil, err
		}
		size = max(size, uint32(len(buf))) * 2 // sockets come while they are counted
	}
	return nil, windows.ERROR_INSUFFICIENT_BUFFER
}
