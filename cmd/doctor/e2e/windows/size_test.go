package windows_test

import (
	"os"
	"testing"

	"doctor/fixtures/program"
)

// mostBytes is the budget of doctor.exe, stripped: one file that is copied to a node that is sick.
//
// Of it, `doctor mcp` costs 1.97 MB (29.57 MB without, 31.54 MB with it, for amd64): go-sdk/mcp has
// 0.33 MB of code, segmentio/encoding 0.14, encoding/gob 0.13, jsonschema-go 0.10; the rest is their
// types and the tables of the runtime.
const mostBytes = 32_000_000

func TestTheWindowsProgramStaysSmall(t *testing.T) {
	if testing.Short() {
		t.Skip("it links two programs")
	}
	for _, arch := range []string{"amd64", "arm64"} {
		info, err := os.Stat(program.BuildFor(t, "windows", arch))
		if err != nil {
			t.Fatal(err)
		}
		if info.Size() >= mostBytes {
			t.Errorf("for windows/%s it has %.1f MB, and may have %d; `go version -m` and `go tool nm -size -sort size` say what of", arch, float64(info.Size())/1e6, mostBytes/1_000_000)
		}
	}
}
