package windows_test

import (
	"os"
	"testing"

	"doctor/fixtures/program"
)

// mostBytes is the budget of doctor.exe, stripped: one file that is copied to a node that is sick.
const mostBytes = 30_000_000

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
