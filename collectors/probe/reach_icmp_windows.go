package probe

import (
	"cmp"
	"context"
	"encoding/binary"
	"net/netip"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/windows"
)

var (
	iphlpapi        = windows.NewLazySystemDLL("iphlpapi.dll")
	icmpCreateFile  = iphlpapi.NewProc("IcmpCreateFile")
	icmp6CreateFile = iphlpapi.NewProc("Icmp6CreateFile")
	icmpCloseHandle = iphlpapi.NewProc("IcmpCloseHandle")
	icmpSendEcho2Ex = iphlpapi.NewProc("IcmpSendEcho2Ex")
	icmp6SendEcho2  = iphlpapi.NewProc("Icmp6SendEcho2")
)

// sendEcho asks Windows to ping, which anybody may. The call cannot be
// interrupted, so it is left behind when the context ends; it ends with its own timeout.
func sendEcho(ctx context.Context, e echoRequest) pong {
	if err := cmp.Or(icmpCreateFile.Find(), icmp6CreateFile.Find(), icmpCloseHandle.Find(),
		icmpSendEcho2Ex.Find(), icmp6SendEcho2.Find()); err != nil {
		return pong{outcome: outcomeError, why: err.Error()}
	}
	wait := ReachTimeout
	if deadline, ok := ctx.Deadline(); ok {
		wait = time.Until(deadline)
	}
	done := make(chan pong, 1)
	go func() { done <- callEcho(e, max(wait, time.Millisecond)) }()
	select {
	case p := <-done:
		return p
	case <-ctx.Done():
		select {
		case p := <-done:
			return p
		case <-time.After(lateEcho): // its timeout is the same, and Windows is not that punctual
			return pong{outcome: timedOut}
		}
	}
}

const lateEcho = 100 * time.Millisecond

func callEcho(e echoRequest, wait time.Duration) pong {
	open := icmpCreateFile
	if e.to.Is6() {
		open = icmp6CreateFile
	}
	handle, _, err := open.Call()
	if windows.Handle(handle) == windows.InvalidHandle {
		return windowsPong(errnoOf(err), thisMachine)
	}
	defer icmpCloseHandle.Call(handle)
	options := &ipOptions{TTL: 128}
	if e.whole {
		options.Flags = ipFlagDF
	}
	reply := make([]byte, replyRoom+len(e.payload))
	var n uintptr
	address, status := echoReplyAddress, echoReplyStatus
	if e.to.Is6() {
		address, status = echoReply6Address, echoReply6Status
		from := windows.RawSockaddrInet6{Family: windows.AF_INET6}
		zone, _ := zoneIndex(e.to.Zone())
		to := windows.RawSockaddrInet6{Family: windows.AF_INET6, Addr: e.to.As16(), Scope_id: zone}
		n, _, err = icmp6SendEcho2.Call(handle, 0, 0, 0, uintptr(unsafe.Pointer(&from)),
			uintptr(unsafe.Pointer(&to)),
			uintptr(unsafe.Pointer(&e.payload[0])), uintptr(len(e.payload)),
			uintptr(unsafe.Pointer(options)),
			uintptr(unsafe.Pointer(&reply[0])), uintptr(len(reply)), uintptr(wait.Milliseconds()))
	} else {
		to := e.to.As4()
		n, _, err = icmpSendEcho2Ex.Call(handle, 0, 0, 0, 0,
			uintptr(binary.NativeEndian.Uint32(to[:])),
			uintptr(unsafe.Pointer(&e.payload[0])), uintptr(len(e.payload)),
			uintptr(unsafe.Pointer(options)),
			uintptr(unsafe.Pointer(&reply[0])), uintptr(len(reply)), uintptr(wait.Milliseconds()))
	}
	if n == 0 {
		return windowsPong(errnoOf(err), thisMachine)
	}
	from, _ := netip.AddrFromSlice(reply[address:][:e.to.BitLen()/8])
	return windowsPong(binary.NativeEndian.Uint32(reply[status:]), from.String())
}

// ipOptions is IP_OPTION_INFORMATION.
type ipOptions struct {
	TTL, TOS, Flags, Size uint8
	data                  *byte
}

const (
	ipFlagDF  = 2
	replyRoom = 256 // the reply's own fields, an error message of ICMP and an IO_STATUS_BLOCK
)

// Where fields lie in ICMP_ECHO_REPLY, and in ICMPV6_ECHO_REPLY: that begins with a packed address
// of 26 bytes, of port, flow, address and scope.
const (
	echoReplyAddress  = 0
	echoReplyStatus   = 4
	echoReply6Address = 6
	echoReply6Status  = 28
)

func errnoOf(err error) uint32 {
	if e, ok := err.(syscall.Errno); ok {
		return uint32(e)
	}
	return generalFailure
}
