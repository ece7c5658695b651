package netmap

import (
	"fmt"
	"slices"
	"strings"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

// services draws VIP, load balancer and backends of each Service. What is missing or stale is
// marked for the Services alone that a fault names: why a Service has no load balancer, the check
// knows.
func (b *builder) services() []*Box {
	if !evidence.HNSLoadBalancers.Known(b.s) {
		return nil
	}
	addresses := map[string]string{} // of an endpoint, by id
	for _, e := range evidence.HNSEndpoints.In(b.s) {
		if len(e.Addresses) > 0 {
			addresses[e.ID] = bare(e.Addresses[0])
		}
	}
	fault := b.fault(balancerMissing)
	all := &Box{}
	for _, service := range evidence.KubeServices.In(b.s) {
		ready, known := b.backends(service)
		named := fault != nil && names(fault, service.FullName())
		box := &Box{Kind: "Service", Name: service.FullName()}
		for _, ip := range service.ClusterIPs() {
			for _, port := range service.Spec.Ports {
				protocol := node.ProtocolOf(port.Protocol)
				vip := &Box{Kind: "VIP", Name: fmt.Sprintf("%s port %d/%s", ip, port.Port, protocol)}
				lb := b.balancer(ip, port.Port, protocol)
				switch {
				case lb != nil:
					vip.Inside = []*Box{b.balancerBox(lb, addresses, ready, known && named)}
				case named && len(ready) > 0:
					vip.Inside = []*Box{missingBalancer(ready, fault)}
				}
				box.Inside = append(box.Inside, vip)
			}
		}
		if len(box.Inside) > 0 {
			all.Inside = append(all.Inside, box)
		}
	}
	all.cut(mostServices)
	if all.More > 0 {
		all.Inside = append(all.Inside, &Box{Kind: "Services", Name: fmt.Sprintf("%d more", all.More)})
	}
	return all.Inside
}

// names tells whether a finding is about a Service.
func names(f *checks.ReportFinding, service string) bool {
	return strings.Contains(f.Message, service+" (") ||
		slices.ContainsFunc(f.Because, func(b evidence.Because) bool {
			return strings.Contains(b.Text, service+" (")
		})
}

// backends are the ready addresses behind a Service, and whether the cluster's list was recorded.
func (b *builder) backends(s evidence.KubeService) (ready []string, known bool) {
	for slice := range s.Slices(b.s) {
		known = true
		for _, e := range slice.Endpoints {
			if e.Ready() || e.Terminating() {
				ready = append(ready, e.Addresses...)
			}
		}
	}
	return ready, known
}

func (b *builder) balancer(ip string, port int, protocol string) *evidence.HNSLoadBalancer {
	list := evidence.HNSLoadBalancers.In(b.s)
	for i := range list {
		if slices.Contains(list[i].VIPs, ip) &&
			slices.ContainsFunc(list[i].Ports, func(p evidence.HNSPort) bool {
				return p.External == port && p.Protocol == protocol
			}) {
			return &list[i]
		}
	}
	return nil
}

func (b *builder) balancerBox(lb *evidence.HNSLoadBalancer, addresses map[string]string,
	ready []string, judged bool) *Box {
	box := b.marked(&Box{Kind: "load balancer", Name: lb.ID}, lb.Field())
	if lb.DSR {
		box.Edge = []Policy{{Text: "DSR"}}
	}
	for _, id := range lb.Endpoints {
		address := addresses[id]
		backend := &Box{Kind: "backend", Name: words(address, b.names[address])}
		switch {
		case address == "" && evidence.HNSEndpoints.Known(b.s):
			backend.Name = "endpoint " + id
			if judged {
				backend.State = Stale
			}
		case judged && !lb.Truncated && !slices.Contains(ready, address):
			backend.State = Stale
		}
		box.Inside = append(box.Inside, backend)
	}
	box.cut(mostBackends)
	return box
}

// missingBalancer stands where the load balancer belongs, with the backends that it would have.
func missingBalancer(ready []string, f *checks.ReportFinding) *Box {
	box := &Box{Kind: "load balancer", State: Missing, Note: f.Message}
	for _, address := range ready {
		box.Inside = append(box.Inside, &Box{Kind: "backend", Name: address})
	}
	box.cut(mostBackends)
	return box
}
