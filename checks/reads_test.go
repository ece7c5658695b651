package checks

import (
	"slices"
	"testing"

	"doctor/checks/evidence"
	"doctor/fixtures"
)

// TestFactPathsNamesAllThatFactsAreLearntFrom: a live run calls a verdict open
// while anything that the node's facts rest on is still being read.
func TestFactPathsNamesAllThatFactsAreLearntFrom(t *testing.T) {
	used := map[string]bool{}
	for _, name := range fixtures.Names() {
		r, err := fixtures.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		s, err := evidence.Load(r.FS())
		if err != nil {
			t.Fatal(err)
		}
		var tr evidence.Trace
		learnNode(s.Traced(&tr))
		for _, path := range tr.Seen() {
			at := slices.IndexFunc(factPaths, func(p string) bool { return evidence.Overlap(p, path) })
			if at < 0 {
				t.Fatalf("%s: the facts are learnt from %s, which factPaths does not name", name, path)
			}
			used[factPaths[at]] = true
		}
	}
	for _, path := range factPaths {
		if !used[path] && path != evidence.SignMatches.Path() && path != "files.json" { // read without a trace
			t.Errorf("factPaths names %s, from which no fact is learnt", path)
		}
	}
}

func TestACheckAwaitsWhatItsVerdictRestsOn(t *testing.T) {
	for _, row := range []struct {
		name, id string
		open     []string
		want     bool
	}{
		{"nothing is open", "pagefile-disabled", nil, false},
		{"its own evidence", "pagefile-disabled", []string{"memory.json"}, true},
		{"evidence of others", "reboot-pending", []string{"hns-networks.json"}, false},
		{"the folder in which its file lies", "flannel-subnet-env-missing", []string{"files/"}, true},
		{"the logs that its signs stand in", "hns-wrong-diskette", []string{"signs.json"}, true},
	} {
		t.Run(row.name, func(t *testing.T) {
			if got := ByID(row.id).AwaitsAny(row.open); got != row.want {
				t.Errorf("%s awaits any of %v: %v; its verdict rests on %v", row.id, row.open, got, ByID(row.id).Reads())
			}
		})
	}
}

func TestRecordersAreToldWhichFilesTheChecksAskFor(t *testing.T) {
	files, folders := Files(All())
	if !slices.Contains(files, subnetEnv) || !slices.Contains(folders, `C:\etc\cni\net.d`) {
		t.Errorf("asked for are %v, and folders %v", files, folders)
	}
}
