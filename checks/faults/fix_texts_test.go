package faults_test

import (
	"io/fs"
	"regexp"
	"strings"
	"testing"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/faults"
)

// TestStepsReadAsOrders: each step of each fix, those of the catalogue and those of findings, says
// in a sentence what to do, or what its command shows when the fault is gone. Its command runs as it
// stands: without a comment, and without a placeholder that nothing fills in.
func TestStepsReadAsOrders(t *testing.T) {
	filled := map[string]bool{}
	for _, r := range load(t, "healthy-calico").report.Results {
		for _, name := range r.Fix.Names {
			filled[name.Name] = true
		}
	}
	if len(filled) == 0 {
		t.Fatal("no fix of healthy-calico has placeholders")
	}
	for _, c := range faults.Catalogue().All() {
		for _, step := range c.Fix.Unfilled().Steps {
			readsAsOrder(t, c.ID, step)
			for _, name := range placeholderIn.FindAllString(
				step.Command+step.File+step.Text+step.Impact+step.Expect, -1) {
				if !filled[name] && name != "{end}" {
					t.Errorf("%s: nothing fills in %s of %q", c.ID, name, step.Command+step.Text)
				}
			}
		}
	}
	eachFault(t, func(t *testing.T, _ fs.FS, _ evidence.Snapshot, r checks.Result) {
		for _, step := range r.Fix.Steps {
			readsAsOrder(t, r.ID, step)
			if name := placeholderIn.FindString(step.Command + step.File + step.Text); name != "" && name != "{end}" {
				t.Errorf("%s: %s is not filled in: %q", r.ID, name, step.Command+step.Text)
			}
		}
	})
}

// A placeholder is words in braces. JSON and script blocks hold other characters, and {end} is one
// of jsonpath.
var (
	placeholderIn = regexp.MustCompile(`\{[a-zA-Z]+(?:[ -][a-zA-Z]+)*\}`)
	comment       = regexp.MustCompile(`(?:^|\s)#`)
	// What a shell of Windows breaks in arguments of a program: double quotes inside single ones,
	// which PowerShell 5.1 drops, a bare brace, which begins a script block, and <name>.
	brokenArgument = regexp.MustCompile(
		`^(?:kubectl|az|aws|crictl|ctr|docker|gcloud|helm) .*(?:'[^']*"[^']*'|\\"|=\{\.| <)`)
	// What only PowerShell 6 and later have: Server Core comes with Windows PowerShell 5.1.
	newerPowerShell = regexp.MustCompile(`-(?:AsUTC|AsHashtable|AsByteStream|Parallel|SkipCertificateCheck|SkipHttpErrorCheck|TcpPort)\b|` +
		`\b(?:Remove-Service|Get-Uptime|Test-Json|Join-String|Get-Error)\b|&&|\|\||\?\?`)
	// A path that ends at its first blank, because nothing quotes it.
	cutPath = regexp.MustCompile(`\s[A-Z]:\\Program Files`)
)

func readsAsOrder(t *testing.T, id string, step *checks.Step) {
	t.Helper()
	switch {
	case step.Kind == checks.StepVerify && (step.Command == "" || step.Expect == ""):
		t.Errorf("%s: a check without a command or what it shows: %+v", id, step)
	case step.Kind != checks.StepVerify && !strings.HasSuffix(step.Text, "."):
		t.Errorf("%s: no sentence says what to do: %q %q", id, step.Text, step.Command)
	}
	if step.Impact != "" && !strings.HasSuffix(step.Impact, ".") {
		t.Errorf("%s: the impact is no sentence: %q", id, step.Impact)
	}
	if comment.MatchString(step.Command) || strings.Contains(step.Command, "\n") {
		t.Errorf("%s: a command is one line without a comment: %q", id, step.Command)
	}
	if newerPowerShell.MatchString(step.Command) {
		t.Errorf("%s: Windows PowerShell 5.1 does not have what this needs: %q", id, step.Command)
	}
	if brokenArgument.MatchString(step.Command) || cutPath.MatchString(step.Command) {
		t.Errorf("%s: Windows PowerShell breaks an argument; quote it in single quotes, with YAML in place of JSON: %q", id, step.Command)
	}
}
