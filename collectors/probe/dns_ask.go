package probe

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"sync"
	"syscall"
	"time"

	"github.com/miekg/dns"

	"doctor/checks/evidence"
)

// A query is what is sent once.
type query struct{ server, transport, name string }

// An answer is what came of a query.
type answer struct {
	outcome, rcode, why string
	addresses           []string
	took                time.Duration
	retries             int
	edns, truncated     bool
}

// An asker sends each query once and shares its answer.
type asker struct {
	ctx    context.Context
	dial   func(ctx context.Context, network, address string) (net.Conn, error)
	resend []time.Duration

	mu    sync.Mutex
	asked map[query]func() answer
}

func (a *asker) ask(q query) answer {
	a.mu.Lock()
	once, ok := a.asked[q]
	if !ok {
		once = sync.OnceValue(func() answer { return a.send(q) })
		if len(a.asked) >= maxQueries {
			once = func() answer {
				return answer{outcome: "error",
					why: fmt.Sprintf("not sent: the plan holds more than %d queries", maxQueries)}
			}
		}
		a.asked[q] = once
	}
	a.mu.Unlock()
	return once()
}

// resend is when a datagram is sent again, counted from the first: as often as
// resolvers do, on the same socket, so that a late answer still counts.
var resend = []time.Duration{time.Second, 3 * time.Second}

func (a *asker) send(q query) answer {
	if _, ok := dns.IsDomainName(q.name); !ok {
		return answer{outcome: "error", why: "not sent: this is no domain name"}
	}
	began := time.Now()
	got := a.exchange(q, true)
	// Some old servers refuse a question with EDNS0, and answer it without.
	if got.rcode == "FORMERR" || got.rcode == "NOTIMP" || got.rcode == "BADVERS" {
		plain := a.exchange(q, false)
		plain.retries += got.retries + 1
		got = plain
	}
	got.took = time.Since(began)
	return got
}

// udpSize is what an answer may take in one datagram without being fragmented.
const udpSize = 1232

func (a *asker) exchange(q query, edns bool) answer {
	if a.ctx.Err() != nil {
		return answer{outcome: "error", why: "not sent: no time was left"}
	}
	m := new(dns.Msg).SetQuestion(q.name, dns.TypeA)
	if edns {
		m.SetEdns0(udpSize, false)
	}
	conn, err := a.dial(a.ctx, q.transport, q.server)
	if err != nil {
		return unanswered(err)
	}
	defer conn.Close()
	if q.transport == "udp" {
		hearRefusals(conn)
	}
	defer context.AfterFunc(a.ctx, func() { conn.SetDeadline(time.Unix(1, 0)) })()
	c := &dns.Conn{Conn: conn, UDPSize: udpSize}
	if err := c.WriteMsg(m); err != nil {
		return unanswered(err)
	}
	retries, again := 0, a.resend
	if q.transport == "tcp" {
		again = nil
	}
	for began := time.Now(); ; {
		until, _ := a.ctx.Deadline()
		if len(again) > 0 {
			until = began.Add(again[0])
		}
		conn.SetReadDeadline(until)
		var r *dns.Msg
		// whose end may have come before the deadline was set anew
		if err = a.ctx.Err(); err == nil {
			r, err = c.ReadMsg()
		}
		switch {
		case a.ctx.Err() != nil && err != nil:
			got := unanswered(context.Cause(a.ctx))
			got.retries = retries
			return got
		case err != nil && len(again) > 0 && errors.Is(err, os.ErrDeadlineExceeded):
			again = again[1:]
			retries++
			if err := c.WriteMsg(m); err != nil {
				return unanswered(err)
			}
			continue
		case err != nil && q.transport == "udp" && isGarbled(err):
			continue // whoever sent this, the real answer may still come
		case err == nil && !answers(m, r):
			continue // of another question: a stray, or somebody who guesses
		}
		var got answer
		if err != nil {
			got = unanswered(err)
		} else {
			got = answerOf(r)
		}
		got.retries = retries
		return got
	}
}

// answers tells whether r is the reply to m.
func answers(m, r *dns.Msg) bool {
	if r.Id != m.Id || !r.Response {
		return false
	}
	// A server that did not understand the question may leave it out.
	return len(r.Question) == 0 && r.Rcode != dns.RcodeSuccess ||
		len(r.Question) == 1 && r.Question[0].Qtype == m.Question[0].Qtype &&
			dns.CanonicalName(r.Question[0].Name) == dns.CanonicalName(m.Question[0].Name)
}

// maxAnswers bounds what of an answer is recorded.
const maxAnswers = 16

// answerOf turns a reply into an outcome.
func answerOf(r *dns.Msg) answer {
	rcode := r.Rcode
	got := answer{edns: r.IsEdns0() != nil, truncated: r.Truncated, rcode: rcodeName(rcode),
		addresses: addresses(r)}
	switch {
	case r.Truncated:
		got.outcome = "truncated"
	case rcode == dns.RcodeSuccess && len(got.addresses) == 0:
		got.outcome = "nodata" // the name exists, or a name below it, and has no address
	case rcode == dns.RcodeSuccess:
		got.outcome = "ok"
	case rcode == dns.RcodeNameError:
		got.outcome = "nxdomain"
	case rcode == dns.RcodeRefused:
		got.outcome = "refused"
	default: // the server could not: rcode says why
		got.outcome = "servfail"
	}
	return got
}

func rcodeName(rcode int) string {
	if rcode == dns.RcodeBadVers {
		return "BADVERS" // it shares its number with BADSIG, which only signed messages know
	}
	return cmp.Or(dns.RcodeToString[rcode], fmt.Sprintf("RCODE%d", rcode))
}

// addresses lists those that the reply ends in, aliases left out.
func addresses(r *dns.Msg) []string {
	var list []string
	for _, rr := range r.Answer {
		if len(list) == maxAnswers {
			break
		}
		if a, ok := rr.(*dns.A); ok && a.A != nil {
			list = append(list, a.A.String())
		}
	}
	return list
}

// unanswered turns what kept an answer from coming into an outcome. Only what was
// sent and stayed unanswered is a timeout, and only what the other side refused
// is refused: all else was not asked at all.
func unanswered(err error) answer {
	why := evidence.Clean(err.Error())
	var timeout net.Error
	switch {
	case isRefusal(err), errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return answer{outcome: "refused", why: why}
	case errors.Is(err, context.Canceled):
		return answer{outcome: "error", why: "the run was interrupted"}
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, os.ErrDeadlineExceeded),
		errors.As(err, &timeout) && timeout.Timeout():
		return answer{outcome: "timeout"}
	}
	return answer{outcome: "error", why: why}
}

// isRefusal tells that the host answered, and nobody listens there.
func isRefusal(err error) bool {
	var errno syscall.Errno
	return errors.As(err, &errno) && (errnos[errno] == refused || errnos[errno] == reset)
}

// isGarbled tells an error of reading a message from one of the socket.
func isGarbled(err error) bool {
	var unpack *dns.Error
	return errors.As(err, &unpack)
}
