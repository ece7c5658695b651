package lang

import (
	"flag"
	"testing"

	"doctor/fixtures/packing"
)

var update = flag.Bool("update", false, "write languages.zip.bz2 anew")

func TestTheProgramHasTheLanguagesAsTheyAre(t *testing.T) {
	packing.Check(t, "languages.zip.bz2", archive, ".", "*/*.toml", *update)
}
