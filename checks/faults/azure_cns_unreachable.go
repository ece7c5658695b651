package faults

import (
	"doctor/checks"
	"doctor/checks/node"
)

var _ = register(&checks.Check{
	ID:       "azure-cns-unreachable",
	Title:    "Azure CNS does not answer on this node",
	Healthy:  "Azure CNS answers the CNI plugin",
	Category: checks.CategoryNetwork,
	Doc: `With Azure CNI for overlay and for dynamic address assignment, azure-vnet gets each pod
address from the Container Networking Service (CNS) of the node, which runs as a pod and listens on
port 10090 of localhost. If CNS is not running, cannot read its configuration, or has not yet got
addresses from the control plane, every new pod fails with "Failed to get IP address from CNS" and a
refused connection. Running pods keep their network.

The check looks for this error at pods that do not start, and for the reason in the log of CNS. It
only warns at pods, because CNS starts later than the first pods of a new node.`,
	Fix: checks.Steps(
		checks.Inspect("kubectl get pods -n kube-system -o wide --field-selector spec.nodeName={node} | Select-String cns",
			"Check whether the pod of azure-cns runs on this node."),
		checks.Inspect("kubectl logs -n kube-system POD --previous",
			"If it restarts, read why."),
		checks.Run("kubectl delete pod -n kube-system POD",
			"Delete the pod of azure-cns, so that it is created again.").
			Costs("No new pod gets an address until it runs."),
		checks.Verify("Test-NetConnection localhost -Port 10090", "TcpTestSucceeded is True")),
	Links: []string{
		"https://github.com/Azure/AKS/issues/4342",
		"https://learn.microsoft.com/en-us/azure/architecture/operator-guides/aks/troubleshoot-network-aks",
	},
	Breaks:  []*checks.Effect{effectPodStart, effectContainers}, // that of CNS may restart
	Applies: checks.OnCNI(node.Azure),
	Needs:   complaintNeeds,
	Uses:    complaintUses,
	Signs:   azureCnsUnreachableSigns,
	Run:     complain(azureCnsUnreachableSigns),
})

var azureCnsUnreachableSigns = []checks.Sign{
	{Text: "Failed to get IP address from CNS", Also: []string{"10090", "refused"},
		Not: []string{"not enough IPs"}, Level: checks.Warn,
		Says: "azure-vnet cannot reach CNS on port 10090 of this node"},
	// Windows in another language
	{Text: "Failed to get IP address from CNS", Also: []string{"10090", "actively refused it"},
		Not: []string{"not enough IPs", "refused"}, Level: checks.Warn,
		Says: "azure-vnet cannot reach CNS on port 10090 of this node"},
	{Text: "Failed to get IP address from CNS", Also: []string{"10090", "context deadline exceeded"},
		Not: []string{"not enough IPs"}, Level: checks.Warn,
		Says: "CNS does not answer azure-vnet in time"},
	// cns/service/main.go: what CNS says that cannot begin to answer. It waits 15 minutes for the first
	// reconciliation.
	{Text: "NNC reconciler has not started, does the NNC exist?", Until: cnsStarted,
		Level: checks.Warn,
		Says:  "CNS does not start: the control plane has created no NodeNetworkConfig for this node"},
	{Text: "fatal: failed to read cns config", Until: cnsStarted,
		Says: "CNS exits: it cannot read its configuration file"},
	{Text: "Failed to start CRD Controller, err:", Not: []string{"duplicate IP detected"}, Until: cnsStarted, Level: checks.Warn,
		Says: "CNS exits: its connection to the API server cannot be set up"},
	{Text: "Failed to start CNS, err:listen tcp", Also: []string{"Only one usage of each socket address"},
		Until: cnsStarted,
		Says:  "CNS cannot listen: another process has its port"},
}

// cnsStarted is what CNS says that answers.
var cnsStarted = []string{"NodeNetworkConfig reconciler has started", "Start HTTP local server"}
