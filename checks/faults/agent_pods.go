package faults

import (
	"slices"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

// lacksPlugin are the faults of a node that waits for its network plugin.
var lacksPlugin = []string{"cni-config-uninitialized", "hns-network-missing", "flannel-subnet-env-missing",
	"cni-binary-missing"}

// breaksPods tells whether a check looks at pods and finds what keeps one from running, and is no symptom.
func breaksPods(c *checks.Check) bool {
	looks := slices.ContainsFunc(slices.Concat(c.Needs, c.Uses), func(n evidence.Need) bool {
		return slices.Contains(n.Paths(), "api/pods.json")
	})
	return looks && c.Run != nil && !c.Symptom && !slices.Contains(lacksPlugin, c.ID) &&
		(slices.Contains(c.Breaks, effectPodStart) || slices.Contains(c.Breaks, effectContainers))
}

// aboutAgents lets what keeps the pod of the network plugin from running explain what that pod was to set up.
func aboutAgents(run func(evidence.Snapshot) ([]*checks.Finding, error)) func(evidence.Snapshot) ([]*checks.Finding, error) {
	return func(s evidence.Snapshot) ([]*checks.Finding, error) {
		findings, err := run(s)
		for i, f := range findings {
			if f.Level > checks.Info && isWaitingAgent(s, f.Subject) {
				findings[i] = f.Explaining(lacksPlugin...)
			}
		}
		return findings, err
	}
}

func isWaitingAgent(s evidence.Snapshot, subject string) bool {
	return subject != "" && slices.ContainsFunc(evidence.Pods.In(s), func(p evidence.Pod) bool {
		return p.FullName() == subject && node.IsAgent(p) && node.PodDown(p)
	})
}
