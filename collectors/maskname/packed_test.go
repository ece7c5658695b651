package maskname

import (
	"testing"

	"doctor/fixtures/packing"
)

func TestTheProgramHasTheWordsAsTheyAre(t *testing.T) {
	packing.Check(t, "words.zip.bz2", packedWords, ".", "words.txt", *update)
}
