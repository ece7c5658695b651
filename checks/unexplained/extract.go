// Package unexplained finds the lines that matter where no check knows the fault: it takes the
// lines with errors out of the logs, puts those of one kind together, and ranks them as an expert
// would look at them.
package unexplained

import (
	"bytes"
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"doctor/checks/evidence"
	"doctor/checks/evidence/finder"
	"doctor/checks/sorted"
)

// Tail is how much of the end of a log is looked at. What is older has been followed by half a
// megabyte of other lines.
const Tail = 512 << 10

// Bounds on what is kept of one log, and of one line.
const (
	maxKinds = 100
	maxText  = 1 << 10
	// lines from the end of a log that may be the last words of a process
	lastWords = 5
)

// The levels of lines, worst first.
const (
	levelFatal   = "fatal"
	levelError   = "error"
	levelWarning = "warning"
	levelWord    = "word" // the line has no level, and sounds like an error
)

var levels = []string{levelFatal, levelError, levelWarning, levelWord}

// words are in lines that say that something is wrong. A line with none of them is not looked at.
var words = finder.New(append(klogs(), "error", "fail", "fatal", "panic", "exception", "denied", "refused",
	"timed out", "timeout", "cannot", "could not", "unable", "not found", "invalid", "unauthorized",
	"forbidden", "expired", "corrupt", "mismatch", "no such", "crash", "warn", "not ready", "0x80",
	"0xc0", "unknown", "missing", "unexpected", "abort", "not supported", "unsupported", "exit code",
	"not exist", "not match", "rejected", "violat", "conflict", "back-off pulling", "not recognized", "no matching"))

// klogs are the beginnings of errors and of last words in klog's form: E and F with the month.
func klogs() []string {
	var list []string
	for month := 1; month <= 12; month++ {
		list = append(list, fmt.Sprintf("\ne%02d", month), fmt.Sprintf("\nf%02d", month))
	}
	return list
}

// Lines takes the lines with errors out of the end of a log. text begins with the whole line of the
// given number; now is when the log was recorded.
func Lines(path string, text []byte, number int, now time.Time) []evidence.ErrorLine {
	kinds := map[string]*evidence.ErrorLine{}
	var order []string
	total := number + bytes.Count(bytes.TrimRight(text, "\r\n"), []byte("\n"))
	text = append([]byte("\n"), text...) // so that the first line has a beginning like all others
	at, line := 0, number-1
	words.Each(text, func(_, from, _ int) {
		if text[from] == '\n' {
			from++
		}
		if from < at {
			return // another word of a line that was looked at
		}
		start := bytes.LastIndexByte(text[:from], '\n') + 1
		line += bytes.Count(text[at:start], []byte("\n"))
		end := len(text)
		if i := bytes.IndexByte(text[from:], '\n'); i >= 0 {
			end = from + i
		}
		at = end
		found := string(bytes.TrimSpace(text[start:min(end, start+4*maxText)]))
		level := levelOf(found)
		above := 0
		if m := detail.FindStringSubmatch(found); m != nil {
			level = ""
			message, lines := messageAbove(text[:start])
			if m[1] == "CategoryInfo" && message != "" && levelOf(message) == "" { // in another language
				found, level, above = message, levelError, lines
			}
		}
		if level == "" {
			return
		}
		kind := Template(found)
		k := kinds[kind]
		if k == nil {
			k = &evidence.ErrorLine{Path: path, Line: line - above, Level: level,
				First: evidence.LineTime(found, now)}
			kinds[kind] = k
			order = append(order, kind)
		}
		k.Count++
		k.LastLine, k.Last = line-above, evidence.LineTime(found, now)
		k.Text = evidence.Clip(evidence.Clean(found), maxText)
		k.AtEnd = total-line < lastWords
	})
	list := make([]evidence.ErrorLine, len(order))
	for i, kind := range order {
		list[i] = *kinds[kind]
	}
	if len(list) > maxKinds { // the worst, and of one level the latest
		sorted.By(list, func(a, b evidence.ErrorLine) int {
			return cmp.Or(slices.Index(levels, a.Level)-slices.Index(levels, b.Level),
				b.LastLine-a.LastLine)
		})
		list = list[:maxKinds]
	}
	return list
}

var (
	klog   = regexp.MustCompile(`^([IWEF])[01][0-9][0-3][0-9] [0-9]{2}:[0-9]{2}:`)
	logrus = regexp.MustCompile(`\blevel"?[=:] ?"?(trace|debug|info|warn|warning|error|fatal|panic|dpanic)\b`)
	square = regexp.MustCompile(`\[(?i:(TRACE|DEBUG|INFO|WARN|WARNING|ERROR|FATAL|PANIC|CRITICAL)) *\]`)
	spaced = regexp.MustCompile(`^[0-9TZ:/., +\-]{8,40}\s+\[?(?i:(DEBUG|INFO|INFORMATION|WARN|WARNING|ERROR|FATAL|CRITICAL))\b`)
	// a command may write its own name before its error
	opens = regexp.MustCompile(`^(?:(?:[A-Za-z]:\\[^:]*\\)?(?:docker|kubectl)(?:\.exe)? ?: )?(?i:(panic|fatal error|fatal|error|warning|exception))\b:? `)
	harm  = regexp.MustCompile(`(?i)\b(?:err|error)="|\berror:|\bfail(?:ed|ure)\b|\bpanic\b|exception\b|` +
		`\bdenied\b|\brefused\b|\btimed out\b|\bunable to\b|\bcannot\b|\bcould not\b|` +
		`\bnot (?:found|recognized)\b|\binvalid\b|\bforbidden\b|\bunauthorized\b|\bexpired\b|\bcorrupt|\bunexpected\b|` +
		`\bmismatch|\bno such\b|\bcrash|\bfatal\b|\b0x[8c]0[0-9a-f]{6}\b|\bnot ready\b|` +
		`\b(?:not|n.t) (?:exist|match)\b|\bunsupported\b|\bnot supported\b|\brejected\b|\bconflict|\berror\b|\bback-off pulling\b|\bno matching manifest\b`)
	harmless = regexp.MustCompile(`(?i)\berr(?:or)?="?(?:<nil>|nil)\b|\b(?:no|0|without) (?:errors?|failures?)\b|` +
		`errors?[=: ]+0\b|--[a-z-]*(?:error|fail|timeout)|\bFLAG: |-ErrorAction\b|` +
		`\bfailed[=: ]+0\b|\bnames of some imported commands from the module\b`)

	// Lines of an error of PowerShell below its message: where it happened, and what kind it is.
	detail   = regexp.MustCompile(`^\+ (CategoryInfo|FullyQualifiedErrorId) +:`)
	position = regexp.MustCompile(`:\d+ \S+ ?[:：] ?\d+$|:\d+ \S+:\d+$`)
)

// messageAbove is the message of an error of PowerShell whose details stand below text, and how many
// lines above them it stands.
func messageAbove(text []byte) (message string, above int) {
	const reach = 8                               // lines between the message and its details
	text = text[max(0, len(text)-reach*maxText):] // a log may have nothing but such details
	lines := bytes.Split(bytes.TrimRight(text, "\n"), []byte("\n"))
	for i := len(lines) - 1; i > max(0, len(lines)-reach); i-- {
		if position.Match(bytes.TrimSpace(lines[i])) {
			return string(bytes.TrimSpace(lines[i-1])), len(lines) - i + 1
		}
	}
	return "", 0
}

// byName are the levels as logs write them.
var byName = map[string]string{"W": levelWarning, "E": levelError, "F": levelFatal,
	"warn": levelWarning, "warning": levelWarning, "error": levelError, "exception": levelError,
	"fatal": levelFatal, "fatal error": levelFatal, "panic": levelFatal, "dpanic": levelFatal,
	"critical": levelFatal}

// levelOf is the level of a line that says that something is wrong, or empty. An information that
// carries an error counts as a warning: components retry, and say so in passing.
func levelOf(line string) string {
	for _, form := range []*regexp.Regexp{klog, logrus, square, spaced, opens} {
		m := form.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		level, named := byName[m[1]]
		if !named {
			level, named = byName[strings.ToLower(m[1])]
		}
		switch {
		case named && level == levelWarning && harmless.MatchString(line):
			return ""
		case named:
			return level
		}
		if harm.MatchString(line) && !harmless.MatchString(line) {
			return levelWarning
		}
		return ""
	}
	if harm.MatchString(line) && !harmless.MatchString(line) {
		return levelWord
	}
	return ""
}
