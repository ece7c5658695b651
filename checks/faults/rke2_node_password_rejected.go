package faults

import (
	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

var _ = register(&checks.Check{
	ID:       "rke2-node-password-rejected",
	Title:    "RKE2 server rejects the node's password",
	Healthy:  "RKE2 server accepts the node's password",
	Category: checks.CategoryComponents,
	Doc: `An RKE2 or K3s agent creates a password for its node name when it joins, and the server keeps a
hash of it in the Secret NODE.node-password.rke2 (or .k3s) in kube-system. An agent with the same node name
and another password is rejected and waits for ever: the machine was installed again, its folder
C:\etc\rancher\node was deleted, or two machines have one name.

The check looks for the answer of the server in the log of the agent.`,
	Fix: checks.Steps(
		checks.Run("kubectl -n kube-system delete secret/{node}.node-password.{rke2}",
			"If this machine replaces the old one, delete the Secret with the old password."),
		checks.Edit(`C:\etc\rancher\{rke2}\config.yaml`,
			"If another machine has this name, give this one a unique node-name."),
		checks.Run("Restart-Service {rke2}",
			"Restart the agent.").
			Costs("The kubelet and the network agents of the node restart."),
		checks.Verify("kubectl get node {node}", "STATUS is Ready")),
	Links: []string{
		"https://github.com/rancher/rke2/issues/2939",
		"https://docs.k3s.io/architecture#how-agent-node-registration-works",
	},
	Breaks:  startedByAgent,
	Applies: checks.UnlessElsewhere(node.RKE2),
	Needs:   []evidence.Need{evidence.Any(evidence.Logs("rke2"), evidence.WindowsEvents, evidence.Logs("other"))},
	Signs: []checks.Sign{
		{Text: "Node password rejected",
			Or:    []string{"Node password validation failed for '"}, // the server's log, of 2020
			Until: rke2Joined,
			Says:  "the server knows this node name with another password"},
	},
})
