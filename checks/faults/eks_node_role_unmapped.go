package faults

import (
	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

var _ = register(&checks.Check{
	ID:       "eks-node-role-unmapped",
	Title:    "EKS API server does not accept the role of the node",
	Healthy:  "EKS API server accepts the role of the node",
	Category: checks.CategoryNode,
	Doc: `On EKS the kubelet authenticates with the IAM role of its instance. The cluster must map
this role to the group system:nodes: by an access entry (for Windows of type EC2_WINDOWS) or in the
ConfigMap aws-auth. If the entry is missing, names an instance profile instead of a role, or
contains a path, the API server answers Unauthorized and the node never appears. Windows node groups
often have a role of their own, and tools that rewrite aws-auth drop it.

The check looks for refused registrations in the log of the kubelet.`,
	Fix: checks.Steps(
		checks.Inspect("aws eks list-access-entries --cluster-name CLUSTER; kubectl -n kube-system get configmap aws-auth -o yaml",
			"Look for the IAM role of this node."),
		checks.Run("aws eks create-access-entry --cluster-name CLUSTER --principal-arn ROLE-ARN --type EC2_WINDOWS",
			"Create an access entry for the role of the Windows nodes."),
		checks.Do("Or map the role in aws-auth to system:bootstrappers, system:nodes and eks:kube-proxy-windows."),
		checks.Verify("kubectl get node {node}", "STATUS is Ready")),
	Links: []string{
		"https://github.com/awslabs/amazon-eks-ami/issues/1837",
		"https://github.com/awslabs/amazon-eks-ami/issues/414",
		"https://docs.aws.amazon.com/eks/latest/userguide/troubleshooting.html#worker-node-fail",
	},
	Breaks:   []*checks.Effect{effectNodeReports},
	Explains: []string{"kubelet-credentials-refused", "hns-network-missing"}, // the first pod creates the network
	Applies:  checks.OnPlatform(node.EKS),
	Needs:    []evidence.Need{evidence.Any(evidence.Logs("kubelet"), evidence.WindowsEvents)},
	Signs: []checks.Sign{
		{Text: "Unable to register node",
			Also:  []string{"API server", "Unauthorized", "ec2.internal"},
			Until: []string{"Successfully registered node"},
			Says:  "the EKS API server rejects the credentials of the kubelet"},
		{Text: "Unable to register node",
			Also:  []string{"API server", "Unauthorized", "compute.internal"},
			Until: []string{"Successfully registered node"},
			Says:  "the EKS API server rejects the credentials of the kubelet"},
	},
})
