package probe

import (
	"fmt"
	"strings"
)

// The statuses by which Windows tells how an echo request ended (IP_STATUS),
// and the errors of Win32 that come in their stead.
const (
	statusSuccess   = 0
	statusTooBig    = 11009
	statusTimedOut  = 11010
	generalFailure  = 11050
	errAccessDenied = 5
	errNotSupported = 50
	errNotCallable  = 120
)

var unreachableStatus = map[uint32]string{
	11002: "network unreachable", 11003: "host unreachable", 11004: "protocol unreachable",
	11005: "port unreachable", 11012: "bad route",
	11013: "the way is a circle or too long", 11014: "its fragments did not arrive",
	11018: "bad destination",
	1231:  "network unreachable", 1232: "host unreachable", 10051: "network unreachable",
	10065: "host unreachable",
}

// windowsPong reads a status. who sent it.
func windowsPong(status uint32, who string) pong {
	switch what, ok := unreachableStatus[status]; {
	case ok:
		return unreachableBy(what, who)
	case status == statusSuccess:
		return pong{outcome: answered}
	case status == statusTimedOut:
		return pong{outcome: timedOut}
	case status == statusTooBig:
		if strings.Trim(who, "0.:") == "" {
			who = thisMachine
		}
		return tooBig(who, 0)
	case status == errAccessDenied:
		return pong{outcome: denied, why: "Windows does not let this account ping"}
	case status == errNotSupported, status == errNotCallable:
		return pong{outcome: outcomeError, why: "this system cannot ping such an address"}
	case status == generalFailure:
		return pong{outcome: outcomeError,
			why: "general failure: Windows could not send it, for want of a route or because its firewall forbids it"}
	}
	return pong{outcome: outcomeError, why: fmt.Sprintf("Windows could not send it (status %d)",
		status)}
}
