// Package probed says what probes show: names that were resolved, hosts that
// were reached by TCP and by ICMP, set beside each other. Checks judge by it,
// and so do `doctor probe dns` and `doctor probe reach`.
package probed

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

// Contact is what a ping and the TCP connections to one host come to, seen together.
type Contact int

const (
	ContactNotAsked Contact = iota // nothing was sent that would tell
	ContactBoth                    // TCP is answered, and the ping is or was not sent
	ContactTCPOnly                 // TCP is answered, the ping is lost
	ContactPingOnly                // the ping is answered, TCP is lost: a firewall
	ContactNone                    // all that was sent is lost
)

// ContactOf sets pings beside connections, which all are of TCP. One connection that is answered
// outweighs those that are not; a refusal is an answer.
func ContactOf(probes []evidence.ReachProbe) Contact {
	var tcp, ping Outcomes
	for _, p := range probes {
		switch {
		case p.Protocol == "icmp" && p.Bytes == 0:
			ping.Add(p)
		case p.Protocol != "icmp":
			tcp.Add(p)
		}
	}
	switch {
	case len(tcp.Answered) > 0 && len(ping.Answered) == 0 && len(ping.Lost) > 0:
		return ContactTCPOnly
	case len(tcp.Answered) > 0:
		return ContactBoth
	case len(tcp.Lost) > 0 && len(ping.Answered) > 0:
		return ContactPingOnly
	case len(tcp.Lost) > 0:
		return ContactNone
	}
	return ContactNotAsked
}

// Outcomes sorts probes by whether anything came back.
type Outcomes struct{ Answered, Lost []evidence.ReachProbe }

// Add leaves out a probe that was never sent.
func (t *Outcomes) Add(p evidence.ReachProbe) {
	switch {
	case GotAnswer(p):
		t.Answered = append(t.Answered, p)
	case GotNoAnswer(p):
		t.Lost = append(t.Lost, p)
	}
}

// Quotes shows the first probes, at most checks.MaxQuotes, those with an answer first.
func (t *Outcomes) Quotes() []evidence.Because {
	var quotes []evidence.Because
	for _, p := range slices.Concat(t.Answered, t.Lost) {
		if len(quotes) < checks.MaxQuotes {
			quotes = append(quotes, ReachBecause(p))
		}
	}
	return quotes
}

// GotAnswer tells whether a packet came back: a refusal is an answer too. A
// probe for which neither GotAnswer nor GotNoAnswer holds was never sent.
//
//go:noinline
func GotAnswer(p evidence.ReachProbe) bool {
	return p.Outcome == "ok" || p.Outcome == "refused" || p.Outcome == "reset"
}

// GotNoAnswer reports whether a packet was sent and nothing came back from the target itself.
func GotNoAnswer(p evidence.ReachProbe) bool {
	return p.Outcome == "timeout" || p.Outcome == "unreachable"
}

// ReachBecause is a probe as evidence.
func ReachBecause(p evidence.ReachProbe) evidence.Because {
	protocol := p.Protocol
	if p.Bytes > 0 {
		protocol = fmt.Sprintf("%s of %d bytes", protocol, p.Bytes)
	}
	return p.Field("outcome").Because("%s to %s from %s: %s", protocol, p.Target, p.From, p.Outcome)
}

// AddressOf is the address that a probe was sent to.
func AddressOf(p evidence.ReachProbe) (node.Address, bool) {
	return node.ParseAddress(cmp.Or(p.Address, HostOf(p.Target)))
}

// A ReachResult is one target with all that was measured of it, and what that comes to.
type ReachResult struct {
	Target  string                `json:"target"`
	Address string                `json:"address,omitempty"` // what the name stood for
	Status  checks.Status         `json:"status"`
	Says    string                `json:"says"`
	Probes  []evidence.ReachProbe `json:"probes"`
}

// JudgeReach says what the probes of one target come to for whoever asked for
// that target. onWindows tells whether they were sent from a Windows node.
func JudgeReach(target string, probes []evidence.ReachProbe, onWindows bool) ReachResult {
	r := ReachResult{Target: target, Probes: probes}
	for _, p := range probes {
		r.Address = cmp.Or(r.Address, p.Address)
	}
	tcp, asked := probeOf(probes, "tcp")
	if !asked {
		r.Status, r.Says = judgePing(probes)
	} else {
		r.Status, r.Says = judgeTCP(tcp, probes, onWindows)
	}
	if lost, carried, ok := BlackHole(probes); ok {
		if r.Status != checks.StatusFail {
			r.Status = checks.StatusWarn
		}
		r.Says += fmt.Sprintf(
			"; pings of %d bytes come back and those of %d get lost without a word: large packets do not get through", carried.Bytes, lost.Bytes)
	}
	return r
}

func probeOf(probes []evidence.ReachProbe, protocol string) (evidence.ReachProbe, bool) {
	at := slices.IndexFunc(probes, func(p evidence.ReachProbe) bool {
		return p.Protocol == protocol && p.Bytes == 0
	})
	if at < 0 {
		return evidence.ReachProbe{}, false
	}
	return probes[at], true
}

// judgePing is for a target without a port. A lost ping alone proves nothing.
func judgePing(probes []evidence.ReachProbe) (checks.Status, string) {
	ping, ok := probeOf(probes, "icmp")
	switch {
	case !ok:
		return checks.StatusUnknown, "nothing was sent"
	case GotAnswer(ping):
		return checks.StatusPass, "ICMP ok"
	case GotNoAnswer(ping):
		return checks.StatusUnknown,
			"ICMP " + lostAs(ping) + ", which alone proves nothing: probe a port of it"
	}
	return checks.StatusUnknown, notSent("ICMP", ping)
}

func judgeTCP(tcp evidence.ReachProbe, probes []evidence.ReachProbe, onWindows bool) (checks.Status,
	string) {
	ping, _ := probeOf(probes, "icmp")
	switch ContactOf(probes) {
	case ContactNotAsked:
		return checks.StatusUnknown, notSent("TCP", tcp)
	case ContactPingOnly:
		return checks.StatusFail, "ICMP ok, TCP " + lostAs(tcp) + ": a firewall stands between"
	case ContactNone:
		if !GotNoAnswer(ping) {
			return checks.StatusFail, "TCP " + lostAs(tcp) + "; " + notSent("ICMP", ping)
		}
		return checks.StatusFail, "TCP " + lostAs(tcp) + ", ICMP " + lostAs(ping) +
			": this is not about ICMP, the host or the way to it is at fault"
	}
	if tcp.Outcome != "ok" {
		return checks.StatusFail,
			map[string]string{
				"refused": "TCP refused: the host answers, and nothing listens on the port, or a firewall says so", "reset": "TCP reset: the host or something before it breaks the connection off"}[tcp.Outcome]
	}
	for _, protocol := range []string{"tls", "http"} {
		if p, ok := probeOf(probes, protocol); ok && p.Outcome != "ok" {
			return judgeTalk(p)
		}
	}
	says, status := "TCP ok", checks.StatusPass
	switch {
	case ContactOf(probes) == ContactTCPOnly && onWindows:
		says, status = says+", ICMP lost: Windows as documented", checks.StatusInfo
	case ContactOf(probes) == ContactTCPOnly:
		says, status = says+
			", ICMP lost: from a Windows node that is as documented, and elsewhere a firewall that drops pings", checks.StatusInfo
	case GotAnswer(ping):
		says += ", ICMP ok"
	case ping.Protocol != "":
		says += "; " + notSent("ICMP", ping)
	}
	return status, says
}

// judgeTalk is for a connection that opens and then does not carry TLS or HTTP.
func judgeTalk(p evidence.ReachProbe) (checks.Status, string) {
	protocol := strings.ToUpper(p.Protocol)
	switch p.Outcome {
	case "timeout":
		return checks.StatusFail,
			"TCP ok, " + protocol +
				" timeout: the connection opens and then stays silent, as where large packets get lost"
	case "reset":
		return checks.StatusFail,
			"TCP ok, " + protocol + " reset: something breaks the connection off once it is used"
	}
	return checks.StatusInfo, "TCP ok, no " + protocol + ": " + cmp.Or(p.Why, p.Outcome)
}

func lostAs(p evidence.ReachProbe) string {
	switch {
	case p.Outcome == "unreachable":
		return "unreachable" + inParentheses(cmp.Or(p.Answer, p.Why))
	case p.Protocol == "icmp":
		return "lost"
	}
	return p.Outcome
}

func inParentheses(s string) string {
	if s == "" {
		return ""
	}
	return " (" + s + ")"
}

func notSent(protocol string, p evidence.ReachProbe) string {
	if p.Outcome == "denied" {
		return protocol + " may not be sent" + inParentheses(p.Why)
	}
	return protocol + " was not tried" + inParentheses(p.Why)
}

// BlackHole finds pings that nobody may fragment of which the larger get lost
// without a word and the smaller come back: the way takes less than it says.
// lost is the smallest of the lost.
func BlackHole(probes []evidence.ReachProbe) (lost, carried evidence.ReachProbe, ok bool) {
	for _, p := range probes {
		if p.Protocol != "icmp" || p.Bytes == 0 {
			continue
		}
		switch {
		case p.Outcome == "ok" && p.Bytes > carried.Bytes:
			carried = p
		case p.Outcome == "timeout" && (lost.Bytes == 0 || p.Bytes < lost.Bytes):
			lost = p
		}
	}
	return lost, carried, carried.Bytes > 0 && lost.Bytes > carried.Bytes
}

// HostOf takes the port, and the brackets of an IPv6 address, off a probe's target.
func HostOf(target string) string {
	if _, after, ok := strings.Cut(target, "://"); ok {
		target, _, _ = strings.Cut(after, "/")
	}
	if strings.HasPrefix(target, "[") {
		host, _, _ := strings.Cut(target[1:], "]")
		return host
	}
	if strings.Count(target, ":") == 1 {
		target, _, _ = strings.Cut(target, ":")
	}
	return target
}
