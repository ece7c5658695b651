// Package probe measures what no state shows: whether names resolve and hosts
// answer, from where the program runs. It sends a few packets to the targets
// that it is given, all side by side under one deadline, and records what came
// back; what that means is for the checks to say.
package probe

import (
	"cmp"
	"context"
	"errors"
	"net"
	"net/netip"
	"strings"
	"sync"
	"time"
	"unicode"

	"github.com/miekg/dns"

	"doctor/checks/evidence"
	"doctor/collectors"
)

// A DNSPlan is what is asked of whom.
type DNSPlan struct {
	Servers []DNSServer
	// names that the system's own resolver is asked for; it has one on Windows only
	System    []string
	Names     []string
	Namespace string // of the pod in whose place the names are asked
	Domain    string // of the cluster; cluster.local where empty

	// What tests have of their own: nil for the system's network, and for resend.
	dial   func(ctx context.Context, network, address string) (net.Conn, error)
	resend []time.Duration
}

// A DNSServer is asked over UDP and TCP for all names of the plan in all forms,
// or where it has names of its own, for those as they stand.
type DNSServer struct {
	Address string // with the port
	Names   []string
}

// The transports and forms of a name, in the order in which they are recorded.
var (
	transports = []string{"udp", "tcp"}
	forms      = []string{"plain", "windows", "linux"}
)

// maxQueries bounds what is sent, retries apart. What a plan holds beyond that
// is recorded as not sent.
const maxQueries = 96

// DNS asks all that the plan holds, side by side, until the context's deadline.
// The same name asked of the same server over the same transport is sent once,
// whichever forms it belongs to.
func DNS(ctx context.Context, plan DNSPlan) []evidence.DNSProbe {
	a := &asker{ctx: ctx, dial: plan.dial, resend: plan.resend,
		asked: map[query]func() answer{}}
	if a.dial == nil {
		a.dial = new(net.Dialer).DialContext
	}
	if a.resend == nil {
		a.resend = resend
	}
	var probes []evidence.DNSProbe
	var todo []func(*evidence.DNSProbe)
	add := func(server, transport, form, name string, sent []string, ask func(string) answer) {
		probes = append(probes, evidence.DNSProbe{Name: name, Type: "A",
			Server: server, Transport: transport, From: "node", Form: form, Answers: []string{}})
		todo = append(todo, func(p *evidence.DNSProbe) { walk(p, sent, ask) })
	}
	for _, server := range plan.Servers {
		names, ways := plan.Names, forms
		if server.Names != nil {
			names, ways = server.Names, forms[:1]
		}
		for _, name := range names {
			for _, transport := range transports {
				for _, form := range ways {
					add(server.Address, transport, form, name, plan.sent(form, name),
						func(sent string) answer {
							return a.ask(query{server.Address, transport, sent})
						})
				}
			}
		}
	}
	for _, name := range plan.System {
		add("system", "udp", "windows", name, []string{name}, func(name string) answer {
			return a.system(name)
		})
	}
	var all sync.WaitGroup
	for i, do := range todo {
		all.Go(func() { do(&probes[i]) })
	}
	all.Wait()
	return probes
}

// DNSCollector asks what the plan says once other collectors have recorded what
// it is made of.
func DNSCollector(plan func(evidence.Snapshot) (DNSPlan, error), after []string,
	deadline time.Duration) collectors.Collector {
	return collectors.Collector{Name: "DNS probes", Answers: []string{evidence.DNSProbes.Path()},
		After: after, Deadline: deadline + grace,
		Read: planned(plan, func(ctx context.Context, r *collectors.Record, p DNSPlan) error {
			ctx, cancel := within(ctx, deadline)
			defer cancel()
			r.JSON(evidence.DNSProbes.Path(), DNS(ctx, p))
			return nil
		})}
}

// planned makes the plan of what was recorded, and has it done.
func planned[P any](plan func(evidence.Snapshot) (P, error),
	do func(context.Context, *collectors.Record, P) error) func(context.Context,
	*collectors.Record) error {
	return func(ctx context.Context, r *collectors.Record) error {
		s, err := r.Snapshot()
		if err != nil {
			return err
		}
		p, err := plan(s)
		if err != nil {
			return err
		}
		return do(ctx, r, p)
	}
}

// grace is what a collector has left, when the last probe has timed out, to write down all of them.
const grace = 500 * time.Millisecond

// walk asks one name after the other, as a resolver does: the first that exists
// ends it, and so does a server that does not answer. A server's failure over
// one name is remembered, and counts where no other name exists.
func walk(p *evidence.DNSProbe, sent []string, ask func(string) answer) {
	rank := map[string]int{"nxdomain": 1, "nodata": 2, "servfail": 3}
	for _, name := range sent {
		got := ask(name)
		p.Sent = append(p.Sent, name)
		p.LatencyMS += ms(got.took)
		p.Retries += got.retries
		p.EDNS = p.EDNS || got.edns
		p.Truncated = p.Truncated || got.truncated
		if now, goesOn := rank[got.outcome]; p.Decided == "" || !goesOn || now > rank[p.Outcome] {
			p.Decided, p.Outcome, p.Rcode, p.Why = name, got.outcome, got.rcode, got.why
			p.Answers = append([]string{}, got.addresses...) // never null
		}
		if rank[got.outcome] == 0 {
			return
		}
	}
}

// ms is a time in milliseconds, to the microsecond.
func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// sent lists the names that a resolver of that form sends for a name, in order.
func (p DNSPlan) sent(form, name string) []string {
	whole := dns.Fqdn(name)
	search := p.search()
	dots := strings.Count(name, ".")
	switch {
	case form == "plain" || dns.IsFqdn(name):
		return []string{whole}
	case form == "windows" && dots > 0: // a name with a dot is taken for complete
		return []string{whole}
	case form == "windows":
		return []string{dns.Fqdn(name + "." + search[0])} // the only suffix of its pods
	}
	var list []string
	for _, suffix := range search {
		list = append(list, dns.Fqdn(name+"."+suffix))
	}
	if dots >= ndots {
		return append([]string{whole}, list...)
	}
	return append(list, whole)
}

// ndots is that of a Linux pod: a name with fewer dots is completed before it is tried as it stands.
const ndots = 5

// search is the search list of a Linux pod.
func (p DNSPlan) search() []string {
	domain := cmp.Or(strings.Trim(p.Domain, "."), "cluster.local")
	namespace := cmp.Or(p.Namespace, "default")
	return []string{namespace + ".svc." + domain, "svc." + domain, domain}
}

// ParseDNSServer reads an address with or without a port, which is 53 by default.
func ParseDNSServer(s string) (string, error) {
	if a, err := netip.ParseAddrPort(s); err == nil && a.Port() > 0 && isZone(a.Addr().Zone()) {
		return a.String(), nil
	}
	if a, err := netip.ParseAddr(strings.Trim(s, "[]")); err == nil && isZone(a.Zone()) {
		return netip.AddrPortFrom(a, 53).String(), nil
	}
	return "", errors.New("give an address, such as 10.96.0.10, 10.96.0.10:5353 or [fd00::a]:53")
}

// isZone tells of the index or the name of an interface behind an address; netip takes any text for one.
func isZone(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool {
		return unicode.IsControl(r) || strings.ContainsRune("[]%", r)
	})
}

// IsDNSName tells whether a name can be asked for, and names be completed with
// it. Escapes are left out: no name of a cluster needs one.
func IsDNSName(s string) bool {
	_, ok := dns.IsDomainName(s)
	return ok && s != "" && !strings.ContainsFunc(s, func(r rune) bool {
		return r <= ' ' || r >= 0x7f || r == '\\'
	})
}
