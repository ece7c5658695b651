package probe

import "golang.org/x/sys/unix"

const errorsByConnection = false

func (s *icmpSocket) setOptions(fd int, whole bool) error {
	if s.six {
		if whole {
			return unix.SetsockoptInt(fd, unix.IPPROTO_IPV6, unix.IPV6_DONTFRAG, 1)
		}
		return nil
	}
	// IP_STRIPHDR: else the IP header comes along on a socket that is not raw
	const stripHeader = 0x17
	err := unix.SetsockoptInt(fd, unix.IPPROTO_IP, stripHeader, 1)
	if whole && err == nil {
		err = unix.SetsockoptInt(fd, unix.IPPROTO_IP, unix.IP_DONTFRAG, 1)
	}
	return err
}

func (s *icmpSocket) routersPong(err error) pong { return s.localPong(err) }
