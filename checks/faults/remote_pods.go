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
	elsewhere *evidence.ReachProbe  // an answer that a pod had from outside the cluster
	nodeHeard bool                  // another host answered the node itself
	ownHeard  bool                  // the node answered a pod
}

// remoteTarget tells whether the probe goes to a pod of another node.
func remoteTarget(n *node.Node, p evidence.ReachProbe) (node.Address, bool) {
	a, ok := probed.AddressOf(p)
	remote := ok && node.AnyContains(n.ClusterCIDRs.Value, a) && !node.AnyContains(n.PodCIDRs.Value,
		a) && !isService(n, a)
	return a, remote
}

func viewOfRemotePods(n *node.Node, probes []evidence.ReachProbe) remoteView {
	var v remoteView
	seen := map[string]bool{}
	for i, p := range probes {
		if p.Protocol == "icmp" {
			continue
		}
		a, remote := remoteTarget(n, p)
		own := slices.Contains(n.ManagementIPs.Value, a)
		switch {
		case p.From == "node":
			v.nodeHeard = v.nodeHeard || !own && !inside(n, p) && probed.GotAnswer(p)
		case own:
			v.ownHeard = v.ownHeard || probed.GotAnswer(p)
		case remote && probed.GotAnswer(p):
			v.heard = true
		case remote && probed.GotNoAnswer(p) && !seen[p.Target]:
			seen[p.Target] = true
			v.lost = append(v.lost, p)
		case !inside(n, p) && probed.GotAnswer(p) && v.elsewhere == nil:
			v.elsewhere = &probes[i]
		}
	}
	return v
}

// heardByCluster tells whether the control plane hears the node, which is as
// good as a probe: its own packets get through.
func heardByCluster(s evidence.Snapshot) bool {
	ready, ok := evidence.Node.In(s).Condition("Ready")
	return ok && ready.Status == "True" && !ready.LastHeartbeatTime.IsZero() &&
		s.Now().Sub(ready.LastHeartbeatTime.Time) < checks.Recently
}
