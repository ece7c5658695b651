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
	ID:       "loopback-dsr-missing",
	Title:    "Pods do not reach themselves through their Services",
	Healthy:  "Pods can reach themselves through their Services",
	Category: checks.CategoryNetwork,
	Doc: `Where kube-proxy uses DSR (direct server return), packets of a pod to its own Service that come
back to the same pod have the pod as source and destination, and are dropped. They pass only if the
HNS endpoint has a loopback policy: OutBoundNAT with the pod's own address as Destinations. The CNI
plugin sets it if its configuration says so, and older releases for IPv4 only. A Service with one pod
is then never reached by that pod, one with several now and then.

The check looks for the policy on the endpoints of pods behind load balancers with DSR. A missing one
is a fault only if a probe of the pod to its own Service failed.`,
	Fix: checks.Steps(
		checks.Edit("{cniFile}", turnLoopbackOn, `"loopbackDSR": true`),
		recreatePods(),
		checks.Verify("Get-HnsEndpoint | ConvertTo-Json -Depth 10",
			"an OutBoundNAT policy with the address of the pod in Destinations")),
	Links: []string{"https://github.com/Azure/azure-container-networking/issues/2597",
		"https://github.com/projectcalico/calico/issues/5522", "https://github.com/Azure/AKS/issues/2608",
		"https://github.com/microsoft/windows-container-networking/pull/125"},
	Applies: func(n *node.Node) error { return servedByHNS(n) },
	Needs:   []evidence.Need{evidence.HNSLoadBalancers, evidence.HNSEndpoints, evidence.Pods},
	Uses: slices.Concat(node.CNISources, podProbeSources, []evidence.Need{evidence.ReachProbes,
		evidence.KubeServices, evidence.EndpointSlices}),
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		n := node.About(s)
		if !slices.ContainsFunc(evidence.HNSLoadBalancers.In(s),
			func(lb evidence.HNSLoadBalancer) bool { return lb.DSR }) {
			return nil, checks.Skip("HNS has no load balancer in DSR mode")
		}
		var findings []*checks.Finding
		var lacking []evidence.HNSEndpoint
		unseen := false // an endpoint whose policies are not recorded
		local := localEndpoints(s)
		for _, pod := range evidence.Pods.In(s) {
			for _, a := range node.ParseAddresses(evidence.Unique(append(podIPs(pod), pod.Status.PodIP))...) {
				e, ok := local[a]
				if !ok || hostPod(pod) {
					continue
				}
				if e.Truncated || len(e.Policies) == 0 {
					unseen = true
					continue
				}
				if loopsBack(e, a) {
					continue
				}
				served := false
				for _, lb := range evidence.HNSLoadBalancers.In(s) {
					if !lb.DSR || !slices.Contains(lb.Endpoints, e.ID) || !slices.ContainsFunc(node.ParseAddresses(lb.VIPs...),
						func(vip node.Address) bool { return vip.Is4() == a.Is4() }) {
						continue
					}
					p, lost, heard := ownService(s, pod, a, lb)
					served = served || !heard
					if lost {
						findings = append(findings, checks.Findingf(
							cond(len(lb.Endpoints) == 1, checks.Fail, checks.Warn), pod.FullName(),
							"pod %s does not reach itself at %s: its HNS endpoint has no loopback policy for %s",
							pod.FullName(), p.Target, a).With(probed.ReachBecause(p)).
							At(e.Field("Policies"), "%s: no OutBoundNAT policy with %s in Destinations",
								node.EndpointName(e), a).
							At(lb.Field(), "load balancer of %s: DSR", balancerName(lb)).
							Cure(loopbackFix(n)).Explaining("node-cannot-use-cluster-ip"))
					}
				}
				if served && !slices.ContainsFunc(lacking, func(o evidence.HNSEndpoint) bool { return o.ID == e.ID }) {
					lacking = append(lacking, e)
				}
			}
		}
		if len(findings) == 0 && len(lacking) > 0 {
			findings = append(findings, checks.Findingf(checks.Info, "loopback",
				"pods without a loopback policy may not reach themselves through their Services: %s",
				endpointNames(lacking)).At(lacking[0].Field("Policies"),
				"%s: no OutBoundNAT policy with its address in Destinations", node.EndpointName(lacking[0])).
				Cure(loopbackFix(n)))
		}
		if len(findings) == 0 && unseen {
			return nil, checks.Unknown(evidence.NotShown.Gap("the HNS policies of any pod of this node"))
		}
		return findings, nil
	},
})

const turnLoopbackOn = "Turn on loopback DSR in the CNI configuration: %s."

// loopbackFix is for a plugin that is not asked for the policy, or does not set it for each address.
func loopbackFix(n *node.Node) checks.Fix {
	fix := fixOf("loopback-dsr-missing")
	f := n.Intended()
	if f == nil || f.Config == nil {
		return fix
	}
	plugin := f.Config.EffectiveType()
	setting := func(text string) {
		fix.Steps[0] = checks.Edit("{cniFile}", turnLoopbackOn, text)
	}
	switch {
	case f.Config.LoopbackDSR:
		fix.Steps[0] = checks.Do("Update the CNI plugin to its current release.")
	case strings.Contains(plugin, "azure-vnet"):
		setting(`"windowsSettings": {"enableLoopbackDSR": true}`)
	case strings.Contains(plugin, "calico"):
		setting(`"windows_loopback_DSR": true`)
	case strings.Contains(plugin, "sdn"):
		setting(`"optionalFlags": {"loopbackDSR": true}`)
	}
	return fix
}

// loopsBack tells whether the endpoint has the policy by which the pod reaches itself behind a Service.
func loopsBack(e evidence.HNSEndpoint, a node.Address) bool {
	return slices.ContainsFunc(e.OutBoundNAT(), func(nat evidence.HNSOutBoundNAT) bool {
		return nat.Truncated || slices.Contains(node.ParseAddresses(nat.Destinations...), a)
	})
}

// ownService finds a probe of a pod to the Service that it serves itself, and that was lost though
// the network of the pod works: it reached something else, and its Service where others answer for it,
// and nobody else's probe of the Service was lost. A pod that is the only one was heard if it answered itself.
func ownService(s evidence.Snapshot, pod evidence.Pod, own node.Address,
	lb evidence.HNSLoadBalancer) (lost evidence.ReachProbe, found, heard bool) {
	denied := deniedByRules(s)
	alone := len(lb.Endpoints) == 1
	reached, peers := false, alone
	for _, p := range reachProbes(s) {
		a, ok := probed.AddressOf(p)
		if !ok || p.Protocol == "icmp" {
			continue
		}
		toService := slices.Contains(node.ParseAddresses(lb.VIPs...), a) &&
			slices.ContainsFunc(lb.Ports, func(port evidence.HNSPort) bool {
				return port.External == portOf(p.Target) && node.ProtocolOf(port.Protocol) == "tcp"
			})
		switch {
		case p.From == pod.FullName() && probed.GotAnswer(p):
			reached, peers = reached || a != own, peers || toService
			heard = heard || toService && alone
		case p.From == pod.FullName() && a == own && probed.GotNoAnswer(p):
			return lost, false, heard // its own program does not answer
		case p.From == pod.FullName() && toService && probed.GotNoAnswer(p):
			if _, byRule := denied(p); byRule {
				return lost, false, heard
			}
			lost, found = p, true
		case p.From != "node" && toService && probed.GotNoAnswer(p):
			return lost, false, heard
		}
	}
	return lost, found && reached && peers, heard
}
