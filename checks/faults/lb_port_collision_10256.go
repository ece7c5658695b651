package faults

import (
	"fmt"
	"slices"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

var _ = register(&checks.Check{
	ID:       "lb-port-collision-10256",
	Title:    "kube-proxy health port blocks the cloud's health probe",
	Healthy:  "HNS forwards the cloud's health probes",
	Category: checks.CategoryNetwork,
	Doc: `With --forward-healthcheck-vip=true kube-proxy creates an HNS load balancer for port 10256
of each cloud load balancer's address, so that the cloud's health probe reaches it. kube-proxy
itself listens on port 10256 of all addresses, and Server 2019 treats that as a collision: HNS
returns that the port already exists, the probe gets no answer, and the cloud sends this node no
traffic. A Service with externalTrafficPolicy Local has its own probe port and does not collide.

On build 17763 with that setting, the check looks for LoadBalancer Services with
externalTrafficPolicy Cluster whose address has no HNS load balancer on port 10256.`,
	Fix: probePortFix("NAMESPACE", "SERVICE"),
	Links: []string{"https://github.com/kubernetes/community/issues/8883",
		"https://github.com/kubernetes/kubernetes/pull/137530",
		"https://github.com/kubernetes/kubernetes/pull/99287"},
	Explains: []string{"hns-lb-missing-or-stale", "component-port-closed"},
	Applies: func(n *node.Node) error {
		if n.Build.Known() && n.Build.Value.Number != 17763 {
			return checks.Skip("only build 17763 is affected; this node has build %d",
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
			"HNS rejects the load balancer of a health probe: kube-proxy uses the port",
			"Healthcheck loadbalancer policy creation failed"),
	},
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		n := node.About(s)
		forward := n.Proxy().ForwardHealthCheckVIP
		if !forward.On() {
			if gap := n.UnseenProxy(); !forward.Set && gap.Kind != "" {
				return nil, checks.Unknown(gap)
			}
			return nil, nil
		}
		var findings []*checks.Finding
		port := n.ProxyHealthPort().Number
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
				if _, ok := hasBalancer(s, vip, port, "tcp"); ok {
					continue
				}
				f := checks.Findingf(checks.Fail, svc.FullName(),
					"health probe of %s is not forwarded: HNS has no load balancer for %s port %d",
					svc.FullName(), vip, port).
					With(forward.From, n.Build.From).At(evidence.HNSLoadBalancers.Field(s),
					"none has %s and port %d", vip, port)
				findings = append(findings, f.With(healthzListener(s, port)...).
					Cure(probePortFix(svc.Metadata.Namespace, svc.Metadata.Name)))
			}
		}
		return findings, nil
	},
})

// probePortFix gives the Service a probe port of its own.
func probePortFix(namespace, name string) checks.Fix {
	service := "kubectl -n " + namespace + " %s service " + name
	return checks.Steps(
		checks.Run(fmt.Sprintf(service, "patch")+" -p 'spec: {externalTrafficPolicy: Local}'",
			"Set externalTrafficPolicy: Local for the Service: its health probe then has its own port.").
			Costs("Only nodes with a ready pod of the Service get its traffic."),
		checks.Do("Or use nodes with Windows Server 2022, which has no such collision."),
		checks.Verify(fmt.Sprintf(service, "get")+" -o jsonpath='{.spec.healthCheckNodePort}'",
			"a port other than 10256"))
}

// healthzListener quotes who holds the port, where that is recorded.
func healthzListener(s evidence.Snapshot, port int) []evidence.Because {
	for i, l := range evidence.Ports.In(s).Listener {
		if l.Port == port && l.Protocol == "tcp" {
			return []evidence.Because{evidence.Ports.Field(s, "listeners",
				i).Because("%s listens on %s port %d", l.Process, l.Address, port)}
		}
	}
	return nil
}
