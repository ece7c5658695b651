package maskname

import (
	"net/netip"
	"slices"
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
var wellKnown = map[netip.Addr]bool{
	netip.MustParseAddr("168.63.129.16"):        true, // Azure's wire server
	netip.MustParseAddr("8.8.8.8"):              true,
	netip.MustParseAddr("8.8.4.4"):              true,
	netip.MustParseAddr("1.1.1.1"):              true,
	netip.MustParseAddr("1.0.0.1"):              true,
	netip.MustParseAddr("9.9.9.9"):              true,
	netip.MustParseAddr("2001:4860:4860::8888"): true,
	netip.MustParseAddr("2001:4860:4860::8844"): true,
	netip.MustParseAddr("2606:4700:4700::1111"): true,
}

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
		return !within(special4, a) && !wellKnown[a]
	}
	return public6.Contains(a) && !within(special6, a) && !wellKnown[a]
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
		if !wellKnown[a] { // which no other address may become
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
