package faults

import (
	"cmp"
	"slices"
	"strings"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

// A complaint is why a pod does not run, in the words of the runtime: where
// pods are recorded, they tell whether a text in the logs is of today.
type complaint struct {
	pod   evidence.Pod
	says  string       // of the sign that the words fit
	level checks.Level // of that sign
	fix   checks.Fix   // of that sign, where it has one
	from  evidence.Because
}

// A runtimeText is a text of the runtime, and how a finding quotes it.
type runtimeText struct {
	text string
	from evidence.Because
}

// The evidence that complaints reads.
var (
	complaintNeeds = []evidence.Need{evidence.Pods}
	complaintUses  = []evidence.Need{evidence.PodEvents}
)

// complaints lists the pods that do not run and say why in the words of one of
// the signs, each pod once. Where in the logs a sign would look is of no
// account here.
func complaints(s evidence.Snapshot, signs []checks.Sign) []complaint {
	events := recentFailures(s)
	var found []complaint
	for _, p := range evidence.Pods.In(s) {
		if !node.PodDown(p) {
			continue
		}
		var texts []runtimeText
		for i, st := range p.Statuses() {
			if node.ContainerDown(st) {
				for _, m := range stateMessages(p, i) {
					text := folded(m.text)
					texts = append(texts,
						runtimeText{text, m.at.Because("%s: %s", p.FullName(), text)})
				}
			}
		}
		texts = append(texts, events[p.FullName()]...)
		for _, t := range texts {
			if sign, ok := fits(signs, t.text); ok {
				found = append(found, complaint{p, sign.Says,
					cmp.Or(sign.Level, checks.Fail), sign.Fix, t.from})
				break
			}
		}
	}
	return found
}

// complain is the Run of checks that only the words of the runtime can tell.
//
//go:noinline
func complain(signs []checks.Sign) func(evidence.Snapshot) ([]*checks.Finding, error) {
	return func(s evidence.Snapshot) ([]*checks.Finding, error) {
		var findings []*checks.Finding
		for _, c := range complaints(s, signs) {
			f := checks.Findingf(c.level, c.pod.FullName(), "%s is not running: %s",
				c.pod.FullName(), c.says).With(c.from)
			if len(c.fix.Steps) > 0 {
				f = f.Cure(c.fix.Clone())
			}
			findings = append(findings, f)
		}
		return findings, nil
	}
}

// fits returns the sign that the text has.
func fits(signs []checks.Sign, text string) (checks.Sign, bool) {
	for _, sign := range signs {
		if !sign.ConfirmOnly && slices.ContainsFunc(append([]string{sign.Text}, sign.Or...),
			func(want string) bool {
				return evidence.Sign{Text: want, Also: sign.Also, Not: sign.Not}.Fits("", text)
			}) {
			return sign, true
		}
	}
	return checks.Sign{}, false
}

// recentFailures lists the failures among the events of each pod that may speak
// of a pod that is down now, without the probes: a failed probe is no reason for not running.
func recentFailures(s evidence.Snapshot) map[string][]runtimeText {
	list := map[string][]runtimeText{}
	all := evidence.PodEvents.In(s)
	for _, e := range all {
		failure := strings.HasPrefix(e.Reason, "Failed") || slices.Contains(startFailures, e.Reason)
		if about := e.About(); failure && about.Kind == "Pod" && !attachedLater(all, e) &&
			(e.At().IsZero() || s.Now().Sub(e.At().Time) <= checks.LongAgo) {
			name := about.Namespace + "/" + about.Name
			text := e.Reason + ": " + folded(e.Text())
			list[name] = append(list[name],
				runtimeText{text, e.Field().Because("%s: %s", about.Name, text)})
		}
	}
	return list
}

// attachedLater tells whether the volume of an event FailedAttachVolume is attached since.
func attachedLater(all []evidence.Event, failed evidence.Event) bool {
	return failed.Reason == "FailedAttachVolume" &&
		slices.ContainsFunc(all, func(e evidence.Event) bool {
			return e.Reason == "SuccessfulAttachVolume" && e.About() == failed.About() &&
				e.At().After(failed.At().Time) && volumeName(e.Text()) == volumeName(failed.Text())
		})
}

// volumeName is the first name in quotation marks.
func volumeName(text string) string {
	_, rest, _ := strings.Cut(text, `"`)
	name, _, _ := strings.Cut(rest, `"`)
	return name
}

func folded(text string) string { return strings.Join(strings.Fields(text), " ") }

// podHasAddress tells whether a pod of this node has an address of its own.
func podHasAddress(s evidence.Snapshot) bool {
	return slices.ContainsFunc(evidence.Pods.In(s), func(p evidence.Pod) bool {
		return !p.Spec.HostNetwork && !p.HostProcess() && p.Status.PodIP != "" &&
			p.Status.PodIP != p.Status.HostIP
	})
}
