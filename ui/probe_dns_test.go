package ui

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"doctor/checks/evidence"
)

// dnsSample is what a run against one good server, one without UDP, one that
// could not be asked and the system's resolver recorded.
func dnsSample() []evidence.DNSProbe {
	const full = "kubernetes.default.svc.cluster.local"
	one := func(server, transport, form, name, sent, outcome string, ms float64,
		answers ...string) evidence.DNSProbe {
		return evidence.DNSProbe{Name: name, Type: "A", Server: server, Transport: transport,
			From: "node", Form: form, Sent: strings.Split(sent, ","), Outcome: outcome,
			Answers: answers, LatencyMS: ms}
	}
	var list []evidence.DNSProbe
	for _, server := range []string{"10.96.0.10:53", "10.96.0.11:53"} {
		for _, transport := range []string{"udp", "tcp"} {
			list = append(list,
				one(server, transport, "plain", "kubernetes.default", "kubernetes.default.",
					"nxdomain", 21.4),
				one(server, transport, "windows", "kubernetes.default", "kubernetes.default.",
					"nxdomain", 21.4),
				one(server, transport, "linux", "kubernetes.default",
					"kubernetes.default.default.svc.cluster.local.,"+full+".", "ok", 1234,
					"10.96.0.1"),
				one(server, transport, "plain", full+".", full+".", "ok", 0.4, "10.96.0.1"),
				one(server, transport, "plain",
					"a-name-that-is-long.in-a-namespace-with-a-long-name.svc.cluster.local", "…",
					"servfail", 99),
				one(server, transport, "windows", "mcr.microsoft.com", "mcr.microsoft.com.",
					"servfail", 4800),
				one(server, transport, "linux", "mcr.microsoft.com", "mcr.microsoft.com.",
					"servfail", 4800))
		}
	}
	for i := range list {
		if p := &list[i]; p.Server == "10.96.0.11:53" && p.Transport == "udp" {
			p.Outcome, p.Answers, p.Retries, p.LatencyMS = "timeout", nil, 2, 5000
		}
	}
	lost := one("10.0.0.9:53", "udp", "plain", full, full+".", "error", 0)
	lost.Why = "dial udp 10.0.0.9:53: connect: network is unreachable"
	return append(list, lost, one("system", "udp", "windows", "mcr.microsoft.com",
		"mcr.microsoft.com", "ok", 3.1, "204.79.197.219"))
}

func TestTheMatrixOfNames(t *testing.T) {
	var b bytes.Buffer
	if err := ProbeDNS(&b, dnsSample(), Style{Width: 80, ASCII: true}); err != nil {
		t.Fatal(err)
	}
	golden(t, "probe-dns", b.Bytes())
	for line := range strings.Lines(b.String()) {
		if width(strings.TrimRight(line, "\n")) > 80 {
			t.Errorf("wider than 80 columns: %s", line)
		}
	}
	for _, r := range b.String() {
		if r > 0x7e {
			t.Errorf("%q is not ASCII", r)
		}
	}
}

func TestTheMatrixAsJSON(t *testing.T) {
	var b bytes.Buffer
	if err := ProbeDNSJSON(&b, dnsSample()); err != nil {
		t.Fatal(err)
	}
	var doc struct {
		Schema  string
		Probes  []evidence.DNSProbe
		Servers []struct {
			Server, Level, Verdict string
			Names                  []struct {
				Name, Kind, Level, Verdict string
				Forms                      map[string]string
			}
		}
	}
	if err := json.Unmarshal(b.Bytes(), &doc); err != nil {
		t.Fatal(err)
	}
	if len(doc.Probes) != len(dnsSample()) || len(doc.Servers) != 4 {
		t.Fatalf("%d probes and %d servers", len(doc.Probes), len(doc.Servers))
	}
	first := doc.Servers[0].Names[0]
	if first.Kind != "by-design" || first.Level != "info" || first.Forms["linux"] != "ok" ||
		doc.Servers[1].Level != "fail" {
		t.Errorf("%+v", doc.Servers)
	}
}
