// Package netsh reads the tables of ports that netsh prints. They come in the
// language of the system; only the digits, a protocol's name and the ruler of a
// table are the same in all of them.
package netsh

import (
	"regexp"
	"strconv"
	"strings"

	"doctor/checks/evidence"
)

var (
	protocolWord = regexp.MustCompile(`(?i)\b(tcp|udp)\b`)
	excludedRow  = regexp.MustCompile(`^\s*(\d{1,5})\s+(\d{1,5})\s*\*?\s*$`)
	dynamicRow   = regexp.MustCompile(`^\s*\S.*:\s*(\d{1,5})\s*$`)
	dashes       = regexp.MustCompile(`^\s*-{4,}`)
)

const maxRanges = 70_000 // there are no more ports

// Excluded reads the tables of "show excludedportrange", TCP and UDP. It tells
// as well which protocols had a table, if only an empty one.
func Excluded(s string) (list []evidence.ExcludedPorts, tables map[string]bool) {
	list, tables = []evidence.ExcludedPorts{}, map[string]bool{}
	protocol := ""
	for line := range strings.Lines(s) {
		switch m := excludedRow.FindStringSubmatch(line); {
		case m != nil && protocol != "":
			e := evidence.ExcludedPorts{Protocol: protocol, Start: number(m[1]), End: number(m[2])}
			if e.Start <= e.End && e.End <= 65535 && len(list) < maxRanges {
				list = append(list, e)
			}
		case dashes.MatchString(line):
			if protocol != "" {
				tables[protocol] = true
			}
		default:
			if word := protocolWord.FindString(line); word != "" {
				protocol = strings.ToLower(word)
			}
		}
	}
	return list, tables
}

// Dynamic reads what "show dynamicport" prints: the start and the number of
// ports, in this order.
func Dynamic(s string) map[string]evidence.PortRange {
	ranges := map[string]evidence.PortRange{}
	protocol, start := "", -1
	for line := range strings.Lines(s) {
		m := dynamicRow.FindStringSubmatch(strings.TrimRight(line, "\r\n"))
		switch word := protocolWord.FindString(line); {
		case m == nil && word != "":
			protocol, start = strings.ToLower(word), -1
		case m == nil || protocol == "":
		case start < 0:
			start = number(m[1])
		default:
			if n := number(m[1]); start <= 65535 && n > 0 && n <= 65536 {
				ranges[protocol] = evidence.PortRange{Start: start, Count: n}
			}
			protocol = ""
		}
	}
	return ranges
}

// number is the value of some digits, of which the tables have five at most.
func number(s string) int {
	n, _ := strconv.Atoi(s)
	return n
}
