package tui

import (
	"fmt"
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/fleet"
)

// sampleFleet is a finished fleet of 20 nodes: six miss a file, one of them is lost too.
func sampleFleet() FleetState {
	var nodes []fleet.Judged
	for i := range 20 {
		r := checks.Report{Summary: checks.Summary{}, Node: checks.NodeFacts{
			Name: fmt.Sprintf("win-%02d", i), Build: "10.0.20348.2966"}}
		add := func(id, title string) {
			r.Summary[checks.StatusFail]++
			r.Causes = append(r.Causes, checks.Cause{ID: id, Title: title})
			r.Results = append(r.Results, checks.Result{ID: id, Title: title,
				Status: checks.StatusFail, Findings: []checks.ReportFinding{{Message: "\x1b[31mfound " + id}},
				Fix: checks.Steps(checks.Run("Restart-Service flanneld", "Restart it."))})
		}
		if i < 6 {
			r.Node.Build = "10.0.20348.1"
			add("file-missing", "File is missing")
		}
		if i == 3 {
			add("node-lost", "Node is lost")
		}
		nodes = append(nodes, fleet.Judge(r.Node.Name, r, evidence.Snapshot{}))
	}
	for i := range nodes { // what a Node object says is in no snapshot here
		nodes[i].Unread, nodes[i].Ready = "", "True"
		nodes[i].Verdict = fleet.Healthy
		if len(nodes[i].Causes) > 0 {
			nodes[i].Verdict = fleet.Faulty
		}
	}
	r := fleet.Group(nodes)
	r.Source.Name = "cluster.example"
	return FleetState{Report: r, Judged: 20, Of: 20, Finished: true}
}

func fleetOn(w, h int, s FleetState) host {
	m := fleetModel{save: func() tea.Msg { return fleetSaved{said: "saved"} }}
	on := newHost(m, Options{Width: w, Height: h})
	on.base = m.taken(on.env(), s)
	return on.settled()
}

// fleetOf is the fleet that a host shows.
func fleetOf(h host) fleetModel { return h.base.(fleetModel) }

func seenOn(h host) string {
	var b strings.Builder
	for _, l := range h.draw() {
		b.WriteString(strings.TrimRight(l.String(), " ") + "\n")
	}
	return b.String()
}

func hostAfter(t *testing.T, h host, names ...string) (host, effect) {
	t.Helper()
	var do effect
	for _, n := range names {
		h, do = h.update(keyMsg(n))
	}
	return h, do
}

func fleetTold(h host, s FleetState) host {
	h, _ = h.update(answer{msg: s})
	return h
}

func TestTheFleetFillsItsScreenAndNoMore(t *testing.T) {
	reading := FleetState{What: "pods", Done: 500, Left: 1500}
	for _, size := range [][2]int{{80, 24}, {120, 40}, {40, 15}, {200, 60}, {30, 8}, {20, 5}} {
		for name, m := range map[string]host{
			"causes":  fleetOn(size[0], size[1], sampleFleet()),
			"reading": fleetOn(size[0], size[1], reading),
		} {
			for _, keys := range [][]string{nil, {"enter"}, {"tab", "down"}, {"?"}, {"/", "w"}} {
				shown, _ := hostAfter(t, m, keys...)
				lines := shown.draw()
				if len(lines) != size[1] {
					t.Errorf("%s at %v: %d lines", name, size, len(lines))
				}
				for _, l := range lines {
					if l.width() > size[0] || strings.Contains(l.String(), "\x1b") {
						t.Errorf("%s at %v after %v: %q", name, size, keys, l)
					}
				}
			}
		}
	}
}

func TestTheCausesOfAFleetLeadToTheirNodes(t *testing.T) {
	m := fleetOn(120, 40, sampleFleet())
	text := seenOn(m)
	for _, want := range []string{"20 Windows nodes · cluster.example", "✗ 6 with a fault",
		"› ✗  6 File is missing", "✗  1 Node is lost",
		"build 10.0.20348.1", "Restart-Service flanneld"} {
		if want == "build 10.0.20348.1" {
			want = "10.0.20348.1: 6 of 6 with the cause, 0 of 14"
		}
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
	m, _ = hostAfter(t, m, "enter")
	if text = seenOn(m); !strings.Contains(text, "nodes with file-missing") ||
		strings.Contains(text, "win-06") || !strings.Contains(text, "win-05") {
		t.Errorf("the nodes of the cause are\n%s", text)
	}
	m, do := hostAfter(t, m, "down", "enter")
	if leave := fleetOf(m).leave; !do.quit || leave.Open != fleetOf(m).at || leave.Open == "" || leave.Evidence {
		t.Errorf("enter on a node does %v with %+v", do, fleetOf(m).leave)
	}
	m, _ = hostAfter(t, m, "esc")
	if fleetOf(m).nodes || fleetOf(m).at != "file-missing" {
		t.Errorf("back leads to %q", fleetOf(m).at)
	}
	if m, do = hostAfter(t, m, "e"); !do.quit || fleetOf(m).leave.Open != "win-00" || !fleetOf(m).leave.Evidence {
		t.Errorf("e on a cause does %v with %+v", do, fleetOf(m).leave)
	}
}

func TestTheFilterOfAFleet(t *testing.T) {
	for _, c := range []struct {
		name string
		keys []string
		want int
	}{
		{"names narrow nodes", []string{"tab", "/", "w", "i", "n", "-", "1"}, 10},
		{"an inverted filter leaves the others", []string{"tab", "/", "!", "-", "m", "i", "s"}, 14},
		{"a node's name finds its causes", []string{"/", "w", "i", "n", "-", "0", "3"}, 2},
		{"what nothing has leaves nothing", []string{"/", "x", "x"}, 0},
		{"escape brings all back", []string{"/", "x", "x", "esc"}, 2},
		{"text that a trait holds", []string{"tab", "/", "2", "9", "6", "6"}, 14},
	} {
		t.Run(c.name, func(t *testing.T) {
			m, _ := hostAfter(t, fleetOn(80, 24, sampleFleet()), c.keys...)
			if got := len(fleetOf(m).rows()); got != c.want {
				t.Errorf("%d rows, not %d:\n%s", got, c.want, seenOn(m))
			}
		})
	}
}

func TestAFleetThatIsRead(t *testing.T) {
	m := fleetOn(80, 24, FleetState{What: "pods", Done: 500, Left: 1500})
	if text := seenOn(m); !strings.Contains(text, "[#####---------------] reading pods: 500 of 2000") {
		t.Errorf("the progress is\n%s", text)
	}
	if m, do := hostAfter(t, m, "b"); do.task != nil || m.status == "" {
		t.Errorf("b saves what is not there: %v %q", do, m.status)
	}
	half := sampleFleet()
	half.Finished, half.Judged = false, 10
	m = fleetTold(m, half)
	if text := seenOn(m); !strings.Contains(text, "[##########----------] 10 of 20 nodes diagnosed") {
		t.Errorf("the progress is\n%s", text)
	}
	m, _ = hostAfter(t, m, "down")
	at := fleetOf(m).at
	more := sampleFleet()
	more.Report.Causes = append([]fleet.Cause{{ID: "new", Title: "New", Count: 9}},
		more.Report.Causes...)
	if m = fleetTold(m, more); fleetOf(m).at != at {
		t.Errorf("the cursor went from %s to %s", at, fleetOf(m).at)
	}
	if m, do := hostAfter(t, m, "b"); do.task == nil || !fleetOf(m).saving {
		t.Errorf("b does %v", do)
	}
}

func TestAFleetThatCannotBeRead(t *testing.T) {
	m := fleetOn(80, 24, FleetState{Finished: true, Err: fmt.Errorf("may not list nodes")})
	if text := seenOn(m); !strings.Contains(text, "may not list nodes") {
		t.Errorf("the reason is not in\n%s", text)
	}
	if _, do := hostAfter(t, m, "q"); !do.quit {
		t.Error("q stays")
	}
	if _, do := m.update(tea.KeyMsg{Type: tea.KeyCtrlC}); !do.quit {
		t.Error("Ctrl-C stays")
	}
}
