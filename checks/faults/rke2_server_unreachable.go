package faults

import (
	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

var _ = register(&checks.Check{
	ID:       "rke2-server-unreachable",
	Title:    "RKE2 agent cannot reach its server",
	Healthy:  "RKE2 agent reaches its server",
	Category: checks.CategoryComponents,
	Doc: `An RKE2 agent first reads the CA certificates of the cluster from a server, on TCP port 9345. Its
own load balancer on 127.0.0.1:6444 forwards the request, so a closed port, a firewall of the
server (firewalld) or a wrong port in the configuration appears as an error of that local address.

The check looks for the repeated error in the log of the agent.`,
	Fix: checks.Steps(
		checks.Inspect("Test-NetConnection SERVER -Port 9345",
			"Test the address and port of server in config.yaml from this node."),
		checks.Do("Open TCP ports 9345 and 6443 of the servers for this node, in their own firewall too."),
		checks.Edit(`C:\etc\rancher\{rke2}\config.yaml`,
			"If the address or port of server is wrong, correct it: https://SERVER:9345."),
		checks.Run("Restart-Service {rke2}",
			"Restart the agent.").
			Costs("The kubelet and the network agents of the node restart."),
		checks.Verify("kubectl get node {node}", "STATUS is Ready")),
	Links: []string{
		"https://github.com/rancher/rke2/issues/5651",
		"https://github.com/rancher/rke2/issues/3901",
		"https://docs.rke2.io/install/requirements#networking",
	},
	Breaks:  startedByAgent,
	Applies: checks.UnlessElsewhere(node.RKE2),
	Needs:   []evidence.Need{evidence.Any(evidence.Logs("rke2"), evidence.WindowsEvents, evidence.Logs("other"))},
	Signs: []checks.Sign{
		{Text: "failed to get CA certs",
			Not:   []string{"dial tcp: lookup "},
			Until: rke2Joined,
			Says:  "the agent cannot read the CA certificates of the cluster from a server"},
		// It reads them a second time, to validate the server: pkg/clientaccess/token.go of K3s.
		{Text: "CA cert validation failed: Get", Also: []string{"/cacerts"},
			Not: []string{"x509: ", "tls: "}, Until: rke2Joined,
			Says: "the agent cannot read the CA certificates of the cluster from a server"},
	},
})

// rke2Joined is what an agent logs once the server has told it how to run.
var rke2Joined = []string{"Running kubelet", "Running RKE2 kubelet", "Running RKE2 kube-proxy"}
