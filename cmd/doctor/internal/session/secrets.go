package session

import (
	"slices"

	"doctor/checks"
	"doctor/collectors/redact"
)

// Shareable is the report without secrets: it quotes evidence, and a recording
// may hold them. What is in a bundle passed its sink before; here nothing more
// is found in it.
func Shareable(r checks.Report) checks.Report {
	secrets := redact.New(redact.Options{Plain: true})
	r.Results = slices.Clone(r.Results)
	for i := range r.Results {
		res := &r.Results[i]
		res.Gap, res.Reason = secrets.Text(res.Gap), secrets.Text(res.Reason)
		for j, arg := range res.Missing.Args {
			res.Missing.Args[j] = secrets.Text(arg)
		}
		res.Findings = slices.Clone(res.Findings)
		for j := range res.Findings {
			f := &res.Findings[j]
			f.Subject, f.Message = secrets.Text(f.Subject), secrets.Text(f.Message)
			f.Because = slices.Clone(f.Because)
			for k := range f.Because {
				b := &f.Because[k]
				b.Field, b.Text = secrets.Text(b.Field), secrets.Text(b.Text)
			}
		}
	}
	r.Causes = slices.Clone(r.Causes)
	for i := range r.Causes {
		r.Causes[i].Message = secrets.Text(r.Causes[i].Message)
	}
	r.Unexplained = slices.Clone(r.Unexplained)
	for i := range r.Unexplained {
		u := &r.Unexplained[i]
		u.Text, u.Field = secrets.Text(u.Text), secrets.Text(u.Field)
	}
	r.Node.Provenance = slices.Clone(r.Node.Provenance)
	for i := range r.Node.Provenance {
		l := &r.Node.Provenance[i]
		l.Value, l.From.Text = secrets.Text(l.Value), secrets.Text(l.From.Text)
		l.From.Field = secrets.Text(l.From.Field)
	}
	return r
}

// SecretText takes the secrets out of single texts of the evidence, as Shareable does of a report.
func SecretText() func(string) string { return redact.New(redact.Options{Plain: true}).Text }
