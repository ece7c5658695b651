package faults

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"doctor/checks"
	"doctor/checks/errcode"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

// A container counts as restarting after as many restarts, if the last one is as recent. A node
// that reboots for updates every month has pods with a dozen restarts in a year.
const (
	restartsWorry = 3
	restartRecent = time.Hour
	backOffReset  = 10 * time.Minute // of running, after which the kubelet forgets earlier ends
)

var _ = register(&checks.Check{
	ID:       "pods-restarting",
	Symptom:  true,
	Title:    "Containers keep restarting",
	Healthy:  "Containers do not restart repeatedly",
	Category: checks.CategoryWorkloads,
	FAQ:      []int{12},
	Doc: `A container that waits in CrashLoopBackOff, or that restarted several times and exited
recently, keeps restarting. This is a symptom: the cause may be the program itself, or a node
without enough memory, without a network, or without a file that a volume should contain. The error at
the end of the container's log, where it is recorded, and the last event of the pod are in the evidence.
It is a warning if the program of a pod that uses nothing of the host reported an error of its own at
its end, or if a program ended with exit code 0 and no event says that the kubelet stopped it: such a
program has done its work, or its command does not keep it running, as cmd.exe without a terminal.`,
	Fix: checks.Steps(
		checks.Inspect("kubectl logs POD -n NAMESPACE --previous",
			"Read the last lines of the container that ended, and its exit code."),
		checks.Do("Fix the error that the container reports, in its image or its pod."),
		checks.Verify("kubectl get pods -A --field-selector spec.nodeName={node}",
			"RESTARTS does not increase")),
	Links: []string{"https://kubernetes.io/docs/tasks/debug/debug-application/debug-pods/",
		"https://kubernetes.io/docs/tasks/debug/debug-cluster/windows/"},
	Shows:    []*checks.Effect{effectContainers},
	Needs:    []evidence.Need{evidence.Pods},
	Uses:     []evidence.Need{evidence.PodEvents, evidence.Logs("pods")},
	FromPart: []evidence.Need{evidence.Pods},
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		var findings []*checks.Finding
		for _, p := range evidence.Pods.In(s) {
			if p.Status.Phase == "Succeeded" || p.Status.Phase == "Failed" ||
				p.Metadata.DeletionTimestamp != nil {
				continue
			}
			for i, st := range p.Statuses() {
				why := restartReason(st, s.Now())
				if why.Format == "" || refusedStart(st) && stuckReason(p) != "" {
					continue // what never started, pods-stuck-creating reports
				}
				says, place := ownError(p, st, i)
				if says != "" {
					why = evidence.Phrasef("%s; the program reports: %s", why, says)
				}
				byItself := says == "" && endsByItself(s, p, st)
				if byItself {
					why = evidence.Phrasef("%s: the program ends by itself, and the node does not stop it", why)
				}
				f := checks.Findingf(cond(says != "" || byItself, checks.Warn, checks.Fail), p.FullName(),
					"container %s of %s keeps restarting: %s", st.Name, p.FullName(), why).
					At(p.StatusField(i, "restartCount"), "%s: container %s: restartCount %d",
						p.FullName(), st.Name, st.RestartCount)
				f = f.With(lastWords(s, p, st.Name)...)
				if says != "" {
					f = f.At(place, "%s", says)
				}
				if event, found, _ := lastEvent(s, p.Metadata.Namespace, p.Metadata.Name); found {
					f = f.At(event.Field(), "%s: %s", event.Reason, event.Text())
				}
				findings = append(findings, f)
			}
		}
		return findings, nil
	},
})

// lastWords is the last error at the end of the container's log.
func lastWords(s evidence.Snapshot, p evidence.Pod, container string) (words []evidence.Because) {
	for _, e := range s.ErrorLines() {
		if e.AtEnd && isLogOf(e.Path, p, container) {
			words = []evidence.Because{evidence.InLine(e.Path, e.LastLine).Because("%s", e.Text)}
		}
	}
	return words
}

// ownError is what the program of a container reported when it ended last. A pod that uses something
// of the host may report a fault of the node.
func ownError(p evidence.Pod, st evidence.ContainerStatus, i int) (string, evidence.Place) {
	if p.Spec.HostNetwork || p.HostProcess() || p.Metadata.Namespace == "kube-system" ||
		slices.ContainsFunc(p.Spec.Volumes, func(v evidence.Volume) bool { return v.HostPath != nil }) {
		return "", evidence.Place{}
	}
	ended, at := st.LastState.Terminated, "lastState"
	if ended == nil {
		ended, at = st.State.Terminated, "state"
	}
	if ended == nil {
		return "", evidence.Place{}
	}
	line, _, _ := strings.Cut(strings.TrimSpace(ended.Message), "\n")
	return evidence.Clean(line), p.StatusField(i, at).At("terminated", "message")
}

// endsByItself tells whether the program of a container ended without an error and without the node's
// doing: the kubelet reports what it stops, and events are kept for as long as a restart counts.
func endsByItself(s evidence.Snapshot, p evidence.Pod, st evidence.ContainerStatus) bool {
	ended := cmp.Or(st.LastState.Terminated, st.State.Terminated)
	return ended != nil && ended.ExitCode == 0 && ended.Reason == "Completed" && p.Metadata.Namespace != "kube-system" &&
		!p.HostProcess() && !node.IsAgent(p) && evidence.PodEvents.Known(s) &&
		!slices.ContainsFunc(evidence.PodEvents.In(s), func(e evidence.Event) bool {
			about := e.About()
			return about.Name == p.Metadata.Name && about.Namespace == p.Metadata.Namespace && about.OfContainer(st.Name) &&
				slices.Contains([]string{"Killing", "SandboxChanged", "Evicted"}, e.Reason)
		})
}

// restartReason is why a container counts as restarting, or "".
func restartReason(st evidence.ContainerStatus, now time.Time) evidence.Phrase {
	ended := st.LastState.Terminated
	if ended == nil {
		ended = st.State.Terminated
	}
	var exit evidence.Phrase
	if ended != nil {
		exit = evidence.Phrasef(", last exit code %d", ended.ExitCode)
		if known := errcode.Search(strconv.FormatInt(ended.ExitCode, 10)); len(known) > 0 &&
			(known[0].Kind == errcode.NTStatus || known[0].Kind == errcode.Exit) {
			exit = evidence.Phrasef(", last exit code %d (%s: %s)", ended.ExitCode,
				known[0].Symbol, evidence.Phrasef(known[0].Meaning))
		}
	}
	switch {
	case st.State.Waiting != nil && st.State.Waiting.Reason == "CrashLoopBackOff":
		return evidence.Phrasef("CrashLoopBackOff after %d restarts%s", st.RestartCount, exit)
	case st.Ready && st.State.Running != nil && now.Sub(st.State.Running.StartedAt.Time) > backOffReset &&
		ended != nil && !ended.StartedAt.IsZero() && ended.FinishedAt.Sub(ended.StartedAt.Time) < backOffReset:
		return evidence.Phrase{} // it ended soon after each start, and does not now
	case st.RestartCount >= restartsWorry && ended != nil && !ended.FinishedAt.IsZero() &&
		now.Sub(ended.FinishedAt.Time) <= restartRecent:
		return evidence.Phrasef("%d restarts%s", st.RestartCount, exit)
	}
	return evidence.Phrase{}
}
