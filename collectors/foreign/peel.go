package foreign

import (
	"encoding/hex"
	"html"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

var (
	quoted = regexp.MustCompile(`^(?:> ?)+`)
	// Where an entry of klog or logrus begins, behind what tools put in front: the name of a file or a
	// pod, a number, a stamp, the head of syslog.
	entryStart = regexp.MustCompile(`^[^"{]{0,200}?([IWEF]\d{4} \d\d:\d\d:\d\d\.\d{3,9}\s+\d+ [\w.-]+\.go:\d+\]|time="\d{4}-)`)
	ansiCode   = regexp.MustCompile(`\x1b\[[0-9;?]*[A-Za-z]`)
	// The stamp that runners of GitHub and Azure Pipelines put in front of each line.
	runnerStamp = regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{7}Z(?: |$)`)
	// the numbers that code hosts show beside the lines of a file
	numberedLine = regexp.MustCompile(`^\d{1,5}(?:\t|$)`)
	// what grep writes in front of an entry, or PowerShell before an error of a program
	lineTag       = regexp.MustCompile(`(?m)^(?:[\w./\\:-]*\.(?:log|err|out|txt)[\w.-]*(?::\d+)?:|(?:\S*[\\/])?(?:kubelet|kube-proxy|containerd|flanneld|dockerd)(?:\.exe)? : )([IWEF]\d{4} |time="\d{4}-)`)
	machinePrefix = regexp.MustCompile(`^[\w.-]{2,63}: `)
	indented      = regexp.MustCompile(`^[ \t]+`)
	// An entry of klog in one of k0s, which runs the components and logs what they print.
	carriedEntry = regexp.MustCompile(`(?m)^time="[^"\n]*" level=\w+ msg="([IWEF]\d{4} \d\d:\d\d:\d\d\.\d+ +\d+ [\w.-]+\.go:\d+\] (?:[^"\\\n]|\\[^\n])*)(?:"(?: \w+=\S+)*)?$`)
	// A line between the backticks of Markdown.
	inlineCode = regexp.MustCompile("(?m)^ *`([^`\n]+)`? *$")
)

// peel takes away what whoever copied a text has put in front of its lines: marks of a quote, the
// indent of a code block, the stamps of a CI runner.
func peel(text string) string {
	text = withoutPrefix(text, quoted, 8)
	text = inlineCode.ReplaceAllStringFunc(text, func(line string) string {
		if code := strings.TrimSpace(inlineCode.FindStringSubmatch(line)[1]); isLogLine(code) || isEventRow(code) {
			return code
		}
		return line
	})
	if bare := withoutPrefix(text, runnerStamp, 8); bare != text && startsOutput(bare) {
		text = bare
	}
	text = withoutPrefix(text, numberedLine, 9)
	text = lineTag.ReplaceAllString(text, "$1")
	text = fromEntries(text)
	text = carriedEntry.ReplaceAllStringFunc(text, func(line string) string {
		entry := carriedEntry.FindStringSubmatch(line)[1]
		if bare, err := strconv.Unquote(`"` + entry + `"`); err == nil && !strings.Contains(bare, "\n") {
			return bare
		}
		return line
	})
	// the name of a machine that Vagrant or Ansible puts in front of what it prints
	if m := machinePrefix.FindString(firstLine(text)); m != "" {
		same := regexp.MustCompile(`^[ \t]*` + regexp.QuoteMeta(m))
		if bare := withoutPrefix(text, same, 10); startsOutput(bare) {
			text = bare
		}
	}
	shared := ""
	for line := range strings.Lines(text) {
		if strings.TrimSpace(line) == "" {
			continue
		}
		indent := indented.FindString(line)
		if shared == "" || strings.HasPrefix(shared, indent) {
			shared = indent
		}
		if shared == "" || !strings.HasPrefix(indent, shared) {
			return text
		}
	}
	return withoutPrefix(text, regexp.MustCompile("^"+regexp.QuoteMeta(shared)), 1)
}

var (
	pageFile  = regexp.MustCompile(`(?i)\.(?:html?|eml)$`)
	pageHead  = regexp.MustCompile(`(?i)^\s*<(?:!doctype html|html|head|body|div|p|pre|table)\b[^>]*>`)
	pageBreak = regexp.MustCompile(`(?i)<br ?/?>|</(?:p|div|li|tr|pre|h\d)>`)
	pageTag   = regexp.MustCompile(`(?is)<(?:script|style|title)\b.*?</(?:script|style|title)>|</?[a-z][^<>]*>|<!--.*?-->|<!doctype[^>]*>`)
	mailHead  = regexp.MustCompile(`^(?:[A-Z][\w-]+: .*\n(?:[ \t].*\n)*){3,}\n`)
	mailCode  = regexp.MustCompile(`=(?:[0-9A-F]{2}|\n)`)
	mailQuote = regexp.MustCompile(`(?m)^(?:> ?)+`)
)

// unwrapped is the text of a page that was saved as HTML, or of a mail, without its heads and quotes.
func unwrapped(text string) string {
	if strings.Contains(text, "\x1b[") {
		text = ansiCode.ReplaceAllString(text, "")
	}
	if strings.Contains(text, " e r ") {
		text = spacedLine.ReplaceAllStringFunc(text, func(line string) string {
			return strings.ReplaceAll(strings.ReplaceAll(strings.ReplaceAll(line, "  ", "\x00"), " ", ""), "\x00", " ")
		})
	}
	text = brokenError.ReplaceAllString(unfolded(withoutEllipses(text)), "$1 $2\n")
	if pageHead.MatchString(text) {
		return html.UnescapeString(pageTag.ReplaceAllString(pageBreak.ReplaceAllString(text, "\n"), ""))
	}
	head := mailHead.FindString(text)
	if !strings.Contains(head, "Subject: ") || !strings.Contains(head, "From: ") {
		return text
	}
	body := text[len(head):]
	if strings.Contains(strings.ToLower(head), "quoted-printable") {
		body = mailCode.ReplaceAllStringFunc(body, func(code string) string {
			b, _ := hex.DecodeString(strings.TrimSpace(code[1:]))
			return string(b)
		})
	}
	return mailQuote.ReplaceAllString(body, "")
}

var (
	// hcsshim's error whose words, up to the number, an author put in a line of their own; the empty
	// line that is left keeps the numbers of the others
	brokenError = regexp.MustCompile(`(?m)( in (?:Win32|a Windows system call):)[ \t\r]*\n[ \t]+(\S.*\(0x[0-9a-f]+\).*)$`)
	// UTF-16 of nssm in a log of single bytes, whose NULs were copied as blanks
	spacedLine = regexp.MustCompile(`(?m)^ *(?:\S {1,4}){10,}\S?$`)
	// a letter at the end of a line, and one in the same word at the beginning of the next
	brokenWord = regexp.MustCompile(`[a-z]\n[a-z]`)
)

var (
	ellipsis      = regexp.MustCompile(`(?m)^[ \t]*(?:\.\.\.|…),?[ \t]*\n`)
	openMember    = regexp.MustCompile(`^\s*"[\w.-]+"\s*:\s*[{\[]`)
	danglingComma = regexp.MustCompile(`,(\s*[}\]])`)
)

// withoutEllipses removes the lines by which an author shows that he left something out of JSON, and the
// commas that then lead to nothing.
func withoutEllipses(text string) string {
	if openMember.MatchString(text) { // a part of an object
		text = "{" + text
	}
	begins := strings.TrimLeft(text[:min(len(text), maxPieceHead)], " \t\r\n")
	if !strings.HasPrefix(begins, "{") && !strings.HasPrefix(begins, "[") || !ellipsis.MatchString(text) {
		return text
	}
	return danglingComma.ReplaceAllString(ellipsis.ReplaceAllString(text, ""), "$1")
}

// unfolded joins the lines that the edge of a console broke: many are as long as the longest, and words go
// on in the next one.
func unfolded(text string) string {
	lines := strings.Split(text[:min(len(text), maxText)], "\n")
	width := func(line string) int { return utf8.RuneCountInString(line) }
	wide := width(slices.MaxFunc(lines, func(a, b string) int { return width(a) - width(b) }))
	if wide < leastWrapped || wide > mostWrapped || len(text) > maxText || strings.Contains(text, "-----BEGIN ") {
		return text
	}
	var b strings.Builder
	full, broken := 0, 0
	for i, line := range lines[:len(lines)-1] {
		b.WriteString(line)
		next := lines[i+1]
		if width(line) < wide || next == "" || isLogLine(next) || isEventRow(next) || strings.HasSuffix(line, "...") {
			b.WriteByte('\n')
			continue
		}
		if full++; psRuler.MatchString(line) && next[0] != '-' {
			return text // a table that fits
		}
		if brokenWord.MatchString(line[len(line)-1:] + "\n" + next[:1]) {
			broken++
		}
	}
	if broken < 3 || full*3 < len(lines) {
		return text
	}
	return b.String() + lines[len(lines)-1]
}

// fromEntries removes what stands in front of the entries of a log, where nearly all lines are entries.
func fromEntries(text string) string {
	lines, entries := 0, 0
	var b strings.Builder
	for line := range strings.Lines(text) {
		if m := entryStart.FindStringSubmatchIndex(line); m != nil {
			entries++
			line = line[m[2]:]
		}
		lines++
		b.WriteString(line)
	}
	if entries*10 < lines*8 {
		return text
	}
	return b.String()
}

// withoutPrefix removes a prefix where that many tenths of the lines have it.
func withoutPrefix(text string, prefix *regexp.Regexp, tenths int) string {
	lines, marked := 0, 0
	var b strings.Builder
	for line := range strings.Lines(text) {
		bare := line[len(prefix.FindString(line)):]
		b.WriteString(bare)
		if strings.TrimSpace(line) == "" {
			continue
		}
		if lines++; len(bare) < len(line) {
			marked++
		}
	}
	if marked == 0 || marked*10 < lines*tenths {
		return text
	}
	return b.String()
}

// startsOutput tells that a line of the text begins the output of a command.
func startsOutput(text string) bool {
	t := &taking{}
	for at := 0; at < len(text); {
		next := nextLine(text, at)
		kind, _ := t.startOf(strings.TrimRight(text[at:next], " \t\n"), text[next:])
		if kind != partOther && kind != partLog {
			return true
		}
		at = next
	}
	return false
}

// aboveAll are the lines of a text up to the first that is empty, at most n of them.
func aboveAll(text string, n int) []string {
	var lines []string
	for line := range strings.Lines(text) {
		if line = strings.TrimRight(line, " \t\n"); line == "" || len(lines) == n {
			break
		}
		lines = append(lines, line)
	}
	return lines
}
