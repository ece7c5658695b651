package faults

import (
	"strings"

	"doctor/checks/evidence"
	"doctor/checks/node"
)

// A backend is one ready address behind a port of a Service.
type backend struct {
	IP   node.Address
	Node string // "" where the slice does not say
}

// backends lists the ready addresses behind a port of a Service, by the EndpointSlices.
func backends(s evidence.Snapshot, svc evidence.KubeService, port evidence.ServicePort) []backend {
	var list []backend
	for slice := range svc.Slices(s) {
		if !servesPort(slice, port) {
			continue
		}
		for _, e := range slice.Endpoints {
			for _, ip := range node.ParseAddresses(e.Addresses...) {
				if e.Ready() {
					list = append(list, backend{ip, e.Node()})
				}
			}
		}
	}
	return list
}

// servesPort: the ports of a slice carry the names of the Service's. A slice
// without ports was cut short by its recorder.
func servesPort(slice evidence.EndpointSlice, port evidence.ServicePort) bool {
	for _, p := range slice.Ports {
		if p.Name == port.Name && strings.EqualFold(node.ProtocolOf(p.Protocol),
			node.ProtocolOf(port.Protocol)) {
			return true
		}
	}
	return len(slice.Ports) == 0
}

// firstThree lists up to three names and counts the rest.
func firstThree(names []string) evidence.Phrase {
	if len(names) > 3 {
		return evidence.Phrasef("%s and %d more", strings.Join(names[:3], ", "), len(names)-3)
	}
	return verbatim(strings.Join(names, ", "))
}

// cond is a where yes holds, b otherwise.
func cond[T any](yes bool, a, b T) T {
	if yes {
		return a
	}
	return b
}
