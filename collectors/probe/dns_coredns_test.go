package probe

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"doctor/checks/evidence"
	"doctor/checks/probed"
	"doctor/fixtures/apibed"
	"doctor/fixtures/dnsbed"
	"doctor/fixtures/server"
	"doctor/fixtures/wait"
)

const full = "kubernetes.default.svc.cluster.local"

// TestCoreDNSOverARealAPIServer asks CoreDNS with its kubernetes plugin, which
// serves the Services of a real API server, and Services that come and go.
func TestCoreDNSOverARealAPIServer(t *testing.T) {
	server.CoreDNS.Require(t)
	bed := apibed.Require(t)
	bed.Namespace(t, "dnsshop")
	bed.Create(t, "/api/v1/namespaces/dnsshop/services",
		apibed.Object{"metadata": apibed.Object{"name": "web"},
			"spec": apibed.Object{"clusterIP": "10.96.77.7",
				"ports": []apibed.Object{{"port": 80, "protocol": "TCP"}}}})
	server := dnsbed.Start(t,
		fmt.Sprintf(
			"  kubernetes cluster.local {\n    kubeconfig %s\n  }\n  template ANY ANY web dnsshop svc kubernetes default {\n    rcode NXDOMAIN\n  }", bed.Kubeconfigs["admin"]))
	plan := DNSPlan{Servers: []DNSServer{{Address: server}}, Namespace: "dnsshop",
		Names: []string{"web", "web.dnsshop", "web.dnsshop.svc", "web.dnsshop.svc.cluster.local.",
			"kubernetes", "kubernetes.default", full, "gone.dnsshop"}}
	want := []string{"answers over UDP and TCP",
		"web: resolves",
		"web.dnsshop: resolves on Linux, not on Windows, by design",
		"web.dnsshop.svc: resolves on Linux, not on Windows, by design",
		"web.dnsshop.svc.cluster.local.: resolves",
		"kubernetes: no such name, on either", // in another namespace
		"kubernetes.default: resolves on Linux, not on Windows, by design",
		full + ": resolves",
		"gone.dnsshop: no such name, on either"}
	var list []evidence.DNSProbe
	var got []string
	wait.Holds(func() bool { // until its watch has brought the Services
		list = probes(t, plan)
		report := probed.JudgeDNS(list)[0]
		got = []string{report.Verdict}
		for _, n := range report.Names {
			got = append(got, n.Name+": "+n.Text())
		}
		return slices.Equal(got, want)
	})
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	for _, p := range list {
		if p.Name == "web" && p.Form == "windows" &&
			!slices.Equal(p.Answers, []string{"10.96.77.7"}) {
			t.Errorf("web answers %v", p.Answers)
		}
		if !p.EDNS {
			t.Errorf("%s over %s came without EDNS0", p.Name, p.Transport)
		}
	}
}

// TestCoreDNSThatFails: the outcomes that CoreDNS itself gives of what goes wrong.
func TestCoreDNSThatFails(t *testing.T) {
	for _, c := range []struct{ name, plugins, want string }{
		{"no plugin knows the zone", "  template ANY ANY example {\n  }", "servfail SERVFAIL"},
		{"the zone fails", "  template ANY ANY {\n    rcode SERVFAIL\n  }", "servfail SERVFAIL"},
		{"the name is not there", "  template ANY ANY {\n    rcode NXDOMAIN\n  }",
			"nxdomain NXDOMAIN"},
		{"the name has no address", "  template ANY ANY {\n    rcode NOERROR\n  }",
			"nodata NOERROR"},
		{"more addresses than a datagram holds", "  template IN A {\n" + manyAnswers(120) + "  }",
			"truncated NOERROR"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			server := dnsbed.Start(t, c.plugins)
			p := probes(t,
				DNSPlan{Servers: []DNSServer{{Address: server, Names: []string{full}}}})[0]
			if got := p.Outcome + " " + p.Rcode; got != c.want || p.Transport != "udp" {
				t.Errorf("%+v, want %s", p, c.want)
			}
		})
	}
}

func manyAnswers(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "    answer \"{{ .Name }} 5 IN A 10.0.%d.%d\"\n", i/250, i%250+2)
	}
	return b.String()
}
