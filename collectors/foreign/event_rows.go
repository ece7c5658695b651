package foreign

import (
	"regexp"
	"strings"
	"time"
)

// Rows of events that somebody copied without the heads of their columns.
const eventAge = `(<unknown>|<invalid>|(?:\d{1,6}[ydhms])+(?: *\(x\d+ over [^)]*\))?)`

var (
	// Type, Reason, Age, From, Message: the end of kubectl describe.
	describedRow = regexp.MustCompile(`^\s*(Normal|Warning)\s+([A-Z]\w+)\s+` + eventAge +
		`\s+([\w./-]+(?:, [\w.-]+)?)(?:\s+(\S.*))?$`)
	// FirstSeen, LastSeen, Count, From, SubObjectPath, Type, Reason, Message: kubectl describe up to 1.7.
	seenRow = regexp.MustCompile(`^\s*` + eventAge + `\s+` + eventAge +
		`\s+(\d{1,9})\s+([\w./-]+(?:, [\w.-]+)?)(?:\s+spec\.\S+)?\s+(Normal|Warning)\s+([A-Z]\w+)(?:\s+(\S.*))?$`)
	// LAST SEEN, TYPE, REASON, OBJECT, MESSAGE: kubectl get events, with or without NAMESPACE.
	listedRow = regexp.MustCompile(`^\s*(?:([a-z0-9-]+)\s+)?` + eventAge +
		`\s+(Normal|Warning)\s+([A-Z]\w+)\s+([a-z]+)/(\S+)\s+(\S.*)$`)
	// Reason, how often, when, Message: the page of a pod in Rancher.
	pageRow = regexp.MustCompile(`^\s*([A-Z]\w+)(?: \(\d+\))?(?:\t| {2,})(\d{1,6}) ([smhd])\w* ago(?:\t| {2,})(\S.*)$`)
	// when, of which object, {component node}, Reason, Message: the end-to-end tests of Kubernetes (framework/debug/dump.go)
	testedRow = regexp.MustCompile(`(?m)^(?:[^\n]{0,80}[\]:] )?At (\d{4}-\d\d-\d\d \d\d:\d\d:\d\d) \+0000 UTC - event for (\S+): \{(\S+) (\S*)\} ([A-Z]\w+): (.*)$`)
)

func isEventRow(line string) bool {
	return describedRow.MatchString(line) || seenRow.MatchString(line) || listedRow.MatchString(line) || pageRow.MatchString(line) || testedRow.MatchString(line)
}

// readEventRows makes events of rows. A line that is no row goes on with the message of the one
// before it, which a terminal has wrapped.
func readEventRows(s string, ran time.Time) []map[string]any {
	var list []map[string]any
	for line := range strings.Lines(s) {
		line = strings.TrimRight(line, "\r\n \t")
		e, age := eventOfRow(line)
		switch last := len(list) - 1; {
		case e == nil && last >= 0 && line != "":
			list[last]["message"] = list[last]["message"].(string) + " " + strings.TrimSpace(line)
		case e != nil && len(list) < maxObjects:
			setAge(e, age, ran)
			list = append(list, e)
		}
	}
	return list
}

func eventOfRow(line string) (e map[string]any, age string) {
	if m := describedRow.FindStringSubmatch(line); m != nil {
		e := map[string]any{"type": m[1], "reason": m[2], "message": m[5],
			"involvedObject": map[string]string{"kind": "Pod"}}
		setSource(e, m[4])
		return e, m[3]
	}
	if m := seenRow.FindStringSubmatch(line); m != nil {
		e := map[string]any{"type": m[5], "reason": m[6], "message": m[7],
			"involvedObject": map[string]string{"kind": "Pod"}}
		setSource(e, m[4])
		if n := limited(number(m[3])); n > 0 {
			e["count"] = n
		}
		return e, m[2]
	}
	if m := listedRow.FindStringSubmatch(line); m != nil {
		about := map[string]string{"kind": capitalKind(m[5]), "name": m[6]}
		if m[1] != "" {
			about["namespace"] = m[1]
		}
		return map[string]any{"type": m[3], "reason": m[4], "message": m[7], "involvedObject": about}, m[2]
	}
	if m := pageRow.FindStringSubmatch(line); m != nil {
		return map[string]any{"reason": m[1], "message": m[4],
			"involvedObject": map[string]string{"kind": "Pod"}}, m[2] + m[3]
	}
	if m := testedRow.FindStringSubmatch(line); m != nil {
		about := map[string]string{"name": m[2]}
		switch {
		case m[2] == m[4]:
			about["kind"] = "Node"
		case m[3] == "kubelet" || m[3] == "default-scheduler":
			about["kind"] = "Pod"
		}
		e := map[string]any{"reason": m[5], "message": m[6], "involvedObject": about,
			"source": map[string]string{"component": m[3], "host": m[4]}}
		if at, err := time.Parse(time.DateTime, m[1]); err == nil && plausible(at) {
			e["lastTimestamp"] = at.Format(time.RFC3339)
		}
		return e, ""
	}
	return nil, ""
}

// setSource sets the node that reports an event, where it is shown: "kubelet, NODE".
func setSource(e map[string]any, from string) {
	if component, host, ok := strings.Cut(from, ", "); ok {
		e["source"] = map[string]string{"component": component, "host": host}
	}
}

// setAge sets when an event was last seen, counted from when the tool ran, and how often.
func setAge(e map[string]any, text string, ran time.Time) {
	age, count := describedAge(text)
	if count > 0 {
		e["count"] = count
	}
	if age >= 0 && !ran.IsZero() {
		e["lastTimestamp"] = ran.Add(-age).UTC().Format(time.RFC3339)
	}
}

// Bounds of a line that a terminal has wrapped.
const (
	leastWrapped = 60 // columns of the narrowest terminal that anybody copies from
	mostWrapped  = 2 << 10
)

// loneError tells errors that reports quote without their log.
var loneError = regexp.MustCompile(`rpc error: code = |failed to register layer: |Error response from daemon: `)

var (
	// how a line ends, and the next begins, where an author broke a sentence between two words
	openEnd   = regexp.MustCompile(`[a-z,]$`)
	openBegin = regexp.MustCompile(`^[a-z]`)
	// where the head of klog was cut down to the place in the source, or stands far to the right: a console
	// has filled the line before
	cutHead  = regexp.MustCompile(`^ *[\w-]+\.go:\d+\](?: |$)`)
	lateHead = regexp.MustCompile(` {8,}[IWEF]\d{4} \d\d:\d\d:\d\d\.\d{3,9}\s+\d+ [\w.-]+\.go:\d+\]`)
)

// lastWords begin what a program prints beside its log.
var lastWords = regexp.MustCompile(`^(?i:at line:\d|(?:fatal|fatal error|panic|error(?: [a-z ]+)?): |FATA\[)`)

// wholeEntries joins the lines into which a terminal or PowerShell has wrapped an entry of a log. Empty
// lines behind it keep the numbers of the others.
func wholeEntries(text string) string {
	var b strings.Builder
	entry, last := 0, 0 // bytes of the entry that is open, and of its last line
	closed := false     // that line ends with the text of a field
	colon := false      // that line ends before its cause
	open := false       // that line ends within a sentence
	head := false       // that line is no more than the head of an entry
	ends := ""          // of the lines before that are still to be written
	for line := range strings.Lines(text) {
		bare := strings.TrimRight(line, "\r\n \t")
		if fence.MatchString(bare) {
			bare = ""
		}
		lone := loneError.FindStringIndex(bare)
		starts := isLogLine(bare) || cutHead.MatchString(bare) || lateHead.MatchString(bare) ||
			lone != nil && !(entry > 0 && (colon || open && lone[0] > 0 && openBegin.MatchString(bare)))
		if !starts { // web pages and chats double spaces
			bare = strings.Join(strings.Fields(bare), " ")
		}
		switch {
		case entry > 0 && !starts && bare != "" && !isEventRow(bare) && (colon || !lastWords.MatchString(bare)) &&
			(last >= leastWrapped || head) && entry < mostWrapped && (!closed || strings.Contains(bare, `="`)):
			b.WriteString(" " + bare)
			entry += len(bare)
			ends += "\n"
		default:
			b.WriteString(ends + bare)
			ends = "\n"
			entry = 0
			if starts {
				entry = len(bare)
			}
		}
		last, closed = len(bare), strings.HasSuffix(bare, `"`) && strings.Count(bare, `"`)%2 == 0
		colon, open = strings.HasSuffix(bare, ":"), openEnd.MatchString(bare)
		head = starts && strings.HasSuffix(bare, "]") && cutHead.FindString(bare) == bare
	}
	return b.String() + "\n"
}
