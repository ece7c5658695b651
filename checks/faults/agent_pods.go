package faults

import (
	"slices"
	"strings"

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

// programsOfPods are the faults of a program that runs in a pod of its own, by what the name of the pod has.
var programsOfPods = map[string]string{"flannel": "flanneld-not-running", "kube-proxy": "kube-proxy-not-running",
	"calico-node": "network-agent-not-running", "antrea-agent": "network-agent-not-running"}

// aboutAgents lets what keeps a pod of the network plugin or of kube-proxy from running explain that its
// program does not run, and what the pod was to set up.
func aboutAgents(run func(evidence.Snapshot) ([]*checks.Finding, error)) func(evidence.Snapshot) ([]*checks.Finding, error) {
	return func(s evidence.Snapshot) ([]*checks.Finding, error) {
		findings, err := run(s)
		for i, f := range findings {
			if f.Level <= checks.Info {
				continue
			}
			for _, p := range evidence.Pods.In(s) {
				if f.Subject == "" || p.FullName() != f.Subject || !node.PodDown(p) {
					continue
				}
				if node.IsAgent(p) {
					findings[i] = findings[i].Explaining(lacksPlugin...)
				}
				for name, id := range programsOfPods {
					if strings.Contains(p.Metadata.Name, name) {
						findings[i] = findings[i].Explaining(id)
					}
				}
			}
		}
		return findings, err
	}
}
