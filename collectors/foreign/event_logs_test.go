package foreign

import (
	"strconv"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/faults"
	"doctor/checks/signs"
	"doctor/collectors/tree"
	"doctor/fixtures/evtxfile"
)

func systemLog(events ...evtxfile.Event) []byte {
	for i := range events {
		events[i].Time = time.Date(2026, 11, 20, 9, 0, i, 0, time.UTC)
		events[i].Computer = "win-1.corp.example"
		if events[i].Channel == "" {
			events[i].Channel = "System"
		}
	}
	return evtxfile.File(events...)
}

var kubeletPaused = evtxfile.Event{Provider: "Service Control Manager", ID: 7036, Level: 4,
	Data: []string{"kubelet", "paused"}}

// TestAnEventLogAlone: the file that somebody exported from the event viewer names the node and the
// fault.
func TestAnEventLogAlone(t *testing.T) {
	m := fstest.MapFS{"System.evtx": {Data: systemLog(kubeletPaused,
		evtxfile.Event{Provider: "x", ID: 1, Channel: "Security", Data: []string{"an account"}})}}
	nodes, err := Search(&parcel{tree: m})
	if err != nil || len(nodes) != 1 || nodes[0].Name != "win-1" {
		t.Fatalf("found %+v: %v", nodes, err)
	}
	tree, err := nodes[0].Evidence(m)
	if err != nil {
		t.Fatal(err)
	}
	s, err := evidence.Load(tree)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"System 7036 information The kubelet service entered the paused state."}
	if diff := cmp.Diff(want, eventsSaid(s)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	s, _ = signs.Record(s, faults.Catalogue().Signs())
	r := checks.Diagnose(s, faults.Catalogue(), checks.Source{}, checks.Program{})
	if len(r.Causes) != 1 || r.Causes[0].ID != "kubelet-service-paused" {
		t.Errorf("the causes are %+v", r.Causes)
	}
}

func eventsSaid(s evidence.Snapshot) (said []string) {
	for _, e := range evidence.WindowsEvents.In(s) {
		said = append(said, e.Log+" "+strconv.Itoa(e.ID)+" "+e.Level+" "+e.Message)
	}
	return said
}

// TestEventLogsJoinWhatAToolExported: the text that the tool exported stays, and what only the
// event logs have is added.
func TestEventLogsJoinWhatAToolExported(t *testing.T) {
	out := &output{tree.New()}
	out.JSON("meta.json", evidence.Meta{Layout: evidence.Layout, Node: "win-1"})
	out.JSON(evidence.WindowsEvents.Path(), []evidence.WindowsEvent{{Log: "System", ID: 7036,
		Provider: "Service Control Manager", Level: "information", Message: "Der Dienst kubelet wurde angehalten.",
		Time: evidence.Time{Time: time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC)}}})
	out.addEventLogs(fstest.MapFS{
		"a/System.evtx": {Data: systemLog(kubeletPaused, evtxfile.Event{Provider: "EventLog", ID: 6005})},
		"a/broken.EVTX": {Data: []byte("ElfFile")},
	}, "a")
	s, err := evidence.Load(out.FS())
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"System 7036 information Der Dienst kubelet wurde angehalten.",
		"System 6005 information The Event log service was started."}
	if diff := cmp.Diff(want, eventsSaid(s)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if g := s.GapAt("event-logs-rest"); g.Kind != evidence.Error {
		t.Errorf("the broken file is not named: %+v", g)
	}
}
