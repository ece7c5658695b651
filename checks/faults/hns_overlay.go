package faults

import (
	"slices"
	"strings"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

// overlayMisfits compares the overlay network of pods with itself and with the other nodes.
func overlayMisfits(n *node.Node, s evidence.Snapshot) []*checks.Finding {
	net, ok := n.PodNetwork(s)
	if !ok || !n.Networks.Known() {
		return nil
	}
	var findings []*checks.Finding
	reportNetwork := func(other evidence.Because, format string, args ...any) {
		f := checks.Findingf(checks.Warn, net.Name, format, args...).At(net.Field(), "network %s", net.Name)
		if other.Path != "" {
			f = f.With(other)
		}
		findings = append(findings, f)
	}
	if backend := n.Backend; backend.Known() && backend.From.Path != evidence.HNSNetworks.Path() &&
		net.Type != "" && !strings.EqualFold(string(backend.Value), net.Type) &&
		!(backend.Value == node.L2Bridge && net.Type == "L2Tunnel") {
		reportNetwork(backend.From, "the HNS network %s is of type %s (expected: %s)", net.Name, net.Type,
			string(backend.Value))
	}
	// ipconfig does not list what a switch took, and shows the state of none
	shown := func(a evidence.Adapter) bool { return a.Status != "" }
	if adapters := evidence.Adapters.In(s); net.AdapterName != "" && slices.ContainsFunc(adapters, shown) &&
		!slices.ContainsFunc(adapters, func(a evidence.Adapter) bool {
			return strings.EqualFold(a.Name, net.AdapterName)
		}) {
		reportNetwork(evidence.Adapters.Field(s).Because("%d adapters", len(adapters)),
			"the HNS network %s is bound to the adapter %s, which the node does not have", net.Name,
			net.AdapterName)
	}
	for _, a := range evidence.Adapters.In(s) {
		if strings.EqualFold(a.Name, net.AdapterName) && strings.EqualFold(a.Status, "down") {
			reportNetwork(a.Field("status").Because("%s is %s", a.Name, a.Status),
				"the HNS network %s is bound to the adapter %s, which is down", net.Name, a.Name)
		}
	}
	if net.ManagementIP == "" && net.SchemaMajor >= 2 && (net.Type == "L2Bridge" ||
		net.Type == "Overlay") && len(localEndpoints(s)) > 0 {
		reportNetwork(evidence.Because{}, "the HNS network %s has no ManagementIP", net.Name)
	}
	findings = append(findings, hostEndpoints(s)...)
	findings = append(findings, announced(net, s)...)
	findings = append(findings, remoteEndpoints(net, s)...)
	if net.Type != "Overlay" {
		return findings
	}
	vnis := map[uint64]bool{}
	for _, subnet := range net.Subnets {
		if subnet.VSID != 0 {
			vnis[subnet.VSID] = true
		}
	}
	known := nodeAddresses(s)
	for _, remote := range net.RemoteSubnets() {
		if remote.Truncated {
			return findings
		}
		if remote.VNI != 0 && !vnis[remote.VNI] {
			reportNetwork(evidence.Because{}, "the HNS network %s sends to %s with the VNI %d, not its own", net.Name,
				remote.Prefix, remote.VNI)
		}
		provider, ok := node.ParseAddress(remote.ProviderAddress)
		if ok && len(known) > 1 && !slices.Contains(known, provider) {
			reportNetwork(evidence.Nodes.Field(s).Because("%d addresses of nodes", len(known)),
				"the HNS network %s sends to %s through %s, an address that no node has", net.Name,
				remote.Prefix, provider)
		}
	}
	object := evidence.Node.In(s)
	const data = "flannel.alpha.coreos.com/backend-data"
	if own := object.Metadata.Annotations[data]; net.SchemaMajor >= 2 &&
		strings.Contains(own, "VtepMAC") && (net.DRMAC == "" || !announcesMAC(own, net.DRMAC)) {
		reportNetwork(object.Field("metadata", "annotations", data).Because("%s", own),
			"the HNS network %s has the router MAC address %s, but flannel announces another one", net.Name,
			net.DRMAC)
	}
	return findings
}

// nodeAddresses are the addresses of all nodes, and those that their network agents announce.
func nodeAddresses(s evidence.Snapshot) []node.Address {
	var list []node.Address
	for _, o := range evidence.Nodes.In(s) {
		for _, a := range o.Status.Addresses {
			list = append(list, node.ParseAddresses(a.Address)...)
		}
		for _, name := range []string{"flannel.alpha.coreos.com/public-ip",
			"projectcalico.org/IPv4Address"} {
			list = append(list, node.ParseAddresses(o.Metadata.Annotations[name])...)
		}
	}
	return list
}

// announcesMAC tells whether flannel's data of a node has the MAC address.
func announcesMAC(data, mac string) bool {
	return strings.Contains(strings.ToLower(data), strings.ToLower(strings.ReplaceAll(mac, "-",
		":")))
}

// hostEndpoints finds the host's own endpoints on the pod network, such as cbr0_ep and Calico_ep,
// whose adapter is gone: they are the gateway of the pods.
func hostEndpoints(s evidence.Snapshot) []*checks.Finding {
	var findings []*checks.Finding
	for ip, e := range localEndpoints(s) {
		if !strings.HasSuffix(e.Name, "_ep") || !evidence.Adapters.Known(s) {
			continue
		}
		at := slices.IndexFunc(evidence.Adapters.In(s), func(a evidence.Adapter) bool {
			return slices.Contains(node.ParseAddresses(a.Addresses...), ip)
		})
		if at < 0 || strings.EqualFold(evidence.Adapters.In(s)[at].Status, "down") {
			findings = append(findings, checks.Findingf(checks.Warn, e.Name,
				"the host has no adapter with the address %s of its endpoint %s", ip, e.Name).
				At(e.Field(), "%s", e.Name).
				At(evidence.Adapters.Field(s), "%d adapters", len(evidence.Adapters.In(s))))
		} else if mac := evidence.Adapters.In(s)[at].MAC; mac != "" && e.MAC != "" &&
			plainMAC(mac) != plainMAC(e.MAC) {
			findings = append(findings, checks.Findingf(checks.Warn, e.Name,
				"the host's adapter for %s has the MAC address %s (expected: %s)", e.Name, mac,
				e.MAC).
				At(e.Field(), "%s: %s", e.Name, e.MAC).
				At(evidence.Adapters.In(s)[at].Field("mac"), "%s", mac))
		}
	}
	for _, a := range evidence.Adapters.In(s) {
		for _, ip := range node.ParseAddresses(a.Addresses...) {
			if strings.HasSuffix(a.Name, "_ep)") && len(localEndpoints(s)) > 0 &&
				localEndpoints(s)[ip].ID == "" {
				findings = append(findings, checks.Findingf(checks.Warn, a.Name,
					"HNS has no endpoint with the address %s of the host's adapter %s", ip, a.Name).
					At(a.Field(), "%s", a.Name).
					At(evidence.HNSEndpoints.Field(s), "%d endpoints",
						len(evidence.HNSEndpoints.In(s))))
			}
		}
	}
	return findings
}

// plainMAC is a MAC address without what parts its bytes.
func plainMAC(mac string) string {
	return strings.ToLower(strings.NewReplacer("-", "", ":", "").Replace(mac))
}

// remoteEndpoints finds endpoints on a network that HNS does not have, and on an overlay those for
// other nodes' pods without the address of a node.
func remoteEndpoints(net evidence.HNSNetwork, s evidence.Snapshot) []*checks.Finding {
	known := nodeAddresses(s)
	var findings []*checks.Finding
	reportEndpoint := func(e evidence.HNSEndpoint, other evidence.Place, format string, args ...any) {
		findings = append(findings, checks.Findingf(checks.Warn, node.EndpointName(e), format,
			args...).
			At(e.Field(), "%s", node.EndpointName(e)).At(other, "%s", net.Name))
	}
	for _, e := range evidence.HNSEndpoints.In(s) {
		if e.NetworkID != "" && !slices.ContainsFunc(evidence.HNSNetworks.In(s),
			func(n evidence.HNSNetwork) bool { return strings.EqualFold(n.ID, e.NetworkID) }) {
			reportEndpoint(e, evidence.HNSNetworks.Field(s), "%s is on a network that HNS does not have",
				node.EndpointName(e))
		}
		if len(e.Addresses) == 0 && !e.Truncated {
			reportEndpoint(e, evidence.HNSEndpoints.Field(s), "%s has no address", node.EndpointName(e))
		}
		for _, p := range e.Policies {
			ip, ok := node.ParseAddress(p.Text("provideraddress"))
			own, known := node.ParseAddress(net.ManagementIP)
			if !e.Remote && p.Type == "ProviderAddress" && ok && known && ip != own &&
				strings.EqualFold(e.NetworkID, net.ID) && e.NamespaceID == "" {
				reportEndpoint(e, net.Field(), "%s sends from %s, but its network sends from %s",
					node.EndpointName(e), ip, own)
			}
		}
		if !e.Remote || net.Type != "Overlay" || !strings.EqualFold(e.NetworkID, net.ID) ||
			len(known) < 2 {
			continue
		}
		at := slices.IndexFunc(e.Policies, func(p evidence.HNSPolicy) bool {
			return p.Type == "ProviderAddress"
		})
		if at < 0 {
			reportEndpoint(e, net.Field(), "%s of another node has no provider address", node.EndpointName(e))
		} else if ip, ok := node.ParseAddress(e.Policies[at].Text("provideraddress")); ok &&
			!slices.Contains(known, ip) && !slices.Contains(hostAddresses(s), ip) {
			reportEndpoint(e, evidence.Nodes.Field(s),
				"%s has the provider address %s, which no node has", node.EndpointName(e), ip)
		}
	}
	return findings
}

// announced compares what flannel announces of the other nodes with how this one reaches them.
func announced(net evidence.HNSNetwork, s evidence.Snapshot) []*checks.Finding {
	const prefix = "flannel.alpha.coreos.com/"
	var findings []*checks.Finding
	own := evidence.Node.In(s).Metadata.Annotations[prefix+"backend-type"]
	for _, o := range flannelNodes(s) {
		notes := o.Metadata.Annotations
		at := func(name string) evidence.Place {
			return o.Field("metadata", "annotations", prefix+name)
		}
		if kind := notes[prefix+"backend-type"]; own != "" && kind != "" && kind != own {
			findings = append(findings, checks.Findingf(checks.Warn, o.Metadata.Name,
				"flannel's backend is %s on node %s and %s on this one", kind, o.Metadata.Name, own).
				At(at("backend-type"), "%s", kind))
		}
		public, ok := node.ParseAddress(notes[prefix+"public-ip"])
		cidrs := node.ParsePrefixes(o.Spec.PodCIDRList()...)
		if !ok || o.Metadata.Name == evidence.Node.In(s).Metadata.Name {
			continue
		}
		for _, remote := range net.RemoteSubnets() {
			p, _ := node.ParsePrefix(remote.Prefix)
			provider, known := node.ParseAddress(remote.ProviderAddress)
			if !slices.Contains(cidrs, p) {
				continue
			}
			if known && provider != public {
				findings = append(findings, checks.Findingf(checks.Warn, o.Metadata.Name,
					"packets to the pods of %s go to %s, but flannel announces %s",
					o.Metadata.Name, provider, public).
					At(at("public-ip"), "%s", public).At(net.Field(), "%s", remote.Prefix))
			}
			if data := notes[prefix+"backend-data"]; strings.Contains(data, "VtepMAC") &&
				remote.DRMAC != "" && !announcesMAC(data, remote.DRMAC) {
				findings = append(findings, checks.Findingf(checks.Warn, o.Metadata.Name,
					"packets to the pods of %s go to the MAC address %s, but flannel announces another one", o.Metadata.Name, remote.DRMAC).
					At(at("backend-data"), "%s", data).At(net.Field(), "%s", remote.Prefix))
			}
		}
		for _, r := range evidence.Routes.In(s) {
			p, _ := node.ParsePrefix(r.Destination)
			hop, known := node.ParseAddress(r.NextHop)
			if known && slices.Contains(cidrs, p) && hop != public && !hop.IsUnspecified() {
				findings = append(findings, checks.Findingf(checks.Warn, o.Metadata.Name,
					"packets to the pods of %s go to %s, but flannel announces %s",
					o.Metadata.Name, hop, public).
					At(at("public-ip"), "%s", public).At(r.Field(), "%s", r.NextHop))
			}
		}
	}
	return findings
}
