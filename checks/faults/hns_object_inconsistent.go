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
	ID:       "hns-object-inconsistent",
	Title:    "HNS endpoint of a running pod does not fit its network",
	Healthy:  "HNS endpoints of running pods fit their networks",
	Category: checks.CategoryNetwork,
	Doc: `The endpoint of a pod names its HNS network and its namespace (the network compartment), and
its address, gateway and provider address come from the network. After an interrupted restart of
HNS, after a network was created again while pods ran, or after a change by hand, they no
longer fit: the pod has an address, and its packets go nowhere.

The check looks at endpoints whose address belongs to a pod that has been Ready for five minutes, so
pods that start or end do not count. It compares the endpoint with its network, its namespace, the
adapter that Windows shows for it, and, on an overlay, with the VNI and the other nodes. An endpoint in no
namespace, or one that shares its address with an endpoint that was left, is a fault: the pod has no network.
On the bridge
of flannel the host's endpoint cbr0_ep is the gateway of pods: with the gateway of the HNS network they
reach no pod of another node. The
resolver of pods with dnsPolicy ClusterFirst must have a server that the cluster uses.`,
	Fix: checks.Steps(
		checks.Run("kubectl delete pod POD -n NAMESPACE",
			"Delete the pod: its controller creates another one with a new endpoint.").
			Costs("The pod is down until its replacement is Ready."),
		checks.Run("{restart network agent}",
			"If the network itself is wrong, restart the network agent.").
			Costs("Pods on this node may lose their network while HNS creates it again."),
		checks.Verify("Get-HnsEndpoint | Format-List Name, IPAddress, GatewayAddress, VirtualNetwork",
			"the endpoints of running pods fit their network")),
	Links: []string{
		"https://learn.microsoft.com/en-us/virtualization/windowscontainers/container-networking/architecture",
		"https://github.com/microsoft/windows-container-networking/issues/40"},
	Shows: []*checks.Effect{effectHNSNetwork},
	Needs: []evidence.Need{evidence.Pods, evidence.HNSEndpoints, evidence.HNSNetworks},
	Uses: slices.Concat([]evidence.Need{evidence.Node, evidence.Nodes, evidence.HNSNamespaces,
		evidence.Adapters, evidence.Routes, evidence.ReachProbes}, podProbeSources, node.DNSSources, node.CNISources),
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		n := node.About(s)
		cut := slices.ContainsFunc(evidence.HNSEndpoints.In(s),
			func(e evidence.HNSEndpoint) bool { return e.Truncated }) ||
			slices.ContainsFunc(evidence.HNSNetworks.In(s),
				func(n evidence.HNSNetwork) bool { return n.Truncated })
		if cut {
			return nil, checks.Unknown(evidence.CutByRecorder.Gap("inner values of HNS objects"))
		}
		local := localEndpoints(s)
		looked := false
		var findings []*checks.Finding
		settled := settledPods(s)
		for _, p := range sandboxedPods(s) {
			ip, ok := node.ParseAddress(p.Status.PodIP)
			e, there := local[ip]
			if !ok || !there || hostPod(p) {
				continue
			}
			fit := endpointFit{n: n, s: s, pod: p, ip: ip, endpoint: e}
			fit.attachment()
			if !slices.ContainsFunc(settled, func(q evidence.Pod) bool { return p.FullName() == q.FullName() }) {
				findings = append(findings, fit.findings...)
				continue
			}
			looked = true
			fit.network()
			fit.namespace()
			fit.adapter(local)
			fit.resolver(local)
			fit.policies(local)
			findings = append(findings, fit.findings...)
		}
		findings = append(findings, overlayMisfits(n, s)...)
		if !looked && len(findings) == 0 {
			return nil, checks.Skip("no pod of this node has been Ready for five minutes")
		}
		return findings, nil
	},
})

// An endpointFit compares the endpoint of a pod with what is around it.
type endpointFit struct {
	n        *node.Node
	s        evidence.Snapshot
	pod      evidence.Pod
	ip       node.Address
	endpoint evidence.HNSEndpoint
	findings []*checks.Finding
}

func (f *endpointFit) misfit(other evidence.Because, format string, args ...any) {
	finding := checks.Findingf(checks.Warn, f.pod.FullName(), format,
		append([]any{node.EndpointName(f.endpoint), f.pod.FullName()}, args...)...).
		At(f.endpoint.Field(), "%s", node.EndpointName(f.endpoint))
	if other.Path != "" {
		finding = finding.With(other)
	}
	f.findings = append(f.findings, finding)
}

// attachment tells that the pod has no adapter, or shares its address with an endpoint that was left.
func (f *endpointFit) attachment() {
	if unattached(f.s, f.endpoint) {
		f.misfit(evidence.HNSNamespaces.Field(f.s).Because("no namespace lists endpoint %s", f.endpoint.ID),
			"%s of pod %s is in no namespace: the pod has no network adapter")
		f.findings[len(f.findings)-1].Level = checks.Fail
	}
	if e, twice := doubled(f.s, f.endpoint, f.ip); twice {
		f.misfit(e.Field().Because("endpoint %s: %s", e.ID, f.ip), "%s of pod %s shares its address %s with another endpoint", f.ip)
		last := len(f.findings) - 1
		f.findings[last].Level = checks.Fail
		f.findings[last] = f.findings[last].Cure(withFirst(fixOf("hns-object-inconsistent"), checks.Inspect(
			`Get-HnsEndpoint | Where-Object IPAddress -eq "`+f.ip.String()+`" | Format-List ID, Name, VirtualNetworkName`,
			"Find which of the endpoints is of the running pod, and remove the other one with Remove-HnsEndpoint.")))
	}
}

// network compares the endpoint with the network that it names.
func (f *endpointFit) network() {
	at := slices.IndexFunc(evidence.HNSNetworks.In(f.s), func(net evidence.HNSNetwork) bool {
		return strings.EqualFold(net.ID, f.endpoint.NetworkID)
	})
	if at < 0 {
		return // remoteEndpoints reports it
	}
	net := evidence.HNSNetworks.In(f.s)[at]
	if net.Type != "L2Bridge" && net.Type != "Overlay" {
		return // the others leave addresses to the outside
	}
	place := net.Field().Because("network %s", net.Name)
	var subnets []node.Prefix
	var gateways []node.Address
	for _, subnet := range net.Subnets {
		subnets = append(subnets, node.ParsePrefixes(subnet.Prefix)...)
		gateways = append(gateways, node.ParseAddresses(subnet.Gateway)...)
	}
	if !node.AnyContains(subnets, f.ip) {
		f.misfit(place, "%s of pod %s has an address outside of its network %s", net.Name)
	}
	gateway, ok := node.ParseAddress(f.endpoint.Gateway)
	if ok && !gateway.IsUnspecified() && gateway.Is4() == f.ip.Is4() {
		own := append(gateways, hostAddresses(f.s)...)
		if !slices.Contains(own, gateway) && evidence.Adapters.Known(f.s) {
			f.misfit(place,
				"%s of pod %s has the gateway %s, which neither its network nor the node has",
				gateway)
		}
		if host, ok := f.hostEndpoint(net); ok && slices.Contains(gateways, gateway) &&
			!slices.Contains(hostAddresses(f.s), gateway) &&
			!f.reachesOtherNodes() {
			f.misfit(place, "%s of pod %s has the gateway %s (expected: %s of %s)", gateway,
				host.Addresses[0], host.Name)
			last := len(f.findings) - 1
			f.findings[last] = f.findings[last].Cure(bridgeGatewayFix).
				Explaining("node-cannot-use-cluster-ip", "cluster-dns-unreachable")
		}
		for _, address := range f.endpoint.Addresses {
			if p, ok := node.ParsePrefix(address); ok && p.Contains(f.ip) && !p.IsSingleIP() &&
				!p.Contains(gateway) {
				f.misfit(place, "%s of pod %s cannot reach its gateway %s: it is outside of %s",
					gateway, p)
			}
		}
	}
	if len(gateways) == 0 && f.endpoint.SchemaMajor >= 2 {
		f.misfit(place, "%s of pod %s is on the network %s, which has no gateway", net.Name)
	}
	if !ok && f.endpoint.SchemaMajor >= 2 && slices.ContainsFunc(evidence.HNSEndpoints.In(f.s),
		func(e evidence.HNSEndpoint) bool {
			return !e.Remote && e.Gateway != "" && strings.EqualFold(e.NetworkID, net.ID)
		}) {
		f.misfit(place, "%s of pod %s has no default route, but others on the network %s have one",
			net.Name)
	}
	for _, p := range f.endpoint.Policies {
		provider, ok := node.ParseAddress(p.Text("provideraddress"))
		management, known := node.ParseAddress(net.ManagementIP)
		if p.Type == "ProviderAddress" && ok && known && provider != management {
			f.misfit(place, "%s of pod %s sends from %s, but its network sends from %s", provider,
				management)
		}
	}
}

// hostEndpoint is the endpoint of the host on a bridge: no other member of it routes.
func (f *endpointFit) hostEndpoint(net evidence.HNSNetwork) (evidence.HNSEndpoint, bool) {
	for _, e := range evidence.HNSEndpoints.In(f.s) {
		if f.n.CNI.Value == node.Flannel && net.Type == "L2Bridge" && !e.Remote && strings.EqualFold(e.NetworkID, net.ID) &&
			strings.EqualFold(e.Name, net.Name+"_ep") && len(e.Addresses) > 0 &&
			slices.ContainsFunc(hostAddresses(f.s), func(a node.Address) bool {
				return slices.Contains(node.ParseAddresses(e.Addresses...), a)
			}) {
			return e, true
		}
	}
	return evidence.HNSEndpoint{}, false
}

// reachesOtherNodes tells whether a pod of this node reached one of another node.
func (f *endpointFit) reachesOtherNodes() bool {
	return slices.ContainsFunc(evidence.ReachProbes.In(f.s), func(p evidence.ReachProbe) bool {
		dest, ok := probed.AddressOf(p)
		return ok && p.From != "node" && probed.GotAnswer(p) && node.AnyContains(f.n.ClusterCIDRs.Value, dest) &&
			!node.AnyContains(f.n.PodCIDRs.Value, dest)
	})
}

// bridgeGatewayFix is for a plugin that gives pods the gateway of the HNS network.
var bridgeGatewayFix = checks.Steps(
	checks.Edit("{cniFile}",
		`Use the plugin win-bridge, or set "optionalFlags": {"forceBridgeGateway": true} for sdnbridge.`),
	recreatePods(),
	checks.Verify("Get-HnsEndpoint | Format-List Name, IPAddress, GatewayAddress",
		"pods have the gateway of the host's endpoint"))

// namespace compares the endpoint with its network compartment.
func (f *endpointFit) namespace() {
	list := evidence.HNSNamespaces.In(f.s)
	if f.endpoint.NamespaceID == "" || len(list) == 0 {
		return
	}
	at := slices.IndexFunc(list, func(ns evidence.HNSNamespace) bool {
		return strings.EqualFold(ns.ID, f.endpoint.NamespaceID)
	})
	if at < 0 {
		f.misfit(evidence.HNSNamespaces.Field(f.s).Because("%d namespaces", len(list)),
			"%s of pod %s is in the namespace %s, which HNS does not have",
			f.endpoint.NamespaceID)
		return
	}
	if ns := list[at]; !ns.Truncated && !slices.ContainsFunc(ns.Endpoints, func(id string) bool {
		return strings.EqualFold(id, f.endpoint.ID)
	}) {
		f.misfit(ns.Field().Because("%d endpoints", len(ns.Endpoints)),
			"%s of pod %s is in a namespace that does not list it")
	}
}

// adapter compares the endpoint with the adapter that Windows shows for it.
func (f *endpointFit) adapter(local map[node.Address]evidence.HNSEndpoint) {
	routed, resolved, own := false, false, false
	for _, a := range evidence.Adapters.In(f.s) {
		if a.Compartment <= 1 {
			continue
		}
		if !slices.Contains(node.ParseAddresses(a.Addresses...), f.ip) {
			routed, resolved = routed || len(a.Gateways) > 0, resolved || len(a.DNSServers) > 0
		}
	}
	for _, a := range evidence.Adapters.In(f.s) {
		if a.Compartment <= 1 || !slices.Contains(node.ParseAddresses(a.Addresses...), f.ip) {
			continue
		}
		own = true
		switch {
		case len(a.Gateways) == 0 && f.endpoint.Gateway != "" && routed:
			f.misfit(a.Field("gateways").Because("%s: no gateway", a.Name),
				"the adapter of %s of pod %s has no gateway, but those of other pods have one")
		case len(a.DNSServers) == 0 && len(f.endpoint.DNS.Servers) > 0 && resolved:
			f.misfit(a.Field("dnsServers").Because("%s: no server", a.Name),
				"the adapter of %s of pod %s has no DNS server, but those of other pods have one")
		case a.MAC != "" && f.endpoint.MAC != "" && plainMAC(a.MAC) != plainMAC(f.endpoint.MAC):
			f.misfit(a.Field("mac").Because("%s: %s", a.Name, a.MAC),
				"%s of pod %s has the MAC address %s, but its adapter has %s", f.endpoint.MAC, a.MAC)
		case strings.EqualFold(a.Status, "down"):
			f.misfit(a.Field("status").Because("%s: %s", a.Name, a.Status),
				"the adapter of %s of pod %s is %s", a.Status)
		case len(a.Gateways) > 0 && f.endpoint.Gateway != "" && !slices.Contains(
			node.ParseAddresses(a.Gateways...), node.ParseAddresses(f.endpoint.Gateway)[0]):
			f.misfit(a.Field("gateways").Because("%s: %s", a.Name, a.Gateways[0]),
				"%s of pod %s has the gateway %s, but its adapter has %s", f.endpoint.Gateway,
				a.Gateways[0])
		case len(a.DNSServers) > 0 && len(f.endpoint.DNS.Servers) > 0 && !sameAddresses(
			a.DNSServers, f.endpoint.DNS.Servers):
			f.misfit(a.Field("dnsServers").Because("%s: %s", a.Name, a.DNSServers[0]),
				"%s of pod %s has the DNS server %s, but its adapter has %s",
				f.endpoint.DNS.Servers[0], a.DNSServers[0])
		}
	}
	if stray, ok := f.strayAdapter(local); ok && !own && !isHyperV(f.pod.Spec.RuntimeClassName) {
		f.misfit(stray.Field("addresses").Because("%s: %s", stray.Name, orNone(stray.Addresses)),
			"no adapter has the address of %s of pod %s, as it is for other pods")
	}
}

// strayAdapter is the adapter of a container with no address, or one that no endpoint has. Without such an adapter,
// a list without the adapter of a pod is of another moment than the endpoints, or not complete.
func (f *endpointFit) strayAdapter(local map[node.Address]evidence.HNSEndpoint) (evidence.Adapter, bool) {
	for _, a := range evidence.Adapters.In(f.s) {
		if own := node.ParseAddresses(a.Addresses...); a.Compartment > 1 &&
			!slices.ContainsFunc(own, func(ip node.Address) bool { _, ok := local[ip]; return ok }) {
			return a, true
		}
	}
	return evidence.Adapter{}, false
}

// sameAddresses tells whether two lists hold the same, in any order.
func sameAddresses(a, b []string) bool {
	x, y := node.ParseAddresses(a...), node.ParseAddresses(b...)
	return len(x) == len(y) && !slices.ContainsFunc(x, func(ip node.Address) bool {
		return !slices.Contains(y, ip)
	})
}

// resolver compares what the pod got as its resolver with what the kubelet gives to pods.
func (f *endpointFit) resolver(local map[node.Address]evidence.HNSEndpoint) {
	servers := node.ParseAddresses(f.endpoint.DNS.Servers...)
	want := f.n.DNSServers(f.s)
	if f.pod.Spec.DNSPolicy != "ClusterFirst" || len(want) == 0 {
		return
	}
	others := false
	for _, e := range local {
		others = others || e.ID != f.endpoint.ID && len(e.DNS.Servers) > 0 &&
			e.NetworkID == f.endpoint.NetworkID
	}
	has := slices.ContainsFunc(servers, func(a node.Address) bool {
		return slices.Contains(want, a)
	})
	switch {
	case len(servers) == 0 && others:
		f.misfit(evidence.Because{}, "%s of pod %s has no DNS server, but those of other pods have one")
	case len(servers) > 0 && !has:
		f.misfit(f.n.ClusterDNS.From, "%s of pod %s uses the DNS server %s (expected: %s)",
			servers[0], want[0])
	}
	searches := func(e evidence.HNSEndpoint, p evidence.Pod) bool {
		return slices.ContainsFunc(e.DNS.Search, func(name string) bool {
			return strings.HasPrefix(name, p.Metadata.Namespace+".svc.")
		})
	}
	if len(f.endpoint.DNS.Search) == 0 || searches(f.endpoint, f.pod) {
		return
	}
	for _, p := range settledPods(f.s) {
		ip, _ := node.ParseAddress(p.Status.PodIP)
		// a list that all share is one of the CNI configuration
		if e, ok := local[ip]; ok && searches(e, p) && !searches(f.endpoint, p) {
			f.misfit(evidence.Because{},
				"%s of pod %s does not search %s<domain>, as other pods do", f.pod.Metadata.Namespace+".svc.")
			return
		}
	}
}

// policies compares the endpoint with those of the other pods on its network. Calico gives pods of
// different pools different policies.
func (f *endpointFit) policies(local map[node.Address]evidence.HNSEndpoint) {
	if f.n.CNI.Value == node.Calico {
		return
	}
	has := func(e evidence.HNSEndpoint, kind string) bool {
		return slices.ContainsFunc(e.Policies, func(p evidence.HNSPolicy) bool {
			return p.Type == kind
		})
	}
	for _, kind := range []string{"OutBoundNAT", "SDNRoute"} {
		with, without := 0, 0
		for _, e := range local {
			switch {
			case e.ID == f.endpoint.ID || e.NamespaceID == "" || e.NetworkID != f.endpoint.NetworkID:
			case has(e, kind):
				with++
			default:
				without++
			}
		}
		if !has(f.endpoint, kind) && with > 0 && without == 0 {
			f.misfit(evidence.Because{},
				"%s of pod %s has no policy %s, but those of all other pods have", kind)
		}
	}
}
