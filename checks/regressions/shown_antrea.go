package regressions

import (
	"slices"
	"strings"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

// serviceGateway is the next hop of the routes that antrea-agent makes for Services with proxyAll:
// VirtualServiceIPv4 of pkg/agent/config/node_config.go.
const serviceGateway = "169.254.0.253"

// serviceRouteLost is a node with routes for Services and none for the API server's.
func serviceRouteLost(s evidence.Snapshot, _ *checks.Finding) (evidence.Because, bool) {
	var to []node.Prefix
	for _, r := range evidence.Routes.In(s) {
		if p, ok := node.ParsePrefix(r.Destination); ok && r.NextHop == serviceGateway {
			to = append(to, p)
		}
	}
	if len(to) == 0 || !slices.ContainsFunc(evidence.Pods.In(s), func(p evidence.Pod) bool {
		return Antrea.runsIn(p) && runsSinceBefore(p, s.Now().Add(-settled))
	}) {
		return evidence.Because{}, false // without proxyAll, or at its start
	}
	for _, svc := range evidence.KubeServices.In(s) {
		for _, ip := range node.ParseAddresses(svc.ClusterIPs()...) {
			if svc.FullName() == "default/kubernetes" && ip.Is4() && !node.AnyContains(to, ip) {
				return evidence.Routes.Field(s).Because("no route to %s of %s, though %d routes lead to %s", ip,
					svc.FullName(), len(to), serviceGateway), true
			}
		}
	}
	return evidence.Because{}, false
}

// adapterNameTaken is an agent that does not run where the adapter's name is taken that HNS gives to
// the host's side of a switch. HNS gives that one the MAC address of the network card.
func adapterNameTaken(s evidence.Snapshot, _ *checks.Finding) (evidence.Because, bool) {
	if !slices.ContainsFunc(evidence.Pods.In(s), func(p evidence.Pod) bool {
		return Antrea.runsIn(p) && node.PodDown(p)
	}) {
		return evidence.Because{}, false
	}
	for _, card := range evidence.Adapters.In(s) {
		for _, other := range evidence.Adapters.In(s) {
			if len(card.Gateways) > 0 && strings.EqualFold(other.Name, "vEthernet ("+card.Name+")") &&
				card.MAC != "" && other.MAC != "" && !strings.EqualFold(card.MAC, other.MAC) {
				return other.Field("name").Because("%s has another MAC address than %s", other.Name, card.Name), true
			}
		}
	}
	return evidence.Because{}, false
}

// serviceBesideOVS is a Windows service of Open vSwitch that does not run, where containers run it.
func serviceBesideOVS(s evidence.Snapshot, _ *checks.Finding) (evidence.Because, bool) {
	contained := slices.ContainsFunc(evidence.Pods.In(s), func(p evidence.Pod) bool {
		return Antrea.runsIn(p) && slices.ContainsFunc(p.Spec.Containers, func(c evidence.Container) bool {
			return c.Name == "antrea-ovs"
		})
	})
	for _, svc := range evidence.Services.In(s) {
		if contained && strings.EqualFold(svc.Name, "ovsdb-server") && strings.EqualFold(svc.State, "stopped") {
			return svc.Field("state").Because("service %s is %s, though OVS runs in a container", svc.Name, svc.State), true
		}
	}
	return evidence.Because{}, false
}

// databaseListens is an OVSDB server that other machines can connect to.
func databaseListens(s evidence.Snapshot, _ *checks.Finding) (evidence.Because, bool) {
	for i, l := range evidence.Ports.In(s).Listener {
		ip, ok := node.ParseAddress(l.Address)
		if ok && ip.IsUnspecified() && l.Port == 6640 && strings.EqualFold(node.Program(l.Process), "ovsdb-server") {
			return evidence.Ports.Field(s, "listeners", i).Because("%s listens on %s, port %d", l.Process, l.Address, l.Port), true
		}
	}
	return evidence.Because{}, false
}
