package faults

import (
	"slices"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

// healthzPort is where kube-proxy answers health probes unless it is told otherwise.
const healthzPort = 10256

var _ = register(checks.Check{
	ID:       "lb-port-collision-10256",
	Title:    "kube-proxy's own health port keeps it from forwarding the cloud's probes",
	Category: checks.CategoryNetwork,
	Doc: `With --forward-healthcheck-vip=true kube-proxy asks HNS for a load balancer on port
10256 of each cloud load balancer's address, so that the cloud's health probe reaches it. kube-proxy
itself listens on port 10256 of all addresses, and Server 2019 takes that for a collision: HNS
answers that the port already exists, the probe gets no answer, and the cloud sends this node no
traffic. A Service with externalTrafficPolicy Local has a probe port of its own and does not
collide.

The check looks, on build 17763 with that setting, for LoadBalancer Services with
externalTrafficPolicy Cluster whose address HNS does not serve on port 10256.`,
	Fix: checks.Steps(
		checks.Run("netsh int ipv4 show excludedportrange tcp",
			"start kube-proxy without --forward-healthcheck-vip (winkernel.forwardHealthCheckVip: false) where no Service needs it, give the Service externalTrafficPolicy: Local, or use Server 2022, which allows both").
			Costs("restarting kube-proxy breaks connections to Services for some seconds"),
		checks.Inspect("Get-NetTCPConnection -State Listen -LocalPort 10256", ""),
		checks.Run("{restart kube-proxy}", "")),
	Links: []string{"https://github.com/kubernetes/community/issues/8883",
		"https://github.com/kubernetes/kubernetes/pull/137530",
		"https://github.com/kubernetes/kubernetes/pull/99287"},
	Explains: []string{"hns-lb-missing-or-stale"},
	Applies: func(n *node.Node) error {
		if n.Build.Known() && n.Build.Value.Number != 17763 {
			return checks.Skip("the collision is one of build 17763, and this is %d",
				n.Build.Value.Number)
		}
		return nil
	},
	Partial: true,
	Needs: []evidence.Need{node.NeedBuild, node.NeedProxySettings, evidence.KubeServices,
		evidence.EndpointSlices, evidence.HNSLoadBalancers},
	Uses: []evidence.Need{evidence.Ports},
	Signs: []checks.Sign{
		checks.SignOfCode("HCN_E_PORT_ALREADY_EXISTS",
			"HNS refuses the load balancer of a health probe: kube-proxy itself holds the port",
			"Healthcheck loadbalancer policy creation failed"),
	},
	Run: func(s evidence.Snapshot) ([]checks.Finding, error) {
		n := node.About(s)
		forward := n.Proxy().ForwardHealthCheckVIP
		if !forward.On() {
			if gap := n.UnseenProxy(); !forward.Set && gap.Kind != "" {
				return nil, checks.Unknown(gap)
			}
			return nil, nil
		}
		var findings []checks.Finding
		for _, svc := range evidence.KubeServices.In(s) {
			if svc.Spec.Type != "LoadBalancer" || svc.Spec.ExternalTrafficPolicy == "Local" ||
				!slices.ContainsFunc(svc.Spec.Ports, func(p evidence.ServicePort) bool {
					return len(backends(s, svc, p)) > 0
				}) {
				continue
			}
			for _, ingress := range svc.Status.LoadBalancer.Ingress {
				vip, ok := node.ParseAddress(ingress.IP)
				if !ok || !vip.Is4() {
					continue
				}
				if _, ok := hasBalancer(s, vip, healthzPort, "tcp"); ok {
					continue
				}
				f := checks.Findingf(checks.Fail, svc.FullName(),
					"HNS has no load balancer for the health probe of %s on %s port %d, and kube-proxy is told to forward it", svc.FullName(), vip, healthzPort).
					With(forward.From, n.Build.From).At(evidence.HNSLoadBalancers.Field(s),
					"none has %s and port %d", vip, healthzPort)
				findings = append(findings, f.With(healthzListener(s)...))
			}
		}
		return findings, nil
	},
})

// healthzListener quotes who holds the port, where that is recorded.
func healthzListener(s evidence.Snapshot) []evidence.Because {
	for i, l := range evidence.Ports.In(s).Listener {
		if l.Port == healthzPort && l.Protocol == "tcp" {
			return []evidence.Because{evidence.Ports.Field(s, "listeners",
				i).Because("%s listens on %s port 10256", l.Process, l.Address)}
		}
	}
	return nil
}
