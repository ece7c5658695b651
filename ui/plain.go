package ui

import (
	"fmt"
	"strings"

	"doctor/checks"
	"doctor/checks/evidence"
)

// Plain makes a text from evidence fit for one line of output. With ascii,
// whatever is not ASCII is spelt out as \u{4e2d 6587}, by which a reader can
// still tell what stood there.
func Plain(s string, ascii bool) string {
	if s = evidence.Clean(s); ascii {
		return spellOut(s)
	}
	return s
}

var asciiFor = map[rune]string{
	'·': "-", '→': "->", '←': "<-", '…': "...", '–': "-", '—': "-", '×': "x", '\u00a0': " ",
	'‘': "'", '’': "'", '“': `"`, '”': `"`, '✗': "x", '✓': "+", '≤': "<=", '≥': ">=",
}

func spellOut(s string) string {
	var b strings.Builder
	open := false // within \u{…}, which takes a run of characters
	for _, r := range s {
		known, ok := asciiFor[r]
		switch {
		case r < 0x80 || ok:
			if open {
				b.WriteByte('}')
			}
			open = false
			if ok {
				b.WriteString(known)
			} else {
				b.WriteRune(r)
			}
		case open:
			fmt.Fprintf(&b, " %x", r)
		default:
			fmt.Fprintf(&b, `\u{%x`, r)
			open = true
		}
	}
	if open {
		b.WriteByte('}')
	}
	return b.String()
}

// finished returns a copy of the report in which every text is plain and every
// list is there, so that no writer has to think of either.
func finished(r checks.Report, ascii bool) checks.Report {
	one := func(s string) string { return Plain(s, ascii) }
	all := func(list []string) []string { return mapped(list, one) }

	r.Schema = one(r.Schema)
	r.Doctor = checks.Program{Version: one(r.Doctor.Version), Commit: one(r.Doctor.Commit)}
	r.Source = checks.Source{Kind: one(r.Source.Kind), Name: one(r.Source.Name),
		Format: one(r.Source.Format)}
	r.CollectedAt = r.CollectedAt.UTC()
	because := func(b evidence.Because) evidence.Because {
		return evidence.Because{Path: one(b.Path), Line: b.Line, Field: one(b.Field),
			Text: one(b.Text), More: b.More}
	}
	n := r.Node
	r.Node = checks.NodeFacts{Name: one(n.Name), OS: one(n.OS), Build: one(n.Build),
		Kubelet: one(n.Kubelet), Runtime: one(n.Runtime), Network: one(n.Network),
		Platform: one(n.Platform), Generation: one(n.Generation),
		Provenance: mapped(n.Provenance, func(l checks.Provenance) checks.Provenance {
			return checks.Provenance{Fact: one(l.Fact), Value: one(l.Value), From: because(l.From)}
		})}
	r.Causes = mapped(r.Causes, func(c checks.Cause) checks.Cause {
		return checks.Cause{ID: one(c.ID), Title: one(c.Title), Message: one(c.Message),
			Fix: plainFix(c.Fix, ascii), Consequences: all(c.Consequences)}
	})
	r.Unexplained = mapped(r.Unexplained, func(u checks.Unexplained) checks.Unexplained {
		u.Component, u.Text, u.Path = one(u.Component), one(u.Text), one(u.Path)
		u.Field, u.Why = one(u.Field), one(u.Why)
		u.First, u.Last = u.First.UTC(), u.Last.UTC()
		return u
	})
	r.Gaps = mapped(r.Gaps, func(g checks.EvidenceGap) checks.EvidenceGap {
		gap := plainGap(g.Gap, one)
		return checks.EvidenceGap{Path: one(g.Path), Reason: one(g.Reason), Kind: one(g.Kind),
			Code: evidence.Code(one(string(g.Code))), Gap: gap}
	})
	finding := func(f checks.ReportFinding) checks.ReportFinding {
		return checks.ReportFinding{Level: one(f.Level), Subject: one(f.Subject),
			Message: one(f.Message),
			Basis:   checks.Basis(one(string(f.Basis))), Because: mapped(f.Because, because),
			Codes:  f.Codes,
			Format: f.Format, Args: f.Args}
	}
	r.Results = mapped(r.Results, func(r checks.Result) checks.Result {
		r.Missing = plainGap(r.Missing, one)
		r.ID, r.Title, r.Healthy = one(r.ID), one(r.Title), one(r.Healthy)
		r.Gap, r.Reason = one(r.Gap), one(r.Reason)
		r.Category, r.Status = checks.Category(one(string(r.Category))),
			checks.Status(one(string(r.Status)))
		r.Findings = mapped(r.Findings, finding)
		r.ExplainedBy, r.Links, r.Fix = all(r.ExplainedBy), all(r.Links), plainFix(r.Fix, ascii)
		r.FAQ = mapped(r.FAQ, func(n int) int { return n })
		return r
	})
	return r
}

func plainGap(g evidence.Gap, one func(string) string) evidence.Gap {
	g.Kind, g.Code = one(g.Kind), evidence.Code(one(string(g.Code)))
	for i, arg := range g.Args {
		g.Args[i] = one(arg)
	}
	return g
}

func plainFix(f checks.Fix, ascii bool) checks.Fix {
	one := func(s string) string { return Plain(s, ascii) }
	return checks.Fix{Steps: mapped(f.Steps, func(s checks.Step) checks.Step {
		s.Text, s.Command, s.Impact, s.Expect = one(s.Text), one(s.Command), one(s.Impact),
			one(s.Expect)
		s.File, s.From, s.To = one(s.File), one(s.From), one(s.To)
		return s
	})}
}

// mapped maps a list; its answer is never nil.
func mapped[T, U any](list []T, f func(T) U) []U {
	mapped := make([]U, 0, len(list))
	for _, v := range list {
		mapped = append(mapped, f(v))
	}
	return mapped
}
