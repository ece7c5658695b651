package faults

import (
	"path"
	"slices"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
	"doctor/checks/probed"
)

var _ = register(&checks.Check{
	ID:       "host-gw-cloud-udr-missing",
	Title:    "Cloud network drops packets of pods",
	Healthy:  "Cloud network carries packets of pods",
	Category: checks.CategoryNetwork,
	Doc: `With host-gw or l2bridge, packets cross the network between nodes with the addresses of
pods. A cloud delivers and accepts only addresses that it assigned itself, unless its route table
sends each podCIDR to its node, and the node's network interface may forward. If either is missing,
pods of this node reach neither the pods of other nodes nor anything that answers to a pod's
address, while the nodes reach each other.

The routes of the cloud are not visible on the node. Where the providerID names a cloud, the check
uses TCP probes from pods to pods of other nodes.`,
	Fix: checks.Steps(
		checks.Do("Add a route for {podCIDR} through {managementIP} to the cloud's route table."),
		checks.Do("Allow IP forwarding on the node's network interface in the cloud."),
		checks.Do("Or use an overlay network, which requires neither."),
		checks.Verify("kubectl exec POD -- curl.exe -sS -m 5 http://POD_IP:PORT",
			"an answer from a pod of another node")),
	Links: []string{
		"https://learn.microsoft.com/en-us/virtualization/windowscontainers/kubernetes/common-problems", "https://learn.microsoft.com/en-us/azure/virtual-network/virtual-networks-udr-overview"},
	Breaks: []*checks.Effect{effectPodTraffic},
	Applies: checks.OnAll(checks.OnCNI(node.Flannel, node.Bridge, node.WinCNI),
		checks.OnBackend(node.L2Bridge), func(n *node.Node) error {
			if n.Platform.Known() &&
				slices.Contains([]node.Platform{node.AKS, node.EKS, node.GKECloud},
					n.Platform.Value) {
				return checks.Skip("%s sets the routes of its nodes itself", n.Platform.Value)
			}
			return nil
		}),
	Needs: []evidence.Need{evidence.Node, evidence.ReachProbes, node.NeedClusterCIDRs},
	Uses:  slices.Concat(remotePodSources, node.ClusterSources, []evidence.Need{evidence.Routes}),
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		n := node.About(s)
		id := evidence.Node.In(s).Spec.ProviderID
		cloud := node.CloudOf(id)
		if cloud == "" {
			return nil, checks.Skip("the machine does not run in a cloud: its providerID is %s",
				orPhrase(evidence.Clean(id), evidence.Phrasef("empty")))
		}
		v := viewOfRemotePods(s, n)
		v.lost = slices.DeleteFunc(v.lost, func(p evidence.ReachProbe) bool {
			a, _ := remoteTarget(n, p)
			return evidence.Routes.Known(s) && !routed(evidence.Routes.In(s), a)
		})
		switch {
		case v.heard:
			return nil, nil
		case !v.isPath(s):
			return nil, checks.Unknown(
				evidence.NotProbed.Gap("two pods of other nodes from pods of this node"))
		case !v.nodeHeard && !heardByCluster(s):
			return nil, checks.Unknown(
				evidence.NotProbed.Gap(
					"a connection of the node itself to another host that answered, to compare pods with"))
		}
		f := checks.Findingf(cond(v.ownHeard || v.elsewhere != nil, checks.Fail, checks.Warn),
			cloud, "no answer from pods of other nodes: the route or IP forwarding in %s is probably missing", cloud).Cure(cloudRouteFix(id, cloud))
		for _, p := range v.lost[:min(len(v.lost), checks.MaxQuotes)] {
			f = f.With(probed.ReachBecause(p))
		}
		return []*checks.Finding{f.At(evidence.Node.Field(s, "spec", "providerID"),
			"spec.providerID is %s", id)}, nil
	},
})

// cloudRouteFix is the fix with the commands of the cloud.
func cloudRouteFix(id, cloud string) checks.Fix {
	fix := fixOf("host-gw-cloud-udr-missing")
	instance := path.Base(id)
	var route, forward string
	switch cloud {
	case "Azure":
		route = "az network route-table route create -g RESOURCE_GROUP --route-table-name TABLE -n {node} --address-prefix {podCIDR} --next-hop-type VirtualAppliance --next-hop-ip-address {managementIP}"
		forward = "az network nic update -g RESOURCE_GROUP -n NIC --ip-forwarding true"
	case "AWS":
		route = "aws ec2 create-route --route-table-id TABLE --destination-cidr-block {podCIDR} --instance-id " + instance
		forward = "aws ec2 modify-instance-attribute --instance-id " + instance +
			" --no-source-dest-check"
	default:
		return fix
	}
	fix.Steps[0].Command, fix.Steps[1].Command = route, forward
	return fix
}

// routed tells whether the node itself has a route to the pod's node: without
// one the packets do not even get to the cloud's network.
func routed(routes []evidence.Route, a node.Address) bool {
	return slices.ContainsFunc(routes, func(r evidence.Route) bool {
		p, ok := node.ParsePrefix(r.Destination)
		return ok && p.Bits() > 0 && p.Contains(a)
	})
}
