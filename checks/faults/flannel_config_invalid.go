package faults

import (
	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

var _ = register(&checks.Check{
	ID:       "flannel-config-invalid",
	Title:    "flannel network configuration is missing or not valid",
	Healthy:  "flanneld accepts its network configuration",
	Category: checks.CategoryNetwork,
	Doc: `flanneld reads the pod network and the backend from net-conf.json, which its pod or the
start script writes to C:\etc\kube-flannel, or from etcd where --kube-subnet-mgr is not set. On
Windows it has the backends host-gw and vxlan only. If the file is missing or is not valid JSON, if
the backend is another, or if the network does not contain the podCIDR of this node, flanneld exits
at each start, and the node has no pod network.

The check looks for these errors in the log of flanneld.`,
	Fix: checks.Steps(
		checks.Inspect(`Get-Content C:\etc\kube-flannel\net-conf.json; kubectl get configmap -A -l app=flannel -o yaml`,
			"Compare net-conf.json of the node with the one of flannel's ConfigMap."),
		checks.Edit(`C:\etc\kube-flannel\net-conf.json`,
			"Correct what the error names. Network is the pod network of the cluster, Backend.Type is host-gw or vxlan, as on the Linux nodes."),
		checks.Run("{restart flanneld}", "Restart flanneld.").
			Costs("The node loses its network for a few seconds while HNS creates the network."),
		networkThere),
	Links: []string{
		"https://github.com/flannel-io/flannel/issues/957",
		"https://github.com/flannel-io/flannel/issues/1607",
		"https://github.com/flannel-io/flannel/issues/1983",
		"https://github.com/flannel-io/flannel/blob/master/Documentation/configuration.md"},
	Breaks:  []*checks.Effect{effectNetworkCreation},
	Applies: checks.UnlessOtherCNI(node.Flannel),
	Needs:   []evidence.Need{evidence.Any(evidence.Logs("flanneld"), evidence.Logs("other"))},
	Signs: []checks.Sign{
		{Text: "failed to read net conf: ", Until: subnetWritten,
			Says: "flanneld exits: it cannot read net-conf.json"},
		{Text: "error parsing subnet config: ", Until: subnetWritten,
			Says: "flanneld exits: net-conf.json is not valid"},
		// backend/manager.go; 0.10 and before have no vxlan for Windows
		{Text: "Error fetching backend: unknown backend type: ", Until: subnetWritten,
			Says: "flanneld exits: this release has no such backend on Windows"},
		{Text: "your PublicIP differs from interface IP", Until: subnetWritten,
			Says: "flanneld exits: host-gw requires nodes without NAT between them"},
		{Text: "specified in the flannel net config doesn't contain ", Until: subnetWritten, Fix: flannelNetworkFix(),
			Says: "flanneld exits: its network does not contain the podCIDR of this node"},
		// without --kube-subnet-mgr
		{Text: "Couldn't fetch network config: client: etcd cluster is unavailable or misconfigured",
			Also:  []string{"127.0.0.1:"},
			Until: subnetWritten, Fix: checks.Steps(
				checks.Do("Start flanneld with --kube-subnet-mgr and --kubeconfig-file: without them it looks for etcd on the node."),
				flanneldAgain, networkThere),
			Says: "flanneld looks for etcd on this node: --kube-subnet-mgr is not set"},
	},
})

// flannelNetworkFix sets the network of flannel to that of the cluster's pods.
func flannelNetworkFix() checks.Fix {
	return checks.Steps(
		checks.Inspect("kubectl get node {node} -o jsonpath='{.spec.podCIDRs}'",
			"Read the podCIDR of the node."),
		checks.Do("Set Network in flannel's ConfigMap to the pod network of the cluster (--cluster-cidr of kube-controller-manager), and restart flannel on all nodes.").
			Costs("Pods that have an address of another network lose it: restart them."),
		networkThere)
}
