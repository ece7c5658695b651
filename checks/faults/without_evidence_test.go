package faults_test

import (
	"io/fs"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/faults"
	"doctor/checks/signs"
)

// stillPass are the checks that pass without what a recording shows of their fault, because they
// look at more than that.
var stillPass = map[string]string{
	"settings-not-applied":    "the settings of the components are compared; those of the pods' endpoints are not recorded",
	"hns-object-inconsistent": "the endpoints of the pods fit their network; routes to other nodes are not recorded",
	"felix-hcsshim-panic":     "the log of Felix is there, and the panic in it has no stack",
}

// TestNoCheckPassesWithoutTheEvidenceOfItsFault takes what a finding cites out of each recording.
// Logs and events repeat each other on a node and not in a recording, so all of them go at once.
func TestNoCheckPassesWithoutTheEvidenceOfItsFault(t *testing.T) {
	var passed sync.Map // the ids of stillPass that did
	t.Cleanup(func() {  // behind all recordings
		for id := range stillPass {
			if _, did := passed.Load(id); !did {
				t.Errorf("%s passes no more without the evidence of its fault; take it out of stillPass", id)
			}
		}
	})
	overEveryRecording(t, func(t *testing.T, name string) {
		l := load(t, name)
		for _, r := range l.report.Results {
			if !r.Status.Fault() {
				continue
			}
			one := faults.Catalogue().Only(r.ID)
			s, err := evidence.Load(leavingOut(t, l, cited(r)))
			if err != nil {
				t.Fatal(err)
			}
			s, _ = signs.Record(s, one.Signs())
			report := checks.Diagnose(s, one, checks.Source{}, checks.Program{})
			if report.Result(r.ID).Status != checks.StatusPass {
				continue
			}
			if passed.Store(r.ID, true); stillPass[r.ID] == "" {
				t.Errorf("%s passes without %v", r.ID, cited(r))
			}
		}
	})
}

func isText(path string) bool {
	return strings.HasPrefix(path, "logs/") || strings.HasSuffix(path, "events.json")
}

func cited(r checks.Result) (paths []string) {
	for _, f := range r.Findings {
		for _, b := range f.Because {
			path, _, _ := strings.Cut(strings.ToLower(b.Path), "#")
			paths = append(paths, path)
		}
	}
	slices.Sort(paths)
	return slices.Compact(paths)
}

func leavingOut(t *testing.T, l loaded, paths []string) fs.FS {
	t.Helper()
	texts := slices.ContainsFunc(paths, isText)
	files := fstest.MapFS{}
	for _, path := range l.snapshot.Paths() {
		if lower := strings.ToLower(path); slices.Contains(paths, lower) || texts && isText(lower) {
			continue
		}
		content, err := fs.ReadFile(l.recording.FS(), path)
		if err != nil {
			t.Fatal(err)
		}
		files[path] = &fstest.MapFile{Data: content}
	}
	return files
}
