package checks

import (
	"slices"
	"strings"

	"doctor/checks/evidence"
)

// A complaint is why a pod does not run, in the words of the runtime: where
// pods are recorded, they tell whether a text in the logs is of today.
type complaint struct {
	pod  evidence.Pod
	says string // of the sign that the words fit
	from Because
}

// The evidence that complaints reads.
var (
	complaintNeeds = []evidence.Need{evidence.Pods}
	complaintUses  = []evidence.Need{evidence.PodEvents}
)

// complaints lists the pods that do not run and say why in the words of one of
// the signs, each pod once. Where in the logs a sign would look is of no
// account here.
func complaints(s evidence.Snapshot, signs []Sign) []complaint {
	events := recentFailures(s)
	var found []complaint
	for i, p := range evidence.Pods.In(s) {
		if !podDown(p) {
			continue
		}
		texts := []Because{}
		for _, st := range p.Statuses() {
			if containerDown(st) {
				for _, text := range []string{waitingMessage(st.State), waitingMessage(st.LastState)} {
					texts = append(texts, Because{Path: evidence.Pods.Path(), Line: i + 1, Text: p.FullName() + ": " + folded(text)})
				}
			}
		}
		texts = append(texts, events[p.FullName()]...)
		for _, b := range texts {
			if sign, ok := fits(signs, b.Text); ok {
				found = append(found, complaint{p, sign.Says, b})
				break
			}
		}
	}
	return found
}

// complain is the Run of checks that only the words of the runtime can tell.
func complain(signs []Sign) func(evidence.Snapshot) ([]Finding, error) {
	return func(s evidence.Snapshot) ([]Finding, error) {
		var findings []Finding
		for _, c := range complaints(s, signs) {
			findings = append(findings, Findingf(Fail, c.pod.FullName(), "%s does not run: %s", c.pod.FullName(), c.says).With(c.from))
		}
		return findings, nil
	}
}

// fits returns the sign that the text has.
func fits(signs []Sign, text string) (Sign, bool) {
	lower := strings.ToLower(text)
	holds := func(want string) bool { return strings.Contains(lower, strings.ToLower(want)) }
	for _, sign := range signs {
		if !sign.ConfirmOnly && (holds(sign.Text) || slices.ContainsFunc(sign.Or, holds)) && (evidence.Sign{Also: sign.Also, Not: sign.Not}).Fits("", text) {
			return sign, true
		}
	}
	return Sign{}, false
}

// podDown tells whether the pod ought to run and has a container that does not.
func podDown(p evidence.Pod) bool {
	if p.Status.Phase == "Succeeded" || p.Status.Phase == "Failed" || p.Metadata.DeletionTimestamp != nil {
		return false
	}
	return slices.ContainsFunc(p.Statuses(), containerDown) || p.Status.Phase == "Pending" && len(p.Statuses()) == 0 && p.Spec.NodeName != ""
}

// containerDown: an init container that ended well has done its work.
func containerDown(st evidence.ContainerStatus) bool {
	return st.State.Waiting != nil || st.State.Terminated != nil && st.State.Terminated.ExitCode != 0
}

// recentFailures lists the failures among the events of each pod that may speak
// of a pod that is down now, without the probes: a failed probe is no reason for not running.
func recentFailures(s evidence.Snapshot) map[string][]Because {
	list := map[string][]Because{}
	for i, e := range evidence.PodEvents.In(s) {
		failure := strings.HasPrefix(e.Reason, "Failed") || slices.Contains(startFailures, e.Reason)
		if about := e.About(); failure && about.Kind == "Pod" && (e.At().IsZero() || s.Now().Sub(e.At().Time) <= longAgo) {
			name := about.Namespace + "/" + about.Name
			list[name] = append(list[name], Because{Path: evidence.PodEvents.Path(), Line: i + 1, Text: about.Name + ": " + e.Reason + ": " + folded(e.Text())})
		}
	}
	return list
}

func folded(text string) string { return strings.Join(strings.Fields(text), " ") }

// podsAreIll tells whether something is wrong with the node's pods or with the
// node itself, so that a trace of a fault that takes their network away is more
// than a trace.
func podsAreIll(s evidence.Snapshot) bool {
	if ready, ok := evidence.Node.In(s).Condition("Ready"); ok && ready.Status != "True" {
		return true
	}
	return slices.ContainsFunc(evidence.Pods.In(s), func(p evidence.Pod) bool { return podDown(p) })
}

// podHasAddress tells whether a pod of this node has an address of its own.
func podHasAddress(s evidence.Snapshot) bool {
	return slices.ContainsFunc(evidence.Pods.In(s), func(p evidence.Pod) bool {
		return !p.Spec.HostNetwork && !p.HostProcess() && p.Status.PodIP != "" && p.Status.PodIP != p.Status.HostIP
	})
}

// ill tells whether something is plainly wrong with the node: it is not Ready,
// a pod is down, or one of its components does not run.
func (n *Node) ill(s evidence.Snapshot) bool {
	if podsAreIll(s) {
		return true
	}
	for _, c := range n.Components {
		if running, _ := c.Running(); !running && len(c.Services)+len(c.Pods) > 0 {
			return true
		}
	}
	return false
}
