package probe

import (
	"context"
	"errors"
	"syscall"
	"time"

	"github.com/miekg/dns"

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
	select {
	case got := <-done:
		got.took = time.Since(began)
		return got
	case <-a.ctx.Done():
		got := unanswered(context.Cause(a.ctx))
		got.took = time.Since(began)
		return got
	}
}

// What DnsQuery answers, as WinError.h and WinDNS.h number it.
const (
	errorTimeout = syscall.Errno(1460) // ERROR_TIMEOUT: no server answered
	// DNS_ERROR_RCODE_FORMAT_ERROR; the rcodes follow in their order
	rcodeFormat   = syscall.Errno(9001)
	rcodeRefused  = syscall.Errno(9005)
	infoNoRecords = syscall.Errno(9501) // DNS_INFO_NO_RECORDS
)

// systemAnswer turns what DnsQuery says into the outcome of a probe.
func systemAnswer(addresses []string, err error) answer {
	var code syscall.Errno
	switch {
	case err == nil && len(addresses) == 0:
		return answer{outcome: "nodata", rcode: "NOERROR"}
	case err == nil:
		return answer{outcome: "ok", rcode: "NOERROR", addresses: addresses}
	case !errors.As(err, &code):
	case code == infoNoRecords:
		return answer{outcome: "nodata", rcode: "NOERROR"}
	case code >= rcodeFormat && code <= rcodeRefused:
		return answerOf(&dns.Msg{MsgHdr: dns.MsgHdr{Response: true, Rcode: int(code-rcodeFormat) +
			dns.RcodeFormatError}})
	case code == errorTimeout:
		return answer{outcome: "timeout"}
	}
	return answer{outcome: "error", why: evidence.Clean(err.Error())}
}
