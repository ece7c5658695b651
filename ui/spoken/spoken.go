// Package spoken tells a report in plain lines, for a screen reader, a braille
// display or a terminal that can do no more. Nothing is drawn twice, no cursor
// moves, and no symbol or colour stands for a word.
//
// A check keeps its number: its place in the report, by which its details are
// asked for.
package spoken

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/ui"
	"doctor/ui/tui"
)

// Options say how it is told.
type Options struct {
	Ask   bool // somebody is there to answer
	ASCII bool
}

// stillEvery is how often it is said, at most, that nothing is new.
const stillEvery = 5 * time.Second

// Run tells what the feed brings until it is done, and then answers questions
// until the user leaves. It returns the last update.
func Run(ctx context.Context, in io.Reader, out io.Writer, feed tui.Feed, opt Options) (tui.Update, error) {
	t := &teller{out: out, ascii: opt.ASCII, feed: feed}
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
	last   tui.Update
	failed error // of the first line that could not be written

	told     map[string]bool // checks whose verdict was said in this reading
	said     time.Time       // the last line of a reading
	selected int             // number of the check asked for last
}

// say writes one line. What came out of evidence is made plain with the rest.
func (t *teller) say(format string, args ...any) {
	t.verbatim(ui.Plain(fmt.Sprintf(format, args...), t.ascii))
}

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
	t.last = u
	if first {
		t.told = map[string]bool{}
	}
	if u.Done && first {
		t.recording()
		return
	}
	if first {
		t.say("Reading this node, %s. A verdict is told as soon as it is there.", count(len(u.Report.Results), "check"))
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
		t.facts()
		t.causes()
		t.verdicts(byWeight[:3]...) // once more, in one place
		t.ending()
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
		names = append(names, fmt.Sprintf("%s, %s", r.Name, count(int(u.At.Sub(r.Since)/time.Second), "second")))
	}
	if len(names) == 0 {
		names = []string{"the node"}
	}
	more := ""
	if n := len(u.Reading) - most; n > 0 {
		more = fmt.Sprintf("; and %d more", n)
	}
	t.say("Still reading %s%s. %s open.", strings.Join(names, "; "), more, count(len(u.Open), "check"))
}

// recording tells a report that was there from the beginning: causes first.
func (t *teller) recording() {
	t.facts()
	t.causes()
	t.verdicts(byWeight...)
	t.ending()
}

func (t *teller) facts() {
	if facts := ui.NodeFacts(t.last.Report); len(facts) > 0 {
		t.say("Node %s.", strings.Join(facts, ", "))
	}
	if origin := ui.Origin(t.last.Report); len(origin) > 0 {
		t.say("%s.", capital(strings.Join(origin, ", ")))
	}
}

// causes tells the root causes, each with what to do first.
func (t *teller) causes() {
	r := &t.last.Report
	t.say("")
	if len(r.Causes) == 0 {
		sentence, _ := ui.Verdict(*r)
		t.say("%s.", capital(sentence))
		return
	}
	for i, c := range r.Causes {
		n := t.number(c.ID)
		if n == 0 {
			continue
		}
		res := &r.Results[n-1]
		t.say("Cause %d of %d, check %d, %s: %s: %s", i+1, len(r.Causes), n, t.title(res), res.Status, sentence(ui.Message(res)))
		if fix := ui.FirstFix(res.Fix); fix != "" {
			t.say("  Do first: %s", fix)
		}
		if len(c.Consequences) > 0 {
			t.say("  What follows from it: %s.", t.numbers(c.Consequences))
		}
	}
}

// byWeight is the order of the verdicts of a recording.
var byWeight = []checks.Status{checks.StatusFail, checks.StatusWarn, checks.StatusUnknown, checks.StatusInfo, checks.StatusPass, checks.StatusSkip}

func (t *teller) verdicts(which ...checks.Status) {
	t.say("")
	for _, status := range which {
		for i := range t.last.Report.Results {
			if t.last.Report.Results[i].Status == status {
				t.verdict(i + 1)
			}
		}
	}
}

// verdict is the line of one check.
func (t *teller) verdict(n int) {
	res := &t.last.Report.Results[n-1]
	t.say("Check %d of %d, %s: %s", n, len(t.last.Report.Results), t.title(res), outcome(res))
}

// outcome is a verdict in words. A title names a fault, so that the absence of
// one is said aloud.
func outcome(res *checks.Result) string {
	switch res.Status {
	case checks.StatusPass:
		return "pass, this was not found."
	case checks.StatusSkip:
		return "does not apply: " + sentence(ui.Message(res))
	case checks.StatusUnknown:
		return "unknown, could not tell: " + sentence(ui.Message(res))
	case checks.StatusInfo:
		return "info, normal on Windows: " + sentence(ui.Message(res))
	}
	return string(res.Status) + ": " + sentence(ui.Message(res))
}

func (t *teller) ending() {
	t.say("")
	t.say("%s.", capital(ui.Counts(t.last.Report)))
	if words, cause := ui.Verdict(t.last.Report); cause != "" {
		t.say("%s, which mends %s.", capital(words), cause)
	}
}

func (t *teller) title(res *checks.Result) string {
	if res.Title == "" {
		return res.ID
	}
	return res.Title
}

// number is the place of a check in the report, 0 for none.
func (t *teller) number(id string) int {
	for i := range t.last.Report.Results {
		if t.last.Report.Results[i].ID == id {
			return i + 1
		}
	}
	return 0
}

func (t *teller) numbers(ids []string) string {
	var list []string
	for _, id := range ids {
		if n := t.number(id); n > 0 {
			list = append(list, fmt.Sprint("check ", n))
		}
	}
	return strings.Join(list, ", ")
}

func (t *teller) evidence() evidence.Snapshot { return t.last.Evidence }
