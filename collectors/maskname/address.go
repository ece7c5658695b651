package maskname

import (
	"bytes"
	"net"
	"net/netip"
	"slices"
	"strings"
)

// octet permutes the values that an octet may take behind the octets before it.
// Two values that share their first bits share as many of them masked. With
// keepZero, 0 stays 0.
func (n *Names) octet(domain string, before []byte, o byte, keepZero bool) byte {
	flips := n.digest(domain, before) // one bit for each node of the tree of the octet's bits
	var mask byte
	node := 1
	for shift := 7; shift >= 0; shift-- {
		bit := o >> shift & 1
		flip := flips[node>>3] >> (node & 7) & 1
		if keepZero && node&(node-1) == 0 { // only zeros so far
			flip = 0
		}
		mask = mask<<1 | bit ^ flip
		node = node<<1 | int(bit)
	}
	return mask
}

// prefixed masks the octets from index kept on; those from zeros on keep a 0.
func (n *Names) prefixed(domain string, plain []byte, kept, zeros int) []byte {
	mask := slices.Clone(plain)
	for i := kept; i < len(plain); i++ {
		mask[i] = n.octet(domain, plain[:i], plain[i], i >= zeros)
	}
	return mask
}

// wellKnown are public addresses that are the same for everybody: what the
// clouds answer at, and resolvers that people ping to see whether they are online.
var wellKnown = setOf("168.63.129.16", // Azure's wire server
	"8.8.8.8", "8.8.4.4", "1.1.1.1", "1.0.0.1", "9.9.9.9", "2001:4860:4860::8888",
	"2001:4860:4860::8844", "2606:4700:4700::1111")

var (
	special4 = prefixes("0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16",
		"172.16.0.0/12", "192.0.0.0/24",
		"192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15", "198.51.100.0/24",
		"203.0.113.0/24", "224.0.0.0/3")
	public6  = netip.MustParsePrefix("2000::/3")
	special6 = prefixes("2001::/23", "2001:db8::/32", "3fff::/20")
	nat64    = netip.MustParsePrefix("64:ff9b::/96")
	compat   = netip.MustParsePrefix("::/96") // ::52.1.2.3; the 4 in 6 of before
)

func prefixes(list ...string) []netip.Prefix {
	var ps []netip.Prefix
	for _, p := range list {
		ps = append(ps, netip.MustParsePrefix(p))
	}
	return ps
}

func within(list []netip.Prefix, a netip.Addr) bool {
	return slices.ContainsFunc(list, func(p netip.Prefix) bool { return p.Contains(a) })
}

// public tells the addresses that name somebody on the internet.
func public(a netip.Addr) bool {
	if a.Is4() {
		return !within(special4, a) && !wellKnown[a.String()]
	}
	return public6.Contains(a) && !within(special6, a) && !wellKnown[a.String()]
}

// kept4 is how many octets stay, so that no mask enters a special range that
// begins with them: 100.64/10, 169.254/16, 192.0.2/24 and so on.
func kept4(a [4]byte) int {
	switch [2]byte(a[:2]) {
	case [2]byte{192, 0}, [2]byte{192, 88}, [2]byte{198, 51}, [2]byte{203, 0}:
		return 3
	}
	switch a[0] {
	case 100, 169, 172, 192, 198, 203:
		return 2
	}
	return 1
}

// address masks one address, its zone aside.
func (n *Names) address(a netip.Addr) netip.Addr {
	switch {
	case a.Is4():
		if !public(a) {
			return a
		}
		return n.ips.get(a, n.mask4)
	case a.Is4In6(), nat64.Contains(a), compat.Contains(a):
		b := a.As16() // which an IPv4 address ends
		inner := n.address(netip.AddrFrom4([4]byte(b[12:]))).As4()
		copy(b[12:], inner[:])
		return netip.AddrFrom16(b)
	case public(a), a.IsLinkLocalUnicast() && holdsMAC(a.As16()):
		return n.ips.get(a, n.mask6)
	}
	return a
}

func (n *Names) mask4(a netip.Addr, _ func(netip.Addr) bool) netip.Addr {
	for {
		plain := a.As4()
		// The last octet keeps its 0: networks are written without their length, too.
		a = netip.AddrFrom4([4]byte(n.prefixed("ip4", plain[:], kept4(plain), 3)))
		if !wellKnown[a.String()] { // which no other address may become
			return a
		}
	}
}

func (n *Names) mask6(a netip.Addr, _ func(netip.Addr) bool) netip.Addr {
	plain := a.As16()
	mask := plain
	if public(a) {
		kept := 2
		if plain[0] == 0x20 && plain[1] == 0x01 || plain[0] == 0x3f && plain[1] == 0xff {
			kept = 4 // 2001:db8::/32 and 3fff::/20 are documentation
		}
		// What is short, as ::1 is, stays short behind the network's first 48 bits.
		copy(mask[:], n.prefixed("ip6", plain[:], kept, 6))
	}
	if holdsMAC(plain) {
		card := n.mac([6]byte{plain[8] ^ 2, plain[9], plain[10], plain[13], plain[14], plain[15]})
		copy(mask[8:], plain[8:13])
		copy(mask[13:], card[3:])
	}
	return netip.AddrFrom16(mask)
}

// holdsMAC tells an interface id that is made of the MAC address (EUI-64).
func holdsMAC(a [16]byte) bool { return a[11] == 0xff && a[12] == 0xfe }

// network masks an address that bits follow: one whose host bits are all zero
// is a network and stays one.
func (n *Names) network(a netip.Addr, bits int) netip.Addr {
	mask := n.address(a)
	p, err := a.Prefix(bits)
	if err != nil || p.Addr() != a || mask == a {
		return mask
	}
	p, _ = mask.Prefix(bits)
	n.ips.keep(p.Addr())
	return p.Addr()
}

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
