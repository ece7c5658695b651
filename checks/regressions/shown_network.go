package regressions

import (
	"slices"
	"strings"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
	"doctor/checks/probed"
)

// overlayGateway is an endpoint with the gateway that Azure CNI uses on Linux.
func overlayGateway(s evidence.Snapshot, _ *checks.Finding) (evidence.Because, bool) {
	for _, e := range evidence.HNSEndpoints.In(s) {
		if !e.Remote && e.Gateway == "169.254.1.1" {
			return e.Field().Because("endpoint %s has the gateway %s", node.EndpointName(e), e.Gateway), true
		}
	}
	return evidence.Because{}, false
}

// callHangs tells of a call of azure-vnet that has the lock, as azure-vnet-store-locked shows.
func callHangs(s evidence.Snapshot) bool {
	_, _, hangs := node.HungAzureVNet(s)
	return hangs
}

// localOnly tells whether all Services that a finding names send traffic to pods of their node only.
func localOnly(s evidence.Snapshot, f *checks.Finding) (evidence.Because, bool) {
	return allNamed(s, f.Message(), func(svc evidence.KubeService) (evidence.Because, bool) {
		return svc.Field("spec", "internalTrafficPolicy").Because("%s: internalTrafficPolicy is Local",
			svc.FullName()), svc.Spec.InternalTrafficPolicy == "Local"
	})
}

// allNamed tells whether all Services that a finding names are such.
func allNamed(s evidence.Snapshot, text string, such func(evidence.KubeService) (evidence.Because, bool)) (
	from evidence.Because, ok bool) {
	for _, svc := range evidence.KubeServices.In(s) {
		if strings.Contains(text, svc.FullName()+" (") {
			if from, ok = such(svc); !ok {
				return from, false
			}
		}
	}
	return from, ok
}

// namedTargetPort is a Service that names the port of its pods, which kube-proxy takes for port 0: any, or all
// that a finding names.
func namedTargetPort(s evidence.Snapshot, f *checks.Finding) (because evidence.Because, ok bool) {
	named := func(svc evidence.KubeService) (evidence.Because, bool) {
		for i, p := range svc.Spec.Ports {
			if name, ok := p.TargetPort.(string); ok && len(svc.ClusterIPs()) > 0 {
				return svc.Field("spec", "ports", i, "targetPort").Because("%s: targetPort is %s", svc.FullName(), name), true
			}
		}
		return evidence.Because{}, false
	}
	if f != nil {
		return allNamed(s, f.Message(), named)
	}
	for _, svc := range evidence.KubeServices.In(s) {
		if because, ok = named(svc); ok {
			break
		}
	}
	return because, ok
}

// noRuleForNodePort is a Service whose nodePort is its port, and whose only rule in HNS is that of its address.
func noRuleForNodePort(s evidence.Snapshot, _ *checks.Finding) (evidence.Because, bool) {
	ofService := map[string]bool{}
	for _, svc := range evidence.KubeServices.In(s) {
		for _, ip := range svc.ClusterIPs() {
			ofService[ip] = true
		}
	}
	for _, svc := range evidence.KubeServices.In(s) {
		for i, p := range svc.Spec.Ports {
			var own, other bool // rules for the port: of the Service's address, and of all addresses of the node
			for _, lb := range evidence.HNSLoadBalancers.In(s) {
				if !slices.ContainsFunc(lb.Ports, func(at evidence.HNSPort) bool {
					return at.External == p.Port && node.ProtocolOf(at.Protocol) == node.ProtocolOf(p.Protocol)
				}) {
					other = other || lb.Truncated
					continue
				}
				own = own || slices.ContainsFunc(lb.VIPs, func(ip string) bool { return slices.Contains(svc.ClusterIPs(), ip) })
				other = other || !slices.ContainsFunc(lb.VIPs, func(ip string) bool { return ofService[ip] })
			}
			if p.NodePort == p.Port && own && !other {
				return svc.Field("spec", "ports", i, "nodePort").Because(
					"%s: nodePort and port are %d, and HNS has a load balancer for the cluster IP alone", svc.FullName(), p.Port), true
			}
		}
	}
	return evidence.Because{}, false
}

// antreaMTU compares the gateway of Antrea with the adapters of pods.
func antreaMTU(larger bool) func(evidence.Snapshot, *checks.Finding) (evidence.Because, bool) {
	return func(s evidence.Snapshot, _ *checks.Finding) (evidence.Because, bool) {
		list := evidence.Adapters.In(s)
		at := slices.IndexFunc(list, func(a evidence.Adapter) bool { return a.Name == "antrea-gw0" })
		if at < 0 || list[at].MTU == 0 {
			return evidence.Because{}, false
		}
		gateway := list[at]
		for _, a := range list {
			if a.Compartment > 1 && a.MTU > 0 && (larger && gateway.MTU > a.MTU || !larger && gateway.MTU < a.MTU) {
				return gateway.Field("mtu").Because("MTU: %s has %d, %s of a pod has %d", gateway.Name, gateway.MTU,
					a.Name, a.MTU), true
			}
		}
		return evidence.Because{}, false
	}
}

// bridgeDrops is a bridge of Antrea that does not forward, where Services need it.
func bridgeDrops(s evidence.Snapshot, _ *checks.Finding) (evidence.Because, bool) {
	if slices.ContainsFunc(evidence.KubeServices.In(s), func(svc evidence.KubeService) bool {
		return svc.Spec.Type == "LoadBalancer"
	}) {
		for _, a := range evidence.Adapters.In(s) {
			if a.Name == "br-int" && a.Forwarding != nil && !*a.Forwarding {
				return a.Field("forwarding").Because("%s does not forward packets", a.Name), true
			}
		}
	}
	return evidence.Because{}, false
}

// noneOfIPv6 is a missing load balancer of an IPv6 address, where there are some of IPv4 only.
func noneOfIPv6(s evidence.Snapshot, f *checks.Finding) (evidence.Because, bool) {
	lists := evidence.HNSLoadBalancers.In(s)
	for _, lb := range lists {
		if slices.ContainsFunc(node.ParseAddresses(lb.VIPs...), node.Address.Is6) {
			return evidence.Because{}, false
		}
	}
	for _, svc := range evidence.KubeServices.In(s) {
		for _, vip := range node.ParseAddresses(svc.ClusterIPs()...) {
			if vip.Is6() && len(lists) > 0 && strings.Contains(f.Message(), " ("+vip.String()+" port ") {
				return svc.Field("spec", "clusterIPs").Because("%s has %s; no load balancer has an IPv6 address",
					svc.FullName(), vip), true
			}
		}
	}
	return evidence.Because{}, false
}

// overlaySilent is a pod that gets answers from outside of the cluster, and none from Services and
// pods of other nodes.
func overlaySilent(s evidence.Snapshot, _ *checks.Finding) (because evidence.Because, ok bool) {
	n := node.About(s)
	service, pod, outside := false, false, false
	for _, p := range evidence.ReachProbes.In(s) {
		a, known := probed.AddressOf(p)
		ofService := slices.Contains(slices.Concat(n.ServiceIPs.Value, n.ClusterDNS.Value), a) || node.AnyContains(n.ServiceCIDRs.Value, a)
		inside := ofService || node.AnyContains(n.ClusterCIDRs.Value, a) && !node.AnyContains(n.PodCIDRs.Value, a)
		switch {
		case p.From == "node" || p.Protocol == "icmp":
		case known && inside && probed.GotAnswer(p):
			return because, false
		case known && inside && probed.GotNoAnswer(p):
			service, pod = service || ofService, pod || !ofService
			because = probed.ReachBecause(p)
		default:
			outside = outside || probed.GotAnswer(p) && !slices.Contains(n.ManagementIPs.Value, a)
		}
	}
	return because, service && pod && outside
}

// mixedFamilies is a load balancer whose backends have no address of the family of its own, or a
// Service that has one for its IPv4 address and none for its IPv6 address.
func mixedFamilies(s evidence.Snapshot, _ *checks.Finding) (evidence.Because, bool) {
	served := map[node.Address]bool{}
	addresses := map[string][]node.Address{}
	for _, e := range evidence.HNSEndpoints.In(s) {
		addresses[e.ID] = node.ParseAddresses(e.Addresses...)
	}
	for _, lb := range evidence.HNSLoadBalancers.In(s) {
		for _, vip := range node.ParseAddresses(lb.VIPs...) {
			served[vip] = true
			for _, id := range lb.Endpoints {
				if of := addresses[id]; len(of) > 0 && !slices.ContainsFunc(of, func(a node.Address) bool {
					return a.Is4() == vip.Is4()
				}) {
					return lb.Field().Because("the load balancer of %s sends traffic to %s", vip, of[0]), true
				}
			}
		}
		if lb.Truncated {
			return evidence.Because{}, false
		}
	}
	for _, svc := range evidence.KubeServices.In(s) {
		vips := node.ParseAddresses(svc.ClusterIPs()...)
		with := slices.IndexFunc(vips, func(a node.Address) bool { return a.Is4() && served[a] })
		without := slices.IndexFunc(vips, func(a node.Address) bool { return a.Is6() && !served[a] })
		if with >= 0 && without >= 0 && readyOnIPv6(s, svc) {
			return svc.Field("spec", "clusterIPs").Because("%s: a load balancer exists for %s and none for %s",
				svc.FullName(), vips[with], vips[without]), true
		}
	}
	return evidence.Because{}, false
}

// sliceGate is the feature gate EndpointSlice in the settings of kube-proxy.
func sliceGate(s evidence.Snapshot, _ *checks.Finding) (evidence.Because, bool) {
	gate := node.About(s).Proxy().Gates["EndpointSlice"]
	return gate.From, gate.On()
}

// readyOnIPv6 tells whether the Service has a ready backend with an IPv6 address.
func readyOnIPv6(s evidence.Snapshot, svc evidence.KubeService) bool {
	for slice := range svc.Slices(s) {
		for _, e := range slice.Endpoints {
			if ready := e.Conditions.Ready; (ready == nil || *ready) &&
				slices.ContainsFunc(node.ParseAddresses(e.Addresses...), node.Address.Is6) {
				return true
			}
		}
	}
	return false
}

// remoteOfNoPod are remote endpoints whose address no EndpointSlice has and no load balancer uses.
func remoteOfNoPod(s evidence.Snapshot, _ *checks.Finding) (evidence.Because, bool) {
	used := map[string]bool{}
	for _, lb := range evidence.HNSLoadBalancers.In(s) {
		for _, id := range lb.Endpoints {
			used[id] = true
		}
		if lb.Truncated {
			return evidence.Because{}, false
		}
	}
	named := map[node.Address]bool{}
	for _, slice := range evidence.EndpointSlices.In(s) {
		for _, e := range slice.Endpoints {
			for _, a := range node.ParseAddresses(e.Addresses...) {
				named[a] = true
			}
		}
	}
	least := fewRemote
	switch {
	case len(used) == 0, len(named) == 0 && evidence.EndpointSlices.Known(s):
		return evidence.Because{}, false // of a part of the cluster, or another fault
	case len(named) == 0:
		least = manyRemote
	}
	var left []evidence.HNSEndpoint
	for _, e := range evidence.HNSEndpoints.In(s) {
		if e.Remote && !used[e.ID] && !e.Truncated && len(e.Addresses) > 0 &&
			!slices.ContainsFunc(node.ParseAddresses(e.Addresses...), func(a node.Address) bool { return named[a] }) {
			left = append(left, e)
		}
	}
	if len(left) < least {
		return evidence.Because{}, false
	}
	return left[0].Field().Because("%d remote endpoints belong to no load balancer and no EndpointSlice, such as %s",
		len(left), node.EndpointName(left[0])), true
}

// networkUnavailable is a Node that still has the condition, in which case no other pod is scheduled to it.
func networkUnavailable(s evidence.Snapshot, _ *checks.Finding) (evidence.Because, bool) {
	object, kind := evidence.Node.In(s), "NetworkUnavailable"
	c, _ := object.Condition(kind)
	return object.ConditionField(kind, "status").Because("%s is True", kind), c.Status == "True"
}
