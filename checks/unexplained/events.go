package unexplained

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"doctor/checks/evidence"
)

func ofEvent(e evidence.Event) Line {
	about := e.About()
	l := Line{Component: "events", Count: max(e.Count, 1),
		First: cmp.Or(e.FirstTimestamp, e.At()).Time, Last: e.At().Time,
		Place: e.Field(), score: pointsEvent,
		Text: evidence.Clip(evidence.Clean(strings.TrimSpace(e.Reason+" "+about.Name)+": "+e.Text()), maxText)}
	l.because(evidence.Phrasef("a warning event of %s", cmp.Or(about.Kind, "Kubernetes")))
	if slices.Contains(follows, e.Reason) {
		l.score -= pointsEvent - pointsWord
		l.after = true
	}
	return l
}

// ofNode are the objects whose events may speak of a node. A Job, a certificate or a disruption budget
// has its events from controllers, which see no node.
var ofNode = []string{"", "Pod", "Node", "DaemonSet", "ReplicaSet", "StatefulSet", "PersistentVolumeClaim",
	"PersistentVolume", "VolumeAttachment"}

// onNode is how controllers name the node of a pod.
var onNode = regexp.MustCompile(`\bon node "?([A-Za-z0-9][A-Za-z0-9.-]*[A-Za-z0-9])`)

// elsewhere tells whether an event speaks of another node, or of none. The refusal of a pod is
// reported for its owner, whatever that is.
func elsewhere(e evidence.Event, name string) bool {
	if m := onNode.FindStringSubmatch(e.Text()); m != nil && name != "" && !strings.EqualFold(m[1], name) {
		return true
	}
	return e.Reason != "FailedCreate" && !slices.Contains(ofNode, e.About().Kind)
}

// recovered are the texts of events whose pod has become Ready since. Logs say the same in their words.
func recovered(s evidence.Snapshot) (texts []string) {
	ready := map[string]time.Time{}
	for _, p := range evidence.Pods.In(s) {
		ready[p.FullName()] = p.ReadySince()
	}
	for _, e := range evidence.PodEvents.In(s) {
		about := e.About()
		if about.Kind == "Pod" && e.Type == "Warning" && ready[about.Namespace+"/"+about.Name].After(e.At().Time) {
			texts = append(texts, ofEvent(e).Text, e.Text())
		}
	}
	return texts
}

// follows are reasons of events that only say that something has failed before.
var follows = []string{"BackOff", "NodeNotReady", "Unhealthy"}

// onlyReason is the second event of an image that cannot be pulled: it repeats the state of the
// container, and the first says why.
var onlyReason = regexp.MustCompile(`^Error: (?:ErrImage|ImagePull)[A-Za-z]+$`)

// ofWindows takes an error of the event logs; a warning is daily bread there.
func ofWindows(e evidence.WindowsEvent) (Line, bool) {
	l := Line{Component: e.Provider, Count: 1, First: e.Time.Time, Last: e.Time.Time, Place: e.Field(),
		Text: evidence.Clip(evidence.Clean(fmt.Sprintf("%s %d: %s", e.Provider, e.ID, e.Message)), maxText)}
	switch strings.ToLower(e.Level) {
	case "critical":
		l.score = pointsFatal
		l.because(evidence.Phrasef("a critical event of Windows"))
	case "error":
		l.score = pointsWord
	case "": // the output has no levels
		if levelOf(e.Message) == "" {
			return l, false
		}
		l.score = pointsWord
	default:
		return l, false
	}
	// Microsoft calls it expected and harmless (KB 4022522); it names another component each time.
	l.normal = e.ID == 10016 && strings.HasSuffix(e.Provider, "DistributedCOM")
	if near(e) {
		l.score += pointsDown
		l.because(evidence.Phrasef("an error of Windows that concerns containers or the network"))
	}
	return l, true
}

// providers write about what containers need.
var providers = []string{"hyper-v", "hns", "host-network", "vmswitch", "containers", "vfp", "hcs",
	"compute", "service control manager", "resource-exhaustion", "kubelet", "docker", "containerd",
	"kube", "rke2", "srv", "smb", "ntfs", "disk", "tcpip"}

func near(e evidence.WindowsEvent) bool {
	provider := strings.ToLower(e.Provider)
	return slices.ContainsFunc(providers, func(p string) bool { return strings.Contains(provider, p) })
}
