package ui

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/invopop/jsonschema"

	"doctor/checks"
	"doctor/checks/diff"
	"doctor/checks/evidence"
	"doctor/fixtures/schema"
)

func TestSchemaIsThatOfTheComparison(t *testing.T) {
	id := func(s *jsonschema.Schema) { s.Pattern = "^[a-z0-9]+(-[a-z0-9]+)*$" }
	format := schema.Format{
		Root: diff.Comparison{}, ID: "urn:doctor:diff:v1", Title: diff.Schema,
		Packages: map[string]string{
			reflect.TypeFor[diff.Comparison]().PkgPath():  "../checks/diff",
			reflect.TypeFor[checks.Report]().PkgPath():    "../checks",
			reflect.TypeFor[evidence.Because]().PkgPath(): "../checks/evidence",
		},
		Fields: map[string]func(*jsonschema.Schema){
			"Comparison.schema":     schema.Enum(diff.Schema),
			"Verdict.id":            id,
			"Verdict.a":             schema.Enum(words(checks.Statuses)),
			"Verdict.b":             schema.Enum(words(checks.Statuses)),
			"Difference.group":      schema.Enum(words(diff.Groups)),
			"Difference.explains[]": id,
			"Uncompared.only":       schema.Enum("a b"),
		},
		Types: map[string]func(*jsonschema.Schema){
			// It came after the freeze: the documents of before do not have it.
			"Comparison": func(s *jsonschema.Schema) {
				s.Required = slices.DeleteFunc(s.Required, func(name string) bool { return name == "compared" })
			},
		},
	}
	schema.Compare(t, "diff.schema.json", format.Generate(t), *update)
}

// compared is a comparison with a text of each kind in it, hostile ones too.
func compared() diff.Comparison {
	return diff.Comparison{Schema: diff.Schema, Differs: true,
		A: diff.Node{Source: "good.zip", Facts: checks.NodeFacts{Name: "win-1", Build: "10.0.20348.2700"}},
		B: diff.Node{Source: "bad.zip", Facts: checks.NodeFacts{Name: "win-2", Build: "10.0.20348.2700"}},
		Verdicts: []diff.Verdict{{ID: "some-fault", Title: "Something is wrong", A: checks.StatusPass,
			B: checks.StatusFail, Message: "10.96.0.0/12 is missing\x1b[2J", Differences: []int{0}}},
		Differences: []diff.Difference{
			{Group: diff.Configuration, Path: "files/C/k/cni.conf", Object: "cni.conf", Field: "a.b", A: []string{"10.96.0.0/12"},
				B: []string{}, Explains: []string{"some-fault"}},
			{Group: diff.Versions, Path: "os.json", Field: "ubr", A: []string{"2700"}, B: []string{"2762"}, Explains: []string{}},
			{Group: diff.State, Path: "services.json", Object: "hns|x", Field: "state", A: []string{"running"}, B: []string{"stopped"},
				Explains: []string{}},
			{Group: diff.Rest, Path: "memory.json", Field: "totalBytes", A: []string{"1"}, B: []string{"2"}, Explains: []string{}},
		},
		Uncompared: []diff.Uncompared{{Path: "cri.json", Only: "a", Gap: "absent: no file"}}}
}

func TestAComparisonIsDrawn(t *testing.T) {
	for _, row := range []struct {
		format      string
		all         bool
		has, hasNot []string
	}{
		{"text", false, []string{"FAULT", "B ✗ fail", "only A: 10.96.0.0/12", "VERSIONS", "A: 2700", "B: 2762", "STATE",
			"1 more differences", "cri.json (A)"}, []string{"\x1b", "totalBytes", "CONFIGURATION", "No difference"}},
		{"text", true, []string{"totalBytes", "CHANGES BY ITSELF"}, []string{"more differences"}},
		{"markdown", false, []string{"### Something is wrong", "| `os.json · ubr` | `2700` | `2762` |", `hns&#124;x`},
			[]string{"\x1b", "totalBytes"}},
		{"markdown", true, []string{"totalBytes"}, nil},
	} {
		var b bytes.Buffer
		if err := WriteDiff(&b, row.format, compared(), row.all, Style{}); err != nil {
			t.Fatal(err)
		}
		for _, text := range row.has {
			if !strings.Contains(b.String(), text) {
				t.Errorf("%s, all %v: no %q in\n%s", row.format, row.all, text, b.String())
			}
		}
		for _, text := range row.hasNot {
			if strings.Contains(b.String(), text) {
				t.Errorf("%s, all %v: %q in\n%s", row.format, row.all, text, b.String())
			}
		}
	}
	var b bytes.Buffer
	if err := WriteDiff(&b, "json", compared(), false, Style{}); err != nil || !json.Valid(b.Bytes()) {
		t.Errorf("%v %s", err, b.String())
	}
	b.Reset()
	if err := WriteDiff(&b, "text", compared(), true, Style{Width: 40, ASCII: true}); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(b.String()) {
		if len(strings.TrimRight(line, "\n")) > 40 {
			t.Errorf("%d columns of 40: %q", len(line)-1, line)
		}
	}
}
