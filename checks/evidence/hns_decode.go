package evidence

import "cmp"

// hnsNetworkTypes are the spellings of HCN; HNS itself changes their case between releases.
var hnsNetworkTypes = []string{"NAT", "Transparent", "L2Bridge", "L2Tunnel", "ICS", "Private",
	"Overlay", "Internal",
	"Mirrored", "Infiniband", "ConstrainedICS"}

// DecodeHNSNetworks decodes a listing of networks.
func DecodeHNSNetworks(b []byte) ([]HNSNetwork, error) {
	return decodeHNS(b, "network", []string{"ID", "Name"}, func(o *hnsObject) (HNSNetwork, bool) {
		n := HNSNetwork{
			ID: o.id("ID"), Name: o.text("Name"), Type: canonical(o.text("Type"), hnsNetworkTypes),
			Policies: listOf(o, "Policies", hnsPolicy), SchemaMajor: hnsSchema(o, "Ipams"),
		}
		if n.Type == "" && n.SchemaMajor >= 2 && !o.lost("Type") {
			n.Type = "NAT" // HNS leaves out what is its zero value
		}
		for _, pool := range append([]*hnsObject{o}, o.objects("Ipams")...) {
			n.Subnets = append(n.Subnets, listOf(pool, "Subnets", hnsSubnet)...)
		}
		n.Extensions = listOf(o, "Extensions", func(e *hnsObject) HNSExtension {
			return HNSExtension{e.id("Id"), e.text("Name"), e.bool("IsEnabled")}
		})
		n.ManagementIP = cmp.Or(o.text("ManagementIP"), providerAddress(n.Policies))
		n.AdapterName = o.text("NetworkAdapterName")
		for p := range policiesOf(n.Policies, "NetAdapterName") {
			n.AdapterName = cmp.Or(n.AdapterName, p.Text("NetworkAdapterName"))
		}
		n.DRMAC = hnsMAC(o.text("DrMacAddress"))
		for p := range policiesOf(n.Policies, "DrMacAddress") {
			n.DRMAC = cmp.Or(n.DRMAC, hnsMAC(p.Text("Address")))
		}
		n.Truncated = o.state.cut
		return n, true
	})
}

func hnsSubnet(o *hnsObject) HNSSubnet {
	s := HNSSubnet{Prefix: o.text("IpAddressPrefix", "AddressPrefix"),
		Gateway: unspecified(o.text("GatewayAddress")), Routes: listOf(o, "Routes", hnsRoute)}
	s.Gateway = cmp.Or(s.Gateway, defaultGateway(s.Routes))
	for _, p := range listOf(o, "Policies", hnsPolicy) {
		if p.Type == "VSID" {
			s.VSID, _ = p.Number("IsolationId")
		}
	}
	return s
}

func hnsRoute(r *hnsObject) HNSRoute {
	return HNSRoute{r.text("DestinationPrefix"), r.text("NextHop")}
}

// defaultGateway prefers IPv4, of which a dual-stack record has one as well.
func defaultGateway(routes []HNSRoute) string {
	for _, prefix := range []string{"0.0.0.0/0", "::/0"} {
		for _, r := range routes {
			if r.Prefix == prefix && unspecified(r.NextHop) != "" {
				return r.NextHop
			}
		}
	}
	return ""
}

func unspecified(address string) string {
	if address == "0.0.0.0" || address == "::" {
		return ""
	}
	return address
}

// hnsDNS reads v2's Dns object and the flat fields of v1.
func hnsDNS(o *hnsObject) HNSDNS {
	if dns := o.object("Dns"); dns != nil {
		return HNSDNS{dns.list("ServerList"), dns.list("Search")}
	}
	return HNSDNS{o.list("DNSServerList"), o.list("DNSSuffix")}
}

// hnsSchema tells the shape of an object; one of the keys is in v2 only.
func hnsSchema(o *hnsObject, keys ...string) (major int) {
	if s := o.object("SchemaVersion"); s != nil {
		major = s.int("Major")
	}
	switch {
	case major > 0:
		return major
	case o.has("SchemaVersion") || o.has(keys...):
		return 2
	}
	return 1
}

// hnsVersion reads the version of HNS, an object in globals and a number of two
// halves in v1 objects.
func hnsVersion(o *hnsObject) HNSRelease {
	text, _ := o.fields["version"].(string)
	list, _ := psObjects(text)
	if _, is := o.fields["version"].(map[string]any); is || len(list) == 1 {
		v := o.object("Version")
		return HNSRelease{v.int("Major"), v.int("Minor")}
	}
	n := o.uint("Version")
	return HNSRelease{int(n >> 32 & 0x7fffffff), int(n & 0x7fffffff)}
}
