// Package spoken tells a report in plain lines, for a screen reader, a braille
// display or a terminal that can do no more. Nothing is drawn twice, no cursor
// moves, and no symbol or colour stands for a word.
//
// A check keeps its number: its place in the report, by which its details are
// asked for.
package spoken

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"doctor/checks"
	"doctor/ui"
	"doctor/ui/lang"
	"doctor/ui/tui"
)

// Options say how it is told.
type Options struct {
	Ask   bool // somebody is there to answer
	ASCII bool
	Lang  *lang.Catalogue // nil is English, and so is ASCII
}

// stillEvery is how often it is said, at most, that nothing is new.
const stillEvery = 5 * time.Second

// Run tells what the feed brings until it is done, and then answers questions
// until the user leaves. It returns the last update.
func Run(ctx context.Context, in io.Reader, out io.Writer, feed tui.Feed, opt Options) (tui.Update,
	error) {
	t := &teller{out: out, ascii: opt.ASCII, lang: opt.Lang, feed: feed, asks: opt.Ask}
	if opt.ASCII { // which has no Chinese letters
		t.lang = nil
	}
	if err := t.listen(ctx); err != nil {
		return t.last, err
	}
	if opt.Ask {
		return t.last, t.converse(ctx, lines(ctx, in))
	}
	return t.last, t.failed
}

// A teller says lines, and remembers what was said.
type teller struct {
	out    io.Writer
	ascii  bool
	feed   tui.Feed
	asks   bool // somebody is there to answer
	lang   *lang.Catalogue
	last   tui.Update
	report checks.Report // of last, in the language
	failed error         // of the first line that could not be written

	told     map[string]bool // checks whose verdict was said in this reading
	said     time.Time       // the last line of a reading
	selected int             // number of the check asked for last
}

// say writes one line in the language. What came out of evidence is made plain
// with the rest.
func (t *teller) say(format string, args ...any) {
	t.verbatim(ui.Plain(t.lang.T(format, args...), t.ascii))
}

func (t *teller) style() ui.Style { return ui.Style{ASCII: t.ascii, Lang: t.lang} }

func (t *teller) verbatim(text string) {
	if _, err := fmt.Fprintln(t.out, text); err != nil && t.failed == nil {
		t.failed = fmt.Errorf("writing the report: %w", err)
	}
}

// listen follows the feed to the end of a reading.
func (t *teller) listen(ctx context.Context) error {
	for first := true; ; first = false {
		select {
		case u, more := <-t.feed.Updates:
			if !more {
				return t.failed
			}
			t.hear(u, first)
			if u.Done || t.failed != nil {
				return t.failed
			}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// hear takes an update in, and tells what is new in it.
func (t *teller) hear(u tui.Update, first bool) {
	t.last, t.report = u, t.lang.Report(u.Report)
	if first {
		t.told = map[string]bool{}
	}
	if u.Done && first {
		t.all(byWeight...)
		return
	}
	if first {
		t.say("Reading this node, %s. Each verdict is printed as soon as it is known.",
			t.count(len(u.Report.Results), "check"))
		t.said = u.At
	}
	for i := range u.Report.Results {
		r := &u.Report.Results[i]
		if _, open := u.Open[r.ID]; open || t.told[r.ID] {
			continue
		}
		t.told[r.ID], t.said = true, u.At
		t.verdict(i + 1)
	}
	switch {
	case u.Done:
		t.say("")
		t.say("All is read.")
		t.all(byWeight[:3]...) // once more, in one place
	case u.At.Sub(t.said) >= stillEvery:
		t.said = u.At
		t.still(u)
	}
}

// still names what keeps the rest of the verdicts waiting.
func (t *teller) still(u tui.Update) {
	const most = 3
	var names []string
	for _, r := range u.Reading[:min(len(u.Reading), most)] {
		names = append(names, t.lang.T("%s, %s", t.lang.Phrase(r.Name),
			t.count(int(u.At.Sub(r.Since)/time.Second), "second")))
	}
	if len(names) == 0 {
		names = []string{t.lang.Phrase("the node")}
	}
	named, open := strings.Join(names, "; "), t.count(len(u.Open), "check")
	if n := len(u.Reading) - most; n > 0 {
		t.say("Still reading %s; and %d more. %s open.", named, n, open)
	} else {
		t.say("Still reading %s. %s open.", named, open)
	}
}

// all tells a whole report, and of its verdicts those: causes first.
func (t *teller) all(verdicts ...checks.Status) {
	t.facts()
	t.causes()
	t.firstUnexplained()
	t.verdicts(verdicts...)
	t.ending()
}

func (t *teller) facts() {
	if facts := t.style().NodeFacts(t.report); len(facts) > 0 {
		t.say("Node %s.", t.style().Clauses(facts))
	}
	if origin := t.style().Origin(t.report); len(origin) > 0 {
		t.say("%s.", ui.Capital(t.style().Clauses(origin)))
	}
}

// causes tells the root causes, each with what to do first.
func (t *teller) causes() {
	r := &t.report
	t.say("")
	if len(r.Causes) == 0 {
		sentence, _ := t.style().Verdict(*r)
		t.say("%s.", ui.Capital(sentence))
		return
	}
	of, told := map[bool]int{}, map[bool]int{} // by whether it is a warning
	for _, c := range r.Causes {
		if n := t.number(c.ID); n > 0 {
			of[r.Results[n-1].Status == checks.StatusWarn]++
		}
	}
	for _, c := range r.Causes {
		n := t.number(c.ID)
		if n == 0 {
			continue
		}
		res := &r.Results[n-1]
		warning := res.Status == checks.StatusWarn
		told[warning]++
		args := []any{told[warning], of[warning], n, t.title(res), t.lang.Status(res.Status),
			t.sentence(ui.Message(res))}
		if warning {
			t.say("Warning %d of %d, check %d, %s: %s: %s", args...)
		} else {
			t.say("Cause %d of %d, check %d, %s: %s: %s", args...)
		}
		if fix := res.Fix.InOneLine(); fix.Format != "" {
			t.say("  Do first: %s", t.lang.Say(fix))
		}
		if len(c.Consequences) > 0 {
			t.say("  Consequences: %s.", t.numbers(c.Consequences))
		}
	}
}

// byWeight is the order of the verdicts of a recording.
var byWeight = []checks.Status{checks.StatusFail, checks.StatusWarn, checks.StatusUnknown,
	checks.StatusInfo, checks.StatusPass, checks.StatusSkip}

func (t *teller) verdicts(which ...checks.Status) {
	t.say("")
	for _, status := range which {
		for i := range t.report.Results {
			if t.report.Results[i].Status == status {
				t.verdict(i + 1)
			}
		}
	}
}

// verdict is the line of one check.
func (t *teller) verdict(n int) {
	res := &t.report.Results[n-1]
	t.say("Check %d of %d, %s: %s", n, len(t.report.Results), t.title(res), t.outcome(res))
}

// outcome is a verdict in words. A title names a fault, so that the absence of
// one is said aloud.
func (t *teller) outcome(res *checks.Result) string {
	switch res.Status {
	case checks.StatusPass:
		return t.lang.T("pass.")
	case checks.StatusSkip:
		return t.lang.T("does not apply: %s", t.sentence(ui.Message(res)))
	case checks.StatusUnknown:
		return t.lang.T("unknown, could not run: %s", t.sentence(ui.Message(res)))
	case checks.StatusInfo:
		if res.Category == checks.CategoryVersions {
			break // a regression is nothing normal
		}
		return t.lang.T("info, normal on Windows: %s", t.sentence(ui.Message(res)))
	}
	return t.lang.Status(res.Status) + t.lang.T(": %s", t.sentence(ui.Message(res)))
}

func (t *teller) ending() {
	t.say("")
	t.say("%s.", ui.Capital(t.style().Counts(t.report)))
	if words, cause := t.style().Verdict(t.report); cause != "" {
		t.say("%s, which fixes %s.", ui.Capital(strings.TrimRight(words, ".。")), cause)
	}
}

func (t *teller) title(res *checks.Result) string {
	return cmp.Or(ui.Title(res), res.ID)
}

// number is the place of a check in the report, 0 for none.
func (t *teller) number(id string) int {
	return 1 + slices.IndexFunc(t.report.Results, func(r checks.Result) bool { return r.ID == id })
}

func (t *teller) numbers(ids []string) string {
	var list []string
	for _, id := range ids {
		if n := t.number(id); n > 0 {
			list = append(list, t.lang.T("check %d", n))
		}
	}
	return strings.Join(list, t.lang.T(", "))
}

// maxSentence bounds what is read aloud before the user could ask for it.
const maxSentence = 300

// sentence is the first sentence of a text, with its full stop.
func sentence(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	for i := 0; i < len(text); i++ {
		if text[i] == '.' && strings.HasPrefix(text[i+1:], " ") &&
			endsSentence(text[:i], text[i+2:]) {
			text = text[:i]
			break
		}
	}
	if len(text) > maxSentence {
		return strings.ToValidUTF8(text[:maxSentence], "") + " (cut)."
	}
	if text == "" || strings.HasSuffix(text, ".") || strings.HasSuffix(text, "。") {
		return text
	}
	return text + "."
}

// endsSentence tells a full stop from that of an abbreviation: what follows is a
// capital, and what stands before is a word of more than one letter.
func endsSentence(before, after string) bool {
	next, _ := utf8.DecodeRuneInString(after)
	word := before[strings.LastIndexByte(before, ' ')+1:]
	return !unicode.IsLower(next) && utf8.RuneCountInString(word) > 1 &&
		!strings.HasSuffix(word, "e.g") && !strings.HasSuffix(word, "i.e")
}

// sentence is the first sentence of a text, with its full stop.
func (t *teller) sentence(text string) string {
	if t.lang == nil {
		return sentence(text)
	}
	text = strings.Join(strings.Fields(text), " ")
	if head, _, ends := strings.Cut(text, "。"); ends {
		text = head + "。"
	}
	if r := []rune(text); len(r) > maxSentence {
		return t.lang.T("%s (cut).", string(r[:maxSentence]))
	}
	return t.lang.T("%s.", strings.TrimRight(text, ".。"))
}

func (t *teller) count(n int, noun string) string { return t.lang.Count(n, noun) }

func (t *teller) size(n int64) string {
	switch {
	case n < 1<<10:
		return t.count(int(n), "byte")
	case n < 1<<20:
		return t.lang.T("%s kibibytes", fmt.Sprintf("%.1f", float64(n)/(1<<10)))
	}
	return t.lang.T("%s mebibytes", fmt.Sprintf("%.1f", float64(n)/(1<<20)))
}
