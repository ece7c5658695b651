package ui

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/invopop/jsonschema"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/fixtures/schema"
)

func TestSchemaIsThatOfTheReport(t *testing.T) {
	id := func(s *jsonschema.Schema) { s.Pattern = "^[a-z0-9]+(-[a-z0-9]+)*$" }
	gap := func(s *jsonschema.Schema) {
		s.Pattern = "^(absent|denied|timeout|unsupported|not-collected|error):"
	}
	unique := func(s *jsonschema.Schema) { s.UniqueItems = true }
	atLeast := func(n string) func(*jsonschema.Schema) {
		return func(s *jsonschema.Schema) { s.Minimum = json.Number(n) }
	}
	format := schema.Format{
		Root: checks.Report{}, ID: "urn:doctor:report:v1", Title: checks.Schema,
		Packages: map[string]string{
			reflect.TypeFor[checks.Report]().PkgPath():    "../checks",
			reflect.TypeFor[evidence.Because]().PkgPath(): "../checks/evidence",
		},
		Fields: map[string]func(*jsonschema.Schema){
			"Report.schema":  schema.Enum(checks.Schema),
			"Report.summary": summarySchema,
			"Source.kind": schema.Enum(
				"live cluster bundle directory foreign demo manifest"),
			"Cause.id":              id,
			"Cause.consequences":    unique,
			"Cause.consequences[]":  id,
			"Result.id":             id,
			"Result.category":       schema.Enum(words(checks.Categories)),
			"Result.status":         schema.Enum(words(checks.Statuses)),
			"Result.explainedBy":    unique,
			"Result.explainedBy[]":  id,
			"Result.faq[]":          atLeast("1"),
			"ReportFinding.level":   schema.Enum("fail warn info"),
			"ReportFinding.basis":   schema.Enum("state text state+text"),
			"ReportFinding.because": func(s *jsonschema.Schema) { s.MinItems = new(uint64(1)) },
			"Because.line":          atLeast("0"),
			"EvidenceGap.reason":    gap,
		},
		Types: map[string]func(*jsonschema.Schema){"Result": func(s *jsonschema.Schema) {
			some, none := &jsonschema.Schema{MinItems: new(uint64(1))},
				&jsonschema.Schema{MaxItems: new(uint64(0))}
			missing, said, empty := &jsonschema.Schema{},
				&jsonschema.Schema{MinLength: new(uint64(1))}, &jsonschema.Schema{Const: ""}
			gap(missing)
			s.AllOf = []*jsonschema.Schema{
				whereStatus("fail warn info", "findings", some, none),
				whereStatus("unknown", "gap", missing, empty),
				whereStatus("skip", "reason", said, empty),
			}
		}},
	}
	schema.Compare(t, "report.schema.json", format.Generate(t), *update)
}

// whereStatus demands one thing of a field for some verdicts, and another for the others.
func whereStatus(verdicts, field string, then, otherwise *jsonschema.Schema) *jsonschema.Schema {
	verdict := &jsonschema.Schema{}
	schema.Enum(verdicts)(verdict)
	return &jsonschema.Schema{If: having("status", verdict), Then: having(field, then),
		Else: having(field, otherwise)}
}

func having(field string, s *jsonschema.Schema) *jsonschema.Schema {
	properties := jsonschema.NewProperties()
	properties.Set(field, s)
	return &jsonschema.Schema{Properties: properties}
}

// summarySchema has all verdicts: a count of each is always written.
func summarySchema(s *jsonschema.Schema) {
	description := s.Description
	*s = jsonschema.Schema{
		Type: "object", Description: description,
		Properties: jsonschema.NewProperties(), AdditionalProperties: jsonschema.FalseSchema,
	}
	for _, status := range checks.Statuses {
		s.Properties.Set(string(status), &jsonschema.Schema{Type: "integer", Minimum: "0"})
		s.Required = append(s.Required, string(status))
	}
}

func words[T ~string](list []T) string {
	var text []string
	for _, v := range list {
		text = append(text, string(v))
	}
	return strings.Join(text, " ")
}
