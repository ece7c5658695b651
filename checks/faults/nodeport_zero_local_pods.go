package faults

import (
	"slices"
	"strings"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
	"doctor/checks/probed"
)

var _ = register(&checks.Check{
	ID:       "nodeport-zero-local-pods",
	Title:    "Service with a NodePort has no pod on this node",
	Healthy:  "Services with a NodePort have pods on this node",
	Category: checks.CategoryNetwork,
	FAQ:      []int{5},
	Doc: `A Windows node forwards a NodePort only while a ready pod of the Service runs on the node
itself. This is documented, and it shows after a deployment was scaled down or its pods moved to
another node. With externalTrafficPolicy Local it is the same on every system, and a cloud's load
balancer stops using the node.

The check counts the ready backends on this node in the EndpointSlices. It warns if a probe got no
answer from the NodePort, and otherwise reports info. It skips a Service without any ready pod,
which no node answers.`,
	Fix: checks.Steps(
		checks.Do("Send clients to a node that runs a ready pod of the Service."),
		checks.Do("Or run a pod on each Windows node that clients use: a DaemonSet, or replicas with a topology spread constraint."),
		checks.Verify("kubectl get pods -A -o wide --field-selector spec.nodeName={node}",
			"a Running pod of the Service")),
	Links: []string{"https://kubernetes.io/docs/tasks/debug/debug-cluster/windows/",
		"https://github.com/kubernetes/kubernetes/pull/78874"},
	Breaks: []*checks.Effect{effectNodePorts},
	Needs:  []evidence.Need{evidence.KubeServices, evidence.EndpointSlices},
	Uses: []evidence.Need{evidence.Node, evidence.ReachProbes, evidence.HNSNetworks,
		evidence.Adapters},
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		n := node.About(s)
		if !n.Name.Known() {
			return nil, checks.Unknown(n.Name.Gap)
		}
		var without []string
		var silent []evidence.Because
		ports, unclear := 0, false
		for _, svc := range evidence.KubeServices.In(s) {
			for _, port := range svc.Spec.Ports {
				ready := backends(s, svc, port)
				if port.NodePort == 0 || len(ready) == 0 {
					continue
				}
				ports++
				here := func(b backend) bool { return strings.EqualFold(b.Node, n.Name.Value) }
				nowhere := func(b backend) bool { return b.Node == "" }
				switch {
				case slices.ContainsFunc(ready, here):
				case slices.ContainsFunc(ready, nowhere):
					unclear = true
				default:
					without = append(without, svc.FullName())
					silent = append(silent, silentNodePort(n, s, port.NodePort)...)
				}
			}
		}
		switch {
		case len(without) > 0:
			names := slices.Compact(without)
			f := checks.Findingf(checks.Info, "NodePorts",
				"no ready pod of %s runs on this node, so the NodePort does not answer here (documented)", firstThree(names))
			if len(silent) > 0 {
				f = checks.Findingf(checks.Warn, "NodePorts",
					"the NodePort of %s does not answer: no ready pod of the Service runs on this node", firstThree(names)).With(silent[:min(len(silent), checks.MaxQuotes)]...)
			}
			return []*checks.Finding{f.At(evidence.EndpointSlices.Field(s),
				"none of the ready backends of %s has nodeName %s", firstThree(names),
				n.Name.Value).With(n.Name.From)}, nil
		case unclear:
			return nil, checks.Unknown(evidence.NotShown.Gap("on which node the backends run"))
		case ports == 0:
			return nil, checks.Skip("no Service with a ready pod has a NodePort")
		}
		return nil, nil
	},
})

// silentNodePort lists the probes of the node's own NodePort that nobody answered.
func silentNodePort(n *node.Node, s evidence.Snapshot, port int) []evidence.Because {
	var list []evidence.Because
	for _, p := range evidence.ReachProbes.In(s) {
		a, ok := probed.AddressOf(p)
		if ok && portOf(p.Target) == port && slices.Contains(n.ManagementIPs.Value, a) &&
			p.Protocol != "icmp" && probed.GotNoAnswer(p) {
			list = append(list, probed.ReachBecause(p))
		}
	}
	return list
}
