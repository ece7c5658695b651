package probe

import (
	"net"
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"
)

// hearRefusals has a UDP socket report that nobody listens at the other end. Go switches that off
// for each socket (golang/go issue 5834), since a server must not stop over one client. Without it,
// a probe of a closed port times out.
func hearRefusals(conn net.Conn) {
	c, ok := conn.(syscall.Conn)
	if !ok {
		return
	}
	raw, err := c.SyscallConn()
	if err != nil {
		return
	}
	_ = raw.Control(func(fd uintptr) { // where it fails, the probe times out as before
		on, returned := uint32(1), uint32(0)
		_ = windows.WSAIoctl(windows.Handle(fd), windows.SIO_UDP_CONNRESET, (*byte)(unsafe.Pointer(&on)),
			uint32(unsafe.Sizeof(on)), nil, 0, &returned, nil, 0)
	})
}
