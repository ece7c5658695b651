package session_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/faults"
	fleetreport "doctor/checks/fleet"
	"doctor/checks/signs"
	"doctor/cmd/doctor/internal/session"
	"doctor/fixtures"
)

// recordedFleet writes recorded nodes as the recording of a fleet.
func recordedFleet(t *testing.T, demos ...string) (folder string) {
	t.Helper()
	folder = t.TempDir()
	write := func(name string, content []byte) {
		path := filepath.Join(folder, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, content, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	meta := func(source string) []byte {
		return fmt.Appendf(nil, `{"layout":%q,"node":"unknown","collectedAt":"2026-11-21T10:00:00Z","source":%q}`,
			evidence.Layout, source)
	}
	write("meta.json", meta("fleet"))
	write("cluster/meta.json", meta("cluster"))
	// what the API does not have of any node is there of nodes that were read themselves
	gap := evidence.OnlyOnNode.Gap("the node")
	write("cluster/services.json.gap", []byte(gap.String()+"\n"))
	index, err := json.Marshal(map[string]evidence.GapRecord{"services.json": gap.Record()})
	if err != nil {
		t.Fatal(err)
	}
	write("cluster/gaps.json", index)
	for _, demo := range demos {
		r, err := fixtures.Open(demo)
		if err != nil {
			t.Fatal(err)
		}
		err = fs.WalkDir(r.FS(), ".", func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			content, err := fs.ReadFile(r.FS(), path)
			write("nodes/"+demo+"/"+path, content)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

func openFleet(t *testing.T, folder string) *session.Fleet {
	t.Helper()
	_, err := session.Open(session.Options{From: folder})
	var recording *session.FleetRecording
	if !errors.As(err, &recording) {
		t.Fatalf("it is no recording of a fleet: %v", err)
	}
	t.Cleanup(func() { recording.Close() })
	f, err := recording.Fleet(faults.Catalogue(), checks.Program{})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// TestAFleetOfRecordedNodes holds the verdicts of a fleet to those of each recording alone.
func TestAFleetOfRecordedNodes(t *testing.T) {
	demos := []string{"healthy-flannel-overlay", "flannel-subnet-env-missing", "kubelet-removed-flag",
		"pause-os-version-mismatch"}
	f := openFleet(t, recordedFleet(t, demos...))
	if got := f.Evidence.Names(); !slices.Equal(got, slices.Sorted(slices.Values(demos))) {
		t.Errorf("the nodes are %v", got)
	}
	judged := 0
	r, err := f.Diagnose(t.Context(), 2, func(fleetreport.Judged) { judged++ })
	if err != nil || judged != len(demos) {
		t.Fatalf("%d nodes are judged: %v", judged, err)
	}
	faulty := 0
	for _, demo := range demos {
		recorded, err := fixtures.Open(demo)
		if err != nil {
			t.Fatal(err)
		}
		s, err := evidence.Load(recorded.FS())
		if err != nil {
			t.Fatal(err)
		}
		s, _ = signs.Record(s, faults.Catalogue().Signs())
		alone := checks.Diagnose(s, faults.Catalogue(), checks.Source{}, checks.Program{})
		if alone.Count(checks.StatusFail) > 0 {
			faulty++
		}
		in, _, err := f.Node(demo)
		if err != nil {
			t.Fatal(err)
		}
		status := func(r checks.Report) map[string]checks.Status {
			all := map[string]checks.Status{}
			for _, result := range r.Results {
				all[result.ID] = result.Status
			}
			return all
		}
		if diff := cmp.Diff(status(alone), status(in)); diff != "" {
			t.Errorf("%s: %s", demo, diff)
		}
	}
	if r.Summary.Faulty != faulty || faulty == 0 || faulty == len(demos) {
		t.Errorf("%d nodes are faulty in the fleet, %d alone", r.Summary.Faulty, faulty)
	}
	for _, n := range r.Nodes {
		if n.Evidence != "api+node" || !slices.Contains(demos, n.Name) {
			t.Errorf("the evidence of %s is %s", n.Name, n.Evidence)
		}
	}
}

// TestEvidenceOfANodeItselfJoinsThatOfTheAPI is what a doctor on the node adds.
func TestEvidenceOfANodeItselfJoinsThatOfTheAPI(t *testing.T) {
	const demo = "kubelet-removed-flag"
	folder := recordedFleet(t, demo)
	own := filepath.Join(folder, "nodes", demo)
	aside := t.TempDir()
	if err := os.CopyFS(aside, os.DirFS(own)); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(own)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries { // of the node there is left what the API has
		if e.Name() != "api" && e.Name() != "meta.json" {
			if err := os.RemoveAll(filepath.Join(own, e.Name())); err != nil {
				t.Fatal(err)
			}
		}
	}
	f := openFleet(t, folder)
	has := func() bool {
		r, s, err := f.Node(demo)
		if err != nil {
			t.Fatal(err)
		}
		return r.Result("kubelet-removed-flag").Status == checks.StatusFail &&
			evidence.Services.Known(s)
	}
	if has() {
		t.Fatal("the API alone shows what only the node shows")
	}
	f.Evidence.Merge(func(node string) (fs.FS, error) {
		if node != demo {
			return nil, nil
		}
		return os.DirFS(aside), nil
	})
	if !has() {
		t.Error("what was read on the node is not judged")
	}
	f.Evidence.Merge(func(string) (fs.FS, error) { return nil, nil })
	if has() {
		t.Error("a node of which nothing was read has evidence of its own")
	}
	f.Evidence.Merge(func(string) (fs.FS, error) { return nil, errors.New("the log broke off") })
	r, err := f.Diagnose(t.Context(), 1, func(fleetreport.Judged) {})
	if err != nil || r.Summary.Unread != 1 || !strings.Contains(r.Nodes[0].Unread,
		"the log broke off") {
		t.Errorf("%v: %+v", err, r.Nodes)
	}
}

func TestBrokenRecordingsOfFleets(t *testing.T) {
	for _, c := range []struct {
		name  string
		spoil func(t *testing.T, folder string)
		says  string // of the error, or of the node
	}{
		{"a node without meta.json", func(t *testing.T, folder string) {
			if err := os.Remove(filepath.Join(folder, "nodes", "n", "meta.json")); err != nil {
				t.Fatal(err)
			}
		}, "not an evidence tree"},
		{"a node whose meta.json is broken", func(t *testing.T, folder string) {
			if err := os.WriteFile(filepath.Join(folder, "nodes", "n", "meta.json"), []byte("{"),
				0o644); err != nil {
				t.Fatal(err)
			}
		}, "meta.json"},
		{"nothing of the cluster", func(t *testing.T, folder string) {
			if err := os.RemoveAll(filepath.Join(folder, "cluster")); err != nil {
				t.Fatal(err)
			}
		}, "cluster"},
	} {
		t.Run(c.name, func(t *testing.T) {
			folder := recordedFleet(t, "kubelet-removed-flag")
			if err := os.Rename(filepath.Join(folder, "nodes", "kubelet-removed-flag"),
				filepath.Join(folder, "nodes", "n")); err != nil {
				t.Fatal(err)
			}
			c.spoil(t, folder)
			_, err := session.Open(session.Options{From: folder})
			var recording *session.FleetRecording
			if !errors.As(err, &recording) {
				t.Fatal(err)
			}
			defer recording.Close()
			f, err := recording.Fleet(faults.Catalogue(), checks.Program{})
			said := fmt.Sprint(err)
			if err == nil {
				r, err := f.Diagnose(t.Context(), 1, func(fleetreport.Judged) {})
				if err != nil || len(r.Nodes) != 1 || r.Nodes[0].Verdict != fleetreport.Unread {
					t.Fatalf("%v: %+v", err, r.Nodes)
				}
				said = r.Nodes[0].Unread
			}
			if !strings.Contains(said, c.says) {
				t.Errorf("it says %s", said)
			}
		})
	}
}
