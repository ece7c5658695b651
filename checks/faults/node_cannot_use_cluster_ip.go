package faults

import (
	"slices"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
	"doctor/checks/probed"
)

var _ = register(&checks.Check{
	ID:       "node-cannot-use-cluster-ip",
	Title:    "Service addresses do not answer",
	Healthy:  "Node reaches Service addresses",
	Category: checks.CategoryNetwork,
	FAQ:      []int{10},
	Doc: `Service addresses are load balancers on the switch ports of pods. From the Windows
host itself they may not answer. This is a documented limit. It also affects what the host does for
pods, such as mounting an SMB share or pulling an image from inside the cluster. Pods must reach
them.

The check reports info if the node fails, and a fault if pods get no answer either, unless the
Service has no ready endpoint, or the pod reaches another Service address, but no backend of this one
directly.`,
	Fix: checks.Steps(
		checks.Inspect("kubectl exec POD -n NAMESPACE -- curl.exe -sv http://SERVICE",
			"Probe the Service from a pod of this node. If the pod reaches it, nothing needs to be fixed."),
		checks.Run("{restart kube-proxy}",
			"Restart kube-proxy: it creates all load balancers again.").
			Costs("Connections to Services break for a few seconds."),
		checks.Verify("kubectl exec POD -n NAMESPACE -- curl.exe -sv http://SERVICE",
			"an answer of the Service")),
	Links: []string{"https://kubernetes.io/docs/tasks/debug/debug-cluster/windows/",
		"https://kubernetes.io/docs/concepts/services-networking/windows-networking/"},
	Breaks: []*checks.Effect{effectClusterDNS},
	Shows:  []*checks.Effect{effectServices},
	Needs: []evidence.Need{evidence.ReachProbes, evidence.Any(node.NeedServiceCIDRs,
		evidence.KubeServices, node.NeedClusterDNS)},
	Uses: slices.Concat(node.ClusterSources, podProbeSources, []evidence.Need{evidence.HNSNetworks,
		evidence.Adapters, evidence.EndpointSlices}),
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		n := node.About(s)
		probes := reachProbes(s)
		var findings []*checks.Finding
		asked := false
		for _, p := range probes {
			dest, ok := probed.AddressOf(p)
			if !ok || p.From != "node" || p.Protocol == "icmp" || !isService(n, dest) ||
				!probed.GotAnswer(p) && !probed.GotNoAnswer(p) {
				continue
			}
			asked = true
			if probed.GotAnswer(p) {
				continue
			}
			pod, known := podProbe(probes, p)
			f := checks.Findingf(checks.Info, p.Target,
				"node does not reach Service address %s (normal on Windows); probe from a pod",
				p.Target)
			switch {
			case known && probed.GotAnswer(pod):
				f = checks.Findingf(checks.Info, p.Target,
					"node does not reach Service address %s, pods do (normal on Windows)", p.Target)
			case known && noEndpoint(s, dest):
				f = checks.Findingf(checks.Info, p.Target,
					"the node and %s do not reach Service address %s: it has no ready endpoints",
					pod.From, p.Target)
			case known && behindIsSilent(n, s, pod, dest):
				f = checks.Findingf(checks.Info, p.Target,
					"%s reaches other Service addresses, but not %s or the pods behind it: the fault is not in the Service address",
					pod.From, p.Target)
			case known:
				f = checks.Findingf(checks.Fail, p.Target,
					"the node and %s do not reach Service address %s; expected: pods reach it",
					pod.From, p.Target)
			}
			if f = f.With(probed.ReachBecause(p)); known {
				f = f.With(probed.ReachBecause(pod))
			}
			findings = append(findings, f)
		}
		if !asked {
			return nil, checks.Unknown(evidence.NotProbed.Gap("a Service address from the node"))
		}
		return findings, nil
	},
})

// isService tells whether an address is that of a Service.
func isService(n *node.Node, a node.Address) bool {
	return slices.Contains(n.ServiceIPs.Value, a) || slices.Contains(n.ClusterDNS.Value, a) ||
		node.AnyContains(n.ServiceCIDRs.Value, a)
}

// podProbe finds the same probe from a pod: one that was answered before one that was not.
func podProbe(probes []evidence.ReachProbe, node evidence.ReachProbe) (found evidence.ReachProbe,
	ok bool) {
	for _, p := range probes {
		if p.From == "node" || p.Target != node.Target || p.Protocol != node.Protocol {
			continue
		}
		if probed.GotAnswer(p) {
			return p, true
		}
		if probed.GotNoAnswer(p) && !ok {
			found, ok = p, true
		}
	}
	return found, ok
}

// behindIsSilent tells whether the pod reaches another Service address, but no backend of this one
// directly: the load balancers work.
func behindIsSilent(n *node.Node, s evidence.Snapshot, pod evidence.ReachProbe, service node.Address) bool {
	backends, _ := readyBackends(s, service)
	others, silent := false, false
	for _, p := range evidence.ReachProbes.In(s) {
		dest, ok := probed.AddressOf(p)
		if !ok || p.From != pod.From || p.Protocol == "icmp" || dest == service {
			continue
		}
		switch behind := slices.Contains(backends, dest); {
		case behind && probed.GotAnswer(p):
			return false
		case behind:
			silent = silent || probed.GotNoAnswer(p)
		default:
			others = others || probed.GotAnswer(p) && isService(n, dest)
		}
	}
	return others && silent
}

// noEndpoint tells whether the Service of that address is known to have no ready
// endpoint: then nobody gets an answer, on Linux neither.
func noEndpoint(s evidence.Snapshot, a node.Address) bool {
	backends, known := readyBackends(s, a)
	return known && len(backends) == 0
}

// readyBackends are those of the Service of that address, where the Service is known.
func readyBackends(s evidence.Snapshot, a node.Address) (list []node.Address, known bool) {
	for _, svc := range evidence.KubeServices.In(s) {
		if !slices.Contains(node.ParseAddresses(svc.ClusterIPs()...), a) {
			continue
		}
		for slice := range svc.Slices(s) {
			for _, e := range slice.Endpoints {
				if e.Ready() {
					list = append(list, node.ParseAddresses(e.Addresses...)...)
				}
			}
		}
		return list, evidence.EndpointSlices.Known(s)
	}
	return nil, false
}
