package faults

import (
	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

var _ = register(&checks.Check{
	ID:       "aks-cse-api-unreachable",
	Title:    "AKS provisioning cannot reach the API server",
	Healthy:  "AKS provisioning reached the API server",
	Category: checks.CategoryNode,
	Doc: `When AKS creates a Windows node, its provisioning script (CSE) opens a connection to the
API server on port 443 and repeats this for minutes. If all attempts fail, it ends with exit code 5
(WINDOWS_CSE_ERROR_CHECK_API_SERVER_CONNECTIVITY), the kubelet is not started, and the scale set
reports VMExtensionProvisioningError. A firewall, a route, a network security group or the
authorized IP ranges block the way, or the name of a private cluster does not resolve in the virtual
network.

The check looks for this exit in the log of the script, and for the answer of AKS.`,
	Fix: checks.Steps(
		checks.Inspect("Resolve-DnsName API-SERVER; Test-NetConnection API-SERVER -Port 443",
			"On the node, check the name and the port of the API server."),
		checks.Do("Allow TCP 443 from the subnet of the node to the API server: network security group, firewall, route table and authorized IP ranges. Link a private DNS zone to the virtual network."),
		checks.Run("az aks nodepool upgrade --node-image-only --cluster-name CLUSTER --resource-group GROUP --name POOL",
			"Provision the nodes again.").
			Costs("The nodes of the pool are replaced one after the other."),
		checks.Verify("kubectl get node {node}", "STATUS is Ready")),
	Links: []string{
		"https://learn.microsoft.com/en-us/troubleshoot/azure/azure-kubernetes/create-upgrade-delete/windows-cse-error-check-api-server-connectivity",
		"https://github.com/Azure/AgentBaker/blob/master/staging/cse/windows/kubernetesfunc.ps1",
		"https://github.com/Azure/AKS/issues/1607",
		"https://learn.microsoft.com/en-us/troubleshoot/azure/azure-kubernetes/error-codes/vmextensionerror-k8sapiserverconnfail",
	},
	Breaks:   []*checks.Effect{effectKubelet},
	Explains: []string{"aks-provisioning-failed"},
	Applies:  checks.OnPlatform(node.AKS),
	Needs:    []evidence.Need{evidence.Any(evidence.Logs("azure"), evidence.Logs("aks"), evidence.Logs("other"))},
	Signs: []checks.Sign{
		{Text: "WINDOWS_CSE_ERROR_CHECK_API_SERVER_CONNECTIVITY",
			Until: []string{"Connected to API server successfully"},
			Says:  "the provisioning of AKS cannot reach the API server on port 443"},
		// what AKS answers to the one who adds the pool; the second form is of Azure's page on it
		{Text: "K8SAPIServerConnFailVMExtensionError", Or: []string{"VMExtensionError_K8SAPIServerConnFail"},
			Says: "the provisioning of AKS cannot reach the API server on port 443"},
		{Text: "Set ExitCode to 5 and exit",
			Also:  []string{"Failed to connect to API server"},
			Until: []string{"Connected to API server successfully"},
			Says:  "the provisioning of AKS cannot reach the API server on port 443"},
	},
})
