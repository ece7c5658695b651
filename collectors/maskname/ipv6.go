package maskname

import (
	"net/netip"
	"strings"
)

// maxIPv6 is the longest spelling of an address.
const maxIPv6 = len("ffff:ffff:ffff:ffff:ffff:ffff:255.255.255.255")

// ipv6 masks an address in any of its spellings. It returns the index behind
// what it read, 0 where it is something else.
func (s *scan) ipv6(at int) int {
	t := s.text
	end, colons, short := at, 0, false
	for end < len(t) && end-at <= maxIPv6 && (hexValue[t[end]] < 16 || t[end] == ':' ||
		t[end] == '.') {
		if t[end] == ':' {
			colons++
			short = short || end > at && t[end-1] == ':'
		}
		end++
	}
	// A time of day has two colons, too.
	if !short && colons < 6 || end-at > maxIPv6 || end < len(t) && isAlnum[t[end]] {
		return 0
	}
	for end > at && (t[end-1] == '.' || t[end-1] == ':' && t[end-2] != ':') {
		end-- // of the sentence
	}
	plain := string(t[at:end])
	a, err := netip.ParseAddr(plain)
	if err != nil {
		return 0
	}
	mask := s.n.address(a)
	if end+1 < len(t) && t[end] == '/' && isDigit(t[end+1]) {
		if bits, _ := decimal(t, end+1, 3); bits <= 128 && a.Is6() && !a.Is4In6() {
			mask = s.n.network(a, bits)
		}
	}
	if mask == a {
		return end
	}
	s.replace(at, end, ip)
	spelled := mask.String()
	if lower := strings.ToLower(plain); lower != a.String() && len(plain) >= 32 {
		spelled = mask.StringExpanded()
	}
	if strings.ToLower(plain) != plain {
		spelled = strings.ToUpper(spelled)
	}
	s.dst = append(s.dst, spelled...)
	return end
}
