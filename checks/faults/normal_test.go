package faults_test

import (
	"encoding/json"
	"os"
	"path/filepath"
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
// own formats; the file beside each says which.
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
