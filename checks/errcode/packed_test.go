package errcode

import (
	"flag"
	"testing"

	"doctor/fixtures/packing"
)

var update = flag.Bool("update", false, "pack the tables again")

func TestTheProgramHasTheTablesAsTheyAre(t *testing.T) {
	packing.Check(t, "tables.zip.bz2", tables, ".", "*.tsv", *update)
}
