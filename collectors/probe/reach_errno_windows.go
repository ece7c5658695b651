package probe

import (
	"syscall"

	"golang.org/x/sys/windows"
)

// errnos are the outcomes behind the errors of Winsock, and behind those that
// overlapped calls give in their stead.
var errnos = map[syscall.Errno]string{
	windows.WSAETIMEDOUT:              timedOut,
	windows.ERROR_SEM_TIMEOUT:         timedOut,
	windows.WSAECONNREFUSED:           refused,
	windows.ERROR_CONNECTION_REFUSED:  refused,
	windows.WSAECONNRESET:             reset,
	windows.WSAECONNABORTED:           reset,
	windows.WSAENETRESET:              reset,
	windows.ERROR_NETNAME_DELETED:     reset,
	windows.ERROR_CONNECTION_ABORTED:  reset,
	windows.WSAENETDOWN:               noNetwork,
	windows.WSAENETUNREACH:            noNetwork,
	windows.WSAEHOSTDOWN:              noHost,
	windows.WSAEHOSTUNREACH:           noHost,
	windows.ERROR_NETWORK_UNREACHABLE: noNetwork,
	windows.ERROR_HOST_UNREACHABLE:    noHost,
	windows.ERROR_PORT_UNREACHABLE:    refused, // what ICMP says of a closed UDP port
	windows.WSAEACCES:                 denied,
	windows.ERROR_ACCESS_DENIED:       denied,
}
