//go:build !windows

package probe

import "syscall"

// errnos are the outcomes behind the errors of sockets.
var errnos = map[syscall.Errno]string{
	syscall.ETIMEDOUT:    timedOut,
	syscall.ECONNREFUSED: refused,
	syscall.ECONNRESET:   reset,
	syscall.ECONNABORTED: reset,
	syscall.EPIPE:        reset,
	syscall.ENETDOWN:     noNetwork,
	syscall.ENETUNREACH:  noNetwork,
	syscall.EHOSTDOWN:    noHost,
	syscall.EHOSTUNREACH: noHost,
	syscall.EACCES:       denied,
	syscall.EPERM:        denied,
}
