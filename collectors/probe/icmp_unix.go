//go:build linux || darwin

package probe

import (
	"context"
	"errors"
	"net/netip"
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// sendEcho pings through a socket that anybody may have, where the system
// allows that, and else through a raw one, which is for root.
func sendEcho(ctx context.Context, e echoRequest) pong {
	s, err := openICMP(e)
	if err != nil {
		return unsentPong(err)
	}
	defer s.file.Close()
	if deadline, ok := ctx.Deadline(); ok {
		s.file.SetReadDeadline(deadline)
	}
	defer context.AfterFunc(ctx, func() { s.file.SetReadDeadline(time.Unix(1, 0)) })()
	if err := s.send(e); err != nil {
		return s.localPong(err)
	}
	return s.receive(e)
}

// An icmpSocket carries one request.
type icmpSocket struct {
	file *os.File
	conn syscall.RawConn
	raw  bool
	six  bool

	family icmpFamily
}

func openICMP(e echoRequest) (*icmpSocket, error) {
	s := &icmpSocket{six: e.to.Is6(), family: familyOf(e.to)}
	family, protocol := unix.AF_INET, unix.IPPROTO_ICMP
	if s.six {
		family, protocol = unix.AF_INET6, unix.IPPROTO_ICMPV6
	}
	fd, err := unix.Socket(family, unix.SOCK_DGRAM, protocol)
	if errors.Is(err, unix.EACCES) || errors.Is(err, unix.EPERM) ||
		errors.Is(err, unix.EPROTONOSUPPORT) {
		s.raw = true
		fd, err = unix.Socket(family, unix.SOCK_RAW, protocol)
	}
	if err != nil {
		return nil, err
	}
	unix.CloseOnExec(fd)
	if err = unix.SetNonblock(fd, true); err == nil {
		err = s.setOptions(fd, e.whole)
	}
	if err != nil {
		unix.Close(fd)
		return nil, err
	}
	s.file = os.NewFile(uintptr(fd), "icmp")
	if s.conn, err = s.file.SyscallConn(); err != nil {
		s.file.Close()
		return nil, err
	}
	return s, nil
}

func (s *icmpSocket) send(e echoRequest) error {
	to, err := sockaddr(e.to)
	if err != nil {
		return err
	}
	control := s.conn.Control(func(fd uintptr) {
		// the system tells such a socket, and only if connected, what routers say
		if errorsByConnection && !s.raw {
			if err = unix.Connect(int(fd), to); err == nil {
				_, err = unix.Write(int(fd), e.message())
			}
			return
		}
		err = unix.Sendto(int(fd), e.message(), 0, to)
	})
	if control != nil {
		return control
	}
	return err
}

func (s *icmpSocket) receive(e echoRequest) pong {
	buf := make([]byte, 64<<10)
	for {
		var n int
		var from unix.Sockaddr
		var err error
		waited := s.conn.Read(func(fd uintptr) bool {
			n, from, err = unix.Recvfrom(int(fd), buf, 0)
			return err != unix.EAGAIN && err != unix.EINTR
		})
		switch {
		case errors.Is(waited, os.ErrDeadlineExceeded):
			return pong{outcome: timedOut}
		case waited != nil:
			return pong{outcome: outcomeError, why: waited.Error()}
		case err != nil:
			return s.routersPong(err)
		}
		message := buf[:n]
		if s.raw && !s.six && n > 0 { // the IP header comes along
			message = message[min(int(message[0]&0xf)*4, n):]
		}
		if p, mine := e.read(addressOf(from), message); mine {
			return p
		}
	}
}

// unsentPong is for a request that this machine did not let out.
func unsentPong(err error) pong {
	if errors.Is(err, unix.EACCES) || errors.Is(err, unix.EPERM) {
		return pong{outcome: denied,
			why: "this system lets only root ping; run as root, or have the group in net.ipv4.ping_group_range"}
	}
	return pong{outcome: outcomeError, why: err.Error()}
}

// localPong is for a send that fails: the machine's own routes, MTU and firewall speak.
func (s *icmpSocket) localPong(err error) pong {
	switch {
	case errors.Is(err, unix.EMSGSIZE):
		return tooBig(thisMachine, 0)
	case errors.Is(err, unix.EPERM), errors.Is(err, unix.EACCES):
		return pong{outcome: denied, why: "the firewall of this machine does not let it out"}
	}
	outcome, why := outcomeOf(err)
	if outcome == unreachable {
		return unreachableBy(why, thisMachine)
	}
	return pong{outcome: outcome, why: why}
}

func sockaddr(a netip.Addr) (unix.Sockaddr, error) {
	if a.Is4() {
		return &unix.SockaddrInet4{Addr: a.As4()}, nil
	}
	zone, err := zoneIndex(a.Zone())
	return &unix.SockaddrInet6{Addr: a.As16(), ZoneId: zone}, err
}

func addressOf(a unix.Sockaddr) netip.Addr {
	switch a := a.(type) {
	case *unix.SockaddrInet4:
		return netip.AddrFrom4(a.Addr)
	case *unix.SockaddrInet6:
		return netip.AddrFrom16(a.Addr).Unmap()
	}
	return netip.Addr{}
}
