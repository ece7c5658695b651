package evidence

import (
	"cmp"
	"strings"
)

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
