package checks

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"doctor/checks/evidence"
	"doctor/checks/node"
)

// Heard is why texts that say nothing of a fault prove nothing: of the sources that the need names
// none was recorded, or not so much of one that the fault would have shown. It is the zero Gap where
// one was, and where the need is met by recorded state.
//
// A log counts where it has a start of its component, or goes on for longer than any component
// waits before it tries again. An excerpt, a log of a program that nobody knows, and one that ends
// before the last boot do not count.
func Heard(s evidence.Snapshot, need evidence.Need) evidence.Gap {
	var components []string
	evidence.Each(need, func(n evidence.Need) {
		if log, ok := n.(evidence.Logs); ok && !nameless(log) {
			components = append(components, string(log))
		}
	})
	heard := false
	var silent, missing evidence.Gap
	evidence.Each(need, func(n evidence.Need) {
		if gap := n.Gap(s); gap.Kind != "" {
			missing = cmp.Or(missing, gap)
			return
		}
		gap := heardIn(s, n, components)
		heard = heard || gap.Kind == ""
		if log, ok := n.(evidence.Logs); !ok || !nameless(log) {
			silent = cmp.Or(silent, gap)
		}
	})
	if heard {
		return evidence.Gap{}
	}
	return cmp.Or(silent, missing, evidence.LogInPart.Gap("the component"))
}

// unspoken is why pods acquit nobody where one of them does not start: what says why it does not,
// the pods' events and the logs of those who start it, was not recorded.
func (c *Check) unspoken(s evidence.Snapshot) evidence.Gap {
	gap := evidence.PodEvents.Gap(s)
	if gap.Kind == "" || !evidence.Covers(c.Uses, evidence.PodEvents.Path()) ||
		!slices.ContainsFunc(evidence.Pods.In(s), node.StartsSilently) ||
		Heard(s, podStarters).Kind == "" {
		return evidence.Gap{}
	}
	return gap
}

var podStarters = evidence.Any(evidence.Logs("kubelet"), evidence.Logs("containerd"), evidence.Logs("docker"))

// nameless are the logs whose program is not known, and those of any pod.
func nameless(log evidence.Logs) bool { return log == "other" || log == "pods" }

// heardIn is Heard for one source that is recorded.
func heardIn(s evidence.Snapshot, n evidence.Need, components []string) evidence.Gap {
	if log, ok := n.(evidence.Logs); ok {
		if nameless(log) || !hearsLog(s, string(log)) {
			return evidence.LogInPart.Gap(string(log))
		}
		return evidence.Gap{}
	}
	switch paths := n.Paths(); {
	case len(paths) != 1:
	case paths[0] == evidence.WindowsEvents.Path() && !hearsEvents(s, components),
		paths[0] == evidence.PodEvents.Path() && isExcerpt(s, paths[0]):
		return evidence.LogInPart.Gap(paths[0])
	case paths[0] == evidence.PodEvents.Path():
		return s.Rest(paths[0])
	}
	return evidence.Gap{}
}

// retries is longer than any component waits before it tries again what failed: kubelet and
// kube-proxy within five minutes, and a crash loop backs off to five too.
const retries = 10 * time.Minute

// hearsLog tells whether a log of the component is recorded from a start on, or over a time in
// which a fault would have shown.
func hearsLog(s evidence.Snapshot, component string) bool {
	own := func(m evidence.SignMatch) bool {
		return m.Over == "" && evidence.SameLog(component, m.Source()) && !isExcerpt(s, m.Path)
	}
	if slices.ContainsFunc(s.Signs(node.LogStarts), own) {
		return true
	}
	first, last := map[string]time.Time{}, map[string]time.Time{}
	for _, m := range s.Signs(node.LogGoesOn) {
		if !own(m) || m.Time.IsZero() {
			continue
		}
		if at := first[m.Path]; at.IsZero() || m.Time.Before(at) {
			first[m.Path] = m.Time
		}
		if m.Last.After(last[m.Path]) {
			last[m.Path] = m.Last
		}
		if last[m.Path].Sub(first[m.Path]) >= retries {
			return true
		}
	}
	return false
}

// hearsEvents tells whether the Windows events have those of one of the components, or where none
// is named those of the Service Control Manager.
func hearsEvents(s evidence.Snapshot, components []string) bool {
	return !isExcerpt(s, evidence.WindowsEvents.Path()) &&
		slices.ContainsFunc(evidence.WindowsEvents.In(s), func(e evidence.WindowsEvent) bool {
			return len(components) == 0 && strings.EqualFold(e.Provider, serviceManager) ||
				slices.ContainsFunc(components, func(c string) bool {
					return evidence.SameLog(c, e.Provider)
				})
		})
}

const serviceManager = "Service Control Manager"

// isExcerpt tells whether somebody copied the lines of the file from where they were.
func isExcerpt(s evidence.Snapshot, path string) bool {
	return slices.ContainsFunc(evidence.LogRecords.In(s.Traced(nil)).Logs, func(r evidence.LogRecord) bool {
		return r.Excerpt && strings.EqualFold(r.Path, path)
	})
}
