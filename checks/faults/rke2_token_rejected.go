package faults

import (
	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

var _ = register(&checks.Check{
	ID:       "rke2-token-rejected",
	Title:    "RKE2 token is of another cluster CA",
	Healthy:  "RKE2 token fits the CA of the cluster",
	Category: checks.CategoryComponents,
	Doc: `The token with which an RKE2 or K3s agent joins holds a hash of the CA of the cluster. If the
servers were installed again, got another CA, or the address leads to another cluster, the hash
differs and the agent does not join.

The check looks for the error in the log of the agent.`,
	Fix: checks.Steps(
		checks.Edit(`C:\etc\rancher\rke2\config.yaml`,
			"Set token to the content of /var/lib/rancher/rke2/server/node-token on a server, and server to the address of this cluster."),
		checks.Run("Restart-Service rke2",
			"Restart the agent.").
			Costs("The kubelet and the network agents of the node restart."),
		checks.Verify("kubectl get node {node}", "STATUS is Ready")),
	Links: []string{
		"https://github.com/rancher/rke2/issues/3214",
		"https://github.com/k3s-io/k3s/issues/3727",
		"https://github.com/rancher/rke2/issues/888",
	},
	Breaks:  []*checks.Effect{effectKubeletStart},
	Applies: checks.UnlessElsewhere(node.RKE2),
	Needs:   []evidence.Need{evidence.Any(evidence.Logs("rke2"), evidence.WindowsEvents, evidence.Logs("other"))},
	Signs: []checks.Sign{
		{Text: "token CA hash does not match the",
			Also:  []string{"CA"},
			Until: rke2Joined,
			Says:  "the token of the agent was made for another cluster CA"},
	},
})
