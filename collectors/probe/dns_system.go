package probe

import (
	"context"
	"errors"
	"syscall"
	"time"

	"doctor/checks/evidence"
)

// lookUp asks the system's own resolver, which completes names, caches and
// chooses servers as it does for every program. A variable for tests.
var lookUp = systemLookUp

// system asks it under the deadline; a call that hangs is left behind.
func (a *asker) system(name string) answer {
	began, ask := time.Now(), lookUp
	done := make(chan answer, 1)
	go func() {
		addresses, err := ask(name)
		done <- systemAnswer(addresses, err)
	}()
	var got answer
	select {
	case got = <-done:
	case <-a.ctx.Done():
		got = unanswered(context.Cause(a.ctx))
	}
	got.took = time.Since(began)
	return got
}

// dnsCodes are Windows' numbers for what a DNS server says, or does not: WinError.h and WinDNS.h.
var dnsCodes = map[int]struct{ outcome, rcode string }{
	0: {answered, "NOERROR"}, 1460: {timedOut, ""}, 9001: {"servfail", "FORMERR"},
	9002: {"servfail", "SERVFAIL"}, 9003: {"nxdomain", "NXDOMAIN"}, 9004: {"servfail", "NOTIMP"},
	9005: {"refused", "REFUSED"}, 9501: {"nodata", "NOERROR"},
}

// outcomeOfCode is what a number of Windows says, with the addresses that came along.
func outcomeOfCode(code int, addresses []string) (outcome, rcode string, known bool) {
	is, known := dnsCodes[code]
	if is.outcome == answered && len(addresses) == 0 {
		is.outcome = "nodata" // an alias, say, that leads nowhere
	}
	return is.outcome, is.rcode, known
}

// systemAnswer turns what DnsQuery says into the outcome of a probe.
func systemAnswer(addresses []string, err error) answer {
	var code syscall.Errno
	coded := err == nil || errors.As(err, &code)
	if outcome, rcode, known := outcomeOfCode(int(code), addresses); known && coded {
		return answer{outcome: outcome, rcode: rcode, addresses: addresses}
	}
	return answer{outcome: outcomeError, why: evidence.Clean(err.Error())}
}
