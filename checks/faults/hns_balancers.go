package faults

import (
	"fmt"
	"slices"
	"strings"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

// A wantedBalancer is a load balancer that kube-proxy should have made.
type wantedBalancer struct {
	service  string // namespace/name
	vip      node.Address
	port     int
	protocol string
	backends int
	of       evidence.KubeService
	spec     evidence.ServicePort
}

func (w wantedBalancer) String() string {
	return fmt.Sprintf("%s (%s port %d/%s)", w.service, w.vip, w.port, w.protocol)
}

type wantedBalancers []wantedBalancer

// wantedBalancers goes over the Services as kube-proxy does.
func balancersWanted(n *node.Node, s evidence.Snapshot) wantedBalancers {
	known := map[node.Address]bool{}
	for _, e := range evidence.HNSEndpoints.In(s) {
		for _, ip := range node.ParseAddresses(e.Addresses...) {
			known[ip] = true
		}
	}
	sixToo := slices.ContainsFunc(evidence.HNSLoadBalancers.In(s),
		func(lb evidence.HNSLoadBalancer) bool {
			return slices.ContainsFunc(node.ParseAddresses(lb.VIPs...), node.Address.Is6)
		}) || dualStackPods(s)
	var list wantedBalancers
	for _, svc := range evidence.KubeServices.In(s) {
		if svc.Spec.Type == "ExternalName" || notForKubeProxy(svc) ||
			s.Now().Sub(svc.Metadata.CreationTimestamp.Time) < proxyPatience {
			continue
		}
		for _, vip := range node.ParseAddresses(svc.ClusterIPs()...) {
			if vip.Is6() && !sixToo {
				continue // kube-proxy serves one family on this node
			}
			for _, port := range svc.Spec.Ports {
				protocol := node.ProtocolOf(port.Protocol)
				count := 0
				for _, b := range backends(s, svc, port) {
					if b.IP.Is4() == vip.Is4() && takes(n, b, svc, known) {
						count++
					}
				}
				if count > 0 && (protocol == "tcp" || protocol == "udp") {
					list = append(list, wantedBalancer{svc.FullName(), vip, port.Port, protocol,
						count, svc, port})
				}
			}
		}
	}
	return list
}

// dualStackPods tells whether HNS gives pods addresses of both families on a network on which
// kube-proxy then serves both, which it does not on an overlay: winkernel, DualStackCompatible.
func dualStackPods(s evidence.Snapshot) bool {
	return slices.ContainsFunc(evidence.HNSEndpoints.In(s), func(e evidence.HNSEndpoint) bool {
		return !e.Remote && slices.ContainsFunc(node.ParseAddresses(e.Addresses...),
			func(a node.Address) bool { return a.Is6() && !a.IsLinkLocalUnicast() }) &&
			slices.ContainsFunc(evidence.HNSNetworks.In(s), func(net evidence.HNSNetwork) bool {
				return net.ID == e.NetworkID && net.Type == string(node.L2Bridge)
			})
	})
}

// takes tells whether kube-proxy puts a backend into the load balancer: it makes
// an endpoint for one on another node, and waits for the CNI plugin to make one
// for a pod of its own. A pod on the host's network never gets one.
func takes(n *node.Node, b backend, svc evidence.KubeService, known map[node.Address]bool) bool {
	own := strings.EqualFold(b.Node, n.Name.Value)
	if b.Node == "" {
		own = slices.Contains(n.ManagementIPs.Value, b.IP) || node.AnyContains(n.PodCIDRs.Value,
			b.IP)
	}
	if own {
		return known[b.IP]
	}
	return svc.Spec.InternalTrafficPolicy != "Local"
}

// notForKubeProxy: two labels take a Service away from kube-proxy.
func notForKubeProxy(svc evidence.KubeService) bool {
	_, headless := svc.Metadata.Labels["service.kubernetes.io/headless"]
	return headless || svc.Metadata.Labels["service.kubernetes.io/service-proxy-name"] != ""
}

// missing tells which of them HNS does not have, or has without a backend.
func (w wantedBalancers) missing(s evidence.Snapshot) []*checks.Finding {
	var absent, empty []string
	for _, want := range w {
		lb, ok := hasBalancer(s, want.vip, want.port, want.protocol)
		switch {
		case !ok:
			absent = append(absent, want.String())
		case len(lb.Endpoints) == 0:
			empty = append(empty, want.String())
		}
	}
	var findings []*checks.Finding
	if len(absent) > 0 {
		findings = append(findings, checks.Findingf(checks.Fail, "Services",
			"HNS has no load balancer for %s, although %s", firstThree(absent),
			cond(len(absent) == 1, evidence.Phrasef("it has ready pods"),
				evidence.Phrasef("they have ready pods"))).
			At(evidence.HNSLoadBalancers.Field(s),
				"%d load balancers, none with the address and port of %s",
				len(evidence.HNSLoadBalancers.In(s)), firstThree(absent)).
			At(evidence.KubeServices.Field(s),
				"%d ports of Services with ready backends, %d without a load balancer", len(w),
				len(absent)))
	}
	if len(empty) > 0 {
		findings = append(findings, checks.Findingf(checks.Fail, "Services",
			"the load balancer of %s has no backend, but the Service has ready pods",
			firstThree(empty)).
			At(evidence.HNSLoadBalancers.Field(s), "HostComputeEndpoints is empty for %s",
				firstThree(empty)))
	}
	return findings
}

// deadBackends finds load balancers whose backends HNS does not know.
func deadBackends(s evidence.Snapshot) []*checks.Finding {
	known := map[string]bool{}
	for _, e := range evidence.HNSEndpoints.In(s) {
		known[e.ID] = true
	}
	var names, dead []string
	all := 0
	for _, lb := range evidence.HNSLoadBalancers.In(s) {
		before := len(dead)
		for _, id := range lb.Endpoints {
			if !known[id] {
				dead = append(dead, id)
			}
		}
		if len(dead) > before {
			names = append(names, balancerName(lb))
			all += len(lb.Endpoints)
		}
	}
	if len(dead) == 0 {
		return nil
	}
	f := checks.Findingf(checks.Fail, "load balancers",
		"HNS has no endpoint for %d of the %d backends of %s: traffic to them is lost", len(dead),
		all, firstThree(names))
	slices.Sort(dead) // two load balancers may have a backend in common
	return []*checks.Finding{f.At(evidence.HNSLoadBalancers.Field(s),
		"HostComputeEndpoints of %s: %s", firstThree(names), firstThree(slices.Compact(dead))).
		At(evidence.HNSEndpoints.Field(s), "%d endpoints, none with such an id", len(known))}
}

// staleBalancers finds load balancers for a Service address that no Service
// has. A list of Services that was made in one namespace does not tell.
func staleBalancers(n *node.Node, s evidence.Snapshot) []*checks.Finding {
	known := map[node.Address]bool{}
	namespaces := map[string]bool{}
	for _, svc := range evidence.KubeServices.In(s) {
		namespaces[svc.Metadata.Namespace] = true
		for _, ip := range node.ParseAddresses(svc.ClusterIPs()...) {
			known[ip] = true
		}
	}
	if !namespaces["default"] || !namespaces["kube-system"] {
		return nil
	}
	var stale []string
	for _, lb := range evidence.HNSLoadBalancers.In(s) {
		for _, vip := range node.ParseAddresses(lb.VIPs...) {
			if node.AnyContains(n.ServiceCIDRs.Value, vip) && !known[vip] {
				stale = append(stale, balancerName(lb))
			}
		}
	}
	if len(stale) == 0 {
		return nil
	}
	return []*checks.Finding{checks.Findingf(checks.Warn, "load balancers",
		"HNS has load balancers for addresses that no Service has: %s",
		firstThree(stale)).
		At(evidence.HNSLoadBalancers.Field(s), "%d of %d load balancers: %s", len(stale),
			len(evidence.HNSLoadBalancers.In(s)), firstThree(stale)).
		With(n.ServiceCIDRs.From)}
}

// balancerName names a load balancer by what it stands for.
func balancerName(lb evidence.HNSLoadBalancer) string {
	name := strings.Join(lb.VIPs, ",")
	if name == "" {
		name = "NodePort"
	}
	for _, p := range lb.Ports {
		return fmt.Sprintf("%s port %d/%s", name, p.External, node.ProtocolOf(p.Protocol))
	}
	return name
}

// onlyKubernetes tells whether the Service of the API server is all that HNS
// lacks, and it has others.
func (w wantedBalancers) onlyKubernetes(s evidence.Snapshot) bool {
	lacks := 0
	for _, b := range w {
		if _, there := hasBalancer(s, b.vip, b.port, b.protocol); !there {
			if b.service != "default/kubernetes" {
				return false
			}
			lacks++
		}
	}
	return lacks > 0 && lacks < len(w)
}
