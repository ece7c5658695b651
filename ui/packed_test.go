package ui

import (
	"flag"
	"testing"

	"doctor/fixtures/packing"
)

func TestTheProgramHasTheSchemasAsTheyAre(t *testing.T) {
	packing.Check(t, "schemas.zip.bz2", schemas, ".", "*.schema.json", flag.Lookup("update").Value.String() == "true")
}
