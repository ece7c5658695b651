package evidence

import (
	"cmp"
	"strings"
)

// readCNIPlugin reads one plugin. A delegate of a delegate is nothing that any
// plugin reads, so the depth ends there.
func readCNIPlugin(n *jsonNode, depth int) CNIPlugin {
	p := CNIPlugin{Spot: n.spot(), Type: n.lookup("type").text(), CNISettings: readCNISettings(n)}
	if d := n.lookup("delegate"); d != nil && d.Kind == '{' && depth == 0 {
		delegate := readCNIPlugin(d, depth+1)
		p.Delegate = &delegate
	}
	return p
}

func readCNISettings(n *jsonNode) CNISettings {
	s := CNISettings{
		APIVersion:      n.lookup("apiVersion").number(),
		DNS:             readCNIDNS(n.lookup("dns")),
		IPAM:            readCNIIPAM(n.lookup("ipam")),
		Capabilities:    n.lookup("capabilities").truths(),
		OptionalFlags:   n.lookup("optionalFlags").truths(),
		DNSCapabilities: n.lookup("dnsCapabilities") != nil,
		Master:          n.lookup("master").text(),
		Mode:            n.lookup("mode").text(),
		SubnetFile:      n.lookup("subnetFile").text(),
		IPMasq:          n.lookup("ipMasq").truth(),
		IPMasqNetwork:   n.lookup("ipMasqNetwork").text(),
		EndpointMacPrefix: cmp.Or(n.lookup("endpointMacPrefix").text(),
			n.lookup("vxlan_mac_prefix").text()),
		Kubeconfig:  n.lookup("kubernetes", "kubeconfig").text(),
		VXLANVNI:    n.lookup("vxlan_vni").number(),
		VPCCIDRs:    n.lookup("vpcCIDRs").texts(),
		ServiceCIDR: cmp.Or(n.lookup("serviceCIDR").text(), n.lookup("serviceCidrs").text()),
	}
	for _, where := range [][]string{{"loopbackDSR"}, {"optionalFlags", "loopbackDSR"},
		{"windowsSettings", "enableLoopbackDSR"}, {"windows_loopback_DSR"}} {
		s.LoopbackDSR = s.LoopbackDSR || n.lookup(where...).truth()
	}
	for _, key := range []string{"policies", "AdditionalArgs"} {
		for _, item := range n.lookup(key).items() {
			s.addPolicy(key, item)
		}
	}
	return s
}

func (s *CNISettings) addPolicy(key string, item *jsonNode) {
	value := item.lookup("value")
	p := CNIPolicy{Spot: item.spot(), Key: key, Name: item.lookup("name").text(),
		Type: value.lookup("type").text()}
	p.Cut = cutShort(item) || cutShort(value) || cutShort(value.lookup("settings"))
	s.Policies = append(s.Policies, p)
	settings := value.lookup("settings")
	switch strings.ToLower(p.Type) {
	case "outboundnat":
		s.Exceptions = append(s.Exceptions, readCNIExceptions(value, settings, item.spot())...)
	case "route", "sdnroute":
		r := CNIRoute{Spot: item.spot(), Shape: "v1"}
		from := value
		if settings != nil {
			r.Shape, from = "v2", settings
		}
		r.Prefix, r.NextHop, r.NeedEncap = from.lookup("destinationPrefix").text(),
			from.lookup("nextHop").text(), from.lookup("needEncap").truth()
		s.Routes = append(s.Routes, r)
	case "provideraddress", "pa":
		s.ProviderAddress = cmp.Or(settings.lookup("providerAddress").text(),
			value.lookup("providerAddress").text(), value.lookup("pa").text(), s.ProviderAddress)
	}
}

// readCNIExceptions gives one entry for each shape that the policy has: which
// of them counts depends on the plugin and its apiVersion.
func readCNIExceptions(value, settings *jsonNode, policy Spot) []CNIExceptions {
	var list []CNIExceptions
	for _, shape := range []struct {
		name               string
		node, destinations *jsonNode
	}{
		{"v1", value.lookup("exceptionList"), value.lookup("destinations")},
		{"v2", settings.lookup("exceptions"), settings.lookup("destinations")},
		{"wmco", settings.lookup("exceptionList"), settings.lookup("destinations")},
	} {
		if shape.node != nil {
			list = append(list, CNIExceptions{shape.node.spot(), shape.node.texts(),
				shape.destinations.texts(), shape.name})
		}
	}
	if list != nil {
		return list
	}
	if settings != nil {
		return []CNIExceptions{{policy, nil, settings.lookup("destinations").texts(), "v2"}}
	}
	return []CNIExceptions{{policy, nil, value.lookup("destinations").texts(), "v1"}}
}

// cutShort recognises what ConvertTo-Json leaves of an object below its -Depth.
func cutShort(n *jsonNode) bool {
	t := n.text()
	return strings.HasPrefix(t, "@{") || strings.HasPrefix(t, "System.")
}

func readCNIDNS(n *jsonNode) CNIDNS {
	return CNIDNS{
		Spot:        n.spot(),
		Nameservers: n.lookup("nameservers").texts(),
		Domain:      n.lookup("domain").text(),
		Search:      n.lookup("search").texts(),
		Options:     n.lookup("options").texts(),
	}
}

func readCNIIPAM(n *jsonNode) CNIIPAM {
	ipam := CNIIPAM{
		Spot:        n.spot(),
		Type:        n.lookup("type").text(),
		Subnet:      n.lookup("subnet").text(),
		Environment: n.lookup("environment").text(),
	}
	for _, r := range n.lookup("routes").items() {
		ipam.Routes = append(ipam.Routes, CNIGateway{GW: r.lookup("gw").text(),
			Dst: r.lookup("dst").text()})
	}
	for _, set := range n.lookup("ranges").items() {
		for _, r := range set.items() {
			if subnet := r.lookup("subnet").text(); subnet != "" {
				ipam.Ranges = append(ipam.Ranges, subnet)
			}
		}
	}
	return ipam
}
