package probe

import (
	"context"
	"errors"
	"net"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/miekg/dns"

	"doctor/checks/evidence"
	"doctor/collectors"
	"doctor/collectors/tree"
	"doctor/fixtures/wait"
)

// zone is what the stand-in servers know.
var zone = map[string]string{
	"kubernetes.default.svc.cluster.local.": "10.96.0.1",
	"mcr.microsoft.com.":                    "204.79.197.219",
}

// answerZone answers as CoreDNS would.
func answerZone(w dns.ResponseWriter, m *dns.Msg) {
	r := new(dns.Msg).SetReply(m)
	name := dns.CanonicalName(m.Question[0].Name)
	if m.IsEdns0() != nil {
		r.SetEdns0(udpSize, false)
	}
	switch ip, ok := zone[name]; {
	case ok && m.Question[0].Qtype == dns.TypeA:
		r.Answer = append(r.Answer,
			&dns.A{Hdr: dns.RR_Header{Name: m.Question[0].Name, Rrtype: dns.TypeA,
				Class: dns.ClassINET, Ttl: 5}, A: net.ParseIP(ip)})
	case ok:
	default:
		r.Rcode = dns.RcodeNameError
	}
	w.WriteMsg(r)
}

// serve starts a server on 127.0.0.1, over UDP and TCP at the same port; a nil
// handler leaves the transport closed.
func serve(t *testing.T, udp, tcp dns.HandlerFunc) string {
	t.Helper()
	for range 20 {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		p, err := net.ListenPacket("udp", l.Addr().String())
		if err != nil {
			l.Close()
			continue // somebody else has that port
		}
		start := func(s *dns.Server) {
			up := make(chan bool)
			s.NotifyStartedFunc = func() { close(up) }
			go s.ActivateAndServe()
			<-up
			t.Cleanup(func() { s.Shutdown() })
		}
		if tcp == nil {
			l.Close()
		} else {
			start(&dns.Server{Listener: l, Handler: tcp})
		}
		if udp == nil {
			p.Close()
		} else {
			start(&dns.Server{PacketConn: p, Handler: udp})
		}
		return l.Addr().String()
	}
	t.Fatal("no port is free for both UDP and TCP")
	return ""
}

func silence(dns.ResponseWriter, *dns.Msg) {}

func rcode(code int) dns.HandlerFunc {
	return func(w dns.ResponseWriter, m *dns.Msg) { w.WriteMsg(new(dns.Msg).SetRcode(m, code)) }
}

// probes asks all that the plan holds, with as much time as a busy machine needs. A datagram is not
// sent again: how often that is done is for TestServersOfEverySpeed.
func probes(t *testing.T, plan DNSPlan) []evidence.DNSProbe {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), wait.Limit)
	defer cancel()
	if plan.resend == nil {
		plan.resend = []time.Duration{wait.Limit}
	}
	return DNS(ctx, plan)
}

func TestServersOfEveryKind(t *testing.T) {
	const full = "kubernetes.default.svc.cluster.local"
	truncate := func(w dns.ResponseWriter, m *dns.Msg) {
		r := new(dns.Msg).SetReply(m)
		r.Truncated = true
		w.WriteMsg(r)
	}
	firstWrong := func(w dns.ResponseWriter, m *dns.Msg) {
		w.WriteMsg(new(dns.Msg).SetRcode(&dns.Msg{MsgHdr: dns.MsgHdr{Id: m.Id + 1},
			Question: m.Question}, dns.RcodeSuccess))
		w.Write([]byte{1, 2, 3}) // and no message at all
		answerZone(w, m)
	}
	noEDNS := func(w dns.ResponseWriter, m *dns.Msg) {
		if m.IsEdns0() != nil {
			rcode(dns.RcodeFormatError)(w, m)
			return
		}
		answerZone(w, m)
	}
	hangUp := func(w dns.ResponseWriter, m *dns.Msg) { w.Close() }
	for _, c := range []struct {
		name     string
		udp, tcp dns.HandlerFunc
		want     string
		retries  int
	}{
		{"answers", answerZone, answerZone, "udp ok NOERROR edns, tcp ok NOERROR edns", 0},
		{"answers over TCP only", nil, answerZone, "udp refused, tcp ok NOERROR edns", 0},
		{"answers over UDP only", answerZone, nil, "udp ok NOERROR edns, tcp refused", 0},
		{"is not there", nil, nil, "udp refused, tcp refused", 0},
		{"truncates", truncate, answerZone, "udp truncated NOERROR, tcp ok NOERROR edns", 0},
		{"fails", rcode(dns.RcodeServerFailure), rcode(dns.RcodeServerFailure),
			"udp servfail SERVFAIL, tcp servfail SERVFAIL", 0},
		{"refuses", rcode(dns.RcodeRefused), rcode(dns.RcodeRefused),
			"udp refused REFUSED, tcp refused REFUSED", 0},
		{"is outrun by somebody who guesses", firstWrong, answerZone,
			"udp ok NOERROR edns, tcp ok NOERROR edns", 0},
		{"does not know EDNS0", noEDNS, noEDNS, "udp ok NOERROR, tcp ok NOERROR", 1},
		{"hangs up", answerZone, hangUp, "udp ok NOERROR edns, tcp refused", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			server := serve(t, c.udp, c.tcp)
			list := probes(t,
				DNSPlan{Servers: []DNSServer{{Address: server, Names: []string{full}}}})
			if got := outcomes(list); got != c.want {
				t.Errorf("%s, want %s", got, c.want)
			}
			for _, p := range list {
				if p.Outcome == "ok" && !slices.Equal(p.Answers, []string{"10.96.0.1"}) {
					t.Errorf("%s answers %v", p.Transport, p.Answers)
				}
				if p.Transport == "udp" && p.Retries != c.retries {
					t.Errorf("%d retries, want %d", p.Retries, c.retries)
				}
				if p.Server != server || p.From != "node" || p.Type != "A" || p.Form != "plain" ||
					!slices.Equal(p.Sent, []string{full + "."}) || p.Outcome != "error" &&
					p.Decided != full+"." {
					t.Errorf("recorded as %+v", p)
				}
				if p.Answers == nil {
					t.Error("the answers are null in JSON")
				}
				if p.LatencyMS <= 0 || p.Truncated != (p.Outcome == "truncated") {
					t.Errorf("recorded as %+v", p)
				}
			}
		})
	}
}

// outcomes are "transport outcome code edns" of each probe.
func outcomes(list []evidence.DNSProbe) string {
	var all []string
	for _, p := range list {
		words := []string{p.Transport, p.Outcome, p.Rcode}
		if p.EDNS {
			words = append(words, "edns")
		}
		all = append(all, strings.Join(slices.DeleteFunc(words, func(w string) bool {
			return w == ""
		}), " "))
	}
	return strings.Join(all, ", ")
}

func TestEveryFormOfEveryNameOfTheDocumentation(t *testing.T) {
	var packets atomic.Int32
	counted := func(w dns.ResponseWriter, m *dns.Msg) {
		packets.Add(1)
		answerZone(w, m)
	}
	const full = "kubernetes.default.svc.cluster.local"
	plan := DNSPlan{Servers: []DNSServer{{Address: serve(t, counted, counted)}},
		Names: []string{"kubernetes", "kubernetes.default", "kubernetes.default.svc", full,
			full + ".", "mcr.microsoft.com"}}
	var got []string
	for _, p := range probes(t, plan) {
		if p.Transport == "udp" {
			got = append(got,
				strings.Join([]string{p.Name, p.Form, p.Outcome, p.Decided,
					strings.Join(p.Sent, ",")}, " "))
		}
	}
	want := strings.Split(strings.ReplaceAll(`kubernetes plain nxdomain kubernetes. kubernetes.
kubernetes windows ok FULL FULL
kubernetes linux ok FULL FULL
kubernetes.default plain nxdomain kubernetes.default. kubernetes.default.
kubernetes.default windows nxdomain kubernetes.default. kubernetes.default.
kubernetes.default linux ok FULL kubernetes.default.default.svc.cluster.local.,FULL
kubernetes.default.svc plain nxdomain kubernetes.default.svc. kubernetes.default.svc.
kubernetes.default.svc windows nxdomain kubernetes.default.svc. kubernetes.default.svc.
kubernetes.default.svc linux ok FULL kubernetes.default.svc.default.svc.cluster.local.,kubernetes.default.svc.svc.cluster.local.,FULL
kubernetes.default.svc.cluster.local plain ok FULL FULL
kubernetes.default.svc.cluster.local windows ok FULL FULL
kubernetes.default.svc.cluster.local linux ok FULL FULLdefault.svc.cluster.local.,FULLsvc.cluster.local.,FULLcluster.local.,FULL
FULL plain ok FULL FULL
FULL windows ok FULL FULL
FULL linux ok FULL FULL
mcr.microsoft.com plain ok mcr.microsoft.com. mcr.microsoft.com.
mcr.microsoft.com windows ok mcr.microsoft.com. mcr.microsoft.com.
mcr.microsoft.com linux ok mcr.microsoft.com. mcr.microsoft.com.default.svc.cluster.local.,mcr.microsoft.com.svc.cluster.local.,mcr.microsoft.com.cluster.local.,mcr.microsoft.com.`, "FULL", full+"."), "\n")
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if n := packets.Load(); n != 28 {
		t.Errorf("%d queries; each name goes to a server once over each transport, which makes 28",
			n)
	}
}

func TestWhatAResolverSends(t *testing.T) {
	shop := DNSPlan{Namespace: "shop", Domain: "corp.example."}
	for _, c := range []struct {
		name       string
		plan       DNSPlan
		form, asks string
		want       []string
	}{
		{"a name without a dot gets Windows's one suffix", shop, "windows", "web",
			[]string{"web.shop.svc.corp.example."}},
		{"a name with a dot goes out as it is", shop, "windows", "web.shop", []string{"web.shop."}},
		{"a trailing dot ends all completing", shop, "linux", "web.", []string{"web."}},
		{"Linux completes first", shop, "linux", "web.shop",
			[]string{"web.shop.shop.svc.corp.example.", "web.shop.svc.corp.example.",
				"web.shop.corp.example.", "web.shop."}},
		{"with five dots it tries the name first", shop, "linux", "a.b.c.d.e.f",
			[]string{"a.b.c.d.e.f.", "a.b.c.d.e.f.shop.svc.corp.example.",
				"a.b.c.d.e.f.svc.corp.example.", "a.b.c.d.e.f.corp.example."}},
		{"without a plan's word it is the default namespace of cluster.local", DNSPlan{}, "windows",
			"web", []string{"web.default.svc.cluster.local."}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := c.plan.sent(c.form, c.asks); !slices.Equal(got, c.want) {
				t.Errorf("%v, want %v", got, c.want)
			}
		})
	}
}

func TestASearchListIsWalkedAsResolversDo(t *testing.T) {
	for _, c := range []struct{ name, outcomes, want string }{
		{"the first that exists ends it", "nxdomain ok nxdomain", "ok b 2"},
		{"silence ends it", "nxdomain timeout ok", "timeout b 2"},
		{"a failure does not, and counts where nothing exists", "servfail nxdomain nxdomain",
			"servfail a 3"},
		{"a failure is forgotten where another name exists", "servfail ok ok", "ok b 2"},
		{"a name without an address says more than none", "nodata nxdomain nxdomain", "nodata a 3"},
		{"what does not fit ends it", "truncated ok ok", "truncated a 1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			outcomes := strings.Fields(c.outcomes)
			var p evidence.DNSProbe
			walk(&p, []string{"a", "b", "c"}, func(name string) answer {
				return answer{outcome: outcomes[name[0]-'a']}
			})
			if got := p.Outcome + " " + p.Decided + " " +
				string(rune('0'+len(p.Sent))); got != c.want {
				t.Errorf("%s, want %s", got, c.want)
			}
		})
	}
}

func TestWhatCouldNotBeSentIsNoFailure(t *testing.T) {
	for _, c := range []struct{ name, server, asks string }{
		{"a server without a port", "127.0.0.1", "a.example"},
		{"a name that is none", "127.0.0.1:53", strings.Repeat("a", 70)},
		{"a network that is not there", "[fe80::1%nowhere]:53", "a.example"},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, p := range probes(t,
				DNSPlan{Servers: []DNSServer{{Address: c.server, Names: []string{c.asks}}}}) {
				if p.Outcome != "error" || p.Why == "" || p.Lost() || p.Answered() {
					t.Errorf("recorded as %+v", p)
				}
			}
		})
	}
}

func TestAPlanIsBounded(t *testing.T) {
	var packets atomic.Int32
	server := serve(t, func(w dns.ResponseWriter, m *dns.Msg) {
		packets.Add(1)
		answerZone(w, m)
	}, rcode(dns.RcodeSuccess))
	var names []string
	for i := range 3 * maxQueries {
		names = append(names, strings.Repeat("a", i%60+1)+string(rune('a'+i/60))+".example")
	}
	list := probes(t, DNSPlan{Servers: []DNSServer{{Address: server, Names: names}}})
	unsent := 0
	for _, p := range list {
		if p.Outcome == "error" {
			unsent++
		}
	}
	if n := packets.Load(); n > maxQueries || len(list) != 6*maxQueries || unsent != 5*maxQueries {
		t.Errorf("%d datagrams, %d of %d probes not sent; want at most %d queries", n, unsent,
			len(list), maxQueries)
	}
}

func TestTheSystemsResolver(t *testing.T) {
	t.Cleanup(func() { lookUp = systemLookUp })
	for _, c := range []struct {
		name      string
		addresses []string
		err       error
		want      string
	}{
		{"an address", []string{"10.96.0.1"}, nil, "ok NOERROR"},
		{"no address", nil, nil, "nodata NOERROR"},
		{"DNS_INFO_NO_RECORDS", nil, syscall.Errno(9501), "nodata NOERROR"},
		{"DNS_ERROR_RCODE_SERVER_FAILURE", nil, syscall.Errno(9002), "servfail SERVFAIL"},
		{"DNS_ERROR_RCODE_NAME_ERROR", nil, syscall.Errno(9003), "nxdomain NXDOMAIN"},
		{"DNS_ERROR_RCODE_REFUSED", nil, syscall.Errno(9005), "refused REFUSED"},
		{"ERROR_TIMEOUT", nil, syscall.Errno(1460), "timeout"},
		{"DNS_ERROR_NO_DNS_SERVERS", nil, syscall.Errno(9852), "error"},
		{"another system than Windows", nil, errors.ErrUnsupported, "error"},
	} {
		t.Run(c.name, func(t *testing.T) {
			lookUp = func(string) ([]string, error) { return c.addresses, c.err }
			p := probes(t, DNSPlan{System: []string{"kubernetes"}})[0]
			if got := strings.TrimSpace(p.Outcome + " " + p.Rcode); got != c.want ||
				p.Server != "system" || p.Form != "windows" {
				t.Errorf("%+v, want %s", p, c.want)
			}
		})
	}
	hung := make(chan bool)
	ctx, expire := wait.Deadline(t)
	lookUp = func(string) ([]string, error) { expire(); <-hung; return nil, nil }
	if p := DNS(ctx, DNSPlan{System: []string{"kubernetes"}})[0]; p.Outcome != "timeout" {
		t.Errorf("a call that hangs is %+v", p)
	}
	close(hung)
}

func TestTheCollectorRecordsWhatThePlanAsks(t *testing.T) {
	server := serve(t, answerZone, answerZone)
	for _, c := range []struct {
		name string
		err  error
		want string // the gap
	}{
		{"a plan", nil, ""},
		{"no server is known", collectors.GapError(evidence.NoDNSServer.Gap()),
			evidence.NoDNSServer.Gap().String()},
	} {
		recorded := tree.New()
		recorded.JSON("meta.json", evidence.Meta{Layout: evidence.Layout, Node: "win-1",
			CollectedAt: time.Now()})
		one := DNSCollector(func(evidence.Snapshot) (DNSPlan, error) {
			return DNSPlan{Servers: []DNSServer{{Address: server,
				Names: []string{"mcr.microsoft.com"}}}}, c.err
		}, nil, wait.Limit)
		collectors.Run(t.Context(), recorded, []collectors.Collector{one},
			func([]collectors.Reading) {})
		s, err := evidence.Load(recorded.FS())
		if err != nil {
			t.Fatal(err)
		}
		list := evidence.DNSProbes.In(s)
		if got := evidence.DNSProbes.Gap(s).String(); got != c.want || c.err == nil &&
			(len(list) != 2 || list[1].Outcome != "ok") {
			t.Errorf("%s: %q %+v", c.name, got, list)
		}
	}
}
