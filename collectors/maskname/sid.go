package maskname

import (
	"encoding/binary"
	"regexp"
	"strconv"
	"strings"
)

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
