package session

import (
	"context"

	"doctor/checks/evidence"
	"doctor/collectors"
	"doctor/collectors/cluster"
	"doctor/collectors/probe"
)

// fromInside measures from inside the pod that the user names, once the
// collectors in told have recorded whom there is to ask. node names those that
// measure from the node.
func (o Options) fromInside(find cluster.Find, told, node []string) []collectors.Collector {
	if o.FromPod == "" {
		return nil
	}
	return probe.PodCollectors(func(ctx context.Context, s evidence.Snapshot) (probe.PodPlan,
		error) {
		plan, err := podPlan(s, o.FromPod, o.Targets)
		if err != nil {
			return plan, err
		}
		target, err := find(s)
		if err != nil {
			return plan, err
		}
		pod, err := target.Client.OpenPod(ctx, o.FromPod, target.Node)
		if err != nil {
			return plan, err
		}
		plan.Exec = pod.Exec
		return plan, nil
	}, told, node, probe.ReachTimeout)
}

// podPlan asks from the pod what the node is asked too, so that the two can be
// set beside each other, and pings the host outside: whether a ping comes back
// where TCP does is a question about pods.
func podPlan(s evidence.Snapshot, pod string, targets []string) (probe.PodPlan, error) {
	plan := probe.PodPlan{Pod: pod}
	reach, err := reachPlan(s, targets)
	if err != nil {
		return plan, err
	}
	for _, t := range reach.Targets {
		switch t.Purpose {
		case evidence.ForOtherNode, evidence.ForNodePort: // the kubelet's port is the node's affair
			continue
		case evidence.ForOutside, evidence.ForWhoeverAsks:
			if t.Port != 0 {
				plan.Targets = append(plan.Targets, t.Host)
			}
		}
		plan.Targets = append(plan.Targets, t.Name())
	}
	dns, _ := dnsPlan(s) // that no server is known is no matter: the pod asks its own
	plan.Names = []string{"kubernetes.default", clusterName(dns.Domain), worldName}
	return plan, nil
}
