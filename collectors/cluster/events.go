package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	"doctor/checks/evidence"
	"doctor/collectors"
)

// maxEvents is how many warnings of the whole cluster are looked through: events
// cannot be selected by the node that they happened on.
const maxEvents = 500

// readEvents reads what happened to the node and, of its pods, the warnings; also why those who have
// pods on it could not create more, and why HostProcess pods were refused, which only Windows has.
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
	if isForbidden(err) {
		return readEventsOfPods(ctx, t, r, s, err)
	}
	if err != nil {
		return nil, err
	}
	warnings, err := t.Client.list(ctx, "/api/v1/events",
		url.Values{"fieldSelector": {"involvedObject.kind=Pod,type=Warning"},
			"limit": {fmt.Sprint(maxEvents)}}, "events")
	if err != nil {
		return nil, err
	}
	uncreated, err := t.Client.list(ctx, "/api/v1/events",
		url.Values{"fieldSelector": {"reason=FailedCreate"}, "limit": {fmt.Sprint(maxEvents)}}, "events")
	if err != nil {
		return nil, err
	}
	pods := evidence.Pods.In(s)
	here := concerned(pods)
	if worst, ok := worstPod(pods); ok && warnings.next != "" {
		of, err := t.Client.list(ctx, "/api/v1/namespaces/"+worst.Metadata.Namespace+"/events",
			url.Values{"fieldSelector": {"involvedObject.name=" + worst.Metadata.Name}}, "events")
		if err != nil {
			return nil, err
		}
		if err := l.take(of, here); err != nil {
			return nil, err
		}
		delete(here, "Pod "+worst.FullName())
	}
	return l, errors.Join(l.take(warnings, here), l.take(uncreated, here))
}

// concerned are the pods and their owners, as KIND NAMESPACE/NAME.
func concerned(pods []evidence.Pod) map[string]bool {
	here := map[string]bool{}
	for _, p := range pods {
		here["Pod "+p.FullName()] = true
		for _, owner := range p.Metadata.OwnerReferences {
			here[owner.Kind+" "+p.Metadata.Namespace+"/"+owner.Name] = true
		}
	}
	return here
}

// readEventsOfPods reads the warnings of the namespaces of the pods, for an account that may not list
// those of all. The node's own are in the namespace default.
func readEventsOfPods(ctx context.Context, t Target, r *collectors.Record, s evidence.Snapshot,
	refused error) (any, error) {
	here, in := concerned(evidence.Pods.In(s)), map[string]bool{"default": true}
	for _, p := range evidence.Pods.In(s) {
		in[p.Metadata.Namespace] = true
	}
	events, namespaces := t.Client.listWhereAllowed(ctx, slices.Sorted(maps.Keys(in)), "events",
		url.Values{"limit": {fmt.Sprint(maxEvents)}})
	if len(namespaces) == 0 {
		return nil, refused
	}
	here["Node default/"+t.Node], here["Node /"+t.Node] = true, true
	r.Gap(evidence.RestOf(evidence.PodEvents.Path()),
		collectors.GapError(evidence.SomeNamespaces.Gap("events", strings.Join(namespaces, ", "))))
	l := &list{}
	return l, l.take(events, here)
}

// take adds the events of what is concerned.
func (l *list) take(events *list, concerned map[string]bool) error {
	var items []json.RawMessage
	if err := json.Unmarshal(fmt.Appendf(nil, "[%s]", events.items.Bytes()), &items); err != nil {
		return err
	}
	for _, item := range items {
		var e struct {
			Message        string
			InvolvedObject struct{ Kind, Namespace, Name string }
		}
		if err := json.Unmarshal(item, &e); err != nil {
			return err
		}
		of := e.InvolvedObject
		// OpenShift, a webhook or a policy refuses the pods of a DaemonSet, which then has none here
		refused := of.Kind == "DaemonSet" && slices.ContainsFunc([]string{"any security context constraint",
			"webhook \"", "ValidatingAdmissionPolicy"}, func(by string) bool { return strings.Contains(e.Message, by) })
		if refused || concerned[of.Kind+" "+of.Namespace+"/"+of.Name] || strings.Contains(e.Message, "hostProcess") {
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
