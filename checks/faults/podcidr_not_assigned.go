package faults

import (
	"slices"
	"time"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

var _ = register(&checks.Check{
	ID:       "podcidr-not-assigned",
	Title:    "Node has no podCIDR",
	Healthy:  "Node has a podCIDR",
	Category: checks.CategoryNetwork,
	FAQ:      []int{8, 9},
	Doc: `flannel and the plain bridge plugins take the node's pod subnet from spec.podCIDR of the
Node object. kube-controller-manager assigns it, if it runs with --allocate-node-cidrs and a
--cluster-cidr that has a free subnet. Without it flanneld gets no lease, creates no network and
writes no subnet.env.

Calico, Azure CNI, the VPC CNI of EKS and Antrea manage addresses in other ways; there an empty
podCIDR is normal.`,
	Fix: checks.Steps(
		checks.Do("On the control plane, set --allocate-node-cidrs=true and a --cluster-cidr with a free subnet in /etc/kubernetes/manifests/kube-controller-manager.yaml."),
		checks.Run(`kubectl patch node {node} --type merge -p 'spec: {podCIDR: 10.244.X.0/24, podCIDRs: [10.244.X.0/24]}'`,
			"If that is not possible, assign a free subnet of the cluster CIDR {clusterCIDR} by hand.").
			Costs("A podCIDR cannot be changed once it is set: use one that no other node has."),
		checks.Run("{restart network agent}", "Restart the network agent of the node."),
		checks.Verify("kubectl get node {node} -o jsonpath='{.spec.podCIDR}'", "the podCIDR")),
	Links: []string{"https://github.com/kubernetes-sigs/sig-windows-tools/issues/345",
		"https://github.com/flannel-io/flannel/blob/master/Documentation/troubleshooting.md"},
	Breaks: []*checks.Effect{effectNetworkCreation},
	Applies: func(n *node.Node) error {
		return checks.RequireCNI(n, node.Flannel, node.GKE, node.WinCNI, node.Bridge, node.Overlay)
	},
	Needs: []evidence.Need{evidence.Node},
	Uses:  []evidence.Need{evidence.Services, evidence.Processes},
	Signs: []checks.Sign{
		// At the join flanneld may come first; it exits and starts again.
		{Text: "pod cidr not assigned", Until: subnetWritten, Says: "flanneld gets no subnet: the node has no podCIDR"},
		// Antrea's agent, which exits and starts again: pkg/agent/agent.go and agent_windows.go
		{Text: "Spec.PodCIDR is empty for Node", Until: antreaStarted, Says: "Antrea's agent exits: the node has no podCIDR"},
		{Text: "failed to find valid IPv4 PodCIDR", Until: antreaStarted, Says: "Antrea's agent exits: the node has no podCIDR"},
		// Kubernetes 1.34 and later, with detectLocalMode NodeCIDR: pkg/proxy/node.go
		{Text: "timeout waiting for PodCIDR allocation on node", In: []string{"kube-proxy", evidence.InEvents},
			Until: proxyStarted, Says: "kube-proxy exits: its Node has no podCIDR"},
		// dockershim and cri-dockerd, with a CNI configuration that has the capability ipRanges; after the join
		// the kubelet says so until it has read its Node
		{Text: "cni config needs ipRanges but no PodCIDR set", Lasts: 2 * time.Minute,
			Says: "the CNI configuration needs a podCIDR, which the Node does not have"},
		{Text: "CIDRNotAvailable", In: []string{evidence.InPodEvents},
			Says: "the control plane has no podCIDR left for this node"},
		{Text: "there are no remaining CIDRs left to allocate",
			Says: "the cluster CIDR has no subnet left for this node"},
	},
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		object := evidence.Node.In(s)
		if len(object.Spec.PodCIDRList()) > 0 {
			return nil, nil
		}
		if flannelOnEtcd(node.About(s)) {
			return nil, checks.Skip(
				"flanneld takes its subnets from etcd, not from the Node object")
		}
		return []*checks.Finding{checks.Findingf(checks.Fail, object.Metadata.Name,
			"Node object has no podCIDR: %s gets no pod subnet",
			node.About(s).CNI.Value).
			At(object.Field("spec", "podCIDR"), "spec.podCIDR is empty")}, nil
	},
})

// flannelOnEtcd tells whether flanneld is seen to be told of an etcd and not of
// the Node objects: then podCIDRs mean nothing to it.
func flannelOnEtcd(n *node.Node) bool {
	c := n.Components["flanneld"]
	var lines [][]string
	for _, p := range c.Processes {
		lines = append(lines, p.Args)
	}
	for _, svc := range c.Services {
		lines = append(lines, svc.Args)
	}
	return slices.ContainsFunc(lines, func(args []string) bool {
		flags := evidence.ParseFlags(args)
		_, etcd := flags.Get("etcd-endpoints")
		nodes, ok := flags.Get("kube-subnet-mgr")
		return etcd && (!ok || nodes == "false" || nodes == "0")
	})
}

// subnetWritten is what flanneld says that has a lease and a network.
var subnetWritten = []string{"Wrote subnet file to", "Running backend.",
	"Finished starting backend."}
