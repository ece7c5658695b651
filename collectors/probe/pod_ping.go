package probe

import (
	"net/netip"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"doctor/checks/evidence"
)

// pingArgs asks twice: where a network is built up on the first packet, that is lost.
func pingArgs(t podTarget) []string {
	return []string{"ping.exe", "-n", "2", "-w", "1200", t.Host}
}

// What ping.exe says is in the language of the image, all but the addresses and
// "TTL=". Its exit code is 0 as well where a router, or the machine itself, says
// that the host is unreachable.
var (
	pingReply = regexp.MustCompile(`[=<][ ]*([0-9]{1,6})[^0-9=]*TTL=[0-9]+`)
	pingTime  = regexp.MustCompile(`[=<][ ]*([0-9]{1,6})`) // of IPv6, whose replies have no TTL
	// in the first line, where the target is a name
	pingNamed = regexp.MustCompile(`\[([0-9A-Fa-f:.]+)\]`)
	pingWords = regexp.MustCompile(`[0-9A-Fa-f:.]*[0-9A-Fa-f][0-9A-Fa-f:.]*`)
)

func (t podTarget) readPing(from, stdout, stderr string, code int) []evidence.ReachProbe {
	row := t.row(from, "icmp")
	target, _ := netip.ParseAddr(t.Host)
	asked, other := false, netip.Addr{} // another host than the target spoke
	if m := pingNamed.FindStringSubmatch(stdout); t.isName() && m != nil {
		if a, err := netip.ParseAddr(m[1]); err == nil {
			target, row.Address = a, a.String()
		}
	}
	lines := podLines(stdout + "\n" + stderr)
	for _, line := range lines {
		for _, a := range pingAddresses(line) {
			switch ms, ok := pingLatency(line, a); {
			case a != target && !asked: // says nothing yet
			case a != target:
				other = a
			case ok:
				row.Outcome, row.LatencyMS = answered, ms
				return []evidence.ReachProbe{row}
			default:
				asked = true
			}
		}
	}
	switch {
	case !asked && t.isName():
		row.Outcome, row.Why = outcomeError, "the name does not resolve"
	// the line of a packet that did not leave begins with the program's name
	case !asked, slices.ContainsFunc(lines, func(line string) bool {
		return strings.HasPrefix(line, "PING:")
	}):
		row.Outcome, row.Why = outcomeError, "ping.exe could not send"
	case other.IsValid():
		row.Outcome, row.Answer = unreachable, other.String()
	case code == 0:
		row.Outcome = unreachable // said by the host that was asked for, which is this one
	default:
		row.Outcome = timedOut
	}
	return []evidence.ReachProbe{row}
}

// pingLatency reads the time of a reply; !ok where the line is none.
func pingLatency(line string, a netip.Addr) (ms float64, ok bool) {
	m := pingReply.FindStringSubmatch(line)
	if m == nil && a.Is6() {
		m = pingTime.FindStringSubmatch(line)
	}
	if m == nil {
		return 0, false
	}
	ms, err := strconv.ParseFloat(m[1], 64)
	return ms, err == nil
}

// pingAddresses finds the addresses in a line, whatever stands around them.
func pingAddresses(line string) []netip.Addr {
	var list []netip.Addr
	for _, word := range pingWords.FindAllString(line, -1) {
		if a, err := netip.ParseAddr(strings.TrimRight(word, ":.")); err == nil {
			list = append(list, a.Unmap())
		} else if a, err := netip.ParseAddr(strings.TrimSuffix(word, ":")); err == nil { // fe80::
			list = append(list, a.Unmap())
		}
	}
	return list
}
