package faults

import (
	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

var _ = register(&checks.Check{
	ID:       "azure-cns-state-refused",
	Title:    "Azure CNS refuses its saved state",
	Healthy:  "Azure CNS accepts its saved state",
	Category: checks.CategoryNetwork,
	Doc: `Azure CNS keeps the addresses of pods in a file of the node. At its start it compares them with what
the control plane assigned to the node. If one address belongs to two pods there, CNS ends, and it ends again at each
restart: it does not hand out addresses that may be in use. New pods then get no address, and running pods keep
theirs. Calls of the CNI plugin that overtake each other leave such a file.

The check looks for the refusal in the log of CNS. It does not read the file.`,
	Fix: checks.Steps(
		checks.Inspect("kubectl get pods -A -o wide --field-selector spec.nodeName={node}",
			"Look for two pods with the same address."),
		checks.Run("kubectl drain {node} --ignore-daemonsets --delete-emptydir-data",
			"Drain the node: the addresses of its pods are assigned again.").
			Costs("All pods of this node are moved or stopped."),
		checks.Run("Restart-Computer", "Reboot the node. AKS resets the network of a Windows node at its start.").
			Costs("The node is away for some minutes."),
		checks.Run("kubectl uncordon {node}", "Allow pods on the node again."),
		checks.Do("If the refusal comes back, reimage the node, and upgrade the node image."),
		checks.Verify("Test-NetConnection localhost -Port 10090", "TcpTestSucceeded is True")),
	Links: []string{
		"https://github.com/Azure/azure-container-networking/issues/4829",
		"https://github.com/Azure/azure-container-networking/issues/1259",
		"https://github.com/Azure/azure-container-networking/pull/939",
	},
	Breaks:   []*checks.Effect{effectPodStart, effectContainers},
	Explains: []string{"azure-cns-unreachable"},
	Applies:  checks.OnCNI(node.Azure),
	Needs:    []evidence.Need{evidence.Logs("azure-cns")},
	Signs: []checks.Sign{
		// ErrDuplicateIP of cns/NetworkContainerContract.go
		{Text: "duplicate IP detected in CNS initialization", Until: cnsStarted,
			Says: "CNS ends: its saved state has one address for two pods"},
		{Text: "failed to reconcile CNS IPAM state", Until: cnsStarted, Level: checks.Warn,
			Says: "CNS does not start: its saved state does not fit what the control plane assigned"},
	},
})
