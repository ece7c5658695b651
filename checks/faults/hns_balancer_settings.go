package faults

import (
	"slices"
	"strings"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
	"doctor/checks/probed"
)

// balancerSettings compares how each load balancer of a Service sends traffic with what the Service
// asks for.
func (w wantedBalancers) balancerSettings(s evidence.Snapshot) []*checks.Finding {
	local := localEndpoints(s)
	direct := map[bool]int{}
	for _, want := range w {
		if lb, ok := hasBalancer(s, want.vip, want.port, want.protocol); ok {
			direct[lb.DSR]++
		}
	}
	var findings []*checks.Finding
	dsr := node.About(s).Proxy().EnableDSR
	if off := dsr.Set && !dsr.On(); off && direct[true] >= 3 || dsr.On() && direct[false] >= 3 {
		findings = append(findings, checks.Findingf(checks.Warn, "DSR",
			"kube-proxy runs with %s, but %d load balancers were made otherwise", dsr.From.Text,
			direct[off]).With(dsr.From).
			At(evidence.HNSLoadBalancers.Field(s), "%d with DSR, %d without", direct[true],
				direct[false]))
	}
	for _, want := range w {
		lb, ok := hasBalancer(s, want.vip, want.port, want.protocol)
		if !ok || lb.Truncated {
			continue
		}
		reportBalancer := func(field, format string, args ...any) {
			findings = append(findings, checks.Findingf(checks.Warn, want.String(), format,
				args...).
				At(lb.Field(), "load balancer of %s", balancerName(lb)).
				At(want.of.Field("spec", field), "%s of %s", field, want.service))
		}
		affinity := want.of.Spec.SessionAffinity
		for _, p := range lb.Ports {
			switch {
			case p.External != want.port || node.ProtocolOf(p.Protocol) != want.protocol ||
				lb.SchemaMajor < 2:
			case affinity == "ClientIP" && p.Distribution == 0 &&
				evidence.HNSVersion.In(s).Version.AtLeast(12, 0):
				reportBalancer("sessionAffinity",
					"load balancer of %s distributes by connection, but the Service sets %s",
					want, affinity)
			case affinity == "None" && p.Distribution != 0:
				reportBalancer("sessionAffinity",
					"load balancer of %s keeps clients at one pod, but the Service does not set it",
					want)
			}
		}
		if direct[lb.DSR] == 1 && direct[!lb.DSR] >= 3 {
			reportBalancer("ports", "load balancer of %s differs from all others in DSR (direct server return)",
				want)
		}
		if vip, ok := node.ParseAddress(lb.SourceVIP); ok && !vip.IsUnspecified() {
			if own, from, err := node.About(s).SourceVIP(s); err == nil && own != vip &&
				own.Is4() == vip.Is4() {
				lost := want.lostToPods(s)
				findings = append(findings, checks.Findingf(cond(len(lost) > 0, checks.Fail, checks.Warn), want.String(),
					"load balancer of %s sends from %s, but kube-proxy runs with the source VIP %s",
					want, vip, own).At(lb.Field(), "load balancer of %s", balancerName(lb)).
					With(from).With(lost...))
			}
			if _, there := local[vip]; !there && !slices.Contains(hostAddresses(s), vip) {
				reportBalancer("ports", "load balancer of %s sends from %s, an address without an endpoint",
					want, vip)
				last := len(findings) - 1
				findings[last] = findings[last].At(evidence.HNSEndpoints.Field(s),
					"%d endpoints of this node", len(local))
			}
		}
	}
	return findings
}

// lostToPods are probes of pods to the Service that were lost, though pods reach a backend of it.
func (w wantedBalancer) lostToPods(s evidence.Snapshot) []evidence.Because {
	var lost, heard []evidence.Because
	behind := backends(s, w.of, w.spec)
	for _, p := range reachProbes(s) {
		a, ok := probed.AddressOf(p)
		switch {
		case !ok || p.From == "node" || p.Protocol == "icmp":
		case a == w.vip && portOf(p.Target) == w.port && probed.GotNoAnswer(p):
			lost = append(lost, probed.ReachBecause(p))
		case probed.GotAnswer(p) && slices.ContainsFunc(behind, func(b backend) bool { return b.IP == a }):
			heard = append(heard, probed.ReachBecause(p))
		}
	}
	if len(lost) == 0 || len(heard) == 0 {
		return nil
	}
	return []evidence.Because{lost[0], heard[0]}
}

// strayNodePorts finds load balancers without an address, which are of NodePorts, for a port that
// no Service has.
func strayNodePorts(s evidence.Snapshot) []*checks.Finding {
	ports := map[int]bool{}
	namespaces := map[string]bool{}
	for _, svc := range evidence.KubeServices.In(s) {
		namespaces[svc.Metadata.Namespace] = true
		for _, p := range svc.Spec.Ports {
			ports[p.NodePort] = true
		}
		if slicesChanged(s, svc) {
			return nil
		}
	}
	if !namespaces["default"] || !namespaces["kube-system"] {
		return nil
	}
	var findings []*checks.Finding
	for _, lb := range evidence.HNSLoadBalancers.In(s) {
		if len(lb.VIPs) > 0 || lb.Truncated {
			continue
		}
		for _, p := range lb.Ports {
			if p.External != 0 && !ports[p.External] {
				findings = append(findings, checks.Findingf(checks.Warn, "load balancers",
					"HNS has a load balancer for the NodePort %d, which no Service has", p.External).
					At(lb.Field(), "load balancer for %s", balancerName(lb)).
					At(evidence.KubeServices.Field(s), "%d Services",
						len(evidence.KubeServices.In(s))))
			}
		}
	}
	return findings
}

// lostNodes finds ready backends on nodes that the cluster does not have.
func lostNodes(s evidence.Snapshot) []*checks.Finding {
	known := map[string]bool{}
	for _, o := range evidence.Nodes.In(s) {
		known[strings.ToLower(o.Metadata.Name)] = true
	}
	own := strings.ToLower(evidence.Node.In(s).Metadata.Name)
	if len(known) < 2 || !known[own] {
		return nil
	}
	var findings []*checks.Finding
	for _, slice := range evidence.EndpointSlices.In(s) {
		for i, e := range slice.Endpoints {
			if e.NodeName == "" || !e.Ready() || known[strings.ToLower(e.NodeName)] {
				continue
			}
			findings = append(findings, checks.Findingf(checks.Warn, slice.Metadata.Name,
				"%s has a ready backend on the node %s, which the cluster does not have",
				slice.Metadata.Name, e.NodeName).
				At(slice.Field("endpoints", i, "nodeName"), "%s", e.NodeName).
				At(evidence.Nodes.Field(s), "%d nodes", len(known)))
		}
	}
	return findings
}

// localOnly finds load balancers with backends on other nodes, where the Service asks for pods of
// this node.
func localOnly(s evidence.Snapshot) []*checks.Finding {
	remote := map[string]evidence.HNSEndpoint{}
	for _, e := range evidence.HNSEndpoints.In(s) {
		if e.Remote {
			remote[e.ID] = e
		}
	}
	var findings []*checks.Finding
	for _, svc := range evidence.KubeServices.In(s) {
		if svc.Spec.InternalTrafficPolicy != "Local" || slicesChanged(s, svc) {
			continue
		}
		for _, lb := range evidence.HNSLoadBalancers.In(s) {
			vips := node.ParseAddresses(lb.VIPs...)
			if !slices.ContainsFunc(node.ParseAddresses(svc.ClusterIPs()...),
				func(ip node.Address) bool { return slices.Contains(vips, ip) }) {
				continue
			}
			for _, id := range lb.Endpoints {
				if e, away := remote[id]; away {
					findings = append(findings, checks.Findingf(checks.Warn, svc.FullName(),
						"load balancer of %s sends to %s, but the Service is limited to pods of this node",
						svc.FullName(), node.EndpointName(e)).
						At(lb.Field(), "load balancer of %s", balancerName(lb)).
						At(svc.Field("spec", "internalTrafficPolicy"), "Local"))
					break
				}
			}
		}
	}
	return findings
}
