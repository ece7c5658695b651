package session

import (
	"bytes"
	"fmt"
	"io"
	"slices"

	"doctor/checks"
	"doctor/checks/diff"
	"doctor/checks/evidence"
	"doctor/checks/signs"
	"doctor/collectors/redact"
)

// Judge searches the logs of a recording and runs the checks. The report holds no secrets; the logs
// that could not be read to their end come beside it.
func Judge(src Source, list *checks.Catalogue, program checks.Program) (evidence.Snapshot, checks.Report,
	[]evidence.UnsearchedLog) {
	scanned, unread := signs.Record(src.Snapshot, list.Signs())
	return scanned, Shareable(checks.Diagnose(scanned, list, src.Origin, program)), unread
}

// NewSecrets makes what takes secrets out. Two nodes that are compared share one: the same value has
// the same token on both, so that a password that differs is seen to differ and not seen.
func NewSecrets() *redact.Redactor { return redact.New(redact.Options{}) }

// maxCompared bounds one file of a comparison.
const maxCompared = 32 << 20

// Side is a node as a comparison reads it: without its secrets.
func Side(name string, s evidence.Snapshot, r checks.Report, secrets *redact.Redactor) diff.Side {
	return diff.Side{Name: name, Report: r, Paths: s.Paths(), Gap: s.GapAt,
		Read: func(path string) ([]byte, error) {
			f, err := s.Open(path)
			if err != nil {
				return nil, err
			}
			defer f.Close()
			var b bytes.Buffer
			_, err = secrets.Copy(&b, evidence.Text(io.LimitReader(f, maxCompared+1)), path)
			if err == nil && b.Len() > maxCompared {
				err = fmt.Errorf("%s is too large to compare", path)
			}
			return b.Bytes(), err
		}}
}

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
