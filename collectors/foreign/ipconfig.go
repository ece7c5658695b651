package foreign

import (
	"encoding/binary"
	"math/bits"
	"net/netip"
	"regexp"
	"strings"
)

// An ipSection is one block of `ipconfig /all`: what holds for the compartment, or
// one adapter. ipconfig is translated, so a block is told by its shape: a heading at
// column 0 that ends in a colon, fields indented by three, further values by far more.
type ipSection struct {
	heading     string // "" for the compartment's own block
	compartment int    // 0 where ipconfig was not asked for all of them
	fields      []ipField
}

type ipField struct {
	key    string
	values []string
}

// Bounds on a hostile ip.txt; a node of 250 pods has some 260 adapters.
const (
	maxSections = 5_000
	maxFields   = 200
)

var (
	ipFieldLine    = regexp.MustCompile(`^\s{1,8}(\S[^:]*?)[ .]*:(?:\s+(.*))?$`)
	compartmentNum = regexp.MustCompile(`\d+`)
	equalsLine     = regexp.MustCompile(`^={10,}\s*$`)
)

// parseIPConfig reads the text up to the output of the next command.
func parseIPConfig(s string) []ipSection {
	var list []ipSection
	compartment, ruled := 0, false
	open := func(heading string) {
		list = append(list, ipSection{heading: heading, compartment: compartment})
	}
	open("")
	for line := range strings.Lines(s) {
		line = strings.TrimRight(line, " \t\n")
		if line == "" {
			continue
		}
		if len(list) > maxSections || strings.HasPrefix(line, "IPAddress ") {
			break
		}
		last := &list[len(list)-1]
		column0 := line[0] != ' ' && line[0] != '\t'
		switch {
		case equalsLine.MatchString(line):
			ruled = true
			continue
		case column0 && ruled && compartmentNum.MatchString(line):
			compartment = number(compartmentNum.FindString(line))
			open("")
		case column0 && (strings.HasSuffix(line, ":") || strings.HasSuffix(line, "：")):
			open(strings.TrimSpace(strings.TrimRight(line, ":：")))
		case column0:
		default:
			last.take(line)
		}
		ruled = false
	}
	return list
}

func (s *ipSection) take(line string) {
	if m := ipFieldLine.FindStringSubmatch(line); m != nil {
		if len(s.fields) < maxFields {
			f := ipField{key: strings.TrimRight(m[1], " ."), values: nil}
			if v := strings.TrimSpace(m[2]); v != "" {
				f.values = append(f.values, v)
			}
			s.fields = append(s.fields, f)
		}
		return
	}
	if n := len(s.fields); n > 0 && strings.HasPrefix(line, "         ") &&
		len(s.fields[n-1].values) < maxFields {
		s.fields[n-1].values = append(s.fields[n-1].values, strings.TrimSpace(line))
	}
}

// hostName is the first value of the first block, the same in all languages.
func hostName(s string) string {
	for _, sec := range parseIPConfig(s) {
		if sec.heading != "" {
			return ""
		}
		if len(sec.fields) > 0 {
			if f := sec.fields[0]; len(f.values) == 1 && hostNamePattern.MatchString(f.values[0]) {
				return f.values[0]
			}
			return ""
		}
	}
	return ""
}

// has tells whether the field's name holds an abbreviation, which translators leave
// as it is: DNS, DHCP, IPv4, WINS.
func (f ipField) has(word string) bool {
	return strings.Contains(strings.ToUpper(f.key), strings.ToUpper(word))
}

// addresses are the values that are IP addresses, without "(Preferred)" and zone.
func (f ipField) addresses() []netip.Addr {
	var list []netip.Addr
	for _, v := range f.values {
		if ip, ok := leadingAddr(v); ok {
			list = append(list, ip)
		}
	}
	return list
}

func leadingAddr(s string) (netip.Addr, bool) {
	s, _, _ = strings.Cut(s, "(")
	s, _, _ = strings.Cut(s, "（")
	s, _, _ = strings.Cut(strings.TrimSpace(s), "%")
	ip, err := netip.ParseAddr(s)
	return ip, err == nil
}

// maskBits is the length of a netmask, false for what is none.
func maskBits(ip netip.Addr) (int, bool) {
	if !ip.Is4() {
		return 0, false
	}
	mask := binary.BigEndian.Uint32(ip.AsSlice())
	ones := bits.LeadingZeros32(^mask)
	return ones, mask<<ones == 0
}
