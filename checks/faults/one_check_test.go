package faults_test

import (
	"fmt"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/faults"
	"doctor/checks/signs"
	"doctor/fixtures"
)

// A look is one check over a tree too short to be a recording, and the verdict
// in the words of the report: "pass", "unknown", "warn: the message [state]".
type look struct {
	name string
	tree string
	want string
}

const shortMeta = "-- meta.json --\n{\"layout\":\"evidence/v1\",\"node\":\"win-1\",\"collectedAt\":\"2026-11-20T10:00:00Z\"}\n"

// lookAt is what one check finds in a short tree.
func lookAt(t *testing.T, id, tree string) checks.Result {
	t.Helper()
	s, err := evidence.Load(fixtures.Tree(txtar.Parse([]byte(shortMeta + tree))))
	if err != nil {
		t.Fatal(err)
	}
	s, _ = signs.Record(s, faults.Catalogue().Only(id).Signs())
	return checks.Diagnose(s, faults.Catalogue().Only(id), checks.Source{}, checks.Program{}).Results[0]
}

func runLooks(t *testing.T, id string, looks []look) {
	t.Helper()
	if faults.Catalogue().ByID(id) == nil {
		t.Fatalf("there is no check %s", id)
	}
	for _, l := range looks {
		t.Run(l.name, func(t *testing.T) {
			r := lookAt(t, id, l.tree)
			got := []string{string(r.Status)}
			if len(r.Findings) > 0 {
				got = nil
			}
			for _, f := range r.Findings {
				got = append(got, fmt.Sprintf("%s: %s [%s]", f.Level, f.Message, f.Basis))
			}
			if have := strings.Join(got, "\n"); have != l.want {
				t.Errorf("the verdict is\n%s\nand should be\n%s\n(%s%s)", have, l.want, r.Gap,
					r.Reason)
			}
		})
	}
}

// noEvents are the events of a node that has none.
const noEvents = "-- api/events.json --\n{\"items\":[]}\n"

// nodeOf is a Node object with that kubelet and runtime.
func nodeOf(kubelet, runtime string) string {
	return fmt.Sprintf(
		"-- api/node.json --\n{\"metadata\":{\"name\":\"win-1\"},\"status\":{\"nodeInfo\":{\"kubeletVersion\":%q,\"containerRuntimeVersion\":%q,\"kernelVersion\":\"10.0.20348.2700\"}}}\n", kubelet, runtime)
}

// causesOf are the causes that the checks of these ids find in a tree.
func causesOf(t *testing.T, tree string, ids ...string) []checks.Cause {
	t.Helper()
	s, err := evidence.Load(fixtures.Tree(txtar.Parse([]byte(shortMeta + tree))))
	if err != nil {
		t.Fatal(err)
	}
	s, _ = signs.Record(s, faults.Catalogue().Only(ids...).Signs())
	return checks.Diagnose(s, faults.Catalogue().Only(ids...), checks.Source{}, checks.Program{}).Causes
}
