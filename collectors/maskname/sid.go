package maskname

import (
	"bytes"
	"encoding/binary"
	"strconv"
	"strings"
)

// The SIDs that name a customer: those of a domain or machine, whose last part
// may be well known, and those of Entra ID, which are a person or group as a
// whole. All others are the same on every Windows.
const (
	domainSID = "1-5-21-"
	entraSID  = "1-12-1-"
)

// sidAt finds the numbers of a SID that "S-" at the index begins; the end is 0
// where it names nobody.
func sidAt(t []byte, at int) (start, end int) {
	rest := t[at+len("S-"):]
	parts := 0
	switch {
	case bytes.HasPrefix(rest, []byte(domainSID)):
		parts, start = 3, at+2+len(domainSID)
	case bytes.HasPrefix(rest, []byte(entraSID)):
		parts, start = 4, at+2+len(entraSID)
	default:
		return 0, 0
	}
	i := start
	for p := range parts {
		if p > 0 {
			if i >= len(t) || t[i] != '-' {
				return 0, 0
			}
			i++
		}
		from := i
		for i < len(t) && i < from+11 && t[i] >= '0' && t[i] <= '9' {
			i++
		}
		if i == from || i == from+11 {
			return 0, 0
		}
	}
	return start, i
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
