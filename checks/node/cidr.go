package node

import (
	"net/netip"
	"slices"
	"strings"
)

// Prefix and Address are what CIDRs and IPs are once they are read.
type (
	Prefix  = netip.Prefix
	Address = netip.Addr
)

// ParsePrefix reads "10.244.2.1/24" as the network 10.244.2.0/24.
func ParsePrefix(s string) (Prefix, bool) {
	p, err := netip.ParsePrefix(strings.TrimSpace(s))
	if err != nil {
		return Prefix{}, false
	}
	return p.Masked(), true
}

// ParsePrefixes reads a comma-separated list or several strings, and leaves out what is no CIDR.
func ParsePrefixes(list ...string) []Prefix {
	return parseLists(list, ParsePrefix)
}

// parseLists reads the parts of comma-separated lists, and leaves out what cannot be read and what
// came before.
func parseLists[T comparable](lists []string, parse func(string) (T, bool)) []T {
	var values []T
	for _, s := range lists {
		for part := range strings.SplitSeq(s, ",") {
			if v, ok := parse(part); ok && !slices.Contains(values, v) {
				values = append(values, v)
			}
		}
	}
	return values
}

// ParseAddress reads an IP, with or without a prefix length behind it.
func ParseAddress(s string) (Address, bool) {
	s, _, _ = strings.Cut(strings.TrimSpace(s), "/")
	a, err := netip.ParseAddr(s)
	return a.Unmap(), err == nil
}

// ParseAddresses reads addresses, each of which may be a list with commas. It leaves out what is none,
// and what came before.
func ParseAddresses(list ...string) []Address {
	return parseLists(list, ParseAddress)
}

// Covers reports whether every address of inner lies in outer.
func Covers(outer, inner Prefix) bool {
	return outer.Bits() <= inner.Bits() && outer.Contains(inner.Addr())
}

// AnyCovers reports whether one of the prefixes holds the whole of inner.
func AnyCovers(outer []Prefix, inner Prefix) bool {
	return slices.ContainsFunc(outer, func(p Prefix) bool { return Covers(p, inner) })
}

// AnyContains tells whether one of the prefixes contains the address.
//
//go:noinline
func AnyContains(outer []Prefix, a Address) bool {
	return slices.ContainsFunc(outer, func(p Prefix) bool { return p.Contains(a) })
}

// OfFamily selects the IPv4 prefixes, or else the IPv6 ones.
func OfFamily(list []Prefix, v4 bool) []Prefix {
	var same []Prefix
	for _, p := range list {
		if p.Addr().Is4() == v4 {
			same = append(same, p)
		}
	}
	return same
}

// NthAddress returns the address n places behind the start of the prefix.
func NthAddress(p Prefix, n int) Address {
	a := p.Masked().Addr()
	for range n {
		a = a.Next()
	}
	return a
}
