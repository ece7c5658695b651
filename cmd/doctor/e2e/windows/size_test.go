package windows_test

import (
	"os"
	"testing"

	"doctor/fixtures/program"
)

// mostBytes is the budget of doctor.exe, stripped: one file that is copied to a node that is sick.
//
// What is in it twice weighs most: code of generic types and functions is compiled once for each type
// (`go tool nm -size -sort size` shows it with brackets), and each byte of code brings half a byte of
// the runtime's tables. Data that is read seldom is packed (checks/packed).
const mostBytes = 33_750_000

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
			t.Errorf("for windows/%s it has %.1f MB, and may have %.1f; `go version -m` and `go tool nm -size -sort size` say what of", arch, float64(info.Size())/1e6, float64(mostBytes)/1e6)
		}
	}
}
