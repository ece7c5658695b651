package faults

import (
	"slices"
	"strings"
	"time"

	"doctor/checks"
	"doctor/checks/evidence"
)

// A pod may take podPatience to start, and pullPatience to get an image of several gigabytes, while
// nothing fails: https://github.com/Azure/AKS/issues/1677.
const (
	podPatience  = 5 * time.Minute
	pullPatience = 20 * time.Minute
)

var _ = register(&checks.Check{
	ID:       "pods-stuck-creating",
	Symptom:  true,
	Title:    "Pods stay in ContainerCreating",
	Healthy:  "Pods get past ContainerCreating",
	Category: checks.CategoryWorkloads,
	FAQ:      []int{12},
	Doc: `Pods that were scheduled to this node minutes ago have no running container: they wait
in ContainerCreating, for an image that cannot be pulled, or for another attempt of the runtime to
start them. This is a symptom, and the last event of each pod shows more. Most faults of this catalog
can lead to it, so it is reported as a cause only if no other fault was found.`,
	Fix: checks.Steps(
		checks.Inspect("kubectl describe pod POD -n NAMESPACE",
			"Read the newest events of one of the pods."),
		checks.Do("Fix the error that the events report."),
		checks.Verify("kubectl get pods -A --field-selector spec.nodeName={node}",
			"no pod in ContainerCreating")),
	Links:    []string{"https://kubernetes.io/docs/tasks/debug/debug-cluster/windows/"},
	Shows:    []*checks.Effect{effectPodStart},
	Needs:    []evidence.Need{evidence.Any(evidence.Pods, evidence.PodEvents)},
	FromPart: []evidence.Need{evidence.Pods},
	Uses:     []evidence.Need{evidence.Pods, evidence.PodEvents},
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		if !evidence.Pods.Known(s) {
			findings := podsFailingByEvents(s)
			if len(findings) == 0 { // the events of a pod are kept for an hour
				return nil, checks.Unknown(evidence.Pods.Gap(s))
			}
			return findings, nil
		}
		var findings []*checks.Finding
		unclear := false
		for _, p := range evidence.Pods.In(s) {
			reason := stuckReason(p)
			if reason == "" || onOtherNode(s, p) {
				continue
			}
			event, found, failed := lastEvent(s, p.Metadata.Namespace, p.Metadata.Name)
			pulls := found && event.Reason == "Pulling" && s.Now().Sub(event.At().Time) < pullPatience
			switch {
			case failed || since(s, p, podPatience) && !pulls:
			case s.Now().IsZero() && slices.Contains(startReasons, reason):
				unclear = true // for seconds or for days
				continue
			case !s.Now().IsZero():
				continue
			}
			f := checks.Findingf(checks.Fail, p.FullName(), "%s is stuck: %s", p.FullName(), reason)
			if found && event.Reason != "BackOff" {
				f = checks.Findingf(checks.Fail, p.FullName(), "%s is stuck: %s: %s", p.FullName(),
					reason, lastError(event.Text()))
			}
			f = f.At(p.Field("status", "phase"), "%s: phase %s, %s", p.FullName(), p.Status.Phase,
				reason)
			if found {
				f = f.At(event.Field(), "%s: %s", event.Reason, event.Text())
			}
			findings = append(findings, f)
		}
		if unclear && len(findings) == 0 {
			return nil, checks.Unknown(evidence.NotShown.Gap("how long the pods have been waiting"))
		}
		return findings, nil
	},
})

// podsFailingByEvents finds pods whose last event is a failure to start. A failure that was
// followed by a start, or that was not repeated, is over.
func podsFailingByEvents(s evidence.Snapshot) []*checks.Finding {
	var findings []*checks.Finding
	seen := map[string]bool{}
	for _, e := range evidence.PodEvents.In(s) {
		pod := e.About()
		name := pod.Namespace + "/" + pod.Name
		if seen[name] || pod.Kind != "Pod" {
			continue
		}
		seen[name] = true
		last, _, _ := lastEvent(s, pod.Namespace, pod.Name)
		restarts := last.Reason == "BackOff" && !strings.Contains(last.Text(), "pulling image")
		if restarts || !slices.Contains(startFailures, last.Reason) ||
			s.Now().Sub(last.At().Time) > 2*podPatience {
			continue
		}
		f := checks.Findingf(checks.Fail, name, "the last event of %s is %s: %s", name,
			last.Reason, lastError(last.Text())).At(last.Field(), "%s: %s", last.Reason, last.Text())
		f.Basis = checks.ByText
		findings = append(findings, f)
	}
	return findings
}

// Reasons of events of a pod that cannot start.
var startFailures = []string{"FailedCreatePodSandBox", "FailedMount", "FailedAttachVolume",
	"Failed", "BackOff", "ErrImageNeverPull", "InspectFailed"}

// The reasons of waiting that each pod has at its start.
var startReasons = []string{"ContainerCreating", "PodInitializing"}

// The reasons of waiting that do not end without a repair, or that end in one of these.
var stuckReasons = slices.Concat(startReasons, []string{"ErrImagePull", "ImagePullBackOff",
	"InvalidImageName", "CreateContainerError", "CreateContainerConfigError", "RunContainerError",
	"ImageInspectError", "ErrImageNeverPull", "Blocked"})

func stuckReason(p evidence.Pod) string {
	if p.Status.Phase != "Pending" && p.Status.Phase != "Running" ||
		p.Metadata.DeletionTimestamp != nil {
		return ""
	}
	for _, st := range p.Statuses() {
		if w := st.State.Waiting; w != nil && (slices.Contains(stuckReasons, w.Reason) || refusedStart(st)) &&
			!podRuns(p) && !(w.Reason == "PodInitializing" && initRuns(p)) {
			return w.Reason
		}
	}
	if p.Status.Phase == "Pending" && len(p.Statuses()) == 0 && p.Spec.NodeName != "" {
		return "ContainerCreating"
	}
	return ""
}

// refusedStart tells whether the runtime did not start the container the last time.
func refusedStart(st evidence.ContainerStatus) bool {
	ended := st.LastState.Terminated
	return ended != nil && (ended.Reason == "StartError" || ended.Reason == "ContainerCannotRun")
}

func podRuns(p evidence.Pod) bool {
	return slices.ContainsFunc(p.Status.ContainerStatuses, func(st evidence.ContainerStatus) bool {
		return st.State.Running != nil
	})
}

// initRuns: how long an init container runs is its own affair.
func initRuns(p evidence.Pod) bool {
	return slices.ContainsFunc(p.Status.InitContainerStatuses,
		func(st evidence.ContainerStatus) bool { return st.State.Running != nil })
}

// lastEvent returns the newest event of the pod, and whether it is a failure.
func lastEvent(s evidence.Snapshot, namespace, name string) (last evidence.Event, found,
	failed bool) {
	for _, e := range evidence.PodEvents.In(s) {
		about := e.About()
		if about.Name != name || about.Namespace != namespace {
			continue
		}
		if e.Reason == "BackOff" && last.Reason == "Failed" {
			continue // it repeats the failure with less detail
		}
		if !found || last.Reason == "BackOff" && e.Reason == "Failed" ||
			!e.At().Before(last.At().Time) {
			last, found = e, true
		}
	}
	return last, found, found && (strings.HasPrefix(last.Reason, "Failed") ||
		last.Type == "Warning")
}

// since reports whether the pod is older than d at the time of the recording.
func since(s evidence.Snapshot, p evidence.Pod, d time.Duration) bool {
	start := p.Status.StartTime
	if start.IsZero() {
		start = p.Metadata.CreationTimestamp
	}
	return start.IsZero() || s.Now().Sub(start.Time) > d
}

// lastError is the end of a chain of errors, which names the reason: each component that handed it
// on put its own words in front.
func lastError(text string) string {
	const said = "desc = "
	if i := strings.LastIndex(text, said); i >= 0 {
		text = text[i+len(said):]
	}
	return evidence.Clip(text, maxLastError)
}

// maxLastError is how much of an error, in bytes, fits into the sentence of a finding.
const maxLastError = 240
