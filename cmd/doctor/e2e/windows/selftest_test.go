package windows_test

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"doctor/fixtures/program"
	"doctor/fixtures/wine"
)

// TestWineSelfTest: the comparison with PowerShell, whose answers are written by hand: some are the
// node's, one is not, and one is an error.
func TestWineSelfTest(t *testing.T) {
	wine.Require(t)
	n := wine.Start(t, wineFixture(t, "healthy"), program.BuildFor(t, "windows", "amd64"))
	says := "\ufeff## Windows version\r\nbuild\t20348\r\nrevision\t1\r\n" +
		"## HNS stays as it is\r\nhns\tRunning\r\n" +
		"## services\r\nkubelet\tRunning\r\nspooler-of-nobody\tStopped\r\n" +
		"## HNS networks\r\n!! HNS is not running\r\n"
	if err := os.WriteFile(n.Path("powershell.txt"), []byte(says), 0o644); err != nil {
		t.Fatal(err)
	}
	r := n.Run("self-test", "-o", "json")
	var d struct {
		Results []struct {
			Name, State, Why string
			Doctor           int
			Differs          []string
		}
	}
	if err := json.Unmarshal([]byte(r.Stdout), &d); err != nil || r.Status != program.Fail {
		t.Fatalf("exit status %d, %v:\n%s%s", r.Status, err, r.Stdout, r.Stderr)
	}
	found := 0
	for _, c := range d.Results {
		switch c.Name {
		case "HNS stays as it is":
			if c.State != "same" {
				t.Errorf("%+v", c)
			}
		case "services":
			if want := []string{"spooler-of-nobody: only PowerShell has it: Stopped"}; c.State != "differs" || !slices.Equal(c.Differs, want) {
				t.Errorf("%+v", c)
			}
		case "HNS networks":
			if c.State != "not compared" || c.Why != "PowerShell: HNS is not running" || c.Doctor == 0 {
				t.Errorf("%+v", c)
			}
		case "Windows version":
			if c.State != "differs" {
				t.Errorf("%+v", c)
			}
		case "routes":
			if c.State != "not compared" || c.Why != "PowerShell: it ended before it came to this" {
				t.Errorf("%+v", c)
			}
		default:
			continue
		}
		found++
	}
	if found != 5 {
		t.Errorf("%d of the rows are there:\n%s", found, r.Stdout)
	}
	if r = n.Run("self-test"); r.Status != program.Fail ||
		!strings.Contains(r.Stdout, "| HNS stays as it is | 1 | 1 | same |\n") {
		t.Errorf("exit status %d:\n%s%s", r.Status, r.Stdout, r.Stderr)
	}
}
