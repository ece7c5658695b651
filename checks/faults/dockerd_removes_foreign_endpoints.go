package faults

import (
	"strings"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

var _ = register(&checks.Check{
	ID:       "dockerd-removes-foreign-endpoints",
	Title:    "dockerd deletes HNS endpoints of containerd pods",
	Healthy:  "dockerd is not running together with containerd",
	Category: checks.CategoryNetwork,
	Doc: `When dockerd starts it takes over every HNS network that it finds, and deletes the
endpoints in it as stale, whoever made them. On a node whose pods run under containerd those are the
pods' own: they go on running and have no network, until they are created again. Builds of images in
a HostProcess pod are the usual way for a dockerd to get there.

The check fails where dockerd said so since the node was booted, and warns where dockerd and
containerd both run: its next start does it.`,
	Fix: checks.Steps(
		checks.Run("Get-Process dockerd | Stop-Process -Force", "Stop dockerd.").
			Costs("Containers of this dockerd end. Pods under containerd are not affected."),
		checks.Do("Remove the service or pod that starts dockerd. Build images elsewhere or with containerd."),
		checks.Run("kubectl delete pod POD -n NAMESPACE",
			"Delete the pods of this node that have no network, so that their controllers recreate them.").
			Costs("The deleted pods are down until they are recreated."),
		checks.Verify("Get-Process dockerd -ErrorAction SilentlyContinue", "nothing")),
	Links: []string{"https://github.com/moby/moby/issues/45462",
		"https://github.com/moby/moby/pull/36603"},
	Breaks:  []*checks.Effect{effectPodTraffic, effectServiceRules, effectPodStart},
	Applies: checks.OnRuntime("containerd"),
	Needs:   []evidence.Need{node.NeedRuntime, evidence.Processes},
	Uses:    []evidence.Need{evidence.HNSEndpoints, evidence.Pods},
	Signs: []checks.Sign{
		// dockerd says so at each start, and the endpoints may all be of its own containers.
		{Text: "Removing stale HNS endpoint", In: []string{"docker", evidence.InEvents},
			Level: checks.Warn,
			Says:  "dockerd deletes HNS endpoints as stale, also those of pods"},
	},
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		n := node.About(s)
		if m, told := liveSign(s, "dockerd-removes-foreign-endpoints"); told {
			f := checks.Findingf(checks.Fail, "dockerd",
				"dockerd deleted HNS endpoints on this node, whose pods run under containerd").With(
				checks.Quote(m), n.Runtime.From).Cure(withoutDockerd(s))
			if lost := podsWithoutEndpoint(s); len(lost) > 0 {
				f = checks.Findingf(checks.Fail, "dockerd",
					"dockerd deleted HNS endpoints on this node, and %d running pods have none: %s",
					len(lost), podNames(lost)).
					With(checks.Quote(m), n.Runtime.From).At(evidence.HNSEndpoints.Field(s),
					"no endpoint has %s, the address of %s", lost[0].Status.PodIP,
					lost[0].FullName())
				f = f.Cure(withoutDockerd(s, lost...))
			} else if evidence.Pods.Known(s) && evidence.HNSEndpoints.Known(s) {
				f.Level, f.Format = checks.Warn,
					"dockerd deleted HNS endpoints on this node; the pods that run now have theirs"
			}
			f.Basis = checks.ByBoth
			return []*checks.Finding{f}, nil
		}
		for _, p := range evidence.Processes.In(s) {
			if strings.EqualFold(node.Program(p.Name), "dockerd") {
				return []*checks.Finding{checks.Findingf(checks.Warn, "dockerd",
					"dockerd and containerd both run: each start of it deletes the HNS endpoints of pods").
					At(p.Field("pid"), "%s has pid %d", p.Name, p.PID).With(n.Runtime.From).
					Cure(withoutDockerd(s))}, nil
			}
		}
		return nil, nil
	},
})

// withoutDockerd stops dockerd where it is started, and recreates the pods that it harmed.
func withoutDockerd(s evidence.Snapshot, lost ...evidence.Pod) checks.Fix {
	fix := fixOf("dockerd-removes-foreign-endpoints")
	for _, svc := range evidence.Services.In(s) {
		if strings.EqualFold(node.Program(svc.BinPath), "dockerd") {
			fix.Steps[0].Command = "Stop-Service -Force " + svc.Name + "; Set-Service " + svc.Name +
				" -StartupType Disabled"
		}
	}
	if len(lost) > 0 {
		fix.Steps[2].Command = deletePods(lost...)
	}
	return fix
}
