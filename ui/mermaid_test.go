package ui

import (
	"bytes"
	"regexp"
	"strings"
	"testing"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/faults"
	"doctor/fixtures"
)

// drawnMap is the network map of a recording, as Mermaid.
func drawnMap(t *testing.T, name string) string {
	t.Helper()
	recording, err := fixtures.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	s, err := evidence.Load(recording.FS())
	if err != nil {
		t.Fatal(err)
	}
	report := checks.Diagnose(s, faults.Catalogue(), checks.Source{Kind: "demo", Name: name}, checks.Program{})
	var b bytes.Buffer
	if err := WriteMermaid(&b, report, s, func(text string) string { return text }, Style{}); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestTheMapIsDrawnInMarkdown(t *testing.T) {
	healthy := drawnMap(t, "healthy-flannel-hostgw")
	for _, text := range []string{"```mermaid\nflowchart TD\n", "HNS network<br/>cbr0", "10.244.2.5", "OutBoundNAT"} {
		if !strings.Contains(healthy, text) {
			t.Errorf("no %q in\n%s", text, healthy)
		}
	}
	if strings.Contains(healthy, "  class n") {
		t.Errorf("a healthy node has a mark:\n%s", healthy)
	}
	if sick := drawnMap(t, "hns-network-missing"); !strings.Contains(sick, " missing\n") {
		t.Errorf("the missing network is not marked:\n%s", sick)
	}
}

func TestEvidenceCannotLeaveALabelOfTheMap(t *testing.T) {
	d := mermaid{secret: func(text string) string { return text }}
	got := d.text([]string{"a\"] --> b\n```\n<script>|{}`", "", "c"})
	if strings.ContainsAny(strings.Trim(got, `"`), "\"\n`|[]{}") || strings.Contains(got, "<script") {
		t.Errorf("%s", got)
	}
	if !strings.HasSuffix(got, `<br/>c"`) {
		t.Errorf("%s has no second line", got)
	}
}

// TestTheMapsOfAllRecordingsAreMermaid: each line is a node, an edge or a class of the flowchart's
// grammar, each label is quoted and holds no sign that could end it, and no edge or class names a
// node that is not there.
func TestTheMapsOfAllRecordingsAreMermaid(t *testing.T) {
	const label = `"(?:[^"\[\]{}|<>#;` + "`" + `]|#[0-9]+;|<br/>)+"`
	node := regexp.MustCompile(`^  (n[0-9]+)\[` + label + `\]$`)
	edge := regexp.MustCompile(`^  (n[0-9]+) -->(?:\|` + label + `\|)? (n[0-9]+)$`)
	class := regexp.MustCompile(`^  class (n[0-9]+) (?:missing|wrong|stale)$`)
	drawn := 0
	for _, name := range fixtures.Names() {
		_, text, there := strings.Cut(drawnMap(t, name), "flowchart TD\n")
		if !there {
			continue
		}
		drawn++
		text, _, _ = strings.Cut(text, mermaidStyles)
		nodes, named := map[string]bool{}, map[string]bool{}
		for line := range strings.Lines(text) {
			line = strings.TrimSuffix(line, "\n")
			if m := node.FindStringSubmatch(line); m != nil {
				nodes[m[1]] = true
			} else if m := edge.FindStringSubmatch(line); m != nil {
				named[m[1]], named[m[2]] = true, true
			} else if m := class.FindStringSubmatch(line); m != nil {
				named[m[1]] = true
			} else {
				t.Errorf("%s: this is no Mermaid: %s", name, line)
			}
		}
		for id := range named {
			if !nodes[id] {
				t.Errorf("%s: there is no node %s", name, id)
			}
		}
	}
	if drawn == 0 {
		t.Error("no recording has a map")
	}
}
