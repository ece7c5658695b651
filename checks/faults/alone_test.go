package faults_test

import (
	"bytes"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/signs"
	"doctor/fixtures"
)

// TestAFileAloneConvictsOnlyOfWhatTheWholeShows gives each log and each list of events of a recording
// alone, as people paste them, and all that tells the node from a healthy one: no text and no state has
// a second meaning because the rest is not there.
func TestAFileAloneConvictsOnlyOfWhatTheWholeShows(t *testing.T) {
	overEveryRecording(t, func(t *testing.T, name string) {
		l := load(t, name)
		base := fixtures.Recording{}
		if l.recording.Base != "" {
			base = load(t, l.recording.Base).recording
		}
		differs := fstest.MapFS{}
		for _, path := range l.snapshot.Paths() {
			content, err := fs.ReadFile(l.recording.FS(), path)
			if err != nil || path == "meta.json" {
				continue
			}
			if l.recording.Base != "" {
				if same, err := fs.ReadFile(base.FS(), path); err == nil && bytes.Equal(same, content) {
					continue
				}
			}
			differs[path] = &fstest.MapFile{Data: content}
			if isSaid(path) {
				onlyWhatTheWholeShows(t, l, fstest.MapFS{path: differs[path]}, path+" alone")
			}
		}
		if l.recording.Base != "" {
			onlyWhatTheWholeShows(t, l, differs, "what tells it from "+l.recording.Base)
		}
	})
}

// What a part may show beyond the whole: consequences, where their cause is not recorded, and warnings that name
// several causes, of which only the whole shows one; the base of portproxy-dns-udp, which is broken itself; what two
// faults say in the same words; and that two settings do not fit each other, where only the whole shows which is wrong.
var seenInParts = map[string][]string{
	"": {"cluster-dns-unreachable", "dns-pqdn-with-dots", "icmp-external-not-snated", "node-cannot-use-cluster-ip",
		"kubeproxy-network-name-unset-or-missing", "cni-network-not-found", "proxy-env-not-seen-by-runtime"},
	"antrea-apiserver-override-missing": {"podcidr-not-assigned"},
	"excluded-ports-over-nodeports-2":   {"lb-port-exhaustion"},
	"portproxy-dns-udp":                 {"wincat-not-found"},
	"kubelet-cluster-dns-wrong":         {"outboundnat-exception-missing"},
}

func onlyWhatTheWholeShows(t *testing.T, l loaded, files fstest.MapFS, which string) {
	t.Helper()
	if meta, err := fs.ReadFile(l.recording.FS(), "meta.json"); err == nil {
		files["meta.json"] = &fstest.MapFile{Data: meta}
	}
	s, err := evidence.Load(files)
	if err != nil {
		t.Fatal(err)
	}
	s, _ = signs.Record(s, catalogueSigns())
	whole, report := convicted(l.report), diagnose(s)
	oneCauseALine(t, report)
	for _, id := range convicted(report) {
		if !slices.Contains(slices.Concat(whole, seenInParts[""], seenInParts[l.recording.Name]), id) {
			t.Errorf("%s convicts of %s, and the whole does not", which, id)
		}
	}
}

// convicted are the checks that find a fault or a warning.
func convicted(r checks.Report) (ids []string) {
	for _, result := range r.Results {
		if len(subjects(r, result.ID)) > 0 {
			ids = append(ids, result.ID)
		}
	}
	return ids
}

// TestALineConvictsOfOneCause: no two first causes of a recording quote the same line of a log or the same event.
func TestALineConvictsOfOneCause(t *testing.T) {
	overEveryRecording(t, func(t *testing.T, name string) { oneCauseALine(t, load(t, name).report) })
}

func oneCauseALine(t *testing.T, report checks.Report) {
	t.Helper()
	told := map[evidence.Place]string{}
	for _, cause := range report.Causes {
		for _, f := range report.Result(cause.ID).Findings {
			for _, b := range f.Because {
				if !isSaid(b.Path) {
					continue
				}
				if other := told[b.Place()]; other != "" && other != cause.ID {
					t.Errorf("%s and %s quote one line: %s", other, cause.ID, b.Text)
				}
				told[b.Place()] = cause.ID
			}
		}
	}
}

// isSaid tells the files whose texts convict.
func isSaid(path string) bool {
	return strings.HasPrefix(path, "logs/") || path == evidence.PodEvents.Path() || path == evidence.WindowsEvents.Path()
}
