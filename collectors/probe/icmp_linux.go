package probe

import (
	"encoding/binary"
	"errors"
	"net/netip"

	"golang.org/x/sys/unix"
)

const errorsByConnection = true

// setOptions asks for packets that nobody fragments, whatever the system
// believes to fit: that is the question. It asks for the errors of routers too,
// except on a raw socket, which reads them itself and would be told of everybody's.
func (s *icmpSocket) setOptions(fd int, whole bool) error {
	level, receive, discover, probe := unix.IPPROTO_IP, unix.IP_RECVERR, unix.IP_MTU_DISCOVER,
		unix.IP_PMTUDISC_PROBE
	if s.six {
		level, receive, discover, probe = unix.IPPROTO_IPV6, unix.IPV6_RECVERR,
			unix.IPV6_MTU_DISCOVER, unix.IPV6_PMTUDISC_PROBE
	}
	var err error
	if !s.raw {
		err = unix.SetsockoptInt(fd, level, receive, 1)
	}
	if whole {
		err = errors.Join(err, unix.SetsockoptInt(fd, level, discover, probe))
	}
	if whole && s.six {
		err = errors.Join(err, unix.SetsockoptInt(fd, level, unix.IPV6_DONTFRAG, 1))
	}
	return err
}

// routersPong reads who sent the error, and why, from the socket's queue of errors.
func (s *icmpSocket) routersPong(err error) pong {
	who, kind, code, info := "a router", byte(0), byte(0), 0
	s.conn.Control(func(fd uintptr) {
		control := make([]byte, 512)
		_, n, _, _, readErr := unix.Recvmsg(int(fd), nil, control,
			unix.MSG_ERRQUEUE|unix.MSG_DONTWAIT)
		if readErr != nil {
			return
		}
		messages, _ := unix.ParseSocketControlMessage(control[:n])
		for _, m := range messages {
			if len(m.Data) >= extendedError {
				kind, code, info = m.Data[5], m.Data[6], int(binary.NativeEndian.Uint32(m.Data[8:]))
				who = offender(m.Data[extendedError:], who)
			}
		}
	})
	if errors.Is(err, unix.EMSGSIZE) {
		return tooBig(who, info)
	}
	if p, ok := s.family.stopped(kind, code, who); ok {
		return p
	}
	return s.localPong(err)
}

// extendedError is the size of struct sock_extended_err, behind which stands the address of the sender.
const extendedError = 16

func offender(b []byte, fallback string) string {
	if len(b) < 2 {
		return fallback
	}
	switch family := binary.NativeEndian.Uint16(b); {
	case family == unix.AF_INET && len(b) >= 8:
		return netip.AddrFrom4([4]byte(b[4:8])).String()
	case family == unix.AF_INET6 && len(b) >= 24:
		return netip.AddrFrom16([16]byte(b[8:24])).String()
	}
	return fallback
}
