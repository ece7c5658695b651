package faults_test

import (
	"cmp"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/pelletier/go-toml/v2"
	"golang.org/x/tools/txtar"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/faults"
	"doctor/checks/signs"
	"doctor/fixtures"
)

// A sourceText is an error as the source of a component formats it.
type sourceText struct {
	Says   string // the check that must name it as the first cause
	Log    string // the component in whose log it stands, "event-log" for an event of Windows
	Event  string // or the reason of the pod's event that quotes it
	Source string // repository, file and releases
	Lines  string
	Not    bool // the text alone must not make the check report a fault

	// Of an event of Windows: who wrote it, in which log, and its number.
	Provider string
	Channel  string
	ID       int
}

// TestTextsOfTheComponentsSources: a thread quotes what a release prints. The files in
// fixtures/texts have what the releases can print, each in the words of its source.
func TestTextsOfTheComponentsSources(t *testing.T) {
	files, err := filepath.Glob("../../fixtures/texts/*.toml")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			var list struct{ Text []sourceText }
			if err := toml.Unmarshal(data, &list); err != nil {
				t.Fatal(err)
			}
			if len(list.Text) == 0 {
				t.Error("it has no text")
			}
			for _, text := range list.Text {
				if text.Says == "" || text.Source == "" || text.Lines == "" || (text.Log == "") == (text.Event == "") {
					t.Errorf("a text needs says, source, lines, and one of log and event: %+v", text)
					continue
				}
				checkText(t, text)
			}
		})
	}
}

// nodeTelling is the evidence of a node of which nothing is known but the text.
func nodeTelling(t *testing.T, text sourceText) evidence.Snapshot {
	t.Helper()
	if text.Provider != "" {
		at := time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC)
		events, err := json.Marshal([]evidence.WindowsEvent{{Log: cmp.Or(text.Channel, "System"), Provider: text.Provider,
			ID: text.ID, Message: strings.TrimSpace(text.Lines), Level: "Error", Time: evidence.Time{Time: at}}})
		if err != nil {
			t.Fatal(err)
		}
		return normalNodeWith(t, "event-log", "", map[string]string{evidence.WindowsEvents.Path(): string(events)})
	}
	if text.Log != "" {
		return normalNode(t, text.Log, text.Lines)
	}
	s, err := evidence.Load(fixtures.Tree(txtar.Parse([]byte(shortMeta +
		podTelling("ContainerCreating", "", "") + eventTelling(text.Event, text.Lines, now)))))
	if err != nil {
		t.Fatal(err)
	}
	s, _ = signs.Record(s, faults.Catalogue().Signs())
	return s
}

func checkText(t *testing.T, text sourceText) {
	t.Helper()
	r := diagnose(nodeTelling(t, text))
	result := r.Result(text.Says)
	if result == nil {
		t.Errorf("there is no check %s", text.Says)
		return
	}
	if text.Not {
		if result.Status == checks.StatusFail || result.Status == checks.StatusWarn {
			t.Errorf("%s: a text that can be innocent is taken for a fault (%s):\n%s", text.Says, text.Source, text.Lines)
		}
		return
	}
	if len(r.Causes) == 0 || r.Causes[0].ID != text.Says {
		var causes []string
		for _, c := range r.Causes {
			causes = append(causes, c.ID)
		}
		t.Errorf("%s: the causes are %v (%s):\n%s", text.Says, causes, text.Source, text.Lines)
	}
}
