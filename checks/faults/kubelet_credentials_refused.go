package faults

import (
	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

var _ = register(&checks.Check{
	ID:       "kubelet-credentials-refused",
	Title:    "API server refuses the credentials of the kubelet",
	Healthy:  "API server accepts the credentials of the kubelet",
	Category: checks.CategorySecurity,
	Doc: `The API server answers Unauthorized to every call of the kubelet. Its client certificate has
expired or was signed by another CA, its bootstrap token has expired, or, on EKS, the role of the
node is not mapped to the cluster. The node does not join, or becomes NotReady.

The check looks for the answers in the log of the kubelet.`,
	Fix: checks.Steps(
		checks.Inspect(`certutil -dump C:\var\lib\kubelet\pki\kubelet-client-current.pem`,
			"Read the dates and the issuer of the certificate of the kubelet."),
		joinEKS,
		reprovisionAKS,
		checks.Run("kubeadm token create --print-join-command",
			"Elsewhere, create a token on a control plane node, and join the node again.").Only(node.SelfManaged),
		checks.Verify("kubectl get node {node}", "STATUS is Ready")),
	Links: []string{
		"https://github.com/awslabs/amazon-eks-ami/issues/1376",
		"https://docs.aws.amazon.com/eks/latest/userguide/troubleshooting.html#not-authorized",
		"https://kubernetes.io/docs/setup/production-environment/tools/kubeadm/troubleshooting-kubeadm/#kubelet-client-cert",
	},
	Breaks:   []*checks.Effect{effectNodeReports, effectKubeletStart},
	Explains: podsOfTheNode,
	Needs:    []evidence.Need{evidence.Any(evidence.Logs("kubelet"), evidence.WindowsEvents, evidence.Logs("other"))},
	Signs: []checks.Sign{
		{Text: "Failed to contact API server when waiting for CSINode publishing: Unauthorized",
			Until: nodeRegistered,
			Says:  "the API server does not accept the credentials of the kubelet"},
		{Text: "Unable to register node",
			Also:  []string{"with API server", "Unauthorized"},
			Not:   []string{"ec2.internal", "compute.internal"},
			Until: nodeRegistered,
			Says:  "the API server does not accept the credentials of the kubelet"},
		// What a kubelet lists it lists from its API server (client-go's reflector).
		{Text: "Failed to list *v1.Node: Unauthorized",
			Or:    []string{"Failed to list *v1.Pod: Unauthorized", "Failed to list *v1.Service: Unauthorized"},
			In:    []string{"kubelet"},
			Until: nodeRegistered,
			Level: checks.Warn, // a node that has joined recovers without a word
			Says:  "the API server does not accept the credentials of the kubelet"},
		{Text: "Failed to ensure lease exists", Or: leaseFailed, Also: []string{"Unauthorized"},
			Until: nodeRegistered,
			Level: checks.Warn, // a rotated certificate ends it without a word
			Says:  "the API server does not accept the credentials of the kubelet"},
		{Text: "Error updating node status, will retry", Also: []string{"error getting node", "Unauthorized"},
			Until: nodeRegistered,
			Level: checks.Warn, // a rotated certificate ends it without a word
			Says:  "the API server does not accept the credentials of the kubelet"},
	},
})
