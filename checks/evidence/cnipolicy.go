package evidence

import (
	"cmp"
	"strings"
)

// readCNIPlugin reads one plugin. A delegate of a delegate is nothing that any
// plugin reads, so the depth ends there.
func readCNIPlugin(n *jsonNode, depth int) CNIPlugin {
	p := CNIPlugin{Spot: n.spot(), Type: n.at("type").text(), CNISettings: readCNISettings(n)}
	if d := n.at("delegate"); d != nil && d.Kind == '{' && depth == 0 {
		delegate := readCNIPlugin(d, depth+1)
		p.Delegate = &delegate
	}
	return p
}

func readCNISettings(n *jsonNode) CNISettings {
	s := CNISettings{
		APIVersion:        n.at("apiVersion").number(),
		DNS:               readCNIDNS(n.at("dns")),
		IPAM:              readCNIIPAM(n.at("ipam")),
		Capabilities:      n.at("capabilities").truths(),
		OptionalFlags:     n.at("optionalFlags").truths(),
		DNSCapabilities:   n.at("dnsCapabilities") != nil,
		Master:            n.at("master").text(),
		Mode:              n.at("mode").text(),
		SubnetFile:        n.at("subnetFile").text(),
		IPMasq:            n.at("ipMasq").truth(),
		IPMasqNetwork:     n.at("ipMasqNetwork").text(),
		EndpointMacPrefix: cmp.Or(n.at("endpointMacPrefix").text(), n.at("vxlan_mac_prefix").text()),
		Kubeconfig:        n.at("kubernetes", "kubeconfig").text(),
		VXLANVNI:          n.at("vxlan_vni").number(),
		VPCCIDRs:          n.at("vpcCIDRs").texts(),
		ServiceCIDR:       cmp.Or(n.at("serviceCIDR").text(), n.at("serviceCidrs").text()),
	}
	for _, where := range [][]string{{"loopbackDSR"}, {"optionalFlags", "loopbackDSR"}, {"windowsSettings", "enableLoopbackDSR"}, {"windows_loopback_DSR"}} {
		s.LoopbackDSR = s.LoopbackDSR || n.at(where...).truth()
	}
	for _, key := range []string{"policies", "AdditionalArgs"} {
		for _, item := range n.at(key).items() {
			s.addPolicy(key, item)
		}
	}
	return s
}

func (s *CNISettings) addPolicy(key string, item *jsonNode) {
	value := item.at("value")
	p := CNIPolicy{Spot: item.spot(), Key: key, Name: item.at("name").text(), Type: value.at("type").text()}
	p.Cut = cutShort(item) || cutShort(value) || cutShort(value.at("settings"))
	s.Policies = append(s.Policies, p)
	settings := value.at("settings")
	switch strings.ToLower(p.Type) {
	case "outboundnat":
		s.Exceptions = append(s.Exceptions, readCNIExceptions(value, settings, item.spot())...)
	case "route", "sdnroute":
		r := CNIRoute{Spot: item.spot(), Shape: "v1"}
		from := value
		if settings != nil {
			r.Shape, from = "v2", settings
		}
		r.Prefix, r.NextHop, r.NeedEncap = from.at("destinationPrefix").text(), from.at("nextHop").text(), from.at("needEncap").truth()
		s.Routes = append(s.Routes, r)
	case "provideraddress", "pa":
		s.ProviderAddress = cmp.Or(settings.at("providerAddress").text(), value.at("providerAddress").text(), value.at("pa").text(), s.ProviderAddress)
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
		{"v1", value.at("exceptionList"), value.at("destinations")},
		{"v2", settings.at("exceptions"), settings.at("destinations")},
		{"wmco", settings.at("exceptionList"), settings.at("destinations")},
	} {
		if shape.node != nil {
			list = append(list, CNIExceptions{shape.node.spot(), shape.node.texts(), shape.destinations.texts(), shape.name})
		}
	}
	if list != nil {
		return list
	}
	if settings != nil {
		return []CNIExceptions{{policy, nil, settings.at("destinations").texts(), "v2"}}
	}
	return []CNIExceptions{{policy, nil, value.at("destinations").texts(), "v1"}}
}

// cutShort recognises what ConvertTo-Json leaves of an object below its -Depth.
func cutShort(n *jsonNode) bool {
	t := n.text()
	return strings.HasPrefix(t, "@{") || strings.HasPrefix(t, "System.")
}

func readCNIDNS(n *jsonNode) CNIDNS {
	return CNIDNS{
		Spot:        n.spot(),
		Nameservers: n.at("nameservers").texts(),
		Domain:      n.at("domain").text(),
		Search:      n.at("search").texts(),
		Options:     n.at("options").texts(),
	}
}

func readCNIIPAM(n *jsonNode) CNIIPAM {
	ipam := CNIIPAM{
		Spot:        n.spot(),
		Type:        n.at("type").text(),
		Subnet:      n.at("subnet").text(),
		Environment: n.at("environment").text(),
	}
	for _, r := range n.at("routes").items() {
		ipam.Routes = append(ipam.Routes, CNIGateway{GW: r.at("gw").text(), Dst: r.at("dst").text()})
	}
	for _, set := range n.at("ranges").items() {
		for _, r := range set.items() {
			if subnet := r.at("subnet").text(); subnet != "" {
				ipam.Ranges = append(ipam.Ranges, subnet)
			}
		}
	}
	return ipam
}
