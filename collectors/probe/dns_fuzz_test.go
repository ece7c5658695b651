package probe

import (
	"net"
	"testing"

	"github.com/miekg/dns"

	"doctor/checks/evidence"
)

func FuzzDNSAnswer(f *testing.F) {
	for _, handler := range []dns.HandlerFunc{answerZone, rcode(dns.RcodeBadVers)} {
		m := new(dns.Msg).SetQuestion("kubernetes.default.svc.cluster.local.", dns.TypeA)
		m.SetEdns0(udpSize, false)
		w := &written{}
		handler(w, m)
		f.Add(w.packed)
	}
	m := new(dns.Msg).SetQuestion("a.", dns.TypeA)
	f.Fuzz(func(t *testing.T, packet []byte) {
		r := new(dns.Msg)
		if r.Unpack(packet) != nil {
			return
		}
		answers(m, r)
		got := answerOf(r)
		p := evidence.DNSProbe{Outcome: got.outcome, Rcode: got.rcode}
		if !p.Answered() || got.rcode == "" || len(got.addresses) > maxAnswers ||
			got.outcome == "ok" && len(got.addresses) == 0 {
			t.Errorf("%+v of %v", got, r)
		}
	})
}

type written struct {
	dns.ResponseWriter
	packed []byte
}

func (w *written) WriteMsg(m *dns.Msg) (err error) { w.packed, err = m.Pack(); return err }

func FuzzDNSServer(f *testing.F) {
	for _, s := range []string{"10.96.0.10", "10.96.0.10:5353", "[fd00::a]:53", "fd00::a",
		"fe80::1%eth0", "[::00f%^\x13]d]", "[::f%a]b", "kube-dns", ":53", "1.2.3.4:0"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		server, err := ParseDNSServer(s)
		if err != nil {
			return
		}
		host, port, err := net.SplitHostPort(server)
		again, _ := ParseDNSServer(server)
		if err != nil || host == "" || port == "0" || again != server {
			t.Errorf("%q is read as %q", s, server)
		}
	})
}

func FuzzDNSForms(f *testing.F) {
	for _, s := range []string{"kubernetes", "kubernetes.default", "a.b.c.d.e.f", "a.", `a\.b`,
		`a\\.`, ".", ""} {
		f.Add(s, "shop", "corp.example.")
	}
	f.Fuzz(func(t *testing.T, name, namespace, domain string) {
		if !IsDNSName(name) || !IsDNSName(namespace) || !IsDNSName(domain) {
			return
		}
		plan := DNSPlan{Namespace: namespace, Domain: domain}
		for _, form := range forms {
			list := plan.sent(form, name)
			if len(list) == 0 || len(list) > 4 || form == "windows" && len(list) > 1 {
				t.Errorf("%s of %q sends %q", form, name, list)
			}
			for _, sent := range list {
				if _, ok := dns.IsDomainName(sent); ok && !dns.IsFqdn(sent) {
					t.Errorf("%s of %q sends %q, which a resolver might complete", form, name, sent)
				}
			}
		}
	})
}
