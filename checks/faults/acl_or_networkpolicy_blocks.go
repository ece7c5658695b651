package faults

import (
	"net/netip"
	"regexp"
	"slices"
	"strings"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
	"doctor/checks/probed"
)

var _ = register(&checks.Check{
	ID:       "acl-or-networkpolicy-blocks",
	Title:    "HNS ACL rule blocks a connection",
	Healthy:  "HNS ACL rules block no probed connection",
	Category: checks.CategoryNetwork,
	Doc: `Network policies become policies of type ACL on the HNS endpoints of pods. Calico's Felix
and Azure's network policy manager write them; the Azure plugin also blocks the addresses of the
platform. A connection that such a rule blocks times out like a lost one, so a network policy that
works as intended looks like a fault of the node.

The check takes each probe without an answer that starts or ends at a pod of this node, and
evaluates the rules of its endpoint by priority. For a Service it follows the address to the ready
backends. Rules over sets of addresses cannot be evaluated; where one of them may decide, the check
reports nothing.

A rule on the way into a pod may block the kubelet, too, where the network agent does not except the node:
then probes of the pod get no answer, and the kubelet restarts its containers.

HNS drops what no rule of a direction is about. So an endpoint with a Block rule needs an Allow rule of
a higher priority number, too: without one, the pod has no network. That is a fault of the CNI
configuration; the check reports it for a pod that reaches none of two targets or more.

Without DSR, packets to a Service have the address of the node, and policies that select pods do not
match them. It is a fault if a pod reaches a backend and not its Service, other Services answer, and
Calico has policies in that namespace.`,
	Fix: checks.Steps(
		checks.Inspect("kubectl get networkpolicy -A",
			"Find the NetworkPolicy or Calico policy that selects the pod."),
		checks.Do("If the connection is wanted, allow it in that policy.").
			Costs("The connection is allowed for every pod that the policy selects."),
		checks.Verify(
			"Get-HnsEndpoint | Select-Object IPAddress, Policies | ConvertTo-Json -Depth 6",
			"an Allow rule for the connection, with a lower Priority than the Block rule")),
	Links: []string{
		"https://docs.tigera.io/calico/latest/getting-started/kubernetes/windows-calico/limitations", "https://kubernetes.io/docs/concepts/services-networking/network-policies/",
		"https://github.com/aws/amazon-vpc-cni-plugins/issues/59",
		"https://github.com/Azure/azure-container-networking/pull/2617"},
	Breaks: []*checks.Effect{effectServices, effectDNSOverUDP},
	Needs:  []evidence.Need{evidence.HNSEndpoints, evidence.Any(evidence.ReachProbes, evidence.PodEvents)},
	Uses: []evidence.Need{evidence.ReachProbes, evidence.Pods, evidence.KubeServices, evidence.EndpointSlices,
		evidence.HNSLoadBalancers, evidence.PodEvents, evidence.Node},
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		findings := kubeletProbesBlocked(s)
		if gap := evidence.ReachProbes.Gap(s); gap.Kind != "" && len(findings) == 0 {
			return nil, checks.Unknown(gap)
		}
		denied := deniedByRules(s)
		for _, probe := range evidence.ReachProbes.In(s) {
			r, blocked := denied(probe)
			if !blocked {
				if f := hiddenByNode(s, probe); f != nil {
					findings = append(findings, f)
				}
				continue
			}
			f := checks.Findingf(checks.Warn, probe.Target,
				"HNS rule %s blocks %s from %s to %s: a network policy, not a node fault",
				r.name(), probe.Protocol, probe.From, probe.Target).
				With(probed.ReachBecause(probe)).At(r.endpoint.Field("Policies"),
				"%s: ACL %s, priority %d, %s, Block", node.EndpointName(r.endpoint), r.name(),
				r.priority, r.direction)
			if slices.ContainsFunc(evidence.ReachProbes.In(s), func(ping evidence.ReachProbe) bool {
				if ping.From != probe.From || ping.Protocol != "icmp" {
					return false
				}
				to, _ := probed.AddressOf(ping)
				ping.Protocol, ping.Target = "tcp", netip.AddrPortFrom(to, 443).String() // do the rules keep TCP from there?
				rule, blocked := denied(ping)
				return blocked && rule.direction == "out"
			}) {
				f = f.Explaining("icmp-external-not-snated")
			}
			findings = append(findings, f)
		}
		if len(findings) == 0 {
			findings = nothingAllowed(s)
		}
		return findings, nil
	},
})

// kubeletProbesBlocked finds pods whose liveness or readiness probes get no answer, because a rule on the way
// into the pod blocks the address of the node.
func kubeletProbesBlocked(s evidence.Snapshot) (findings []*checks.Finding) {
	nodes, local := node.ParseAddresses(evidence.Node.In(s).InternalIPs()...), localEndpoints(s)
	for _, p := range evidence.Pods.In(s) {
		ip, ok := node.ParseAddress(p.Status.PodIP)
		e, there := local[ip]
		if !ok || !there || hostPod(p) || len(nodes) == 0 {
			continue
		}
		var target string
		failed := newestEvent(s, p.Metadata, s.Now().Add(-restartRecent), func(e evidence.Event) bool {
			return e.Reason == "Unhealthy" && probeTarget.MatchString(e.Text())
		})
		if m := probeTarget.FindStringSubmatch(failed.Text()); m != nil {
			target = m[1]
		}
		to := destination{ip, portOf(target), "tcp"}
		if a, _ := node.ParseAddress(probed.HostOf(target)); a != ip || podRuns(p) && p.Ready() {
			continue
		}
		if r, blocked := decides(e, "in", ip, to, nodes[0]); blocked {
			f := checks.Findingf(checks.Fail, p.FullName(),
				"HNS rule %s blocks the kubelet's probes of %s at %s: a network policy without an exception for the node",
				r.name(), p.FullName(), target).
				At(failed.Field(), "%s: %s", failed.Reason, failed.Text()).
				At(e.Field("Policies"), "%s: ACL %s, priority %d, in, Block", node.EndpointName(e), r.name(), r.priority).
				Explaining("liveness-probe-too-strict", "pods-restarting").Cure(allowTheKubelet)
			findings = append(findings, f)
		}
	}
	return findings
}

// probeTarget is a probe over the network that got no answer: the address that the kubelet connected to.
var probeTarget = regexp.MustCompile(`^(?:Liveness|Readiness|Startup) probe failed: (?:Get "https?://|dial tcp )` +
	`([^/":\s]+:\d+).*(?:deadline exceeded|Client\.Timeout|i/o timeout|did not properly respond)`)

// allowTheKubelet is the fix of a policy that isolates a pod from its own kubelet.
var allowTheKubelet = checks.Steps(
	checks.Inspect("kubectl get networkpolicy -A", "Find the policy that selects the pod."),
	checks.Do("Allow ingress from the addresses of the nodes (ipBlock) to the port of the probe.").
		Costs("Every program on the nodes can connect to this port."),
	checks.Verify("kubectl get pods -A --field-selector spec.nodeName={node}", "READY shows all containers"))

// nothingAllowed finds a pod that reaches nothing, and whose rules on the way out all block: of an
// endpoint with rules, HNS drops what none of them is about.
func nothingAllowed(s evidence.Snapshot) []*checks.Finding {
	local := localEndpoints(s)
	for _, p := range evidence.Pods.In(s) {
		ip, ok := node.ParseAddress(p.Status.PodIP)
		if !ok || hostPod(p) {
			continue
		}
		targets := map[string]bool{}
		var lost evidence.ReachProbe
		for _, probe := range evidence.ReachProbes.In(s) {
			if probe.From != p.FullName() || probe.Protocol == "icmp" {
				continue
			}
			if probed.GotAnswer(probe) {
				targets = nil
				break
			}
			if probed.GotNoAnswer(probe) {
				lost = probe
				targets[probe.Target] = true
			}
		}
		e, there := local[ip]
		rules := slices.DeleteFunc(slices.Clone(e.Policies), func(r evidence.HNSPolicy) bool {
			return r.Type != "ACL" || !strings.EqualFold(r.Text("Direction"), "out")
		})
		if len(targets) < 2 || !there || len(rules) == 0 || slices.ContainsFunc(rules, func(r evidence.HNSPolicy) bool {
			return r.Truncated || !strings.EqualFold(r.Text("Action"), "Block")
		}) {
			continue
		}
		return []*checks.Finding{checks.Findingf(checks.Fail, p.FullName(),
			"HNS drops all that %s sends: its endpoint has rules that block, and none that allows the rest", p.FullName()).
			With(probed.ReachBecause(lost)).
			At(e.Field("Policies"), "%s: its rules on the way out are all Block", node.EndpointName(e)).Cure(allowTheRest)}
	}
	return nil
}

// allowTheRest is the fix of an endpoint whose only rules block.
var allowTheRest = checks.Steps(
	checks.Do("In the CNI configuration, add two policies of type ACL to the Block rule: Action Allow, Priority 65500, Direction In and Out."),
	checks.Do("Recreate the pods of this node."),
	checks.Verify("Get-HnsEndpoint | Select-Object IPAddress, Policies | ConvertTo-Json -Depth 6",
		"an Allow rule for each direction that has a Block rule"))

// hiddenByNode judges a probe of a pod to a Service that was lost, though the pod reaches a backend of
// it and other Services: kube-proxy puts the address of the node in place of the pod's, and a policy in
// the namespace of the Service does not allow that.
func hiddenByNode(s evidence.Snapshot, lost evidence.ReachProbe) *checks.Finding {
	vip, ok := probed.AddressOf(lost)
	if !ok || lost.From == "node" || lost.Protocol == "icmp" || !probed.GotNoAnswer(lost) {
		return nil
	}
	lb, balanced := hasBalancer(s, vip, portOf(lost.Target), "tcp")
	if !balanced || lb.DSR || lb.Truncated {
		return nil
	}
	var service evidence.KubeService
	var direct *evidence.ReachProbe
	others := false
	to := behind(s, vip, portOf(lost.Target))
	for _, svc := range evidence.KubeServices.In(s) {
		ips := node.ParseAddresses(svc.ClusterIPs()...)
		if slices.Contains(ips, vip) {
			service = svc
			continue
		}
		others = others || slices.ContainsFunc(evidence.ReachProbes.In(s), func(p evidence.ReachProbe) bool {
			a, _ := probed.AddressOf(p)
			return p.From == lost.From && slices.Contains(ips, a) && p.Outcome == "ok"
		})
	}
	for _, p := range evidence.ReachProbes.In(s) {
		a, _ := probed.AddressOf(p)
		if p.From != lost.From || !slices.ContainsFunc(to, func(d destination) bool {
			return d.IP == a && d.port == portOf(p.Target)
		}) {
			continue
		}
		if p.Outcome != "ok" {
			return nil
		}
		direct = &p
	}
	for _, e := range evidence.HNSEndpoints.In(s) {
		ips := node.ParseAddresses(e.Addresses...)
		if slices.Contains(lb.Endpoints, e.ID) && !slices.ContainsFunc(to, func(d destination) bool { return slices.Contains(ips, d.IP) }) {
			return nil // hns-lb-missing-or-stale
		}
	}
	policies := slices.DeleteFunc(slices.Clone(evidence.HNSEndpoints.In(s)), func(e evidence.HNSEndpoint) bool {
		return e.Remote || !slices.ContainsFunc(e.Policies, func(p evidence.HNSPolicy) bool {
			return p.Type == "ACL" && strings.HasPrefix(p.Text("Id"), "policy-"+service.Metadata.Namespace+"/")
		})
	})
	if direct == nil || !others || len(policies) == 0 {
		return nil
	}
	return checks.Findingf(checks.Fail, lost.Target,
		"%s reaches %s and not its Service %s: without DSR, policies of namespace %s see the address of the node",
		lost.From, direct.Target, service.FullName(), service.Metadata.Namespace).
		With(probed.ReachBecause(lost), probed.ReachBecause(*direct)).
		At(lb.Field(), "load balancer of %s: no DSR", balancerName(lb)).
		At(policies[0].Field("Policies"), "%s: policies of namespace %s", node.EndpointName(policies[0]), service.Metadata.Namespace).
		Cure(checks.Steps(
			checks.Do("Turn on DSR for kube-proxy: --enable-dsr=true and the feature gate WinDSR.").
				Costs("Connections to Services break for a few seconds."),
			checks.Do("If DSR is not possible, allow the addresses of the Windows nodes in the policy.").
				Costs("The connection is allowed for all pods of these nodes."),
			checks.Verify("kubectl exec POD -n NAMESPACE -- curl.exe -sv http://SERVICE", "an answer of the Service")))
}

// deniedByRules tells which ACL rule of HNS on this node keeps a probe from an answer.
func deniedByRules(s evidence.Snapshot) func(evidence.ReachProbe) (aclRule, bool) {
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
	return func(probe evidence.ReachProbe) (first aclRule, denied bool) {
		target, ok := probed.AddressOf(probe)
		if !ok || !probed.GotNoAnswer(probe) || probe.Protocol == "icmp" {
			return first, false // a ping out of a pod gets no answer on Windows, whatever the rules say
		}
		for _, to := range behind(s, target, portOf(probe.Target)) {
			rule, blocked := blockedBy(endpoints, podIPs[probe.From], to)
			if !blocked {
				return aclRule{}, false // one backend that is open is enough to answer
			}
			if !denied {
				first, denied = rule, true
			}
		}
		return first, denied
	}
}

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
			for slice := range svc.Slices(s) {
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
