package faults

import (
	"strings"

	"doctor/checks/evidence"
	"doctor/checks/node"
)

// A switchPort is a port of VFP with the endpoint of this node that it belongs to.
type switchPort struct {
	evidence.VFPPort
	endpoint evidence.HNSEndpoint
	pod      string // a pod that has been Ready for five minutes; "" where none is known
}

// switchPorts are the ports of VFP that belong to endpoints of this node: VFP calls them after the
// endpoint, or they have its MAC address.
func switchPorts(s evidence.Snapshot) []switchPort {
	settled := map[node.Address]string{}
	for _, p := range settledPods(s) {
		if ip, ok := node.ParseAddress(p.Status.PodIP); ok && !hostPod(p) {
			settled[ip] = p.FullName()
		}
	}
	byName := map[string]evidence.HNSEndpoint{}
	for _, e := range evidence.HNSEndpoints.In(s) {
		if e.Remote {
			continue
		}
		byName[strings.ToLower(e.ID)] = e
		if e.MAC != "" {
			byName[plainMAC(e.MAC)] = e
		}
	}
	var list []switchPort
	for _, p := range evidence.VFPPorts.In(s) {
		e, ok := byName[strings.ToLower(p.Friendly)]
		if !ok || p.Friendly == "" {
			e, ok = byName[plainMAC(p.MAC)]
		}
		if !ok || p.MAC == "" && p.Friendly == "" {
			continue
		}
		one := switchPort{VFPPort: p, endpoint: e}
		for _, ip := range node.ParseAddresses(e.Addresses...) {
			if name := settled[ip]; name != "" {
				one.pod = name
			}
		}
		list = append(list, one)
	}
	return list
}

// owner is the pod of the port, or its endpoint.
func (p switchPort) owner() string {
	if p.pod != "" {
		return p.pod
	}
	return node.EndpointName(p.endpoint)
}
