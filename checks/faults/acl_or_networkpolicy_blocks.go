package faults

import (
	"slices"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
	"doctor/checks/probed"
)

var _ = register(checks.Check{
	ID:       "acl-or-networkpolicy-blocks",
	Title:    "an access rule of HNS blocks what was probed",
	Category: checks.CategoryNetwork,
	Doc: `Network policies become rules of type ACL on the HNS endpoints of pods: Calico's felix
and Azure's network policy manager write them, and Azure's plugin blocks the platform's own
addresses. A connection that such a rule blocks times out just like one that is lost, so that a
policy that works as its author meant it looks like a fault of the node.

The check takes each probe without an answer that begins or ends at a pod of this node, and
evaluates the rules of its endpoint in the order of their priority. For a Service it follows to the
ready backends. Rules over sets of addresses cannot be read from here, and where one of them might
decide, the check says nothing.`,
	Fix: checks.Steps(
		checks.Inspect("kubectl get networkpolicy -A", ""),
		checks.Inspect(
			"Get-HnsEndpoint | Where-Object IPAddress -eq POD-IP | Select-Object -ExpandProperty Policies", ""),
		checks.Do("this is a rule and not a fault of the node: find the NetworkPolicy (or Calico policy) that selects the pod and allow the connection there, if it is wanted").
			Costs("allowing a connection opens it for every pod that the policy selects")),
	Links: []string{
		"https://docs.tigera.io/calico/latest/getting-started/kubernetes/windows-calico/limitations", "https://kubernetes.io/docs/concepts/services-networking/network-policies/"},
	Breaks: []*checks.Effect{effectServices, effectDNSOverUDP},
	Needs:  []evidence.Need{evidence.ReachProbes, evidence.HNSEndpoints},
	Uses:   []evidence.Need{evidence.Pods, evidence.KubeServices, evidence.EndpointSlices},
	Run: func(s evidence.Snapshot) ([]checks.Finding, error) {
		podIPs := map[string]node.Address{}
		for _, p := range evidence.Pods.In(s) {
			if ip, ok := node.ParseAddress(p.Status.PodIP); ok && !p.Spec.HostNetwork {
				podIPs[p.FullName()] = ip
			}
		}
		endpoints := map[node.Address]evidence.HNSEndpoint{}
		for _, e := range evidence.HNSEndpoints.In(s) {
			for _, ip := range node.ParseAddresses(e.Addresses...) {
				if !e.Remote {
					endpoints[ip] = e
				}
			}
		}
		var findings []checks.Finding
		for _, probe := range evidence.ReachProbes.In(s) {
			target, ok := probed.AddressOf(probe)
			if !ok || !probed.GotNoAnswer(probe) || probe.Protocol == "icmp" {
				continue // a ping out of a pod gets no answer on Windows, whatever the rules say
			}
			source := podIPs[probe.From]
			var rules []aclRule
			for _, to := range behind(s, target, portOf(probe.Target)) {
				rule, blocked := blockedBy(endpoints, source, to)
				if !blocked {
					rules = nil
					break // one backend that is open is enough to answer
				}
				rules = append(rules, rule)
			}
			if len(rules) == 0 {
				continue
			}
			r := rules[0]
			findings = append(findings, checks.Findingf(checks.Warn, probe.Target,
				"the rule %s blocks %s from %s to %s: an access rule and no fault of the node",
				r.name(), probe.Protocol, probe.From, probe.Target).
				With(probed.ReachBecause(probe)).At(r.endpoint.Field("Policies"),
				"%s: ACL %s, priority %d, %s, Block", node.EndpointName(r.endpoint), r.name(),
				r.priority, r.direction))
		}
		return findings, nil
	},
})

// A destination is where a connection ends.
type destination struct {
	IP       node.Address
	port     int
	protocol string // tcp, udp
}

// behind follows a Service's address to its ready backends; any other address stands for itself.
func behind(s evidence.Snapshot, target node.Address, port int) []destination {
	const protocol = "tcp" // every probe that is left runs over it
	for _, svc := range evidence.KubeServices.In(s) {
		if !slices.Contains(node.ParseAddresses(svc.ClusterIPs()...), target) {
			continue
		}
		var list []destination
		for _, p := range svc.Spec.Ports {
			if p.Port != port || node.ProtocolOf(p.Protocol) != protocol {
				continue
			}
			for _, slice := range evidence.EndpointSlices.In(s) {
				if slice.Metadata.Namespace != svc.Metadata.Namespace ||
					slice.Metadata.Labels["kubernetes.io/service-name"] != svc.Metadata.Name {
					continue
				}
				for _, sp := range slice.Ports {
					if sp.Name != p.Name || node.ProtocolOf(sp.Protocol) != protocol {
						continue
					}
					for _, e := range slice.Endpoints {
						for _, ip := range node.ParseAddresses(e.Addresses...) {
							if e.Ready() {
								list = append(list, destination{ip, sp.Port, protocol})
							}
						}
					}
				}
			}
		}
		return list
	}
	return []destination{{target, port, protocol}}
}
