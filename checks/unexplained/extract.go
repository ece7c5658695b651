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

	"doctor/checks/errcode"
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
var words = finder.New(append(append(klogs(), "error", "fail", "fatal", "panic", "exception", "denied", "refused",
	"timed out", "timeout", "cannot", "could not", "couldn't", "x509: ", "unable", "not found", "invalid", "unauthorized",
	"forbidden", "expired", "corrupt", "mismatch", "no such", "crash", "warn", "not ready", "0x80",
	"0xc0", "unknown", "missing", "unexpected", "abort", "not supported", "unsupported", "exit code",
	"not exist", "not match", "rejected", "violat", "conflict", "back-off pulling", "pullbackoff", "errimagepull", "incompatible", "not recognized", "no matching", "line |", "categoryinfo",
	`"err`, " err="),
	errcode.Messages()...))

// klogs are the beginnings of errors and of last words in klog's form, E and F with the month, and in that of
// logrus.
func klogs() []string {
	list := []string{"\nerro", "\nfata", "\npani"}
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
		found := shown(text[start:min(end, start+4*maxText)])
		level, place := levelOf(found), line
		if r, ok := recordAt(found, text[:start], text[end:]); ok {
			found, level, place = r.message, r.level, line+r.line
			line, at = line+r.rows, end+r.size
		}
		if level == "" {
			return
		}
		kind := Template(found)
		k := kinds[kind]
		if k != nil && k.LastLine == place { // the message of PowerShell sounds like an error by itself
			k.Level = level
			return
		}
		if k == nil {
			k = &evidence.ErrorLine{Path: path, Line: place, Level: level,
				First: evidence.LineTime(found, now)}
			kinds[kind] = k
			order = append(order, kind)
		}
		k.Count++
		k.LastLine, k.Last = place, evidence.LineTime(found, now)
		k.Text = evidence.Clip(found, maxText)
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

// shown is a line as it may be shown: programs write their errors in color.
func shown(line []byte) string { return strings.TrimSpace(evidence.Clean(string(line))) }

// Has tells whether a text has a line with an error.
func Has(text string) bool { return len(Lines("", []byte(text), 1, time.Time{})) > 0 }

var (
	klog   = regexp.MustCompile(`^([IWEF])[01][0-9][0-3][0-9] [0-9]{2}:[0-9]{2}:`)
	logrus = regexp.MustCompile(`\b(?i:level"?[=:] ?"?(trace|debug|info|warn|warning|error|fatal|panic|dpanic))\b`)
	square = regexp.MustCompile(`\[(?i:(TRACE|DEBUG|INFO|WARN|WARNING|ERROR|FATAL|PANIC|CRITICAL)) *\]`)
	// logrus on a console: FATA[0003], WARN[2019-10-23T11:17:59+13:00]; the scripts of Rancher: FATA: , WARN:
	console = regexp.MustCompile(`^(TRAC|DEBU|INFO|WARN|ERRO|FATA|PANI)(?:\[\d|: )`)
	spaced  = regexp.MustCompile(`^[0-9TZe:/., +\-]{8,40}(?: ?[AP]M)?\s+\[?(?i:(DEBUG|INFO|INFORMATION|WARN|WARNING|ERROR|FATAL|CRITICAL))\b`)
	// a command may write its own name before its error
	opens = regexp.MustCompile(`^(?:(?:[A-Za-z]:\\[^:]*\\)?(?:docker|kubectl)(?:\.exe)? ?: )?(?i:(panic|fatal error|fatal|error|warning|exception))\b:? `)

	// eventRow is a warning among the events that kubectl prints.
	eventRow = regexp.MustCompile(`^(?:\S.{0,120}?(?:\s{2,}|\t))?Warning(?:\s{2,}|\t)` +
		`((?:[A-Z][a-z]+){2}[A-Za-z]*|Failed|Unhealthy|Evicted|Rebooted)\s+\S`)

	// fails is the beginning of a line that has no level: behind a time, and the names of a program or of its
	// parts, it says at once that something failed.
	fails = regexp.MustCompile(`^(?:\[?[0-9][0-9TZe:/., +\-]{7,40}\]?(?: ?[AP]M)?[\s:]+)?` +
		`(?:(?:\[[^\]]{1,40}\]:?|[\w./-]{1,60}(?:\[[0-9]+\])?:|[\w.-]+\.go:[0-9]+:?)\s+){0,3}` +
		`(?:(?i:failed to|errors?[: ]|fatal|cannot|could not|unable to|internal error occurred:|message: unable to)|` +
		`Unsupported [a-z]|.{1,200} is invalid: .*Invalid value:|[\w-]+ : @\{Error=)`) // hns.psm1 throws the answer of HNS
	// uncaught is an exception with which a program of Ruby, Python, Node.js, .NET or Java ends.
	uncaught = regexp.MustCompile(`\((?:[A-Z]\w*::)*[A-Z]\w*(?:Error|Exception)\)$|^(?:[\w.]+\.)?[A-Z]\w*(?:Error|Exception): |` +
		`^Unhandled [Ee]xception|^Exception in thread `)
	// field is an error that a line carries in JSON or logfmt, and innocent what it has where there is none.
	field    = regexp.MustCompile(`(?:\\?"(?:err|error)\\?" ?: ?|\b(?:err|error)=)(?:\\?"((?:[^"\\]|\\[^"])*)|([^\s",}]+))`)
	innocent = regexp.MustCompile(`^(?i:|<?nil>?|\\u003cnil\\u003e|null|none|false|0|ok|success|no errors?|\[\]?|\{\}?)$`)
	// passing is in lines whose program goes on: it tries again, or does without.
	passing = regexp.MustCompile(`(?i)\bretr(?:y|ies|ying)\b|\bagain\b|\bwill\b|\bskip|\bignor|\bnot yet\b|` +
		`\bwait|\battempt|\bdefaulting\b|\bfall(?:ing)? ?back\b|\boptional\b|\brestarting\b`)

	harm = regexp.MustCompile(`(?i)\b(?:err|error)="|\berror:|\bfail(?:ed|ure)\b|\bpanic\b|exception\b|` +
		`\bdenied\b|\brefused\b|\btimed out\b|\bunable to\b|\bcannot\b|\bcould not\b|` +
		`\bcouldn't\b|\bx509: |\bnot (?:found|recognized)\b|\binvalid\b|\bforbidden\b|\bunauthorized\b|\bexpired\b|\bcorrupt|\bunexpected\b|` +
		`\bmismatch|\bno such\b|\bcrash|\bfatal\b|\b0x[8c]0[0-9a-f]{6}\b|\bnot ready\b|` +
		`\b(?:not|n.t) (?:exist|match)\b|\bunsupported\b|\bnot supported\b|\brejected\b|\bconflict|\berror\b|\bback-off pulling\b|\bincompatible\b|\bImagePullBackOff\b|\bErrImagePull\b|\bno matching manifest\b|` +
		`\bno response from\b`)
	harmless = regexp.MustCompile(`(?i)\berr(?:ors?)?\\?"?[=:] ?\\?"?(?:<?nil>?|null|none|\\u003cnil\\u003e|"|\[\]|\{\})(?:\W|$)|\b(?:no|0|without) (?:errors?|failures?)\b|` +
		`errors?[=: ]+0\b|--[a-z-]*(?:error|fail|timeout)|\bFLAG: |-ErrorAction\b|` +
		`\bfailed"?[=: ]+0\b|\berror <nil>|\bnames of some imported commands from the module\b`)
)

// byName are the levels as logs write them.
var byName = map[string]string{"W": levelWarning, "E": levelError, "F": levelFatal,
	"warn": levelWarning, "warning": levelWarning, "error": levelError, "exception": levelError,
	"fatal": levelFatal, "fatal error": levelFatal, "panic": levelFatal, "dpanic": levelFatal,
	"critical": levelFatal, "erro": levelError, "fata": levelFatal, "pani": levelFatal}

// levelOf is the level of a line that says that something is wrong, or empty. An information that
// sounds like an error counts as a warning: components retry, and say so in passing.
func levelOf(line string) string {
	if m := eventRow.FindStringSubmatch(line); m != nil {
		if slices.Contains(follows, m[1]) {
			return levelWord
		}
		return levelError
	}
	switch level, stated := levelIn(line); {
	case level == levelError || level == levelFatal:
		return level
	case !stated && carries(line):
		return levelError
	case harmless.MatchString(line):
		return ""
	case level != "":
		return level
	case stated && (carries(line) || harm.MatchString(line)):
		return levelWarning
	case stated:
		return ""
	case fails.MatchString(line) || uncaught.MatchString(line) || errcode.IsMessage(line):
		return levelError
	case harm.MatchString(line):
		return levelWord
	}
	return ""
}

// levelIn is the level that a line states; empty for one that is no worse than an information.
func levelIn(line string) (level string, stated bool) {
	for _, form := range []*regexp.Regexp{klog, logrus, square, console, spaced, opens} {
		if m := form.FindStringSubmatch(line); m != nil && (form != opens || !harmless.MatchString(line)) {
			level, named := byName[m[1]]
			if !named {
				level = byName[strings.ToLower(m[1])]
			}
			return level, true
		}
	}
	return "", false
}

// carries tells whether a line has a field with an error.
func carries(line string) bool {
	for _, m := range field.FindAllStringSubmatch(line, -1) {
		if value := strings.TrimSpace(m[1] + m[2]); !innocent.MatchString(value) {
			return true
		}
	}
	return false
}
