package maskname

import (
	"bytes"
	"encoding/binary"
	"net/netip"
	"regexp"
	"strconv"
	"strings"

	"doctor/checks/evidence"
)

// mac masks the lower half of a MAC address. The upper half tells the vendor:
// Hyper-V, Azure, VMware.
func (n *Names) mac(m [6]byte) [6]byte {
	if m[0]&1 == 1 || m == [6]byte{} {
		return m // multicast, broadcast, none
	}
	return n.macs.get(m, n.maskMAC)
}

func (n *Names) maskMAC(m [6]byte, _ func([6]byte) bool) [6]byte {
	if ofAddress(m) && netip.AddrFrom4([4]byte(m[2:])).IsPrivate() {
		return m
	}
	mask := [6]byte(n.prefixed("mac", m[:], 3, 6))
	if edge := m[4]&0x0f == 0 && m[5] == 0 || m[4]&0x0f == 0x0f && m[5] == 0xff; edge {
		// The ends of a pool, as HNS has 00-15-5D-0B-E0-00 to 00-15-5D-0B-EF-FF.
		mask[4], mask[5] = mask[4]&0xf0|m[4]&0x0f, m[5]
	}
	return mask
}

// ofAddress tells the MAC addresses that a network plugin makes of a pod's
// address: they say no more than the address does.
func ofAddress(m [6]byte) bool {
	switch [2]byte(m[:2]) {
	case [2]byte{0x0e, 0x2a}, [2]byte{0x02, 0x11}, [2]byte{0x0a, 0x58}, [2]byte{0x02, 0x42}:
		return true
	}
	return false
}

// learnMACs remembers the MAC addresses of a file of the evidence.
func (n *Names) learnMACs(s evidence.Snapshot, path string) {
	text := beginning(s, path, 8<<20)
	for i := 0; i < len(text); i++ {
		if !isAlnum[text[i]] || i > 0 && isAlnum[text[i-1]] {
			continue
		}
		if m, end := macAt(text, i); end > 0 {
			n.mac(m)
			i = end
		}
	}
}

// macAt reads a MAC address with separators: 00-15-5D-0a-0b-0c, with colons, or
// 0015.5d0a.0b0c. The end is 0 where there is none.
func macAt(t []byte, at int) (m [6]byte, end int) {
	group := 2
	if len(t) >= at+14 && t[at+4] == '.' {
		group = 4
	} else if len(t) < at+17 || t[at+2] != '-' && t[at+2] != ':' {
		return m, 0
	}
	separator, i := t[at+group], at
	for digit := 0; digit < 12; digit++ {
		if digit > 0 && digit%group == 0 {
			if t[i] != separator {
				return m, 0
			}
			i++
		}
		v := hexValue[t[i]]
		if v > 15 {
			return m, 0
		}
		m[digit/2] = m[digit/2]<<4 | v
		i++
	}
	// More groups make it a hash, a GUID or an IPv6 address.
	if i < len(t) && (isAlnum[t[i]] || t[i] == separator && i+1 < len(t) && isAlnum[t[i+1]]) {
		return m, 0
	}
	if at > 1 && t[at-1] == separator && isAlnum[t[at-2]] {
		return m, 0
	}
	return m, i
}

// respell writes a MAC address in the spelling of another: its separators and case.
func respell(dst, plain []byte, m [6]byte) []byte {
	digits := "0123456789abcdef"
	// a dash before the first letter is as Windows writes it, in capitals
	if i := bytes.IndexAny(plain, "-ABCDEFabcdef"); i >= 0 && plain[i] < 'a' {
		digits = "0123456789ABCDEF"
	}
	at := 0
	for _, c := range plain {
		if hexValue[c] > 15 {
			dst = append(dst, c)
			continue
		}
		dst = append(dst, digits[m[at/2]>>(4*(1-at&1))&15])
		at++
	}
	return dst
}

// The SIDs that name a customer: those of a domain or machine, whose last part
// may be well known, and those of Entra ID, which are a person or group as a
// whole. All others are the same on every Windows.
var customerSID = regexp.MustCompile(
	`^[Ss]-(?:1-5-21-(?:\d{1,10}-){2}|1-12-1-(?:\d{1,10}-){3})\d{1,10}`)

// sidAt finds the numbers of a SID that "S-" at the index begins; the end is 0
// where it names nobody.
func sidAt(t []byte, at int) (start, end int) {
	const longest = 64
	found := customerSID.Find(t[at:min(len(t), at+longest)])
	if end = at + len(found); found == nil || end < len(t) && isDigit(t[end]) {
		return 0, 0
	}
	return at + len("S-1-5-21-"), end
}

// sid masks the numbers, each with ten digits as nearly all real ones have.
func (n *Names) sid(numbers string) string {
	return n.sids.get(numbers, func(numbers string, _ func(string) bool) string {
		sum := n.digest("sid", []byte(numbers))
		var mask []byte
		for p := range 1 + strings.Count(numbers, "-") {
			if p > 0 {
				mask = append(mask, '-')
			}
			const least = 1_000_000_000
			v := uint64(binary.LittleEndian.Uint32(sum[4*p:]))
			mask = strconv.AppendUint(mask, least+v%(1<<32-least), 10)
		}
		return string(mask)
	})
}
