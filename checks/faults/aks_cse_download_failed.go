package faults

import (
	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

var _ = register(&checks.Check{
	ID:       "aks-cse-download-failed",
	Title:    "AKS provisioning cannot download its packages",
	Healthy:  "AKS provisioning downloaded its packages",
	Category: checks.CategoryNode,
	Doc: `The provisioning script (CSE) of a Windows node on AKS downloads packages that the node
image does not have: the script package, the kubelet, the CNI plugin, csi-proxy or containerd. If a
download fails after its retries, the script ends with the exit code of that package (2, 33 to 40,
58, 66, 70), and the node does not join. Usually outbound traffic is restricted and the required names are
not allowed; a proxy that inspects TLS has the same effect.

The check looks for this exit in the log of the script, which names the URL.`,
	Fix: checks.Steps(
		checks.Inspect("curl.exe -I https://packages.aks.azure.com",
			"On the node, try the host of the URL in the error."),
		checks.Do("Allow the outbound names and ports that AKS requires on Windows nodes, without TLS inspection."),
		checks.Run("az aks nodepool upgrade --node-image-only --cluster-name CLUSTER --resource-group GROUP --name POOL",
			"Provision the nodes again.").
			Costs("The nodes of the pool are replaced one after the other."),
		checks.Verify("kubectl get node {node}", "STATUS is Ready")),
	Links: []string{
		"https://github.com/Azure/AgentBaker/pull/3931",
		"https://learn.microsoft.com/en-us/azure/aks/outbound-rules-control-egress",
		"https://github.com/Azure/AgentBaker/blob/main/parts/windows/windowscsehelper.ps1",
	},
	Breaks:   []*checks.Effect{effectKubelet},
	Explains: []string{"aks-provisioning-failed"},
	Applies:  checks.OnPlatform(node.AKS),
	Needs:    []evidence.Need{evidence.Any(evidence.Logs("azure"), evidence.Logs("aks"))},
	Signs: []checks.Sign{
		// 20 is a request to the host of the VM, and 36 copies a file since the node image has it.
		{Text: "WINDOWS_CSE_ERROR_DOWNLOAD_",
			Not:  []string{"WINDOWS_CSE_ERROR_DOWNLOAD_CA_CERTIFICATES", "Failed to copy", "$global:"},
			Says: "the provisioning of AKS cannot download a package"},
		{Text: "Set ExitCode to", Also: []string{"and exit", "Failed in downloading"},
			Says: "the provisioning of AKS cannot download a package"},
		{Text: "Failed in downloading", Also: []string{"WINDOWS_CSE_ERROR_"},
			Not:  []string{"WINDOWS_CSE_ERROR_DOWNLOAD_"},
			Says: "the provisioning of AKS cannot download a package"},
		// until September 2021
		{Text: "Set ExitCode to", Also: []string{"and exit", "while attemping to downlaod"},
			Says: "the provisioning of AKS cannot download a package"},
		// AKS Engine, from whose scripts those of AKS were made: kuberneteswindowsfunctions.ps1
		{Text: "Fail in downloading ", Also: []string{"Error: "}, In: []string{"aks", "azure"},
			Says: "the provisioning of AKS cannot download a package"},
		// a network isolated cluster, since March 2026: containerdfunc.ps1, kubeletfunc.ps1, configfunc.ps1
		{Text: "Exhausted retries for oras pull",
			Says: "the provisioning of AKS cannot pull a package from the registry of the network isolated cluster",
			Fix: checks.Steps(
				checks.Inspect("Resolve-DnsName REGISTRY.azurecr.io; Test-NetConnection REGISTRY.azurecr.io -Port 443",
					"On the node, try the registry of the reference in the error."),
				checks.Do("Correct the private endpoint and the private DNS zone of the registry, and give the identity of the kubelet the role AcrPull."),
				checks.Run("az aks nodepool upgrade --node-image-only --cluster-name CLUSTER --resource-group GROUP --name POOL",
					"Provision the nodes again.").
					Costs("The nodes of the pool are replaced one after the other."),
				checks.Verify("kubectl get node {node}", "STATUS is Ready"))},
	},
})
