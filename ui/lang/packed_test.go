package lang

import (
	"flag"
	"testing"

	"doctor/checks/packed"
)

var update = flag.Bool("update", false, "write languages.zip anew")

func TestTheProgramHasTheLanguagesAsTheyAre(t *testing.T) {
	packed.Check(t, "languages.zip", archive, ".", "*/*.toml", *update)
}
