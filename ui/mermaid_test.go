package ui

import (
	"bytes"
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
