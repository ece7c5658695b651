package faults_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/pelletier/go-toml/v2"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/faults"
	"doctor/checks/signs"
)

// A normalLog is what a healthy node wrote: a start, a restart, an upgrade or a shutdown. Each has
// errors in it that pass by themselves.
type normalLog struct {
	Source       string // where the lines are from
	Component    string // who wrote them
	About        string // what happens
	HealthyAfter string `toml:"healthy_after"` // how one knows that all was well
}

// normalNode is the evidence of a node of which nothing is known but one log, recorded at its end.
func normalNode(t *testing.T, component, text string) evidence.Snapshot {
	t.Helper()
	return normalNodeWith(t, component, text, nil)
}

// normalNodeWith is normalNode of which more files are known.
func normalNodeWith(t *testing.T, component, text string, more map[string]string) evidence.Snapshot {
	t.Helper()
	end := time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC)
	for line := range strings.Lines(text) {
		if at := evidence.LineTime(line, end); !at.IsZero() {
			end = at
		}
	}
	meta, err := json.Marshal(map[string]any{"layout": evidence.Layout, "collectedAt": end.Add(time.Second)})
	if err != nil {
		t.Fatal(err)
	}
	tree := fstest.MapFS{"meta.json": {Data: meta}}
	if component == "event-log" {
		var events []evidence.WindowsEvent
		for line := range strings.Lines(text) {
			if line = strings.TrimSpace(line); line != "" {
				events = append(events, evidence.WindowsEvent{Log: "System", Message: line,
					Time: evidence.Time{Time: end}})
			}
		}
		list, err := json.Marshal(events)
		if err != nil {
			t.Fatal(err)
		}
		tree[evidence.WindowsEvents.Path()] = &fstest.MapFile{Data: list}
	} else {
		tree["logs/"+component+"/"+component+".log"] = &fstest.MapFile{Data: []byte(text)}
	}
	for path, content := range more {
		tree[path] = &fstest.MapFile{Data: []byte(content)}
	}
	s, err := evidence.Load(tree)
	if err != nil {
		t.Fatal(err)
	}
	s, unsearched := signs.Record(s, faults.Catalogue().Signs())
	if len(unsearched) > 0 {
		t.Fatal(unsearched)
	}
	return s
}

// TestNormalLogsShowNoFault: a text by which a fault is known must not stand in the log of a
// node that is well. The logs are from public threads and documentation, or made of the sources'
// own formats; the file beside each says which. A check that passes
// must name the component as one whose log shows its fault; those of versions read the kubelet's
// own, which it logs.
func TestNormalLogsShowNoFault(t *testing.T) {
	files, err := filepath.Glob("../../fixtures/normal/*.log")
	if err != nil || len(files) < 60 {
		t.Fatalf("%d normal logs, %v: at least 60 are needed", len(files), err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(file, ".log")
		t.Run(filepath.Base(name), func(t *testing.T) {
			t.Parallel()
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			about, err := os.ReadFile(name + ".toml")
			if err != nil {
				t.Fatal(err)
			}
			var log normalLog
			if err := toml.Unmarshal(about, &log); err != nil {
				t.Fatal(err)
			}
			if log.Source == "" || log.Component == "" || log.About == "" || log.HealthyAfter == "" {
				t.Errorf("%s.toml does not say all of source, component, about and healthy_after", name)
			}
			r := diagnose(normalNode(t, log.Component, string(text)))
			for _, result := range r.Results {
				if result.Status == checks.StatusPass && result.Category != checks.CategoryVersions &&
					!namesLog(result.ID, log.Component) {
					t.Errorf("%s passes, and a log of %s is all that is there", result.ID, log.Component)
				}
				if result.Status != checks.StatusFail && result.Status != checks.StatusWarn {
					continue
				}
				for _, f := range result.Findings {
					t.Errorf("%s: %s: %s\n\t%s", result.ID, f.Level, f.Message, f.Because[0].Text)
				}
			}
		})
	}
}

// namesLog tells whether the check needs the log of the component, by any of its names.
func namesLog(id, component string) bool {
	found := false
	for _, n := range faults.Catalogue().ByID(id).Needs {
		evidence.Each(n, func(n evidence.Need) {
			log, isLog := n.(evidence.Logs)
			found = found || isLog && evidence.SameLog(string(log), component) ||
				component == "event-log" && slices.Contains(n.Paths(), evidence.WindowsEvents.Path())
		})
	}
	return found
}

// TestNoCheckPassesByAnUnrelatedText: what is not in the log of another program, in a part of a log
// or in one from before the last boot proves nothing.
func TestNoCheckPassesByAnUnrelatedText(t *testing.T) {
	const (
		lorem  = "I1120 09:00:00.000000    4 main.go:1] Lorem ipsum dolor sit amet\n"
		later  = "I1120 09:40:00.000000    4 main.go:9] consectetur adipiscing elit\n"
		start  = "I1120 09:00:00.000000    4 server.go:489] \"Kubelet version\" kubeletVersion=\"v1.30.14\"\n"
		sync   = "I1120 09:00:00.000000    4 kubelet.go:2442] \"SyncLoop ADD\" source=\"api\"\n"
		soon   = "I1120 09:01:00.000000    4 kubelet.go:2442] \"SyncLoop ADD\" source=\"api\"\n"
		longer = "I1120 09:30:00.000000    4 kubelet.go:2442] \"SyncLoop ADD\" source=\"api\"\n"
	)
	for _, row := range []struct {
		name, component, text string
		more                  map[string]string
		passes                bool
	}{
		{"text of an unknown program", "other", lorem + later, nil, false},
		{"a kubelet in the log of an unknown program", "other", start + longer, nil, false},
		{"text of an unknown program in the kubelet's folder", "kubelet", lorem + later, nil, false},
		{"one in containerd's", "containerd", lorem + later, nil, false},
		{"one in kube-proxy's", "kube-proxy", lorem + later, nil, false},
		{"one in flanneld's", "flanneld", lorem + later, nil, false},
		{"one in a pod's", "pods", lorem + later, nil, false},
		{"a minute of a kubelet", "kubelet", sync + soon, nil, false},
		{"an excerpt of a start", "kubelet", start + longer, map[string]string{
			"logs.json": `{"logs":[{"path":"logs/kubelet/kubelet.log","excerpt":true}]}`}, false},
		{"a start before the last boot", "kubelet", start + sync, map[string]string{
			"os.json": `{"bootedAt":"2026-11-20T09:55:00Z"}`}, false},
		{"a kubelet from its start on", "kubelet", start, nil, true},
		{"half an hour of a kubelet", "kubelet", sync + longer, nil, true},
		{"some lines of an event log", "event-log", "The service entered the running state.",
			map[string]string{"logs.json": `{"logs":[{"path":"events.json","excerpt":true}]}`}, false},
		{"events of one described object", "other", lorem, map[string]string{
			"api/events.json": `{"items":[]}`,
			"logs.json":       `{"logs":[{"path":"api/events.json","excerpt":true}]}`}, false},
		{"a list of events without one of a component", "event-log", "The service entered the running state.", nil, false},
	} {
		t.Run(row.name, func(t *testing.T) {
			s := normalNodeWith(t, row.component, row.text, row.more)
			var passes []string
			for _, result := range diagnose(s).Results {
				if result.Status == checks.StatusPass && result.Category != checks.CategoryVersions {
					passes = append(passes, result.ID)
				}
			}
			if (len(passes) > 0) != row.passes {
				t.Errorf("%d checks pass: %v", len(passes), passes)
			}
		})
	}
}
