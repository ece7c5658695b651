package evidence

import "strings"

// A Gap says why a piece of evidence could not be had, as one line that starts
// with its kind: "absent: …", "denied: …". The empty Gap means that the
// evidence is there.
type Gap string

// The kinds of gap. Absent is an answer ("looked, it is not there"); all the
// others leave the question open.
const (
	Absent       = "absent"
	Denied       = "denied"
	Timeout      = "timeout"
	Unsupported  = "unsupported"
	NotCollected = "not-collected"
	Error        = "error"
)

var gapKinds = []string{Absent, Denied, Timeout, Unsupported, NotCollected, Error}

// Kind returns the word before the colon, or "" for no gap.
func (g Gap) Kind() string {
	kind, _, _ := strings.Cut(string(g), ":")
	return kind
}

// Reason returns what stands after the kind.
func (g Gap) Reason() string {
	_, reason, _ := strings.Cut(string(g), ":")
	return strings.TrimSpace(reason)
}

// maxGapLine keeps a hostile or careless .gap file from flooding the report.
const maxGapLine = 500

// gapFromFile reads the content of a .gap file. A line without a known kind was
// written by hand: it still says that something is missing, so it is kept as an
// error.
func gapFromFile(content string) Gap {
	line, _, _ := strings.Cut(strings.TrimSpace(content), "\n")
	line = Clean(strings.TrimSpace(line))
	if len(line) > maxGapLine {
		line = strings.ToValidUTF8(line[:maxGapLine], "") + " …"
	}
	for _, kind := range gapKinds {
		if strings.HasPrefix(line, kind+":") {
			return Gap(line)
		}
	}
	if line == "" {
		line = "the gap file gives no reason"
	}
	return Gap(Error + ": " + line)
}
