package faults

import (
	"doctor/checks"
	"doctor/checks/evidence"
)

var _ = register(&checks.Check{
	ID:       "endpoint-address-rejected",
	Title:    "HNS rejects the address of an endpoint",
	Healthy:  "HNS accepts the addresses of endpoints",
	Category: checks.CategoryNetwork,
	Doc: `HNS creates the endpoint of a pod with the address that the CNI plugin reserved. It returns
HCN_E_INVALID_IP (0x803b001e) if no subnet of the HNS network has that address, and
HCN_E_ADDR_INVALID_OR_RESERVED (0x803b002f) if HNS keeps it for itself: the first and the last
address of a subnet, its gateway, or one that another endpoint has. The pod then gets no network.

Common causes are the NAT configuration of containerd's installation script, a subnet from an
earlier join, and Azure CNI Overlay before July 2023, which gave pods the first and last addresses
of the subnet. An endpoint that was not created leaves no state, so the check uses the error.
source-vip-invalid reports the address of kube-proxy.`,
	Fix: checks.Steps(
		checks.Inspect("Get-HnsNetwork | Select-Object Name, Type, Subnets | Format-List",
			"Compare the address in the error with the subnet and the gateway of the network."),
		checks.Edit("{cniFile}",
			"Set the subnet and the gateway to those of the HNS network, and delete a configuration of type nat that the cluster does not use."),
		checks.Do("If the cluster uses Azure CNI Overlay, upgrade the node image."),
		checks.Do("Recreate the pods that are waiting."),
		checks.Verify("kubectl get pods -A --field-selector spec.nodeName={node}",
			"no pod in ContainerCreating")),
	Links: []string{"https://learn.microsoft.com/en-us/virtualization/api/hcn/reference/hcnhresult",
		"https://github.com/Azure/azure-container-networking/pull/2060",
		"https://github.com/nzimerman-varonis/aks-many-pods-bug",
		"https://github.com/lippertmarkus/vagrant-k8s-win-hostprocess",
		"https://github.com/kubernetes-sigs/sig-windows-tools/issues/181",
		"https://github.com/eksctl-io/eksctl/pull/5118",
		"https://github.com/aws/amazon-vpc-cni-k8s/issues/1103"},
	Breaks:   []*checks.Effect{effectPodStart, effectContainers},
	Explains: []string{"sandbox-name-reserved"},
	Needs:    []evidence.Need{cniLogs},
	Signs: []checks.Sign{
		addressRefused("HCN_E_INVALID_IP",
			"HNS rejects the address of a pod: it is in no subnet of the HNS network"),
		addressRefused("HCN_E_ADDR_INVALID_OR_RESERVED",
			"HNS rejects the address of a pod: it is reserved, or another endpoint has it"),
		ofSandbox(addressRefused("HCN_E_INVALID_IP",
			"HNS rejects the address of a pod: it is in no subnet of the HNS network")),
		ofSandbox(addressRefused("HCN_E_ADDR_INVALID_OR_RESERVED",
			"HNS rejects the address of a pod: it is reserved, or another endpoint has it")),
		// the event of a pod, where the plugin does not name the call
		unlike(checks.SignOfCode("HCN_E_ADDR_INVALID_OR_RESERVED",
			"HNS rejects the address of a pod: it is reserved, or another endpoint has it", "networkPlugin cni failed to set up pod"),
			"Network failed", "LoadBalancer", "vpc-shared-eni"),
		{Text: "(0x803b002f)", Also: []string{"vpc-shared-eni", "failed (add)"},
			Says: "HNS rejects the address of a pod: it is reserved, or another endpoint has it",
			Fix: checks.Steps(
				checks.Do("Use a current Windows AMI: with containerd, its plugin is vpc-bridge.").
					Costs("The nodes are replaced."),
				checks.Do("Recreate the pods that are waiting."),
				checks.Verify("kubectl get pods -A --field-selector spec.nodeName={node}",
					"no pod in ContainerCreating"))},
	},
})

// addressRefused is HNS's refusal of an address in a call that creates an endpoint, by whoever
// calls for a pod: kube-proxy gets the same codes for its source VIP.
func addressRefused(symbol, says string) checks.Sign {
	return ofPlugin(unlike(checks.SignOfCode(symbol, says, "endpoint"), "Source Vip", "LoadBalancer"))
}
