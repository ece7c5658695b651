package spoken

import (
	"bufio"
	"context"
	"errors"
	"io"
	"strconv"
	"strings"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/ui"
)

// maxLine is more than anyone types.
const maxLine = 4096

// lines brings what is typed, line by line, until the input or the context ends.
func lines(ctx context.Context, in io.Reader) <-chan string {
	typed := make(chan string)
	go func() {
		defer close(typed)
		s := bufio.NewScanner(in)
		s.Buffer(nil, maxLine)
		for s.Scan() {
			select {
			case typed <- strings.TrimSpace(s.Text()):
			case <-ctx.Done():
				return
			}
		}
	}()
	return typed
}

// errLeft is no error: the user wants to leave.
var errLeft = errors.New("left")

// converse answers until the user leaves.
func (t *teller) converse(ctx context.Context, typed <-chan string) error {
	for {
		t.choices()
		line, err := next(ctx, typed)
		if err != nil || t.failed != nil {
			return errors.Join(t.failed, unlessLeft(err))
		}
		if err := t.answer(ctx, line, typed); err != nil {
			return unlessLeft(err)
		}
	}
}

func unlessLeft(err error) error {
	if errors.Is(err, errLeft) {
		return nil
	}
	return err
}

// next is the next line that is typed.
func next(ctx context.Context, typed <-chan string) (string, error) {
	select {
	case line, more := <-typed:
		if !more {
			return "", errLeft // the end of the input is a way to leave
		}
		return line, nil
	case <-ctx.Done():
		return "", ctx.Err()
	}
}

func (t *teller) choices() {
	t.say("")
	parts := []string{t.lang.T("Type a number for details")}
	if t.selected > 0 {
		parts = append(parts, t.lang.T("e for evidence of check %d", t.selected))
	} else {
		parts = append(parts, t.lang.T("e and a number for evidence of it"))
	}
	parts = append(parts, t.lang.T("c for the causes"), t.lang.T("a for all verdicts"))
	if len(t.report.Unexplained) > 0 {
		parts = append(parts, t.lang.T("u for the errors that no check explains"))
	}
	if t.feed.Bundle != nil {
		parts = append(parts, t.lang.T("b for a bundle"))
	}
	if t.feed.Again != nil {
		parts = append(parts, t.lang.T("r to read the node again"))
	}
	t.say("%s, q to quit.", strings.Join(parts, t.lang.T(", ")))
}

func (t *teller) answer(ctx context.Context, line string, typed <-chan string) error {
	command, rest, _ := strings.Cut(strings.ToLower(line), " ")
	for _, letter := range []string{"e", "u"} { // e7
		n := strings.TrimPrefix(command, letter)
		if _, err := strconv.Atoi(n); n != command && err == nil && rest == "" {
			command, rest = letter, n
		}
	}
	switch command {
	case "":
		return nil
	case "q", "quit", "exit":
		return errLeft
	case "c":
		t.causes()
	case "a":
		t.verdicts(byWeight...)
	case "e":
		if rest == "" && t.selected == 0 {
			t.say("Type e and the number of a check, such as e %d.", max(t.firstCause(), 1))
		} else if n, ok := t.choose(rest); ok {
			t.because(n)
		}
	case "u":
		t.answerUnexplained(rest)
	case "b":
		return t.bundle(ctx, typed)
	case "r":
		return t.again(ctx)
	default:
		if n, ok := t.choose(line); ok {
			t.details(n)
		}
	}
	return t.failed
}

// choose reads the number of a check; none stands for the one before.
func (t *teller) choose(text string) (int, bool) {
	if text = strings.TrimSpace(text); text == "" && t.selected > 0 {
		return t.selected, true
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > len(t.report.Results) {
		if n = t.number(text); n == 0 { // an id does as well
			t.say("There is no %q here: a check has a number from 1 to %d.", short(text),
				len(t.report.Results))
			return 0, false
		}
	}
	t.selected = n
	return n, true
}

func short(text string) string {
	if r := []rune(text); len(r) > 40 {
		return string(r[:40]) + "…"
	}
	return text
}

func (t *teller) firstCause() int {
	if len(t.report.Causes) == 0 {
		return 0
	}
	return t.number(t.report.Causes[0].ID)
}

func (t *teller) again(ctx context.Context) error {
	if t.feed.Again == nil {
		t.say("A recording cannot be read again.")
		return nil
	}
	t.feed.Again()
	return t.listen(ctx)
}

// details is all that the report says of a check.
func (t *teller) details(n int) {
	res := &t.report.Results[n-1]
	t.say("")
	t.verdict(n)
	t.say("Id %s, category %s.", res.ID, t.lang.Category(res.Category))
	for i, f := range res.Findings {
		level := t.lang.Word(f.Level)
		if f.Subject != "" {
			t.say("Finding %d of %d, of %s: %s: %s", i+1, len(res.Findings), f.Subject, level,
				f.Message)
		} else {
			t.say("Finding %d of %d: %s: %s", i+1, len(res.Findings), level, f.Message)
		}
		for _, b := range f.Because {
			t.say("  Evidence: %s: %s", t.where(b.Place()), b.Text)
		}
		for _, c := range f.Codes {
			t.say("  %s", t.style().Decoded(c))
		}
	}
	if len(res.ExplainedBy) > 0 {
		t.say("It follows from %s.", t.numbers(res.ExplainedBy))
	}
	for _, c := range t.report.Causes {
		if c.ID == res.ID && len(c.Consequences) > 0 {
			t.say("It explains %s.", t.numbers(c.Consequences))
		}
	}
	t.fix(res)
	for _, l := range res.Links {
		t.say("Link: %s", l)
	}
}

func (t *teller) fix(res *checks.Result) {
	f := res.Fix
	if !res.Status.Fault() {
		return
	}
	for i := range f.Steps {
		for _, l := range t.style().StepLines(f, i) {
			switch l.Kind {
			case ui.StepText:
				t.say("Step %s", l.Text)
			case ui.StepCommand:
				t.say("Command: %s", l.Text)
			case ui.StepFrom:
				t.say("The line is: %s", l.Text)
			case ui.StepTo:
				t.say("It should be: %s", l.Text)
			case ui.StepImpact:
				t.say("Impact: %s", l.Text)
			}
		}
	}
}

func (t *teller) where(place evidence.Place) string {
	if place.Line > 0 {
		return t.lang.T("%s line %d", place.Path, place.Line)
	}
	if _, number := place.Element(); number >= 0 {
		return t.lang.T("%s item %d", place.Path, number+1)
	}
	return place.Path
}

// around is how many lines are told before and after one that is cited.
const around = 3

// because tells the evidence of a check, with what stands around it.
func (t *teller) because(n int) {
	res := &t.report.Results[n-1]
	t.say("")
	t.say("Evidence of check %d, %s.", n, t.title(res))
	told := 0
	for _, f := range res.Findings {
		for _, b := range f.Because {
			told++
			t.say("%s: %s", t.where(b.Place()), b.Text)
			if b.Line > 0 {
				t.excerpt(b.Path, b.Line)
			}
		}
	}
	switch {
	case told > 0:
	case res.Gap != "":
		t.say("There is none: %s", res.Gap)
	case res.Reason != "":
		t.say("None was needed: %s", res.Reason)
	default:
		t.say("It found nothing, and so cites nothing.")
	}
}

// excerpt tells the lines around one of a file.
func (t *teller) excerpt(path string, line int) {
	f, err := t.last.Evidence.Open(path)
	if err != nil {
		return // what is cited was said
	}
	defer f.Close()
	lines := bufio.NewReader(evidence.Text(f))
	for n := 1; n <= line+around; n++ {
		text, more, err := lines.ReadLine()
		for more && err == nil { // the rest of a line that is too long to be told
			_, more, err = lines.ReadLine()
		}
		if err != nil {
			return
		}
		switch {
		case n == line:
			t.say("  Line %d, cited: %s", n, text)
		case n >= line-around:
			t.say("  Line %d: %s", n, text)
		}
	}
}

// maxUnexplained is how many errors are listed before the user asks for all of them.
const maxUnexplained = 3

// firstUnexplained tells as much as goes before the verdicts: all where nobody can ask for more.
func (t *teller) firstUnexplained() {
	if t.asks {
		t.unexplained(maxUnexplained)
	} else {
		t.unexplained(len(t.report.Unexplained))
	}
}

// unexplained tells the errors that no check explains, the most telling first; at most so many.
func (t *teller) unexplained(most int) {
	list := t.report.Unexplained
	if len(list) == 0 {
		return
	}
	t.say("")
	for i := range list[:min(most, len(list))] {
		u := &list[i]
		t.say("Error %d of %d that no check explains, %s: %s", i+1, len(list),
			t.lang.Word(u.Component), u.Text)
		for _, c := range u.Codes {
			t.say("  %s", t.style().Decoded(c))
		}
		if about := t.style().AboutUnexplained(*u); about != "" {
			t.say("  %s.", ui.Capital(about))
		}
		t.say("  Evidence: %s", t.where(u.Place()))
	}
	if more := len(list) - most; more > 0 {
		t.say("%d more: type u.", more)
	}
}

// answerUnexplained answers u, which tells all of these errors, and u with a number, which tells
// the lines around one of them.
func (t *teller) answerUnexplained(number string) {
	list := t.report.Unexplained
	n, err := strconv.Atoi(strings.TrimSpace(number))
	switch {
	case len(list) == 0:
		t.say("No unexplained errors in the logs and events that were read.")
	case number == "":
		t.unexplained(len(list))
	case err != nil || n < 1 || n > len(list):
		t.say("There is no error %q here: errors have numbers from 1 to %d.", short(number),
			len(list))
	default:
		u := &list[n-1]
		t.say("")
		t.say("%s: %s", t.where(u.Place()), u.Text)
		if u.Line > 0 {
			t.excerpt(u.Path, u.Line)
		}
	}
}
