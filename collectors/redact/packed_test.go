package redact

import (
	"flag"
	"testing"

	"doctor/fixtures/packing"
)

func TestTheProgramHasTheTablesAsTheyAre(t *testing.T) {
	packing.Check(t, "tables.zip.bz2", packedTables, ".", "*.txt", flag.Lookup("update").Value.String() == "true")
}
