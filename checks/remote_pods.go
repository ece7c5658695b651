package checks

import (
	"slices"

	"doctor/checks/evidence"
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
func (n *Node) remoteTarget(p evidence.ReachProbe) (Address, bool) {
	a, ok := addressOf(p)
	remote := ok && anyContains(n.ClusterCIDRs.Value, a) && !anyContains(n.PodCIDRs.Value, a) && !n.isService(a)
	return a, remote
}

func (n *Node) viewOfRemotePods(probes []evidence.ReachProbe) remoteView {
	var v remoteView
	seen := map[string]bool{}
	for i, p := range probes {
		if p.Protocol == "icmp" {
			continue
		}
		a, remote := n.remoteTarget(p)
		own := slices.Contains(n.ManagementIPs.Value, a)
		switch {
		case p.From == "node":
			v.nodeHeard = v.nodeHeard || !own && !n.inside(p) && gotAnswer(p)
		case own:
			v.ownHeard = v.ownHeard || gotAnswer(p)
		case remote && gotAnswer(p):
			v.heard = true
		case remote && gotNone(p) && !seen[p.Target]:
			seen[p.Target] = true
			v.lost = append(v.lost, p)
		case !n.inside(p) && gotAnswer(p) && v.elsewhere == nil:
			v.elsewhere = &probes[i]
		}
	}
	return v
}

// heardByCluster tells whether the control plane hears the node, which is as
// good as a probe: its own packets get through.
func heardByCluster(s evidence.Snapshot) bool {
	ready, ok := evidence.Node.In(s).Condition("Ready")
	return ok && ready.Status == "True" && !ready.LastHeartbeatTime.IsZero() && s.Now().Sub(ready.LastHeartbeatTime.Time) < recently
}
