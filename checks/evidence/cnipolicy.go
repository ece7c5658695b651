package evidence

import (
	"cmp"
	"strings"
)

// readCNIPlugin reads one plugin. A delegate of a delegate is nothing that any
// plugin reads, so the depth ends there.
func readCNIPlugin(n *jsonNode, depth int) CNIPlugin {
	p := CNIPlugin{Spot: spotOf(n), Type: n.Lookup("type").Text(), CNISettings: readCNISettings(n)}
	if d := n.Lookup("delegate"); d != nil && d.Kind == '{' && depth == 0 {
		delegate := readCNIPlugin(d, depth+1)
		p.Delegate = &delegate
	}
	return p
}

func readCNISettings(n *jsonNode) CNISettings {
	s := CNISettings{
		APIVersion:   n.Lookup("apiVersion").Number(),
		IPAM:         readCNIIPAM(n.Lookup("ipam")),
		Capabilities: n.Lookup("capabilities").Truths(),
		Mode:         n.Lookup("mode").Text(),
		SubnetFile:   n.Lookup("subnetFile").Text(),
		IPMasq:       n.Lookup("ipMasq").Truth(),
		EndpointMacPrefix: cmp.Or(n.Lookup("endpointMacPrefix").Text(),
			n.Lookup("vxlan_mac_prefix").Text()),
		VPCCIDRs:    n.Lookup("vpcCIDRs").Texts(),
		ServiceCIDR: cmp.Or(n.Lookup("serviceCIDR").Text(), n.Lookup("serviceCidrs").Text()),
	}
	if dns := n.Lookup("dns"); dns != nil {
		s.DNS = CNIDNS{spotOf(dns), dns.Lookup("nameservers").Texts(), dns.Lookup("search").Texts()}
	}
	for _, where := range [][]string{{"loopbackDSR"}, {"optionalFlags", "loopbackDSR"},
		{"windowsSettings", "enableLoopbackDSR"}, {"windows_loopback_DSR"}} {
		s.LoopbackDSR = s.LoopbackDSR || n.Lookup(where...).Truth()
	}
	for _, key := range []string{"policies", "AdditionalArgs"} {
		for _, item := range n.Lookup(key).Items() {
			s.addPolicy(item)
		}
	}
	return s
}

func (s *CNISettings) addPolicy(item *jsonNode) {
	value := item.Lookup("value")
	kind, settings := value.Lookup("type").Text(), value.Lookup("settings")
	s.Policies = append(s.Policies, CNIPolicy{spotOf(item), item.Lookup("name").Text(), kind})
	switch strings.ToLower(kind) {
	case "outboundnat":
		s.Exceptions = append(s.Exceptions, readCNIExceptions(value, settings, spotOf(item))...)
	case "route", "sdnroute":
		from := cmp.Or(settings, value)
		s.Routes = append(s.Routes, CNIRoute{spotOf(item), from.Lookup("destinationPrefix").Text(),
			from.Lookup("needEncap").Truth()})
	case "provideraddress", "pa":
		s.ProviderAddress = cmp.Or(settings.Lookup("providerAddress").Text(),
			value.Lookup("providerAddress").Text(), value.Lookup("pa").Text(), s.ProviderAddress)
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
		{"v1", value.Lookup("exceptionList"), value.Lookup("destinations")},
		{"v2", settings.Lookup("exceptions"), settings.Lookup("destinations")},
		{"wmco", settings.Lookup("exceptionList"), settings.Lookup("destinations")},
	} {
		if shape.node != nil {
			list = append(list, CNIExceptions{spotOf(shape.node), shape.node.Texts(),
				shape.destinations.Texts(), shape.name})
		}
	}
	if list != nil {
		return list
	}
	if settings != nil {
		return []CNIExceptions{{policy, nil, settings.Lookup("destinations").Texts(), "v2"}}
	}
	return []CNIExceptions{{policy, nil, value.Lookup("destinations").Texts(), "v1"}}
}

func readCNIIPAM(n *jsonNode) CNIIPAM {
	ipam := CNIIPAM{Spot: spotOf(n), Type: n.Lookup("type").Text(), Subnet: n.Lookup("subnet").Text()}
	for _, r := range n.Lookup("routes").Items() {
		ipam.Routes = append(ipam.Routes, CNIGateway{GW: r.Lookup("gw").Text()})
	}
	for _, set := range n.Lookup("ranges").Items() {
		for _, r := range set.Items() {
			if subnet := r.Lookup("subnet").Text(); subnet != "" {
				ipam.Ranges = append(ipam.Ranges, subnet)
			}
		}
	}
	return ipam
}
