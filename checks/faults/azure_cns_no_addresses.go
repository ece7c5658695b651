package faults

import (
	"doctor/checks"
	"doctor/checks/node"
)

var _ = register(&checks.Check{
	ID:       "azure-cns-no-addresses",
	Title:    "Azure CNS has no address for a pod",
	Healthy:  "Azure CNS has addresses for pods",
	Category: checks.CategoryNetwork,
	Doc: `With dynamic address assignment, CNS requests addresses from the subnet of the pods in
batches and gives one to each pod. If the subnet is full, or the control plane does not answer the
request, CNS has none to give: new pods fail with "not enough IPs available", and running pods keep
their network. A node that has just started, or many pods at once, see it for some seconds too.

The check looks for this answer of CNS at pods that do not start.`,
	Fix: checks.Steps(
		checks.Inspect("kubectl get nodenetworkconfigs -n kube-system {node} -o yaml",
			"Compare the requested and the allocated addresses, and read status and assigned subnet."),
		checks.Do("If the subnet is full, add a node pool with a larger pod subnet, or lower the number of pods. If it is not, restart the pod of azure-cns on this node.").
			Costs("No new pod gets an address until CNS runs again."),
		checks.Verify("kubectl get pods -A -o wide --field-selector spec.nodeName={node}",
			"new pods get an address")),
	Links: []string{
		"https://github.com/Azure/azure-container-networking/issues/2999",
		"https://learn.microsoft.com/en-us/azure/architecture/operator-guides/aks/troubleshoot-network-aks",
		"https://learn.microsoft.com/en-us/azure/aks/configure-azure-cni-dynamic-ip-allocation",
	},
	Breaks:  []*checks.Effect{effectPodStart},
	Applies: checks.OnCNI(node.Azure),
	Needs:   complaintNeeds,
	Uses:    complaintUses,
	Signs:   azureCnsNoAddressesSigns,
	Run:     complain(azureCnsNoAddressesSigns),
})

// cns/restserver/ipam.go of Azure/azure-container-networking; the state of the network container is
// in the error since 1.4.30.
var azureCnsNoAddressesSigns = []checks.Sign{
	{Text: "not enough IPs available", Also: []string{"waiting on Azure CNS to allocate", "NCUpdateSubnetFullError"},
		Says: "CNS has no address: the subnet of the pods is full"},
	{Text: "not enough IPs available", Or: []string{"No more free IP's available"},
		Also: []string{"waiting on Azure CNS to allocate"},
		Not:  []string{"NCUpdateSubnetFullError"}, Level: checks.Warn,
		Says: "CNS has no free address for the pod"},
}
