package faults

import (
	"slices"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
	"doctor/checks/probed"
)

// A remoteView is what TCP probes from pods say of the way to pods of other nodes.
type remoteView struct {
	heard     bool                  // one of them answered
	lost      []evidence.ReachProbe // those that did not, one for each target
	elsewhere *evidence.ReachProbe  // an answer that a pod had from outside the pod network
	nodeHeard bool                  // another host answered the node itself
	ownHeard  bool                  // the node answered a pod
	services  []evidence.ReachProbe // to Services that did not answer a pod
}

// remoteTarget tells whether the probe goes to a pod of another node.
func remoteTarget(n *node.Node, p evidence.ReachProbe) (node.Address, bool) {
	a, ok := probed.AddressOf(p)
	remote := ok && node.AnyContains(n.ClusterCIDRs.Value, a) && !node.AnyContains(n.PodCIDRs.Value,
		a) && !isService(n, a)
	return a, remote
}

// remotePodSources are what viewOfRemotePods and isPath read.
var remotePodSources = []evidence.Need{evidence.ReachProbes, evidence.KubeServices, evidence.EndpointSlices,
	evidence.HNSEndpoints, evidence.HNSNetworks, evidence.Pods, evidence.CRI}

func viewOfRemotePods(s evidence.Snapshot, n *node.Node) remoteView {
	var v remoteView
	seen, denied := map[string]bool{}, deniedByRules(s)
	probes, peers, local := reachProbes(s), remoteSubnets(s, n), localEndpoints(s)
	for i, p := range probes {
		if p.Protocol == "icmp" {
			continue
		}
		if _, byRule := denied(p); byRule {
			continue // the way is not what it tells of
		}
		a, remote := remoteTarget(n, p)
		if _, here := local[a]; here {
			continue // a pod of this node, whose subnet may not be known
		}
		remote = remote || node.AnyContains(peers, a)
		own := slices.Contains(n.ManagementIPs.Value, a)
		switch {
		case p.From == "node":
			v.nodeHeard = v.nodeHeard || !own && !remote && !inside(n, p) && probed.GotAnswer(p)
		case own:
			v.ownHeard = v.ownHeard || probed.GotAnswer(p)
		case remote && probed.GotAnswer(p):
			v.heard = true
		case isService(n, a) && probed.GotNoAnswer(p):
			v.services = append(v.services, p)
		case remote && probed.GotNoAnswer(p) && !seen[p.Target]:
			seen[p.Target] = true
			v.lost = append(v.lost, p)
		case v.elsewhere == nil && probed.GotAnswer(p) && (!inside(n, p) || isService(n, a) && behindIsNoPod(s, n, a, peers)):
			v.elsewhere = &probes[i]
		}
	}
	return v
}

// behindIsNoPod tells whether a Service leads to hosts only, as that of the API server does.
func behindIsNoPod(s evidence.Snapshot, n *node.Node, service node.Address, peers []node.Prefix) bool {
	backends, known := readyBackends(s, service)
	return known && len(backends) > 0 && len(n.ClusterCIDRs.Value) > 0 && !slices.ContainsFunc(backends, func(a node.Address) bool {
		return node.AnyContains(slices.Concat(n.ClusterCIDRs.Value, peers), a)
	})
}

// remoteSubnets are those that HNS reaches through other nodes of an overlay, where all are recorded. If kube-proxy's
// clusterCIDR is the node's own subnet, as with a hybrid overlay, nothing else shows them.
func remoteSubnets(s evidence.Snapshot, n *node.Node) []node.Prefix {
	net, _ := n.PodNetwork(s)
	var list []node.Prefix
	if net.Truncated {
		return nil
	}
	for _, p := range net.Policies {
		if p.Type == "RemoteSubnetRoute" {
			list = append(list, node.ParsePrefixes(p.Text("DestinationPrefix"))...)
		}
	}
	return list
}

// isPath tells whether the pods that do not answer show that the way to them is broken, and not one
// of them: there are several, or it is one that its own node finds ready, and a Service that it
// serves does not answer either.
func (v remoteView) isPath(s evidence.Snapshot) bool {
	if len(v.lost) != 1 {
		return len(v.lost) > 1
	}
	lost, _ := probed.AddressOf(v.lost[0])
	return slices.ContainsFunc(v.services, func(p evidence.ReachProbe) bool {
		a, _ := probed.AddressOf(p)
		return slices.ContainsFunc(behind(s, a, portOf(p.Target)), func(d destination) bool { return d.IP == lost })
	})
}

// heardByCluster tells whether the control plane hears the node, which is as
// good as a probe: its own packets get through.
func heardByCluster(s evidence.Snapshot) bool {
	ready, ok := evidence.Node.In(s).Condition("Ready")
	return ok && ready.Status == "True" && !ready.LastHeartbeatTime.IsZero() &&
		s.Now().Sub(ready.LastHeartbeatTime.Time) < checks.Recently
}
