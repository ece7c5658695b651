package ui

import (
	"reflect"
	"testing"

	"github.com/invopop/jsonschema"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/fleet"
	"doctor/fixtures/schema"
)

func TestSchemaIsThatOfTheFleet(t *testing.T) {
	format := schema.Format{
		Root: fleet.Report{}, ID: "urn:doctor:fleet:v1", Title: fleet.Schema,
		Packages: map[string]string{
			reflect.TypeFor[fleet.Report]().PkgPath():     "../checks/fleet",
			reflect.TypeFor[checks.Report]().PkgPath():    "../checks",
			reflect.TypeFor[evidence.Because]().PkgPath(): "../checks/evidence",
		},
		Fields: map[string]func(*jsonschema.Schema){
			"Report.schema": schema.Enum(fleet.Schema),
			"Source.kind":   schema.Enum("cluster bundle directory"),
			"Cause.status":  schema.Enum(words(checks.Statuses)),
			"Node.verdict":  schema.Enum(words(fleet.Verdicts)),
			"Node.checks":   summarySchema,
			"Node.evidence": schema.Enum("api api+node"),
			"NodeCause.status": schema.Enum(
				words(checks.Statuses)),
		},
	}
	schema.Compare(t, "fleet.schema.json", format.Generate(t), *update)
}
