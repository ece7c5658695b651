package faults

import (
	"slices"
	"strconv"
	"time"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

// changedAt is the annotation in which the control plane says when a pod or the Service last
// changed an EndpointSlice.
const changedAt = "endpoints.kubernetes.io/last-change-trigger-time"

// A sliceBackends is what the EndpointSlices say of a port of a Service.
type sliceBackends struct {
	ready  map[node.Address]evidence.Place // that kube-proxy puts into the load balancer
	others map[node.Address]bool           // ready, and for other nodes, or they are changing
	asleep map[node.Address]evidence.Place // not ready
	ports  []int                           // that the pods listen on
	at     evidence.Place                  // of a slice
}

// settled separates what kube-proxy has had the time to program from that of which an EndpointSlice changed
// so lately that it may not have followed.
func (w wantedBalancers) settled(s evidence.Snapshot) (settled, changing wantedBalancers) {
	for _, want := range w {
		if slicesChanged(s, want.of) {
			changing = append(changing, want)
		} else {
			settled = append(settled, want)
		}
	}
	return settled, changing
}

// sliceBackendsOf collects the backends for one load balancer; ok is false where none is ready.
func sliceBackendsOf(n *node.Node, s evidence.Snapshot, w wantedBalancer,
	known map[node.Address]bool) (b sliceBackends, ok bool) {
	b = sliceBackends{ready: map[node.Address]evidence.Place{}, others: map[node.Address]bool{},
		asleep: map[node.Address]evidence.Place{}}
	changes := map[node.Address]bool{} // the slices were read at another moment than the pods
	for _, p := range evidence.Pods.In(s) {
		if p.Metadata.DeletionTimestamp == nil && s.Now().Sub(p.ReadyChanged()) >= proxyPatience {
			continue
		}
		for _, ip := range append(p.Status.PodIPs, evidence.PodIP{IP: p.Status.PodIP}) {
			if a, ok := node.ParseAddress(ip.IP); ok {
				changes[a] = true
			}
		}
	}
	for slice := range w.of.Slices(s) {
		if !servesPort(slice, w.spec) {
			continue
		}
		b.at = slice.Field()
		for _, p := range slice.Ports {
			if p.Name == w.spec.Name && p.Port != 0 {
				b.ports = append(b.ports, p.Port)
			}
		}
		for i, e := range slice.Endpoints {
			for _, ip := range node.ParseAddresses(e.Addresses...) {
				switch {
				case e.Terminating() || changes[ip]:
					b.others[ip] = true
				case !e.Ready():
					b.asleep[ip] = slice.Field("endpoints", i)
				case takes(n, backend{ip, e.Node()}, w.of, known) && ip.Is4() == w.vip.Is4():
					b.ready[ip] = slice.Field("endpoints", i)
				default:
					b.others[ip] = true
				}
			}
		}
	}
	return b, len(b.ready) > 0
}

// wrongBackends compares the addresses and the port behind each load balancer with the
// EndpointSlices. Ids that HNS does not know are deadBackends' to report.
func (w wantedBalancers) wrongBackends(n *node.Node, s evidence.Snapshot) []*checks.Finding {
	addresses := map[string][]node.Address{}
	known := map[node.Address]bool{}
	places := map[node.Address]evidence.Place{}
	for _, e := range evidence.HNSEndpoints.In(s) {
		addresses[e.ID] = node.ParseAddresses(e.Addresses...)
		for _, ip := range addresses[e.ID] {
			known[ip], places[ip] = true, e.Field()
		}
	}
	var findings []*checks.Finding
	for _, want := range w {
		lb, found := hasBalancer(s, want.vip, want.port, want.protocol)
		b, settled := sliceBackendsOf(n, s, want, known)
		if !found || !settled || lb.Truncated || len(lb.Endpoints) == 0 {
			continue
		}
		var have []node.Address
		unknown := false
		for _, id := range lb.Endpoints {
			at := len(have)
			for _, ip := range addresses[id] { // a pod with two has one balancer for each family
				if ip.Is4() == want.vip.Is4() {
					have = append(have, ip)
				}
			}
			unknown = unknown || len(have) == at
		}
		findings = append(findings, b.compare(want, lb, have, places, unknown)...)
	}
	return findings
}

// compare tells what a load balancer has too much, and what it lacks.
func (b sliceBackends) compare(want wantedBalancer, lb evidence.HNSLoadBalancer,
	have []node.Address, places map[node.Address]evidence.Place, unknown bool) []*checks.Finding {
	var strange, asleep, lost []string
	at := b.at
	var lostAt, asleepAt, strangeAt evidence.Place
	for _, ip := range have {
		_, ready := b.ready[ip]
		place, waits := b.asleep[ip]
		switch {
		case waits:
			asleep, asleepAt = append(asleep, ip.String()), place
		case !ready && !b.others[ip]:
			strange, strangeAt = append(strange, ip.String()), places[ip]
		}
	}
	for ip, place := range b.ready {
		if !slices.Contains(have, ip) && !unknown {
			lost, lostAt = append(lost, ip.String()), place
		}
	}
	slices.Sort(lost)
	var findings []*checks.Finding
	report := func(level checks.Level, at evidence.Place, format string, args ...any) {
		findings = append(findings, checks.Findingf(level, want.String(), format, args...).
			At(lb.Field(), "%d backends of %s", len(lb.Endpoints), balancerName(lb)).
			At(at, "%d ready backends of %s", len(b.ready), want.service))
	}
	if len(strange) > 0 {
		report(checks.Fail, at, "load balancer of %s sends traffic to %s, not a backend of the Service",
			want, firstThree(strange))
		findings[0] = findings[0].At(strangeAt, "endpoint with %s", strange[len(strange)-1])
	}
	if len(lost) > 0 {
		if len(lost) > 1 {
			lostAt = at
		}
		report(checks.Warn, lostAt, "load balancer of %s has no backend for %s, which is ready",
			want, firstThree(lost))
	}
	if len(asleep) > 0 {
		report(checks.Warn, asleepAt, "load balancer of %s sends traffic to %s, which is not ready",
			want, firstThree(asleep))
	}
	for i, p := range lb.Ports {
		if p.External == want.port && p.Internal != 0 && len(b.ports) > 0 &&
			node.ProtocolOf(p.Protocol) == want.protocol && !slices.Contains(b.ports, p.Internal) {
			findings = append(findings, checks.Findingf(checks.Fail, want.String(),
				"load balancer of %s sends traffic to port %d, but the pods listen on port %s", want,
				p.Internal, strconv.Itoa(b.ports[0])).
				At(lb.Field(), "InternalPort of port mapping %d is %d", i, p.Internal).
				At(b.at, "port %d of the EndpointSlice", b.ports[0]))
		}
	}
	return findings
}

// idleBalancers finds load balancers of a Service's address for a port that the Service does not
// have, or that has no backend: kube-proxy deletes both. It is about Services whose slices just changed, or the others.
func idleBalancers(s evidence.Snapshot, changed bool) []*checks.Finding {
	var findings []*checks.Finding
	for _, svc := range evidence.KubeServices.In(s) {
		if svc.Spec.Type == "ExternalName" || notForKubeProxy(svc) || s.Now().Sub(
			svc.Metadata.CreationTimestamp.Time) < proxyPatience || slicesChanged(s, svc) != changed {
			continue
		}
		vips := node.ParseAddresses(svc.ClusterIPs()...)
		for _, lb := range evidence.HNSLoadBalancers.In(s) {
			if lb.Truncated || len(lb.Endpoints) == 0 || !slices.ContainsFunc(
				node.ParseAddresses(lb.VIPs...), func(vip node.Address) bool {
					return slices.Contains(vips, vip)
				}) {
				continue
			}
			for _, p := range lb.Ports {
				at := slices.IndexFunc(svc.Spec.Ports, func(port evidence.ServicePort) bool {
					return port.Port == p.External &&
						node.ProtocolOf(port.Protocol) == node.ProtocolOf(p.Protocol)
				})
				switch {
				case at < 0:
					findings = append(findings, checks.Findingf(checks.Warn, svc.FullName(),
						"HNS has a load balancer for %s, a port that %s does not have",
						balancerName(lb), svc.FullName()).
						At(lb.Field(), "load balancer for %s", balancerName(lb)).
						At(svc.Field("spec", "ports"), "%d ports", len(svc.Spec.Ports)))
				case !anyBackend(s, svc, svc.Spec.Ports[at]):
					findings = append(findings, checks.Findingf(checks.Warn, svc.FullName(),
						"HNS has a load balancer for %s, but %s has no backend", balancerName(lb),
						svc.FullName()).
						At(lb.Field(), "%d backends", len(lb.Endpoints)).
						At(svc.Field("spec", "ports", at), "port %d", p.External).
						At(evidence.EndpointSlices.Field(s), "no backend of %s", svc.FullName()))
				}
			}
		}
	}
	return findings
}

// slicesChanged tells whether kube-proxy may not have followed a change yet.
func slicesChanged(s evidence.Snapshot, svc evidence.KubeService) bool {
	for slice := range svc.Slices(s) {
		changed, err := time.Parse(time.RFC3339, slice.Metadata.Annotations[changedAt])
		if err == nil && s.Now().Sub(changed) < proxyPatience {
			return true
		}
	}
	return false
}

// anyBackend tells whether a port has an address behind it, ready or not: on a node that is lost,
// no pod is ready, and kube-proxy may not have followed.
func anyBackend(s evidence.Snapshot, svc evidence.KubeService, port evidence.ServicePort) bool {
	for slice := range svc.Slices(s) {
		if servesPort(slice, port) && len(slice.Endpoints) > 0 {
			return true
		}
	}
	return false
}
