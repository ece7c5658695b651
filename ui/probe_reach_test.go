package ui

import (
	"bytes"
	"strings"
	"testing"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/probed"
)

func TestProbeReach(t *testing.T) {
	results := []probed.ReachResult{
		{Target: "registry.example:443", Address: "10.99.0.2", Status: checks.StatusInfo,
			Says: "TCP ok, ICMP lost: Windows as documented", Probes: []evidence.ReachProbe{
				{Protocol: "tcp", Outcome: "ok", LatencyMS: 0.44}, {Protocol: "tls", Outcome: "ok",
					LatencyMS: 3.9, Answer: "CN=registry\x1b[2J"},
				{Protocol: "icmp", Outcome: "timeout", LatencyMS: 5000},
				{Protocol: "icmp", Bytes: 1472, Outcome: "timeout"}}},
		{Target: "10.0.0.9", Status: checks.StatusPass, Says: "ICMP ok",
			Probes: []evidence.ReachProbe{
				{Protocol: "icmp", Outcome: "ok", LatencyMS: 12}, {Protocol: "icmp", Bytes: 1472,
					Outcome: "unreachable"}, {Protocol: "icmp", Bytes: 1422, Outcome: "ok"},
				{Protocol: "icmp", Bytes: 1252, Outcome: "ok"}}},
		{Target: "nowhere", Status: checks.StatusUnknown, Says: "nothing was sent"},
	}
	cases := []struct {
		name  string
		width int
		want  string
	}{
		{"a wide screen", 100, `
i registry.example:443  10.99.0.2   tcp ok 0.4 ms   tls ok 3.9 ms (CN=registry)   icmp timeout
                        TCP ok, ICMP lost: Windows as documented
+ 10.0.0.9              icmp ok 12.0 ms   unfragmented up to 1422 bytes
                        ICMP ok
? nowhere
                        nothing was sent
`},
		{"a narrow one", 44, `
i registry.example:443
    10.99.0.2   tcp ok 0.4 ms
    tls ok 3.9 ms (CN=registry)
    icmp timeout
    TCP ok, ICMP lost: Windows as documented
+ 10.0.0.9
    icmp ok 12.0 ms
    unfragmented up to 1422 bytes
    ICMP ok
? nowhere
    nothing was sent
`},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			var b bytes.Buffer
			if err := ProbeReach(&b, results, Style{ASCII: true, Width: c.width}); err != nil {
				t.Fatal(err)
			}
			if got := "\n" + b.String(); got != c.want {
				t.Errorf("drawn\n%s\nand should be\n%s", got, c.want)
			}
		})
	}
	var b bytes.Buffer
	if err := ProbeReachJSON(&b, results, Style{}); err != nil ||
		strings.Contains(b.String(), "\x1b") ||
		!strings.Contains(b.String(), `"schema": "doctor.reach/v1"`) {
		t.Errorf("%v: %s", err, b.String())
	}
}
