package faults

import (
	"slices"
	"strconv"
	"strings"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
	"doctor/checks/probed"
)

// KB4571748, with which a Server 2019 node can reach NodePorts of its own.
const nodePortUBR = 1432

var _ = register(&checks.Check{
	ID:       "nodeport-local-access",
	Title:    "Node cannot reach NodePorts on its own address",
	Healthy:  "Node reaches NodePorts on its own address",
	Category: checks.CategoryNetwork,
	FAQ:      []int{5},
	Doc: `On older Windows builds, a connection from the node itself to its own address and a
NodePort fails, while other hosts reach it. The Kubernetes documentation still lists this as
unsupported. Microsoft's documentation says that KB4571748 (build 17763.1432, August 2020) fixes it
on Server 2019.

On builds without it the check reports this as info, or as a warning on Server 2019 if HNS has the load
balancer of the NodePort: only the update is missing there. On later builds a probe without an answer
is a warning. Early builds of Server 2022 lose NodePorts on overlay networks, for pods too: a pod
that reaches a NodePort on another node but not on its own is a warning there.`,
	Fix: checks.Steps(
		checks.Run("{restart kube-proxy}",
			"Restart kube-proxy: it deletes all HNS load balancers and programs them again.").
			Costs("New connections to Services fail until kube-proxy has programmed them."),
		checks.Verify("Test-NetConnection {managementIP} -Port NODEPORT",
			"TcpTestSucceeded is True")),
	Links: []string{"https://kubernetes.io/docs/tasks/debug/debug-cluster/windows/",
		"https://learn.microsoft.com/en-us/virtualization/windowscontainers/kubernetes/common-problems",
		"https://github.com/rancher/rancher/issues/29411",
		"https://github.com/microsoft/Windows-Containers/issues/204"},
	Shows: []*checks.Effect{effectNodePorts},
	Needs: []evidence.Need{node.NeedBuild, evidence.KubeServices},
	Uses: []evidence.Need{evidence.ReachProbes, evidence.Node, evidence.HNSNetworks,
		evidence.Adapters, evidence.HNSLoadBalancers, evidence.EndpointSlices},
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		n := node.About(s)
		ports := nodePorts(s)
		if len(ports) == 0 {
			return nil, checks.Skip("no Service has a NodePort")
		}
		b := n.Build.Value
		old := b.Number < 17763 || b.Number == 17763 && b.UBR >= 0 && b.UBR < nodePortUBR
		asked, overlay := false, b.Number == 20348 && slices.ContainsFunc(
			evidence.HNSNetworks.In(s), func(net evidence.HNSNetwork) bool {
				return strings.EqualFold(net.Type, "Overlay")
			})
		var findings []*checks.Finding
		for _, p := range evidence.ReachProbes.In(s) {
			dest, ok := probed.AddressOf(p)
			port := portOf(p.Target)
			service := ports[port]
			fromPod := p.From != "node" && overlay && p.Outcome == "timeout" && reachesElsewhere(n, s, p)
			if !ok || service == "" || p.From != "node" && !fromPod || p.Protocol == "icmp" ||
				!slices.Contains(n.ManagementIPs.Value, dest) || p.Outcome == "denied" ||
				p.Outcome == "error" {
				continue
			}
			if fromPod {
				findings = append(findings, checks.Findingf(checks.Warn, p.Target,
					"%s does not reach NodePort %d of %s on this node, but on another node",
					p.From, port, service).With(probed.ReachBecause(p), n.Build.From).Cure(updateFirst()))
				continue
			}
			if p.Outcome != "ok" && nobodyBehind(s, port) {
				continue
			}
			asked = true
			if p.Outcome == "ok" {
				continue
			}
			if b.Number == 17763 && b.UBR < 0 {
				return nil, checks.Unknown(
					evidence.NotShown.Gap(
						"the revision of the Windows build, which decides whether the node reaches its own NodePorts"))
			}
			switch {
			case b.Number == 17763 && old && balancesPort(s, port):
				findings = append(findings, checks.Findingf(checks.Warn, p.Target,
					"the node does not reach NodePort %d of %s on its own address: KB4571748 (build 17763.1432) fixes this in %s",
					port, service, b).With(probed.ReachBecause(p), n.Build.From).Cure(testFromOutside))
			case old:
				findings = append(findings, checks.Findingf(checks.Info, p.Target,
					"the node does not reach NodePort %d of %s on its own address: documented limit of %s", port, service, b).With(probed.ReachBecause(p), n.Build.From).Cure(testFromOutside))
			default:
				f := checks.Findingf(checks.Warn, p.Target,
					"the node does not reach NodePort %d of %s on its own address; %s supports this",
					port, service, b).With(probed.ReachBecause(p), n.Build.From)
				if overlay {
					f = f.Cure(updateFirst())
				}
				findings = append(findings, f)
			}
		}
		switch {
		case asked || len(findings) > 0:
			return findings, nil
		case old:
			return []*checks.Finding{checks.Findingf(checks.Info, b.String(),
					"on %s a node cannot reach its own NodePorts (documented): test them from another host", b).
					With(n.Build.From).At(evidence.KubeServices.Field(s), "%d NodePorts",
					len(ports)).Cure(testFromOutside)},
				nil
		}
		return nil, checks.Unknown(
			evidence.NotProbed.Gap("a NodePort of this node from the node itself"))
	},
})

// reachesElsewhere tells whether a pod reaches the same NodePort on another node: the Service and
// its pods are well.
func reachesElsewhere(n *node.Node, s evidence.Snapshot, p evidence.ReachProbe) bool {
	return balancesPort(s, portOf(p.Target)) && slices.ContainsFunc(evidence.ReachProbes.In(s),
		func(other evidence.ReachProbe) bool {
			dest, ok := probed.AddressOf(other)
			return ok && other.From == p.From && other.Protocol == p.Protocol && other.Outcome == "ok" &&
				portOf(other.Target) == portOf(p.Target) && !slices.Contains(n.ManagementIPs.Value, dest) &&
				!slices.Contains(n.ServiceIPs.Value, dest)
		})
}

// nobodyBehind tells whether the Service of the NodePort is known to have no ready endpoint: then no
// node answers.
func nobodyBehind(s evidence.Snapshot, port int) bool {
	return evidence.EndpointSlices.Known(s) && !slices.ContainsFunc(evidence.KubeServices.In(s), func(svc evidence.KubeService) bool {
		return slices.ContainsFunc(svc.Spec.Ports, func(p evidence.ServicePort) bool {
			return p.NodePort == port && len(backends(s, svc, p)) > 0
		})
	})
}

// updateFirst is the fix of early builds of Server 2022.
func updateFirst() checks.Fix {
	return withFirst(fixOf("nodeport-local-access"), checks.Do(
		"Install the latest update of Windows: early builds of Server 2022 lose NodePorts on overlay networks. Until then, use a NodePort of a Linux node, or externalTrafficPolicy: Local.").
		Costs("The update reboots the node and stops its pods."))
}

// balancesPort tells whether HNS has a load balancer for the NodePort.
func balancesPort(s evidence.Snapshot, port int) bool {
	return slices.ContainsFunc(evidence.HNSLoadBalancers.In(s), func(lb evidence.HNSLoadBalancer) bool {
		return slices.ContainsFunc(lb.Ports, func(p evidence.HNSPort) bool { return p.External == port })
	})
}

// testFromOutside is for builds on which no setting helps.
var testFromOutside = checks.Steps(
	checks.Do("Test NodePorts from another host."),
	checks.Do("On Server 2019, install KB4571748 or later: the node then reaches its own NodePorts.").
		Costs("The update reboots the node and stops its pods."),
	checks.Verify("Test-NetConnection {managementIP} -Port NODEPORT", "TcpTestSucceeded is True"))

// nodePorts maps the TCP NodePorts of all Services to the Service's name: no probe asks another protocol.
func nodePorts(s evidence.Snapshot) map[int]string {
	ports := map[int]string{}
	for _, svc := range evidence.KubeServices.In(s) {
		if svc.Spec.ExternalTrafficPolicy == "Local" {
			continue // a node without a pod of such a Service need not answer
		}
		for _, p := range svc.Spec.Ports {
			if p.NodePort > 0 && (p.Protocol == "" || p.Protocol == "TCP") {
				ports[p.NodePort] = svc.Metadata.Namespace + "/" + svc.Metadata.Name
			}
		}
	}
	return ports
}

func portOf(target string) int {
	if _, after, ok := strings.Cut(target, "://"); ok {
		target, _, _ = strings.Cut(after, "/")
	}
	_, port, _ := strings.Cut(target[max(strings.LastIndex(target, "]"), 0):], ":")
	n, err := strconv.Atoi(port)
	if err != nil {
		return 0
	}
	return n
}
