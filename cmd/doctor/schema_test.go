package main

import (
	"bytes"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"doctor/ui"
)

// TestRealReportsFitTheirSchema holds the report of every recorded node, as the
// program writes it, to the schema in the repository.
func TestRealReportsFitTheirSchema(t *testing.T) {
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(ui.Schema))
	if err != nil {
		t.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource("report.schema.json", document); err != nil {
		t.Fatal(err)
	}
	schema, err := compiler.Compile("report.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range demoNames() {
		out, _, _ := doctor(t, "--demo", name, "--json")
		report, err := jsonschema.UnmarshalJSON(bytes.NewReader([]byte(out)))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if err := schema.Validate(report); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		again, _, _ := doctor(t, "--demo", name, "--json")
		if again != out {
			t.Errorf("%s: the same evidence gives two different reports", name)
		}
	}
}
