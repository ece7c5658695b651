package checks

import (
	"cmp"
	"slices"
	"strings"

	"doctor/checks/evidence"
)

var _ = Register(Check{
	ID:       "host-gw-cloud-udr-missing",
	Title:    "the cloud's network seems to drop packets with pods' addresses",
	Category: CategoryNetwork,
	Doc: `With host-gw or l2bridge, packets cross the network between nodes with the addresses of pods on them. A cloud delivers and accepts only addresses that it handed out itself, unless a route in its own table sends each podCIDR to its node, and the node's interface may forward. Without both, pods of this node reach neither the pods of other nodes nor anything that answers to a pod's address, while the nodes reach each other.

The cloud's routes are not to be seen on the node: the check judges by TCP probes from pods to pods of other nodes, where the providerID says that a cloud runs the machine.`,
	Fix: Fix{
		Text: "add a route for each podCIDR by way of its node to the cloud's table and let the nodes' interfaces forward; or use an overlay, which needs neither",
		Commands: []string{
			"az network route-table route create -g RESOURCE_GROUP --route-table-name TABLE -n {node} --address-prefix {podCIDR} --next-hop-type VirtualAppliance --next-hop-ip-address {managementIP}",
			"az network nic update -g RESOURCE_GROUP -n NIC --ip-forwarding true",
			"aws ec2 modify-instance-attribute --instance-id INSTANCE --no-source-dest-check",
			"aws ec2 create-route --route-table-id TABLE --destination-cidr-block {podCIDR} --instance-id INSTANCE",
		},
		Impact: "none for what works now; the routes have to follow when nodes come and go",
	},
	Links:    []string{"https://learn.microsoft.com/en-us/virtualization/windowscontainers/kubernetes/common-problems", "https://learn.microsoft.com/en-us/azure/virtual-network/virtual-networks-udr-overview"},
	Explains: []string{"vm-mac-spoofing-disabled", "icmp-external-not-snated", "node-cannot-use-cluster-ip", "cluster-dns-unreachable", "dns-pqdn-with-dots"},
	Applies: OnAll(OnCNI(Flannel, Bridge, WinCNI), OnBackend(L2Bridge), func(n *Node) error {
		if n.Platform.Known() && slices.Contains([]Platform{AKS, EKS, GKECloud}, n.Platform.Value) {
			return Skip("%s sets the routes of its nodes itself", n.Platform.Value)
		}
		return nil
	}),
	Needs: []evidence.Need{evidence.Node, evidence.ReachProbes, NeedClusterCIDRs},
	Uses:  append(slices.Clone(clusterSources), evidence.Routes),
	Run: func(s evidence.Snapshot) ([]Finding, error) {
		n := About(s)
		id := evidence.Node.In(s).Spec.ProviderID
		cloud := cloudOf(id)
		if cloud == "" {
			return nil, Skip("no cloud runs this machine: its providerID is %s", cmp.Or(evidence.Clean(id), "empty"))
		}
		v := n.viewOfRemotePods(evidence.ReachProbes.In(s))
		v.lost = slices.DeleteFunc(v.lost, func(p evidence.ReachProbe) bool {
			a, _ := n.remoteTarget(p)
			return evidence.Routes.Known(s) && !routed(evidence.Routes.In(s), a)
		})
		switch {
		case v.heard:
			return nil, nil
		case len(v.lost) < 2:
			return nil, Unknown(evidence.NotCollected + ": fewer than two pods of other nodes were probed from pods of this one")
		case !v.nodeHeard && !heardByCluster(s):
			return nil, Unknown(evidence.NotCollected + ": no connection of the node itself to another host is recorded as answered, so nothing sets pods apart from it")
		}
		f := Findingf(cond(v.ownHeard || v.elsewhere != nil, Fail, Warn), cloud, "none of %d pods of other nodes answers a pod of this node: %s seems to have no route for pods, or the interface may not forward", len(v.lost), cloud)
		for _, p := range v.lost[:min(len(v.lost), maxQuotes)] {
			f = f.With(reachBecause(p))
		}
		return []Finding{f.At(evidence.Node.Path(), "spec.providerID is %s", id)}, nil
	},
})

// cloudOf is the cloud that a providerID names; vSphere and bare metal have providers too.
func cloudOf(providerID string) string {
	scheme, _, _ := strings.Cut(strings.ToLower(providerID), "://")
	return map[string]string{"azure": "Azure", "aws": "AWS", "gce": "Google Cloud", "openstack": "OpenStack", "ibm": "IBM Cloud", "oci": "Oracle Cloud", "alicloud": "Alibaba Cloud"}[scheme]
}

// routed tells whether the node itself has a route to the pod's node: without
// one the packets do not even get to the cloud's network.
func routed(routes []evidence.Route, a Address) bool {
	return slices.ContainsFunc(routes, func(r evidence.Route) bool {
		p, ok := parsePrefix(r.Destination)
		return ok && p.Bits() > 0 && p.Contains(a)
	})
}
