package assistant

import (
	"testing"

	"doctor/fixtures/packing"
)

func TestTheProgramHasTheToolsAsTheyAre(t *testing.T) {
	packing.Check(t, "tools.zip.bz2", packedTools, ".", "tools.json", *update)
}
