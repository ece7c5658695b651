package node

import (
	"cmp"
	"net/netip"
	"slices"
	"strings"

	"doctor/checks/evidence"
)

// DNSSources are what DNSServers, DNSBackends and ClusterDomain read.
var DNSSources = slices.Concat(ClusterSources, KubeletSources,
	[]evidence.Need{NeedCNIFiles, evidence.EndpointSlices})

// DNSServers are the servers that pods of this node ask: the cluster's DNS
// Service, the kubelet's setting, and that of the CNI configuration.
func (n *Node) DNSServers(s evidence.Snapshot) []Address {
	list := slices.Concat(n.ClusterDNS.Value, KubeletDNS(n, s))
	if f := n.Intended(); f != nil && f.Config != nil {
		list = append(list, ParseAddresses(f.Config.DNS.Nameservers...)...)
	}
	return evidence.Unique(list)
}

// DNSBackends are the pods behind the cluster's DNS Service that are ready,
// with the port at which they listen.
func (n *Node) DNSBackends(s evidence.Snapshot) []netip.AddrPort {
	var list []netip.AddrPort
	for _, svc := range evidence.KubeServices.In(s) {
		if !slices.ContainsFunc(ParseAddresses(svc.ClusterIPs()...), func(a Address) bool {
			return slices.Contains(n.ClusterDNS.Value, a)
		}) {
			continue
		}
		for slice := range svc.Slices(s) {
			port := 53
			for _, p := range slice.Ports {
				if ProtocolOf(p.Protocol) == ProtocolOf("UDP") && p.Port > 0 && p.Port <= 0xffff {
					port = p.Port
				}
			}
			for _, e := range slice.Endpoints {
				for _, a := range ParseAddresses(e.Addresses...) {
					if e.Ready() {
						list = append(list, netip.AddrPortFrom(a, uint16(port)))
					}
				}
			}
		}
	}
	return list
}

// ClusterDomain is the domain of the cluster's names, as the kubelet or the CNI
// configuration has it; "" where nothing tells.
func (n *Node) ClusterDomain(s evidence.Snapshot) string {
	flag, _ := n.KubeletFlag("cluster-domain")
	domain := cmp.Or(flag.Value, n.KubeletConfig(s).ClusterDomain)
	if f := n.Intended(); domain == "" && f != nil && f.Config != nil {
		for _, suffix := range f.Config.DNS.Search {
			if before, after, ok := strings.Cut(suffix, "svc."); ok &&
				(before == "" || strings.HasSuffix(before, ".")) {
				domain = after
				break
			}
		}
	}
	return strings.Trim(domain, ".")
}

// ProtocolOf is the protocol as HNS writes it; Kubernetes leaves TCP out.
func ProtocolOf(p string) string {
	if p == "" {
		return "tcp"
	}
	return strings.ToLower(p)
}

// KubeletDNS is what the kubelet gives to pods: a cluster may have more than one DNS service. A
// flag of a script may be that of an earlier start; one of the running kubelet replaces the file's.
func KubeletDNS(n *Node, s evidence.Snapshot) []Address {
	f, _ := n.KubeletFlag("cluster-dns")
	list := ParseAddresses(f.Value)
	if len(list) == 0 || !f.Live {
		list = append(ParseAddresses(n.KubeletConfig(s).ClusterDNS...), list...)
	}
	return list
}
