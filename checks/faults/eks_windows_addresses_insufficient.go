package faults

import (
	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

var _ = register(&checks.Check{
	ID:       "eks-windows-addresses-insufficient",
	Title:    "EKS Windows nodes offer no VPC addresses for pods",
	Healthy:  "EKS Windows nodes offer VPC addresses for pods",
	Category: checks.CategoryNetwork,
	Doc: `On EKS a pod for Windows requests vpc.amazonaws.com/PrivateIPv4Address. The VPC resource
controller of the control plane adds this resource to Windows nodes once enable-windows-ipam is
true in the ConfigMap amazon-vpc-cni and the cluster role has AmazonEKSVPCResourceController.
Without it, or when the addresses of the instance type are used up, the scheduler finds no node.

The check looks for the event of the scheduler.`,
	Fix: checks.Steps(
		checks.Inspect("kubectl get node {node} -o jsonpath='{.status.allocatable}'",
			"See whether the node has vpc.amazonaws.com/PrivateIPv4Address."),
		checks.Run(`kubectl patch configmap amazon-vpc-cni -n kube-system --type merge -p 'data: {enable-windows-ipam: !!str true}'`,
			"If it has none, enable Windows IPAM, and attach AmazonEKSVPCResourceController to the role of the cluster."),
		checks.Do("If all addresses are used, add nodes, use a larger instance type, or enable prefix delegation."),
		checks.Verify("kubectl get pods -A -o wide --field-selector spec.nodeName={node}", "all pods are Running")),
	Links: []string{
		"https://docs.aws.amazon.com/eks/latest/userguide/windows-support.html",
		"https://docs.aws.amazon.com/eks/latest/best-practices/windows-networking.html",
	},
	Breaks:  []*checks.Effect{effectPodStart},
	Applies: checks.UnlessElsewhere(node.EKS),
	Needs:   []evidence.Need{evidence.Any(evidence.PodEvents, evidence.Logs("other"))},
	Signs: []checks.Sign{
		{Text: "Insufficient " + vpcAddress, Not: []string{noScaleUp},
			Says: "the scheduler finds no Windows node with a free VPC address"},
		// pkg/provider/ip of aws/amazon-vpc-resource-controller-k8s, an event of the Node
		{Text: "The instance type ", Also: []string{"is not supported for Windows"},
			In: []string{evidence.InPodEvents}, Fix: otherInstance, Says: noLimits},
		// its pkg/node/manager, where it does not know the limits of a newer type
		{Text: "The instance type ", Also: []string{unknownInstance},
			In: []string{evidence.InPodEvents}, Fix: otherInstance, Says: noLimits},
	},
})

const noLimits = "the resource controller offers no VPC addresses on this instance type"

var otherInstance = checks.Steps(
	checks.Do("Use an instance type that supports Windows pods: the controller knows how many addresses it has.").
		Costs("The nodes are replaced."),
	checks.Verify("kubectl get node {node} -o jsonpath='{.status.allocatable}'",
		"vpc.amazonaws.com/PrivateIPv4Address with a number"))

// noScaleUp is the event of the cluster autoscaler, which says of a node that does not exist yet what it
// believes that such a node would lack: kubernetes/autoscaler issue 2888.
const noScaleUp = "didn't trigger scale-up"
