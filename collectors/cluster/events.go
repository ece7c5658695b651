package cluster

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"

	"doctor/checks/evidence"
	"doctor/collectors"
)

// maxEvents is how many warnings of the whole cluster are looked through: events
// cannot be selected by the node that they happened on.
const maxEvents = 500

// readEvents reads what happened to the node and, of its pods, the warnings.
// Where the cluster warns of more than maxEvents things, the events of the pod
// that fares worst are read by its name.
func readEvents(ctx context.Context, t Target, r *collectors.Record) (any, error) {
	s, err := r.Snapshot()
	if err != nil {
		return nil, err
	}
	l, err := t.Client.list(ctx, "/api/v1/events",
		url.Values{"fieldSelector": {"involvedObject.kind=Node,involvedObject.name=" + t.Node}},
		"events")
	if err != nil {
		return nil, err
	}
	warnings, err := t.Client.list(ctx, "/api/v1/events",
		url.Values{"fieldSelector": {"involvedObject.kind=Pod,type=Warning"},
			"limit": {fmt.Sprint(maxEvents)}}, "events")
	if err != nil {
		return nil, err
	}
	here := map[string]bool{}
	pods := evidence.Pods.In(s)
	for _, p := range pods {
		here[p.FullName()] = true
	}
	if worst, ok := worstPod(pods); ok && warnings.next != "" {
		of, err := t.Client.list(ctx, "/api/v1/namespaces/"+worst.Metadata.Namespace+"/events",
			url.Values{"fieldSelector": {"involvedObject.name=" + worst.Metadata.Name}}, "events")
		if err != nil {
			return nil, err
		}
		if err := l.take(of, here); err != nil {
			return nil, err
		}
		delete(here, worst.FullName())
	}
	return l, l.take(warnings, here)
}

// take adds the events of these pods.
func (l *list) take(events *list, pods map[string]bool) error {
	content, err := events.MarshalJSON()
	if err != nil {
		return err
	}
	var all struct{ Items []json.RawMessage }
	if err := json.Unmarshal(content, &all); err != nil {
		return err
	}
	for _, item := range all.Items {
		var e struct {
			InvolvedObject struct{ Namespace, Name string }
		}
		if err := json.Unmarshal(item, &e); err != nil {
			return err
		}
		if pods[e.InvolvedObject.Namespace+"/"+e.InvolvedObject.Name] {
			if err := l.add(item); err != nil {
				return err
			}
		}
	}
	return nil
}

// worstPod is the pod with the most trouble: one that does not come up before
// one that keeps restarting.
func worstPod(pods []evidence.Pod) (evidence.Pod, bool) {
	trouble := func(p evidence.Pod) int {
		n := 0
		for _, c := range p.Statuses() {
			if w := c.State.Waiting; w != nil {
				n += 1000
				// what the node fails at, not a registry or the program itself
				if w.Reason == "ContainerCreating" {
					n += 1000
				}
			}
			n += min(c.RestartCount, 999)
		}
		if p.Status.Phase == "Pending" {
			n += 10_000
		}
		return n
	}
	if len(pods) == 0 {
		return evidence.Pod{}, false
	}
	worst := slices.MaxFunc(pods, func(a, b evidence.Pod) int { return trouble(a) - trouble(b) })
	return worst, trouble(worst) > 0
}
