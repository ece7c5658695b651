package faults

import (
	"slices"
	"strings"
	"time"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

// proxyPatience is how long kube-proxy may take to program the Services after
// its start: it does one after the other, and on an overlay waits first.
const proxyPatience = 5 * time.Minute

var _ = register(&checks.Check{
	ID:       "hns-lb-missing-or-stale",
	Title:    "HNS load balancer of a Service is missing or stale",
	Healthy:  "HNS has the load balancers of all Services",
	Category: checks.CategoryNetwork,
	FAQ:      []int{13},
	Doc: `kube-proxy creates an HNS load balancer for each port of a Service and remembers its ID.
If HNS crashes or restarts, or its policies are deleted, kube-proxy may keep IDs that no longer
exist. After a failed update it may leave a load balancer whose backends no longer exist. Pods then
get no answer from the Service's address (usually that of the cluster DNS), but do get one from the
address of a pod behind it.

The check compares the clusterIP, port and protocol of every Service that has a ready backend with
the HNS load balancers, and the addresses and the port behind each of them with the EndpointSlices.
Backends that terminate, or whose pod just became ready or unready, may be there or not. A difference from a slice
that just changed is not decided. It also compares
the settings of the Service with those of its load balancer: session affinity, pods of this node only,
the source address (a fault where pods reach a backend and not the Service, otherwise a warning), and DSR, which all
load balancers of cluster IPs have or none. It skips
headless and ExternalName Services, backends on this node without an HNS endpoint (kube-proxy
creates no load balancer for those alone), the second address family where kube-proxy and the
pods of this node have only one, and a kube-proxy that has just started.`,
	Fix: checks.Steps(
		checks.Run("{restart kube-proxy}",
			"Restart kube-proxy: it deletes all HNS load balancers and programs them again.").
			Costs("New connections to Services fail until kube-proxy has programmed them."),
		checks.Do("If that does not help, stop kube-proxy, remove all HNS policy lists, restart the service hns, and start kube-proxy.").
			Costs("Restarting HNS drops the network of every pod on this node; many pods have to be recreated."),
		checks.Do("Update Kubernetes and Windows: several releases lose load balancers."),
		checks.Verify("Get-HnsPolicyList | Measure-Object",
			"as many entries as before the fault; and the Service answers from a pod of this node")),
	Links: []string{
		"https://github.com/kubernetes/kubernetes/issues/110849",
		"https://github.com/kubernetes/kubernetes/issues/112836",
		"https://github.com/kubernetes/kubernetes/issues/113524",
		"https://github.com/kubernetes/kubernetes/issues/133928",
		"https://github.com/kubernetes/kubernetes/issues/135802",
		"https://github.com/kubernetes/kubernetes/issues/139519",
		"https://github.com/Azure/AKS/issues/2899",
		"https://github.com/microsoft/hcsshim/issues/994",
		"https://github.com/microsoft/Windows-Containers/issues/278",
	},
	Breaks: []*checks.Effect{effectServices, effectDNSOverUDP, effectNodePorts},
	Shows:  []*checks.Effect{effectServiceRules},
	Applies: func(n *node.Node) error {
		if err := servedByHNS(n); err != nil {
			return err
		}
		return onKernelspace(n)
	},
	Needs: []evidence.Need{evidence.KubeServices, evidence.EndpointSlices,
		evidence.HNSLoadBalancers, evidence.HNSEndpoints},
	Uses: []evidence.Need{evidence.HNSNetworks, node.ComponentSources, evidence.Pods, evidence.ReachProbes, evidence.CRI,
		evidence.Node, evidence.Nodes, evidence.Adapters, evidence.HNSVersion,
		node.NeedProxySettings, evidence.File(node.SourceVIPFiles[0]),
		evidence.File(node.SourceVIPFiles[1])},
	Signs: []checks.Sign{
		// A backend that ends at this moment has no port either; the next sync leaves it out.
		warning(checks.SignOfCode("HCN_E_PORT_NOT_FOUND",
			"kube-proxy cannot create a load balancer: HNS lost the switch port of a backend",
			"hcnCreateLoadBalancer")),
		checks.SignOfCode("ERROR_ALREADY_EXISTS",
			"kube-proxy cannot create a load balancer: HNS still has an old one for the same address", "hcnCreateLoadBalancer"),
		// An endpoint that ends at this moment is refused in these words, too.
		warning(checks.SignOfCode("ERROR_INVALID_PARAMETER",
			"kube-proxy cannot create a load balancer: HNS finds a parameter incorrect",
			"policy creation failed", "hcnCreateLoadBalancer")),
		// Kubernetes 1.24 and later: pkg/proxy/winkernel. It tries each a second time and says so, which is
		// ordinary on Server 2019; one that no longer exists is passed over in silence.
		{Text: "Error deleting Hns ", Also: []string{"policy resource"},
			Not:   []string{"Attempting one more time"},
			Says:  "kube-proxy cannot delete a load balancer in HNS",
			Level: checks.Warn},
		{Text: "policy creation failed", ConfirmOnly: true},
		{Text: "is not present or has changed since the last sync", ConfirmOnly: true},
	},
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		n := node.About(s)
		if err := proxyProgramsHNS(n, s); err != nil {
			return nil, err
		}
		if !n.Name.Known() {
			// without it a pod of this node looks like a remote one
			return nil, checks.Unknown(n.Name.Gap)
		}
		w := balancersWanted(n, s)
		settled, changing := w.settled(s)
		findings := slices.Concat(settled.missing(s), deadBackends(s), staleBalancers(n, s),
			settled.wrongBackends(n, s), idleBalancers(s, false))
		settings := slices.Concat(w.balancerSettings(s), strayNodePorts(s), lostNodes(s),
			localOnly(s))
		if len(findings) == 1 && findings[0].Level == checks.Fail && w.onlyKubernetes(s) {
			// its backends are on the host network of the control plane, and pods may have another way there
			findings[0].Level = checks.Info
		}
		cut := slices.ContainsFunc(evidence.HNSLoadBalancers.In(s),
			func(lb evidence.HNSLoadBalancer) bool { return lb.Truncated })
		findings = append(findings, settings...)
		if cut {
			return nil, checks.Unknown(
				evidence.CutByRecorder.Gap("inner values of the load balancers"))
		}
		if doubts := slices.Concat(changing.missing(s), changing.wrongBackends(n, s), idleBalancers(s, true)); len(findings) == 0 && len(doubts) > 0 {
			return nil, checks.Unknown(evidence.NotDecided.Gap(
				"an EndpointSlice changed less than five minutes before the recording, and kube-proxy may not have followed yet"))
		}
		return findings, nil
	},
})

// servedByHNS says where load balancers of HNS do not serve the Services.
func servedByHNS(n *node.Node) error {
	if n.CNI.Value == node.Antrea {
		return checks.Skip("Antrea handles Services itself, in Open vSwitch")
	}
	return nil
}

// proxyProgramsHNS says why no load balancers are to be expected.
func proxyProgramsHNS(n *node.Node, s evidence.Snapshot) error {
	proxy := n.Components["kube-proxy"]
	if running, _ := proxy.Running(); !running && node.ComponentSources.Gap(s).Kind == "" &&
		couldHide(proxy, s) == nil && !inK3s(proxy, s) {
		return checks.Skip("kube-proxy is not running, so it programs no load balancers")
	}
	if _, ok := n.PodNetwork(s); !ok && evidence.HNSNetworks.Known(s) && n.Networks.Known() {
		return checks.Skip(
			"the HNS network of the pods is missing, so HNS has no load balancers")
	}
	for _, p := range proxy.Processes {
		if age := s.Now().Sub(p.StartedAt.Time); !p.StartedAt.IsZero() && age < proxyPatience {
			return checks.Unknown(
				evidence.NotDecided.Gap(
					"kube-proxy started only %s before the recording and may still be programming Services", age.Round(time.Second)))
		}
	}
	return nil
}

// hasBalancer finds the load balancer of a Service's address and port.
func hasBalancer(s evidence.Snapshot, vip node.Address, port int,
	protocol string) (lb evidence.HNSLoadBalancer, ok bool) {
	for _, lb := range evidence.HNSLoadBalancers.In(s) {
		if slices.Contains(node.ParseAddresses(lb.VIPs...), vip) &&
			slices.ContainsFunc(lb.Ports, func(p evidence.HNSPort) bool {
				return p.External == port &&
					node.ProtocolOf(p.Protocol) == node.ProtocolOf(protocol)
			}) {
			return lb, true
		}
	}
	return lb, false
}

// onKernelspace skips a node whose kube-proxy listens on adapters of the host itself.
func onKernelspace(n *node.Node) error {
	if mode, ok := n.Proxy().Flag("proxy-mode"); ok && strings.EqualFold(mode.Value, "userspace") {
		return checks.Skip("kube-proxy runs in userspace mode, which uses no HNS load balancers")
	}
	return nil
}
