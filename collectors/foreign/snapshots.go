package foreign

import (
	"cmp"
	"fmt"
	"io/fs"
	"strings"
	"time"

	"doctor/checks/evidence"
	"doctor/checks/sorted"
	"doctor/collectors/tree"
)

// maxSnapshots is how many recordings of one node are compared.
const maxSnapshots = 64

// A dated recording is one of several of the same node.
type datedRecording struct {
	node     Node
	tree     fs.FS
	snapshot evidence.Snapshot
}

// Latest takes several recordings of one node for what they mostly are, the same node before and
// after something: it returns the evidence of the last, with the events of the others and what
// changed in between as earlier.json. false means that they are no such series: of several nodes,
// without times, or with two that may be the last.
func Latest(fsys fs.FS, nodes []Node) (latest Node, found fs.FS, ok bool) {
	if len(nodes) < 2 || len(nodes) > maxSnapshots {
		return Node{}, nil, false
	}
	var list []datedRecording
	for _, n := range nodes {
		if n.Name == evidence.UnknownNode || !strings.EqualFold(n.Name, nodes[0].Name) {
			return Node{}, nil, false
		}
		t, err := n.Evidence(fsys)
		if err != nil {
			return Node{}, nil, false
		}
		s, err := evidence.Load(t)
		if err != nil || s.Now().IsZero() {
			return Node{}, nil, false
		}
		list = append(list, datedRecording{n, t, s})
	}
	whole := func(r datedRecording) int { // a recording that holds the others as its history
		if r.node.Root == "." {
			return 1
		}
		return 0
	}
	sorted.By(list, func(a, b datedRecording) int {
		return cmp.Or(a.snapshot.Now().Compare(b.snapshot.Now()), whole(a)-whole(b),
			strings.Compare(a.node.Root, b.node.Root))
	})
	last := list[len(list)-1]
	if before := list[len(list)-2]; last.snapshot.Now().Equal(before.snapshot.Now()) && whole(last) == 0 {
		return Node{}, nil, false
	}
	out := &output{tree.New()}
	if err := out.addTree(last.tree); err != nil {
		return Node{}, nil, false
	}
	out.JSON(evidence.EarlierEvents.Path(), earlierEvents(list))
	return last.node, out.FS(), true
}

// addTree lists all files of another tree.
func (o *output) addTree(from fs.FS) error {
	return fs.WalkDir(from, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		o.link(name, from, name, info)
		return nil
	})
}

// earlierEvents are the events of all recordings but the last that the last does not have, and for
// each what is different in the one after it.
func earlierEvents(list []datedRecording) []evidence.WindowsEvent {
	type key struct {
		at      time.Time
		id      int
		message string
	}
	keyOf := func(e evidence.WindowsEvent) key { return key{e.Time.Time, e.ID, e.Message} }
	have := map[key]bool{}
	for _, e := range evidence.WindowsEvents.In(list[len(list)-1].snapshot) {
		have[keyOf(e)] = true
	}
	events := []evidence.WindowsEvent{}
	for i, r := range list[:len(list)-1] {
		for _, e := range evidence.WindowsEvents.In(r.snapshot) {
			if !have[keyOf(e)] && len(events) < maxExcerpt {
				have[keyOf(e)] = true
				events = append(events, e)
			}
		}
		events = append(events, evidence.WindowsEvent{Time: evidence.Time{Time: r.snapshot.Now()},
			Provider: "doctor", Level: "information",
			Message: "recorded before, in " + evidence.Clean(r.node.Root)})
		for _, change := range changed(r.snapshot, list[i+1].snapshot) {
			events = append(events, evidence.WindowsEvent{Provider: "doctor", Level: "information",
				Time: evidence.Time{Time: list[i+1].snapshot.Now()}, Message: change})
		}
	}
	return events
}

// changed lists what is different in a later recording, of what both know.
func changed(before, after evidence.Snapshot) (list []string) {
	say := func(format string, args ...any) {
		if len(list) < maxFields {
			list = append(list, evidence.Clean(fmt.Sprintf(format, args...)))
		}
	}
	if a, b := evidence.OSInfo.In(before), evidence.OSInfo.In(after); !a.BootedAt.IsZero() &&
		b.BootedAt.After(before.Now()) {
		say("Windows has booted since the recording before")
	}
	if evidence.Services.Known(before) && evidence.Services.Known(after) {
		states := map[string]string{}
		for _, s := range evidence.Services.In(before) {
			states[strings.ToLower(s.Name)] = s.State
		}
		for _, s := range evidence.Services.In(after) {
			if was := states[strings.ToLower(s.Name)]; was != "" && was != s.State {
				say("service %s is %s now, and was %s in the recording before", s.Name, s.State, was)
			}
		}
	}
	if evidence.HNSNetworks.Known(before) && evidence.HNSNetworks.Known(after) {
		was, is := networkSet(before), networkSet(after)
		for _, name := range sortedKeys(was) {
			if is[name] == "" {
				say("HNS network %s is gone since the recording before", name)
			}
		}
		for _, name := range sortedKeys(is) {
			if was[name] == "" {
				say("HNS network %s is new since the recording before", name)
			}
		}
	}
	if evidence.HNSLoadBalancers.Known(before) && evidence.HNSLoadBalancers.Known(after) {
		a, b := len(evidence.HNSLoadBalancers.In(before)), len(evidence.HNSLoadBalancers.In(after))
		if a != b {
			say("HNS has %d load balancers, and had %d in the recording before", b, a)
		}
	}
	if a, ok := evidence.Node.In(before).Condition("Ready"); ok {
		if b, ok := evidence.Node.In(after).Condition("Ready"); ok && a.Status != b.Status {
			say("Ready of the Node is %s now, and was %s in the recording before", b.Status,
				a.Status)
		}
	}
	return list
}

func networkSet(s evidence.Snapshot) map[string]string {
	names := map[string]string{}
	for _, n := range evidence.HNSNetworks.In(s) {
		names[n.Name] = n.Name
	}
	return names
}
