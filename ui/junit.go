package ui

import (
	"encoding/xml"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"time"

	"doctor/checks"
)

// The shape that build servers agree on; there is no standard of it. All suites together have no count
// of skipped cases: Jenkins refuses it there.
type (
	junitSuites struct {
		XMLName  xml.Name     `xml:"testsuites"`
		Name     string       `xml:"name,attr"`
		Tests    int          `xml:"tests,attr"`
		Failures int          `xml:"failures,attr"`
		Errors   int          `xml:"errors,attr"`
		Suites   []junitSuite `xml:"testsuite"`
	}
	junitSuite struct {
		Name      string      `xml:"name,attr"`
		Hostname  string      `xml:"hostname,attr,omitempty"`
		Timestamp string      `xml:"timestamp,attr,omitempty"`
		Tests     int         `xml:"tests,attr"`
		Failures  int         `xml:"failures,attr"`
		Errors    int         `xml:"errors,attr"`
		Skipped   int         `xml:"skipped,attr"`
		Time      string      `xml:"time,attr"`
		Cases     []junitCase `xml:"testcase"`
	}
	junitCase struct {
		Name    string     `xml:"name,attr"`
		Class   string     `xml:"classname,attr"`
		Time    string     `xml:"time,attr"`
		Failure *junitNote `xml:"failure"`
		Skipped *junitNote `xml:"skipped"`
		Out     *junitNote `xml:"system-out"`
	}
	junitNote struct {
		Message string `xml:"message,attr,omitempty"`
		Type    string `xml:"type,attr,omitempty"`
		Text    string `xml:",cdata"`
	}
)

// writeJUnit draws the report for build servers: a suite per category, a case per check, and a
// failure per cause, which holds its consequences: one fault must not look like ten. A consequence
// is a skipped case that names its cause. JUnit has no verdict for "could not run", so that is
// a skipped case too.
func writeJUnit(w io.Writer, r checks.Report) error {
	all := junitSuites{Name: "doctor"}
	if r.Node.Name != "" {
		all.Name += " " + xmlText(r.Node.Name)
	}
	for _, category := range r.Categories() {
		s := junitSuiteOf(string(category), r.Node.Name, r.CollectedAt)
		for i := range r.Results {
			if result := &r.Results[i]; result.Category == category {
				s.Cases = append(s.Cases, junitCaseOf(r, result))
			}
		}
		if len(s.Cases) > 0 {
			all.Suites = append(all.Suites, s)
		}
	}
	return all.write(w)
}

func junitCaseOf(r checks.Report, result *checks.Result) junitCase {
	c := junitCase{Name: xmlText(result.ID), Class: "doctor." + xmlText(string(result.Category)),
		Time: "0"}
	switch failed, text := failure(r, result); {
	case failed:
		c.Failure = &junitNote{Message: xmlText(Message(result)), Type: string(result.Status),
			Text: "\n" + xmlText(text)}
	case result.Status == checks.StatusFail:
		c.Skipped = &junitNote{Message: xmlText(Message(result) + "; explained by " +
			strings.Join(causesOf(r, result.ID), ", "))}
	case result.Status == checks.StatusUnknown:
		c.Skipped = &junitNote{Message: xmlText("could not run: " + result.Gap)}
	case result.Status == checks.StatusSkip:
		c.Skipped = &junitNote{Message: xmlText("not applicable: " + result.Reason)}
	case result.Status == checks.StatusWarn, result.Status == checks.StatusInfo:
		c.Out = &junitNote{Text: "\n" + xmlText(account(result))}
	}
	return c
}

func junitSuiteOf(name, host string, at time.Time) junitSuite {
	s := junitSuite{Name: xmlText(name), Hostname: xmlText(host), Time: "0"}
	if !at.IsZero() {
		s.Timestamp = at.Format("2006-01-02T15:04:05")
	}
	return s
}

// write counts the cases and writes all suites.
func (all *junitSuites) write(w io.Writer) error {
	for i := range all.Suites {
		s := &all.Suites[i]
		s.Tests = len(s.Cases)
		for _, c := range s.Cases {
			if c.Failure != nil {
				s.Failures++
			}
			if c.Skipped != nil {
				s.Skipped++
			}
		}
		all.Tests, all.Failures = all.Tests+s.Tests, all.Failures+s.Failures
	}
	doc, err := xml.MarshalIndent(all, "", "  ")
	if err != nil {
		return fmt.Errorf("encoding the report as JUnit XML: %w", err)
	}
	_, err = io.WriteString(w, xml.Header+string(doc)+"\n")
	return err
}

// failure tells whether a result is a failed case, and what that case says. A fail is one unless a
// cause explains it. A cause that is only a warning is one too where a fail follows from it, so
// that no fail is lost.
func failure(r checks.Report, result *checks.Result) (failed bool, text string) {
	failed = result.Status == checks.StatusFail && len(causesOf(r, result.ID)) == 0
	text = account(result)
	for _, c := range r.Causes {
		if c.ID != result.ID {
			continue
		}
		for _, id := range c.Consequences {
			follows := r.Result(id)
			if follows == nil {
				continue
			}
			failed = failed || follows.Status == checks.StatusFail
			text += fmt.Sprintf("\nconsequence: %s\n%s", id, account(follows))
		}
	}
	return failed, text
}

// causesOf lists the causes that explain a fault; none of a cause.
func causesOf(r checks.Report, id string) []string {
	var ids []string
	for _, c := range r.Causes {
		if slices.Contains(c.Consequences, id) {
			ids = append(ids, c.ID)
		}
	}
	return ids
}

// account is one result in a few plain lines.
func account(r *checks.Result) string {
	var b strings.Builder
	for _, f := range r.Findings {
		fmt.Fprintf(&b, "%s: %s\n", f.Level, f.Message)
		for _, because := range f.Because {
			fmt.Fprintf(&b, "  %s  %s\n", Where(because.Place()), because.Text)
		}
	}
	if r.Status == checks.StatusInfo {
		return b.String()
	}
	if len(r.ExplainedBy) > 0 {
		fmt.Fprintf(&b, "explained by: %s\n", strings.Join(r.ExplainedBy, ", "))
	}
	b.WriteString(plainSteps(r.Fix))
	return b.String()
}

// plainSteps is a fix in plain lines.
func plainSteps(f checks.Fix) string {
	var b strings.Builder
	marks := map[StepLineKind]string{StepText: "fix ", StepCommand: "  > ", StepFrom: "  - ",
		StepTo: "  + ", StepImpact: "  ! "}
	for i := range f.Steps {
		for _, l := range (Style{}).StepLines(f, i) {
			fmt.Fprintf(&b, "%s%s\n", marks[l.Kind], l.Text)
		}
	}
	return b.String()
}

// xmlText drops the characters that XML 1.0 has no way to write.
func xmlText(s string) string { return notXML.ReplaceAllString(s, "") }

var notXML = regexp.MustCompile(`[^\t\n\x20-\x{d7ff}\x{e000}-\x{fffd}\x{10000}-\x{10ffff}]`)
