package checks

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"doctor/checks/evidence"
	"doctor/checks/node"
)

// examine runs one check over the evidence and always comes to a verdict: a
// check that panics on strange evidence has not looked, so it could not tell.
func (c *Check) examine(s evidence.Snapshot) (status Status, findings []*Finding, why reason) {
	defer func() {
		if p := recover(); p != nil {
			status, findings = StatusUnknown, nil
			why = reason{gap: evidence.CheckPanicked.Gap(fmt.Sprint(p))}
		}
	}()
	findings, err := c.judge(s)
	if err != nil && !errors.As(err, &why) {
		why.gap = evidence.Reported.OfKind(evidence.Error, err)
	}
	switch {
	case why.skip.Format != "":
		return StatusSkip, nil, why
	case why.gap.Code == evidence.NotProbedHere:
		return StatusSkip, nil, reason{skip: evidence.Phrasef(onlyProbed)}
	case c.onlyOnNode(s, why.gap):
		return StatusSkip, nil, reason{skip: evidence.Phrasef(onlyOnNode)}
	case err != nil:
		return StatusUnknown, nil, why
	}
	for _, f := range findings {
		if len(f.Because) == 0 {
			panic("a finding without evidence: " + f.Message())
		}
	}
	return statusOf(findings), findings, reason{}
}

// Why a check does not apply to what the Kubernetes API says of a node.
const (
	onlyOnNode = "only the node itself shows this, not the Kubernetes API"
	onlyProbed = "only probes from the node or from one of its pods show this: run doctor there, or add --from-pod"
)

// onlyOnNode tells that the API has said all that it can say to a check, and that the rest of what
// the check reads is on the node. What the API refused is another matter.
func (c *Check) onlyOnNode(s evidence.Snapshot, gap evidence.Gap) bool {
	if gap.Code != evidence.NotShown {
		return gap.Code == evidence.OnlyOnNode
	}
	elsewhere := false
	for _, n := range slices.Concat(c.Needs, c.Uses) {
		switch g := n.Gap(s); {
		case g.Code == evidence.OnlyOnNode, g.Code == evidence.NotProbedHere:
			elsewhere = true
		case g.Kind == evidence.Denied, g.Kind == evidence.Timeout, g.Kind == evidence.Error:
			return false
		}
	}
	return elsewhere
}

// judge lets state decide and text confirm. Where the state is not recorded,
// text alone convicts, but its absence never acquits. Where the state is well,
// what the logs tell of is over, and is reported as history.
func (c *Check) judge(s evidence.Snapshot) ([]*Finding, error) {
	state := s.WithParts(c.FromPart...)
	err := c.applies(state)
	if err == nil {
		err = c.gap(state)
	}
	var findings []*Finding
	if err == nil && c.Run != nil {
		findings, err = c.Run(state)
		for _, f := range findings {
			if !slices.ContainsFunc(f.Because, func(b evidence.Because) bool { return !node.IsStated(b) }) {
				f.Level = Info // what a person states is to be compared with what is recorded
			}
		}
	}
	matches := s.Signs(c.ID)
	var why reason
	switch {
	case errors.As(err, &why) && why.skip.Format == "", err == nil && c.Run == nil:
		if told := c.findingsOfText(matches); len(told) > 0 {
			return told, nil
		}
		if moot := c.moot(s); moot != nil {
			return nil, moot
		}
		if err == nil {
			err = c.unheard(s)
		}
	case err == nil && len(findings) == 0 && c.inPart(state).Kind != "":
		if told := c.findingsOfText(matches); len(told) > 0 {
			return told, nil
		}
		err = Unknown(c.inPart(state))
	case err == nil && len(findings) == 0:
		if findings = c.told(matches, s); len(findings) == 0 {
			err = cmp.Or(c.moot(s), c.silent(s))
		}
	case err == nil:
		c.confirm(findings, matches, s.Now())
	}
	return findings, err
}

func (c *Check) applies(s evidence.Snapshot) error {
	if c.Applies == nil {
		return nil
	}
	return c.Applies(node.About(s))
}

func (c *Check) gap(s evidence.Snapshot) error {
	for _, n := range c.Needs {
		if g := n.Gap(s); g.Kind != "" {
			return Unknown(g)
		}
	}
	return nil
}

// inPart is why lists acquit nobody: one that the check reads is a part of what there is.
func (c *Check) inPart(s evidence.Snapshot) evidence.Gap {
	for _, n := range slices.Concat(c.Needs, c.Uses) {
		if f, ok := n.(node.FactNeed); ok && f.OnlyStated(s).Kind != "" {
			return f.OnlyStated(s)
		}
		for _, path := range n.Paths() {
			if g := s.Rest(path); g.Kind != "" {
				return g
			}
			if !strings.HasPrefix(path, "logs/") && isExcerpt(s, path) {
				return evidence.LogInPart.Gap(path)
			}
		}
	}
	return evidence.Gap{}
}

// moot is why there is nothing to pass: the node does not have what the fault is about.
func (c *Check) moot(s evidence.Snapshot) error {
	if c.Moot == nil {
		return nil
	}
	return c.Moot(s)
}

// told makes findings of what the logs say where the state shows no fault. On a node that something ails,
// a text of these minutes may be of a form of the fault that the state does not show.
func (c *Check) told(matches []evidence.SignMatch, s evidence.Snapshot) []*Finding {
	if c.Partial || node.About(s).Unhealthy(s) {
		return c.doubted(matches, s)
	}
	return c.history(matches, wellBorne)
}

// unheard is why the logs acquit nobody where they alone tell.
func (c *Check) unheard(s evidence.Snapshot) error {
	if err := c.unsearched(s); err != nil {
		return err
	}
	return c.silent(s)
}

// silent is why a pass would rest on texts that nobody looked for in the right place.
func (c *Check) silent(s evidence.Snapshot) error {
	if !slices.ContainsFunc(c.Signs, func(sign Sign) bool { return !pasted(sign) }) {
		return nil // what it reads of events and logs it judges as state
	}
	for _, n := range c.Needs {
		if gap := Heard(s, n); gap.Kind != "" {
			return Unknown(gap)
		}
	}
	if gap := c.unspoken(s); gap.Kind != "" {
		return Unknown(gap)
	}
	return nil
}

// pasted tells a sign that is looked for only in texts of which nobody knows the program: that they
// do not have it says nothing about what is recorded.
func pasted(sign Sign) bool {
	return len(sign.In) > 0 && !slices.ContainsFunc(sign.In, func(component string) bool {
		return !nameless(evidence.Logs(component))
	})
}

// unsearched is why the logs acquit nobody: one in which the check's signs may
// stand was not searched to its end.
func (c *Check) unsearched(s evidence.Snapshot) error {
	for _, log := range s.Unsearched() {
		for _, sign := range c.Signs {
			if (evidence.Sign{In: sign.In}).LooksIn(evidence.LogComponent(log.Path)) {
				return Unknown(evidence.LogNotSearched.Gap(log.Path, log.Why))
			}
		}
	}
	return nil
}

// findingsOfText makes findings of what the logs say. What is over convicts nobody: it is
// told as history, and only where nothing else is.
func (c *Check) findingsOfText(matches []evidence.SignMatch) []*Finding {
	var findings []*Finding
	for _, m := range matches {
		sign := c.SignOf(m)
		if sign == nil || sign.ConfirmOnly || m.Over != "" {
			continue
		}
		level := cmp.Or(sign.Level, Fail)
		if m.Brief { // nothing later is recorded: it may be a start, and may go on
			level = min(level, Warn)
		}
		f := &Finding{Level: level, Format: "%s",
			Args: []any{evidence.Phrasef(sign.Says)}, Basis: ByText, Fix: sign.Fix.Clone()}
		findings = quoted(findings, f, m)
	}
	if len(findings) == 0 {
		return c.history(matches, evidence.Phrase{})
	}
	return findings
}

// history makes findings of signs of a fault that is over; since is how that is
// known, or empty where each match says so itself.
func (c *Check) history(matches []evidence.SignMatch, since evidence.Phrase) []*Finding {
	var findings []*Finding
	for _, m := range matches {
		sign := c.SignOf(m)
		over := since
		switch {
		case m.Brief: // the log may end there
			over = evidence.Phrasef("it may be over: %s", m.Over)
		case m.Over != "":
			over = evidence.Phrasef("it is over: %s", m.Over)
		}
		if sign == nil || sign.ConfirmOnly || sign.Level == Info || over.Format == "" {
			continue
		}
		findings = quoted(findings, &Finding{Level: Info, Format: historyFormat,
			Args: []any{evidence.Phrasef(sign.Says), over}, Basis: ByText}, m)
	}
	return findings
}

const historyFormat = "the logs say: %s; %s"

// wellBorne is why a text is history where the state is recorded and well.
var wellBorne = evidence.Phrasef("the node's current state does not confirm it")

// quoted adds a match to the finding that says the same, or the finding with it.
func quoted(findings []*Finding, f *Finding, m evidence.SignMatch) []*Finding {
	at := slices.IndexFunc(findings, func(g *Finding) bool {
		return fmt.Sprint(g.Args[0]) == fmt.Sprint(f.Args[0])
	})
	if at < 0 {
		at, findings = len(findings), append(findings, f)
	}
	// a code in hex and in decimal
	told := func(b evidence.Because) bool { return evidence.SameElement(b.Place(), m.Place()) }
	if len(findings[at].Because) < MaxQuotes && !slices.ContainsFunc(findings[at].Because, told) {
		findings[at] = findings[at].With(Quote(m))
	}
	if m.Last.After(findings[at].seen) {
		findings[at].seen = m.Last
	}
	return findings
}

// SignOf is the check's sign that a match is of. Two signs may share a text and
// differ in the rest of the line.
func (c *Check) SignOf(m evidence.SignMatch) *Sign {
	var first *Sign
	for i := range c.Signs {
		s := &c.Signs[i]
		if s.Text != m.Text && !slices.Contains(s.Or, m.Text) {
			continue
		}
		if (evidence.Sign{Also: s.Also, Not: s.Not, In: s.In}).Fits(m.Source(), m.Found) {
			return s
		}
		if first == nil {
			first = s
		}
	}
	return first
}

// MaxQuotes is how many log lines a finding quotes; the count of the others is in the last.
const MaxQuotes = 3

// confirm quotes the log lines beside the worst finding over state. What the
// state only threatens with, and the logs tell of these minutes, has come to pass.
func (c *Check) confirm(findings []*Finding, matches []evidence.SignMatch, now time.Time) {
	worst := 0
	for i, f := range findings {
		if f.Level > findings[worst].Level {
			worst = i
		}
	}
	if findings[worst].Level == Info {
		return // what is normal on Windows needs no confirmation
	}
	added := 0
	for _, m := range matches {
		b := Quote(m)
		if m.Over != "" || added == MaxQuotes || slices.ContainsFunc(findings[worst].Because,
			func(have evidence.Because) bool {
				return evidence.SameElement(have.Place(), b.Place())
			}) {
			continue
		}
		findings[worst] = findings[worst].With(b)
		findings[worst].Basis = ByBoth
		added++
		if sign := c.SignOf(m); sign != nil && !sign.ConfirmOnly &&
			cmp.Or(sign.Level, Fail) == Fail && !m.Last.IsZero() && now.Sub(m.Last) <= Recently {
			findings[worst].Level = Fail
		}
	}
}

// AndMore is how a quoted line says that more have its text.
func AndMore(lines int) string {
	if lines == 0 {
		return ""
	}
	return fmt.Sprintf("  (and %d more)", lines)
}

// Quote is the log line in which a sign was found, as evidence of a finding.
func Quote(m evidence.SignMatch) evidence.Because {
	b := m.Place().Because("%s%s", m.Found, AndMore(m.More))
	b.More = m.More
	return b
}

// Recently is how old a log line may be to speak of the present.
const Recently = 30 * time.Minute

// sandboxTried is longer than the kubelet waits before it tries again to create a sandbox.
const sandboxTried = 10 * time.Minute

// LongAgo is when even a node that is ill is not ill of it any more.
const LongAgo = 24 * time.Hour
