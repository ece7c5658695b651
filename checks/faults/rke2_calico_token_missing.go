package faults

import (
	"slices"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

var _ = register(&checks.Check{
	ID:       "rke2-calico-token-missing",
	Title:    "RKE2 agent finds no token of calico-node",
	Healthy:  "RKE2 agent has the token of calico-node",
	Category: checks.CategoryComponents,
	Doc: `On Windows the RKE2 agent starts Calico itself, and reads the token of the service account calico-
node from a Secret. Kubernetes 1.24 and later make no such Secrets. Releases of RKE2 from 1.24.1
on request a token instead; earlier ones, and agents that are older than their servers, do not
start.

The check looks for the agent's error.`,
	Fix: checks.Steps(
		checks.Inspect("rke2.exe --version",
			"Compare the version of the agent with that of the servers."),
		checks.Do("Update RKE2 on the Windows node to the version of the servers, 1.24.1 or later."),
		checks.Run("Restart-Service rke2",
			"Restart the agent.").
			Costs("Pods of the node lose their network until Calico runs."),
		checks.Verify("Get-Process calico-node", "a process calico-node")),
	Links: []string{
		"https://github.com/rancher/rancher/issues/37745",
		"https://github.com/rancher/rke2/pull/2940",
	},
	Breaks:  append(slices.Clone(startedByAgent), effectPodTraffic),
	Applies: checks.UnlessElsewhere(node.RKE2),
	Needs:   []evidence.Need{evidence.Any(evidence.Logs("rke2"), evidence.WindowsEvents, evidence.Logs("other"))},
	Signs: []checks.Sign{
		// RKE2 1.21.3 to 1.23.17: pkg/windows/calico.go
		{Text: "could not retrieve calico node token from the cluster",
			Says: "the RKE2 agent finds no token of calico-node"},
	},
})
