package faults

import (
	"slices"

	"doctor/checks"
	"doctor/checks/evidence"
)

// unresolved is what Go says on Windows where the DNS server does not answer or has no address of the
// name (net/lookup_windows.go); Windows says why, in its own language.
var unresolved = []string{": getaddrinfow: "}

// leaseFailed is how the kubelet told it until 1.17: pkg/kubelet/nodelease.
var leaseFailed = []string{"failed to ensure node lease exists"}

var _ = register(&checks.Check{
	ID:       "apiserver-name-not-resolved",
	Title:    "Node cannot resolve the name of the API server",
	Healthy:  "Node resolves the name of the API server",
	Category: checks.CategoryComponents,
	Doc: `The kubelet and the network agents find the API server by the name in their kubeconfig,
with the DNS servers of the node. If the name is not known there (a private cluster without its DNS
zone, a name that exists in /etc/hosts of Linux nodes only), the node does not join or is lost.

The check looks for the error in the logs of the kubelet, kube-proxy and kubeadm, and at pods that
Calico's plugin refuses.`,
	Fix: checks.Steps(
		checks.Inspect(`kubectl config view --kubeconfig {kubeconfig} -o jsonpath='{.clusters[0].cluster.server}'`,
			"Read the address of the API server from the kubeconfig of the kubelet."),
		checks.Inspect("Resolve-DnsName API-SERVER",
			"Resolve its name on the node."),
		checks.Do("Correct the DNS servers of the network, or the zone that should have the name."),
		checks.Verify("kubectl get node {node}", "STATUS is Ready")),
	Links: []string{
		"https://learn.microsoft.com/en-us/troubleshoot/azure/azure-kubernetes/create-upgrade-delete/cannot-find-host-in-dns",
		"https://learn.microsoft.com/en-us/troubleshoot/azure/azure-kubernetes/create-upgrade-delete/error-code-k8sapiserverdnslookupfailvmextensionerror",
		"https://learn.microsoft.com/en-us/azure/aks/private-clusters",
	},
	Breaks: append(slices.Clone(startedByAgent), effectNodeReports),
	Needs:  []evidence.Need{evidence.Any(evidence.Logs("kubelet"), evidence.WindowsEvents, evidence.Logs("other"))},
	Signs: []checks.Sign{
		{Text: "no such host", Or: unresolved,
			Also:  []string{"Unable to register node", "with API server"},
			Until: nodeRegistered,
			Says:  "the kubelet cannot resolve the name of the API server"},
		// The first request of a kubelet that has a bootstrap kubeconfig, and the rotation of its certificate.
		{Text: "no such host", Or: unresolved,
			Also:  []string{"cannot create certificate signing request: "},
			Until: nodeRegistered,
			Says:  "the kubelet cannot resolve the name of the API server"},
		// What a kubelet lists it lists from its API server (client-go's reflector).
		{Text: "no such host", Or: unresolved,
			Also:  []string{"Failed to list *v1.Node: Get "},
			In:    []string{"kubelet"},
			Until: nodeRegistered,
			Level: checks.Warn, // a node that has joined recovers without a word
			Says:  "the kubelet cannot resolve the name of the API server"},
		{Text: "no such host", Or: unresolved,
			Also:  []string{"Failed to list *v1.Service: Get "},
			In:    []string{"kube-proxy"},
			Level: checks.Warn,
			Says:  "kube-proxy cannot resolve the name of the API server"},
		// kubeadm tries for minutes before it says so
		{Text: "no such host", Or: unresolved,
			Also:  []string{"couldn't validate the identity of the API Server"},
			Until: joined,
			Says:  "kubeadm cannot resolve the name of the API server"},
		{Text: "no such host", Or: unresolved,
			Also:  []string{"Error updating node status, will retry", "error getting node"},
			Level: checks.Warn,
			Says:  "the kubelet cannot resolve the name of the API server"},
		{Text: "Failed to ensure lease exists", Or: leaseFailed,
			Also:  []string{"no such host"},
			Until: nodeRegistered,
			Level: checks.Warn, // a node that has joined recovers without a word
			Says:  "the kubelet cannot resolve the name of the API server"},
		{Text: "Failed to ensure lease exists", Or: leaseFailed,
			Also:  unresolved,
			Until: nodeRegistered,
			Level: checks.Warn,
			Says:  "the kubelet cannot resolve the name of the API server"},
		// cni-plugin/pkg/plugin/plugin.go of Calico
		{Text: "error getting ClusterInformation: Get", Also: []string{"dial tcp: lookup "},
			Until: nodeBecameReady,
			Says:  "the CNI plugin of Calico cannot resolve the name of the API server"},
		// The agent of RKE2 and K3s asks its server first, by the name in its own configuration.
		{Text: "failed to get CA certs", Also: []string{"dial tcp: lookup "},
			Until: rke2Joined,
			Says:  "the agent of RKE2 cannot resolve the name of its server",
			Fix: checks.Steps(
				checks.Inspect(`Get-Content C:\etc\rancher\rke2\config.yaml`,
					"Read the address of the server."),
				checks.Inspect("Resolve-DnsName SERVER",
					"Resolve its name on the node."),
				checks.Do("Correct the DNS servers of the network, or the zone that should have the name."),
				checks.Verify("kubectl get node {node}", "STATUS is Ready"))},
		// the instance configuration daemon of OpenShift: pkg/daemon/controller of WMCO
		{Text: "could not find node object associated with this instance", Also: []string{"dial tcp: lookup "},
			Says: "the configuration daemon of OpenShift cannot resolve the name of the API server"},
		{Text: "Agents are unable to resolve Kubernetes API server name", In: aksLogs,
			Says: "the nodes of AKS cannot resolve the name of the API server"},
	},
})
