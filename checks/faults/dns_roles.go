package faults

import (
	"slices"

	"doctor/checks/evidence"
	"doctor/checks/node"
	"doctor/checks/probed"
)

// dnsRoles tells which servers are the pods' own.
type dnsRoles struct{ servers, backends []node.Address }

func rolesOfDNSServers(n *node.Node, s evidence.Snapshot) dnsRoles {
	r := dnsRoles{servers: n.DNSServers(s)}
	for _, b := range n.DNSBackends(s) {
		r.backends = append(r.backends, b.Addr())
	}
	return r
}

// ofPods tells whether names of the cluster are asked of that server. Where no
// server of pods is known, what a pod asks is one.
func (r dnsRoles) ofPods(server, from string) bool {
	a, ok := node.ParseAddress(probed.HostOf(server))
	return ok && (slices.Contains(r.servers, a) || slices.Contains(r.backends, a) ||
		len(r.servers) == 0 && from != "node")
}

// isBackend tells whether the server is a pod behind the Service.
func (r dnsRoles) isBackend(server string) bool {
	a, ok := node.ParseAddress(probed.HostOf(server))
	return ok && slices.Contains(r.backends, a) && !slices.Contains(r.servers, a)
}
