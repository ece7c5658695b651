package faults

import (
	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

var _ = register(&checks.Check{
	ID:       "rke2-token-rejected",
	Title:    "RKE2 server rejects the token of the agent",
	Healthy:  "RKE2 server accepts the token of the agent",
	Category: checks.CategoryComponents,
	Doc: `The token with which an RKE2 or K3s agent joins holds a hash of the CA of the cluster and a
password. If the servers were installed again, got another CA or another token, or the address leads
to another cluster, they differ and the agent does not join. The server answers 401 Unauthorized to a
password that it does not know, also to a token that has expired. A token that was not copied
completely is refused by the agent itself.

The check looks for the error in the log of the agent.`,
	Fix: checks.Steps(
		checks.Edit(`C:\etc\rancher\{rke2}\config.yaml`,
			"Set token to the content of /var/lib/rancher/{rke2}/server/node-token on a server, and server to the address of this cluster."),
		checks.Run("Restart-Service {rke2}",
			"Restart the agent.").
			Costs("The kubelet and the network agents of the node restart."),
		checks.Verify("kubectl get node {node}", "STATUS is Ready")),
	Links: []string{
		"https://github.com/rancher/rke2/issues/3214",
		"https://github.com/k3s-io/k3s/issues/3727",
		"https://github.com/rancher/rke2/issues/888",
	},
	Breaks:  startedByAgent,
	Applies: checks.UnlessElsewhere(node.RKE2),
	Needs:   []evidence.Need{evidence.Any(evidence.Logs("rke2"), evidence.WindowsEvents, evidence.Logs("other"))},
	Signs: []checks.Sign{
		{Text: "token CA hash does not match the",
			Also:  []string{"CA"},
			Until: rke2Joined,
			Says:  "the token of the agent was made for another cluster CA"},
		// pkg/agent/config/config.go of K3s: the token is checked where the agent asks for its settings,
		// until 1.21 where it asks for its certificates
		{Text: "Waiting to retrieve agent configuration; server is not ready: ",
			Also:  []string{"401 Unauthorized"},
			Until: rke2Joined,
			Says:  "the server does not know the token of the agent, or the token has expired"},
		// pkg/clientaccess/token.go of K3s
		{Text: "invalid token CA hash length",
			Until: rke2Joined,
			Says:  "the token of the agent is not complete"},
		{Text: "Failed to validate connection to cluster at ", Also: []string{"invalid token format"},
			Until: rke2Joined,
			Says:  "the token of the agent is not complete"},
		{Text: "Failed to validate connection to cluster at ", Also: []string{"token must not be empty"},
			Until: rke2Joined,
			Says:  "the agent has no token"},
		// pkg/cli/agent/agent.go of K3s
		{Text: "--token is required", In: []string{evidence.InEvents, "rke2"},
			Until: rke2Joined,
			Says:  "the agent has no token"},
	},
})
