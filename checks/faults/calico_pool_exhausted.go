package faults

import (
	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

var _ = register(&checks.Check{
	ID:       "calico-pool-exhausted",
	Title:    "Calico has no free address block for this node",
	Healthy:  "Calico has addresses for the pods of this node",
	Category: checks.CategoryNetwork,
	Doc: `Calico gives each node blocks of addresses, 64 in the default size. A Windows node cannot
borrow addresses of another node's block, and four addresses of each of its blocks are reserved.
When its blocks are full, it needs a new one. If all blocks of the IP pools belong to nodes, some of
which may not exist any more, or the node has reached the limit of blocks per node (20), each new
pod fails.

The check looks for this answer of Calico's IPAM at pods that do not start.`,
	Fix: checks.Steps(
		checks.Inspect("calicoctl ipam show --show-blocks; calicoctl ipam check",
			"See how full the pools are, which node owns which block, and which addresses have leaked."),
		checks.Do("Release leaked addresses with calicoctl ipam release, and delete Calico's nodes that do not exist any more."),
		checks.Do("If the pools are really full, add an IP pool. If the limit of blocks is reached, raise maxBlocksPerHost of the IPAMConfiguration."),
		checks.Verify("kubectl get pods -A -o wide --field-selector spec.nodeName={node}",
			"new pods get an address")),
	Links: []string{
		"https://github.com/projectcalico/calico/issues/9462",
		"https://github.com/projectcalico/calico/issues/7382",
		"https://docs.tigera.io/calico/latest/getting-started/kubernetes/windows-calico/limitations",
	},
	Breaks:  []*checks.Effect{effectPodStart},
	Applies: checks.UnlessOtherCNI(node.Calico),
	Needs: []evidence.Need{evidence.Any(evidence.PodEvents, evidence.Logs("kubelet"), evidence.Logs("containerd"),
		evidence.Logs("cni"))},
	Signs: []checks.Sign{
		{Text: "cannot allocate new block due to per host block limit",
			Or:    []string{"Need to allocate an IPAM block but could not - limit of "},
			Until: nodeBecameReady,
			Says:  "the node has reached Calico's limit of address blocks"},
		// libcalico-go/lib/ipam; "IPAM allocated only" until 3.19
		{Text: "requested IPv4 addresses; No IPs available in pools", Or: []string{"IPv4 addresses. IPAM allocated only 0"},
			Until: nodeBecameReady,
			Says:  "Calico's IP pools have no free address block for this node"},
	},
})
