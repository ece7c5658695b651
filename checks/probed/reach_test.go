package probed_test

import (
	"strings"
	"testing"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/probed"
)

// TestJudgeReach: probes are "protocol outcome", a ping of a size "icmp/1472 outcome".
func TestJudgeReach(t *testing.T) {
	cases := []struct {
		name    string
		windows bool
		probes  string
		status  checks.Status
		says    string
	}{
		{"both answer", true, "tcp ok, icmp ok", checks.StatusPass, "TCP ok, ICMP ok"},
		{"the ping is lost on Windows", true, "tcp ok, icmp timeout", checks.StatusInfo,
			"TCP ok, ICMP lost: Windows as documented"},
		{"the ping is lost elsewhere", false, "tcp ok, icmp timeout", checks.StatusInfo,
			"TCP ok, ICMP lost: from a Windows node that is as documented, and elsewhere a firewall that drops pings"},
		{"the ping may not be sent", true, "tcp ok, icmp denied", checks.StatusPass,
			"TCP ok; ICMP may not be sent"},
		{"no ping was sent", true, "tcp ok", checks.StatusPass, "TCP ok"},
		{"both are lost", true, "tcp timeout, icmp timeout", checks.StatusFail,
			"TCP timeout, ICMP lost: this is not about ICMP, the host or the way to it is at fault"},
		{"TCP is lost and the ping denied", true, "tcp timeout, icmp denied", checks.StatusFail,
			"TCP timeout; ICMP may not be sent"},
		{"TCP is lost and the ping answered", true, "tcp timeout, icmp ok", checks.StatusFail,
			"ICMP ok, TCP timeout: a firewall stands between"},
		{"a closed port", true, "tcp refused, icmp timeout", checks.StatusFail,
			"TCP refused: the host answers, and nothing listens on the port, or a firewall says so"},
		{"TLS stays silent", true, "tcp ok, tls timeout, icmp ok", checks.StatusFail,
			"TCP ok, TLS timeout: the connection opens and then stays silent, as where large packets get lost"},
		{"HTTP is something else", true, "tcp ok, http error, icmp ok", checks.StatusInfo,
			"TCP ok, no HTTP: error"},
		{"the name leads nowhere", true, "tcp error, icmp error", checks.StatusUnknown,
			"TCP was not tried"},
		{"TCP may not be sent", true, "tcp denied, icmp ok", checks.StatusUnknown,
			"TCP may not be sent"},
		{"a ping alone", true, "icmp ok", checks.StatusPass, "ICMP ok"},
		{"a ping alone that is lost", true, "icmp timeout", checks.StatusUnknown,
			"ICMP lost, which alone proves nothing: probe a port of it"},
		{"nothing at all", true, "", checks.StatusUnknown, "nothing was sent"},
		{"large pings are lost", true, "tcp ok, icmp ok, icmp/1472 timeout, icmp/1372 ok",
			checks.StatusWarn,
			"TCP ok, ICMP ok; pings of 1372 bytes come back and those of 1472 get lost without a word: large packets do not get through"},
		{"large pings do not fit, and somebody says so", true,
			"tcp ok, icmp ok, icmp/1472 unreachable, icmp/1372 ok", checks.StatusPass,
			"TCP ok, ICMP ok"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			var probes []evidence.ReachProbe
			for part := range strings.SplitSeq(c.probes, ", ") {
				if f := strings.Fields(part); len(f) == 2 {
					p := evidence.ReachProbe{Target: "10.9.9.9:443", From: "node", Protocol: f[0],
						Outcome: f[1]}
					if size, ok := strings.CutPrefix(f[0], "icmp/"); ok {
						p.Protocol, p.Bytes = "icmp",
							map[string]int{"1472": 1472, "1372": 1372}[size]
					}
					probes = append(probes, p)
				}
			}
			if got := probed.JudgeReach("10.9.9.9:443", probes,
				c.windows); got.Status != c.status || got.Says != c.says {
				t.Errorf("%s: %s\nand should be %s: %s", got.Status, got.Says, c.status, c.says)
			}
		})
	}
}
