package regressions

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"doctor/checks/sorted"
)

// A number is a version as numbers: major, minor, patch, a fourth one of hotfixes, and what RKE2
// counts behind them; or the build of Windows and its revision.
type number [5]int

var versionForm = regexp.MustCompile(`^v?(\d{1,6})\.(\d{1,6})(?:\.(\d{1,6})(?:\.(\d{1,6}))?)?` +
	`(?:[^+]*\+rke2r(\d{1,3}))?`)

func parseNumber(text string) (n number, ok bool) {
	parts := versionForm.FindStringSubmatch(text)
	if parts == nil {
		return number{}, false
	}
	for i := range n {
		n[i], _ = strconv.Atoi(parts[i+1]) // "" is 0
	}
	return n, true
}

func (n number) less(than number) bool { return slices.Compare(n[:], than[:]) < 0 }

// A span is the affected versions of one line of releases.
type span struct {
	first, fixed string
	from, until  number // until has the fix
}

func (s span) holds(n number) bool { return !n.less(s.from) && n.less(s.until) }

// parseSpans reads "1.24.0 < 1.24.7, 1.25.0 < 1.25.3".
func parseSpans(text string) (list []span, ok bool) {
	for part := range strings.SplitSeq(text, ",") {
		first, fixed, two := strings.Cut(part, "<")
		s := span{first: strings.TrimSpace(first), fixed: strings.TrimSpace(fixed)}
		var a, b bool
		s.from, a = parseNumber(s.first)
		s.until, b = parseNumber(s.fixed)
		if !two || !a || !b || !s.from.less(s.until) {
			return nil, false
		}
		list = append(list, s)
	}
	sorted.By(list, func(a, b span) int {
		return slices.Compare(a.from[:], b.from[:])
	})
	return list, true
}

func mustParse(text string) []span {
	list, ok := parseSpans(text)
	if !ok {
		panic("regressions: no range of versions: " + text) // a test reads every row
	}
	return list
}

func spans(list []span) string {
	var texts []string
	for _, s := range list {
		texts = append(texts, s.first+" – "+s.fixed)
	}
	return strings.Join(texts, ", ")
}
