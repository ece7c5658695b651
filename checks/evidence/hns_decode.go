package evidence

import (
	"cmp"
	"strconv"
	"strings"
)

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

// DecodeHNSEndpoints decodes a listing of endpoints.
func DecodeHNSEndpoints(b []byte) ([]HNSEndpoint, error) {
	return decodeHNS(b, "endpoint", []string{"ID", "Name", "IPAddress", "IpConfigurations"},
		func(o *hnsObject) (HNSEndpoint, bool) {
			e := HNSEndpoint{
				ID: o.id("ID"), Name: o.text("Name"),
				NetworkID:   o.id("HostComputeNetwork", "VirtualNetwork"),
				NamespaceID: o.id("HostComputeNamespace"),
				MAC:         hnsMAC(o.text("MacAddress")),
				Gateway:     unspecified(o.text("GatewayAddress")),
				DNS:         hnsDNS(o), Routes: listOf(o, "Routes", hnsRoute), Flags: o.uint("Flags"),
				State:       o.number("State"),
				Policies:    listOf(o, "Policies", hnsPolicy),
				SchemaMajor: hnsSchema(o, "HostComputeNetwork", "IpConfigurations"),
			}
			if ns := o.object("Namespace"); ns != nil && e.NamespaceID == "" {
				e.NamespaceID = ns.id("ID")
			}
			e.addAddress(o, "IPAddress", "PrefixLength")
			e.addAddress(o, "IPv6Address", "IPv6PrefixLength")
			for _, c := range o.objects("IpConfigurations") {
				e.addAddress(c, "IpAddress", "PrefixLength")
			}
			e.Gateway = cmp.Or(e.Gateway, defaultGateway(e.Routes), unspecified(o.text("GatewayAddressV6")))
			e.Remote = o.bool("IsRemoteEndpoint") || e.SchemaMajor >= 2 && e.Flags&1 != 0
			e.Truncated = o.state.cut
			return e, true
		})
}

func (e *HNSEndpoint) addAddress(o *hnsObject, addressKey, lengthKey string) {
	address, length := o.text(addressKey), o.uint(lengthKey)
	if address == "" {
		return
	}
	bits := uint64(32)
	if strings.Contains(address, ":") {
		bits = 128
	}
	if length > 0 && length <= bits && !strings.Contains(address, "/") {
		address += "/" + strconv.FormatUint(length, 10)
	}
	e.Addresses = append(e.Addresses, address)
}

// DecodeHNSLoadBalancers decodes a listing of load balancers, or of v1's policy
// lists; those that are no load balancers are left out.
func DecodeHNSLoadBalancers(b []byte) ([]HNSLoadBalancer, error) {
	known := []string{"ID", "FrontendVIPs", "HostComputeEndpoints", "Policies"}
	return decodeHNS(b, "load balancer", known, func(o *hnsObject) (HNSLoadBalancer, bool) {
		lb := HNSLoadBalancer{
			ID: o.id("ID"), SourceVIP: o.text("SourceVIP"),
			VIPs:      o.list("FrontendVIPs"),
			Endpoints: append(o.ids("HostComputeEndpoints"), o.ids("References")...),
			Flags:     o.uint("Flags"), State: o.number("State"),
			Ports: listOf(o, "PortMappings", hnsPort),
			SchemaMajor: hnsSchema(o, "HostComputeEndpoints", "FrontendVIPs",
				"PortMappings"),
		}
		policies, rules := o.objects("Policies"), 0
		for _, p := range policies {
			if strings.EqualFold(p.text("Type"), "ELB") {
				lb.addELB(p)
				rules++
			}
		}
		lb.VIPs = Unique(lb.VIPs)
		lb.DSR = lb.Flags&1 != 0
		lb.Truncated = o.state.cut
		return lb, rules > 0 || len(policies) == 0 || lb.SchemaMajor >= 2 || lb.Truncated
	})
}

// addELB merges one rule of a v1 policy list, in which each port is a policy.
func (lb *HNSLoadBalancer) addELB(p *hnsObject) {
	port := hnsPort(p)
	if p.bool("ILB") {
		port.Flags |= 1
	}
	lb.Ports = append(lb.Ports, port)
	if p.bool("IsDSR") {
		lb.Flags |= 1
	}
	if lb.SourceVIP == "" {
		lb.SourceVIP = p.text("SourceVIP")
	}
	for _, vip := range p.list("VIPs") {
		if strings.Contains(vip, ":") {
			lb.Flags |= 2
		}
		lb.VIPs = append(lb.VIPs, vip)
	}
}

func hnsPort(o *hnsObject) HNSPort {
	return HNSPort{Protocol: ProtocolName(strings.ToLower(o.text("Protocol"))),
		Internal: o.int("InternalPort"), External: o.int("ExternalPort"), Flags: o.uint("Flags"),
		Distribution: o.uint("DistributionType")}
}

// ProtocolName is tcp or udp for their numbers, and any other text as it stands.
func ProtocolName(s string) string {
	switch s {
	case "6":
		return "tcp"
	case "17":
		return "udp"
	}
	return s
}

// DecodeHNSNamespaces decodes a listing of namespaces.
func DecodeHNSNamespaces(b []byte) ([]HNSNamespace, error) {
	return decodeHNS(b, "namespace", []string{"ID", "NamespaceId", "Resources"},
		func(o *hnsObject) (HNSNamespace, bool) {
			ns := HNSNamespace{ID: o.id("ID"),
				CompartmentID: cmp.Or(o.uint("NamespaceId"), o.uint("CompartmentId"))}
			for _, r := range append(o.objects("Resources"), o.objects("ResourceList")...) {
				id := ""
				if data := r.object("Data"); data != nil {
					id = data.id("ID")
				}
				switch kind := strings.ToLower(r.text("Type")); {
				case id == "":
					o.state.cut = o.state.cut || r.cut || r.lost("Data")
				case kind == "endpoint":
					ns.Endpoints = append(ns.Endpoints, id)
				case kind == "container":
					ns.Containers = append(ns.Containers, id)
				}
			}
			ns.Truncated = o.state.cut
			return ns, true
		})
}
