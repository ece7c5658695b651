package unexplained

import (
	"regexp"
	"strings"
)

// Template is what lines of one kind share: without times, ids, addresses, numbers and names of
// pods. It stands here in place of the Drain algorithm and its ports to Go, whose result depends on
// the order of the lines; the same line must have the same template in each log and each version.
func Template(line string) string {
	if len(line) > maxText {
		line = line[:maxText]
	}
	for _, s := range stamps {
		line = s.ReplaceAllString(line, "")
	}
	for _, m := range masks {
		line = m.ReplaceAllString(line, "*")
	}
	return strings.ToLower(strings.Join(strings.Fields(line), " "))
}

var stamps = []*regexp.Regexp{
	// klog's, its thread, and the place in the source, which moves between releases
	regexp.MustCompile(`\b([IWEF])[01][0-9][0-3][0-9] [0-9:.]+\s+[0-9]+ (?:[\w.-]+\.go:[0-9]+\] ?)?`),
	regexp.MustCompile(`\btime="[^"]*" ?`),
	regexp.MustCompile(`\b[0-9]{4}[-/][0-9]{2}[-/][0-9]{2}[T ][0-9:.,]+(?:Z|[+-][0-9:]{4,5})?`),
	regexp.MustCompile(`"(?:ts|time|timestamp)": ?"?[^",}]*"?,?`),
}

var masks = []*regexp.Regexp{
	regexp.MustCompile(`(?i)\\+var\\+log\\+pods\\+[^"\s]+`), // the log of a container
	regexp.MustCompile(`(?i)\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b`),
	regexp.MustCompile(`\b[0-9]{1,3}(?:\.[0-9]{1,3}){3}(?::[0-9]+|/[0-9]+)?\b`),
	regexp.MustCompile(`(?i)\b(?:[0-9a-f]{2}[:-]){5}[0-9a-f]{2}\b`),
	regexp.MustCompile(`(?i)\b[0-9a-f]{12,}\b`),
	regexp.MustCompile(`\b[a-z0-9.-]+/[a-z0-9.-]+\b`), // a namespace and a name, an image
	regexp.MustCompile(`\b[a-z0-9]+(?:-[a-z0-9]+)*-[a-z0-9]{5,10}(?:-[a-z0-9]{5})?\b`),
	regexp.MustCompile(`(?i)\b[a-z][a-z-]*[0-9][a-z0-9.-]*\b`), // a name with a number
	regexp.MustCompile(`\b[0-9]+(?:\.[0-9]+)?(?:ns|us|µs|ms|s|m|h|d|%|KiB|MiB|GiB|MB|GB)?\b`),
}
