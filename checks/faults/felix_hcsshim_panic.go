package faults

import (
	"slices"
	"strings"
	"time"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

// Calico's releases for Windows that were built with hcsshim v0.11.6, and the first one that was not.
var (
	buggyFelix = evidence.Version{Major: 3, Minor: 27}
	fixedFelix = evidence.Version{Major: 3, Minor: 30}
)

// A program written in Go ends with this exit code when it panics.
const goPanic = 2

var _ = register(&checks.Check{
	ID:       "felix-hcsshim-panic",
	Title:    "Calico Felix crashes",
	Healthy:  "Calico Felix has not crashed",
	Category: checks.CategoryComponents,
	Doc: `Felix updates the routes to other nodes and the network policies of this node's pods. Calico
3.27 to 3.29 uses hcsshim 0.11.6, whose String method panics on certain HNS responses. With these
releases Felix was seen to crash on Windows, most often while pods are deleted. Until it is
restarted, new pods get no policy and never become ready.

The check looks for a container felix of one of these releases that ended with exit code 2 (a
panic), and for the log lines of RKE2, which does not restart Felix. A single crash that was
followed by a healthy run is only a warning.`,
	Fix: checks.Steps(
		checks.Run("{restart calico-node}", "Restart Felix.").
			Costs("The node's network agents restart. Running pods are not affected."),
		checks.Do("Upgrade Calico to v3.30 or later: older releases crash again."),
		checks.Verify("Get-Process calico-node", "a process calico-node")),
	Links: []string{"https://github.com/projectcalico/calico/issues/9905",
		"https://github.com/microsoft/hcsshim/pull/2288",
		"https://github.com/rancher/rke2/issues/7440"},
	Breaks:   []*checks.Effect{effectNetworkAgent, effectPodStart, effectContainers},
	Explains: []string{"component-panic"},
	Applies:  checks.OnCNI(node.Calico),
	Needs: []evidence.Need{evidence.Any(evidence.Pods, evidence.WindowsEvents,
		evidence.Logs("rke2"), evidence.Logs("felix"),
		evidence.Logs("calico-node"), evidence.Logs("calico"))},
	Uses: []evidence.Need{evidence.Pods, evidence.Processes},
	Signs: []checks.Sign{
		// 1 is how RKE2 itself ends it,
		{Text: "Felix exited: exit status 2", In: []string{evidence.InEvents, "rke2"},
			Says: "RKE2 reports that Felix panicked; RKE2 does not restart it"},
		{Text: "github.com/Microsoft/hcsshim", Also: []string{".String("},
			In:   []string{"felix", "calico-node", "calico"},
			Says: "Felix panicked in hcsshim's String method"},
	},
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		if matches := liveSigns(s, "felix-hcsshim-panic"); len(matches) > 0 &&
			!felixRunsSince(s, matches[0].Last) {
			f := checks.Findingf(checks.Fail, "felix",
				"Felix crashed: routes and network policies on this node are not updated").With(
				checks.Quote(matches[0]))
			f.Basis = checks.ByText
			return []*checks.Finding{f}, nil
		}
		var findings []*checks.Finding
		for _, p := range evidence.Pods.In(s) {
			version, known := felixVersion(p)
			if !known || !version.AtLeast(buggyFelix) || version.AtLeast(fixedFelix) {
				continue
			}
			for i, st := range p.Status.ContainerStatuses {
				now, last := st.State.Terminated, st.LastState.Terminated
				switch {
				case st.Name != "felix":
				case now != nil && now.ExitCode == goPanic, st.State.Running == nil &&
					last != nil && last.ExitCode == goPanic:
					findings = append(findings,
						felixFinding(p.Field("status", "containerStatuses", i), p, st, checks.Fail,
							"Felix %s panicked and is not running"))
				case last != nil && last.ExitCode == goPanic:
					findings = append(findings,
						felixFinding(p.Field("status", "containerStatuses", i), p, st, checks.Warn,
							"Felix %s panicked and was restarted"))
				}
			}
		}
		return findings, nil
	},
})

// felixRunsSince tells whether Felix was started after it was last seen to end: the event log keeps the end for long.
func felixRunsSince(s evidence.Snapshot, end time.Time) bool {
	return slices.ContainsFunc(evidence.Processes.In(s), func(p evidence.Process) bool {
		return node.IsFelix(p) && p.StartedAt.After(end)
	})
}

func felixFinding(at evidence.Place, p evidence.Pod, st evidence.ContainerStatus,
	level checks.Level, format string) *checks.Finding {
	version, _ := felixVersion(p)
	return checks.Findingf(level, p.FullName(), format, version).
		At(at, "%s: container felix ended with exit code 2, and its image is %s", p.FullName(),
			st.Image)
}

// felixVersion is the release of Calico that a pod's container felix is of.
func felixVersion(p evidence.Pod) (evidence.Version, bool) {
	for _, c := range p.Spec.Containers {
		_, tag, ok := strings.Cut(c.Image[strings.LastIndex(c.Image, "/")+1:], ":")
		if c.Name == "felix" && ok {
			tag, _, _ = strings.Cut(tag, "@")
			return evidence.ParseVersion(tag)
		}
	}
	return evidence.Version{}, false
}
