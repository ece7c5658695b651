package maskname

import (
	"bytes"
	"net"
	"net/netip"
	"strings"
)

// ipv4 masks an address in four decimal parts. It returns the index behind what
// it read, 0 where the digits are something else.
func (s *scan) ipv4(at int) int {
	a, end := dotted(s.text, at, '.')
	if end == 0 || at > 1 && s.text[at-1] == '.' && isDigit(s.text[at-2]) {
		return 0
	}
	if suffix := s.text[end:]; startsFold(suffix, ".in-addr.arpa") {
		b := a.As4()
		b = s.n.address(netip.AddrFrom4([4]byte{b[3], b[2], b[1], b[0]})).As4()
		return s.putAddress(at, end, a, netip.AddrFrom4([4]byte{b[3], b[2], b[1], b[0]}))
	}
	length := s.networkLength(end)
	if length < 0 && s.version(a, at, end) {
		return end
	}
	if b := a.As4(); length < 0 && b[2] == 0 && b[3] == 0 {
		length = 16 // no host has such an address: a network whose length stands elsewhere
	}
	mask := s.n.address(a)
	if length >= 0 {
		mask = s.n.network(a, length)
	}
	return s.putAddress(at, end, a, mask)
}

func (s *scan) putAddress(at, end int, a, mask netip.Addr) int {
	if mask != a {
		s.replace(at, end, ip)
		s.dst = mask.AppendTo(s.dst)
	}
	return end
}

// dotted reads four decimal octets that a separator divides; the end is 0 where
// there are not exactly four.
func dotted(t []byte, at int, separator byte) (a netip.Addr, end int) {
	const longest = len("255.255.255.255")
	for end = at; end < len(t) && end-at <= longest && (isDigit(t[end]) ||
		t[end] == separator && end+1 < len(t) && isDigit(t[end+1])); {
		end++
	}
	text := t[at:end]
	if bytes.Count(text, []byte{separator}) != 3 || end < len(t) && isAlnum[t[end]] {
		return a, 0
	}
	a, err := netip.ParseAddr(strings.ReplaceAll(string(text), string(separator), "."))
	if err != nil {
		return a, 0
	}
	return a, end
}

// networkLength reads the length of a network behind its address: "/16",
// "/255.255.0.0", or the netmask in the next column of a table. It is -1 where
// there is none.
func (s *scan) networkLength(at int) int {
	t := s.text
	if at+1 < len(t) && t[at] == '/' && isDigit(t[at+1]) {
		if n, end := decimal(t, at+1, 2); n <= 32 && endsWord(t, end) &&
			(end >= len(t) || t[end] != '.') {
			return n
		}
		at++
	}
	at = skip(t, at, " \t")
	if startsFold(t[at:], "mask ") {
		at += len("mask ")
	}
	m, end := dotted(t, at, '.')
	if end == 0 {
		return -1
	}
	b := m.As4()
	if ones, _ := net.IPMask(b[:]).Size(); ones >= 8 {
		return ones
	}
	return -1
}

func decimal(t []byte, at, digits int) (value, end int) {
	end = at
	for end < len(t) && end-at < digits && isDigit(t[end]) {
		value = value*10 + int(t[end]-'0')
		end++
	}
	return value, end
}

// startsFold tells whether t starts with a text in small letters.
func startsFold(t []byte, lower string) bool {
	return len(t) >= len(lower) && bytes.EqualFold(t[:len(lower)], []byte(lower))
}

// reverse6 masks the 32 nibbles of a name under ip6.arpa.
func (s *scan) reverse6(at int) int {
	const nibbles = 32
	t := s.text
	end := at + 2*nibbles
	if len(t) < end || !startsFold(t[end:], "ip6.arpa") {
		return 0
	}
	var b [16]byte
	for i := range nibbles {
		v := hexValue[t[at+2*i]]
		if v > 15 || t[at+2*i+1] != '.' {
			return 0
		}
		b[15-i/2] |= v << (4 * (i & 1))
	}
	a := netip.AddrFrom16(b)
	mask := s.n.address(a)
	if mask == a {
		return end
	}
	s.replace(at, end, ip)
	b = mask.As16()
	for i := range nibbles {
		s.dst = append(s.dst, "0123456789abcdef"[b[15-i/2]>>(4*(i&1))&15], '.')
	}
	return end
}

// dashed masks the address in a name that a cloud gives: ip-10-0-1-2.ec2.internal,
// ec2-52-1-2-3.compute-1.amazonaws.com. A private one is the name of a node.
func (s *scan) dashed(at, digits int) int {
	a, end := dotted(s.text, digits, '-')
	if end == 0 {
		return 0
	}
	mask := s.n.address(a)
	if mask != a {
		s.replace(digits, end, ip)
		s.dst = append(s.dst, bytes.ReplaceAll([]byte(mask.String()), []byte("."), []byte("-"))...)
		return end
	}
	if !a.IsPrivate() || string(s.text[at:digits]) == "" || folded[s.text[at]] != 'i' {
		return end
	}
	return s.putLabel(at, end, host)
}

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
