package foreign

import (
	"regexp"
	"strings"
)

// hnsdiag is the output of `hnsdiag list all -d`: headings, and below each the
// objects as JSON. Lists are in the order of hnsKinds.
type hnsdiag struct {
	records [][]record
	none    []bool // the heading is there and nothing stands below it
}

// readHNSDiag believes a list only when all of the output could be read: usage
// texts and outputs that break off say nothing.
func readHNSDiag(src *source) hnsdiag {
	d := hnsdiag{make([][]record, len(hnsKinds)), make([]bool, len(hnsKinds))}
	pieces, broken := splitDump(src.readText("hnsdiag.txt", maxDump).content)
	if broken != "" {
		return d
	}
	headed := make([]bool, len(hnsKinds))
	filled := make([]bool, len(hnsKinds))
	section := -1
	for _, p := range pieces {
		if p.document == nil {
			section = readHeadings(p.text, section, headed, filled)
			continue
		}
		if section >= 0 {
			filled[section] = true
		}
		list, _ := records(p.document)
		for _, r := range list {
			if k := kindOf(r); k >= 0 {
				d.records[k] = append(d.records[k], r)
			}
		}
	}
	for k := range hnsKinds {
		d.none[k] = headed[k] && !filled[k] && len(d.records[k]) == 0
	}
	return d
}

var hnsdiagHeading = regexp.MustCompile(`^\s*(\w[\w ]*?)\s*:\s*$`)

// readHeadings goes through text between documents. Whatever stands below a
// heading and is no heading fills it: rows of the plain list, or an error.
func readHeadings(text string, section int, headed, filled []bool) int {
	for line := range strings.Lines(text) {
		if m := hnsdiagHeading.FindStringSubmatch(line); m != nil {
			section = -1
			for k, kind := range hnsKinds {
				if strings.HasPrefix(strings.ToLower(m[1]), kind.heading) {
					section, headed[k] = k, true
				}
			}
		} else if section >= 0 && strings.Trim(line, " \t\r\n-=") != "" {
			filled[section] = true
		}
	}
	return section
}

func kindOf(r record) int {
	for k, kind := range hnsKinds {
		if kind.is(r) {
			return k
		}
	}
	return -1
}
