package lang

import (
	"flag"
	"testing"

	"doctor/fixtures/packing"
)

var update = flag.Bool("update", false, "write languages.zip.gz anew")

func TestTheProgramHasTheLanguagesAsTheyAre(t *testing.T) {
	packing.Check(t, "languages.zip.gz", archive, ".", "*/*.toml", *update)
}
