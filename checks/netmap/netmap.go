// Package netmap models how packets of pods leave and reach a node, as a tree that can be drawn:
// adapter, vSwitch, HNS network, endpoint, pod; and Service, load balancer, backend. What the
// report's faults are about is marked where it is, or drawn where it is missing. It judges nothing.
package netmap

import (
	"cmp"
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/sorted"
)

// State is what is wrong with something on the map; "" where nothing is.
type State string

// The states.
const (
	Wrong   State = "wrong"
	Missing State = "missing"
	Stale   State = "stale" // it stands for a pod that is gone
)

// A Box is one thing on the map.
type Box struct {
	Kind   string // adapter, vSwitch, HNS network, endpoint, pod, Service, load balancer, backend
	Name   string
	State  State
	Note   string   // why it is marked
	Edge   []Policy // what acts on the way from the box around it
	Inside []*Box
	More   int // further boxes inside, which are left out
}

// A Policy acts on an edge.
type Policy struct {
	Text  string
	State State
}

// A Map is the network of one node.
type Map struct {
	Network  []*Box // adapters first
	Services []*Box
}

// Checks whose fault is that something is not there.
var (
	networkMissing = []string{"hns-network-missing", "kubeproxy-network-name-unset-or-missing",
		"cni-network-not-found", "transparent-network-missing"}
	switchMissing   = []string{"vethernet-missing"}
	balancerMissing = []string{"hns-lb-missing-or-stale"}
	outboundNAT     = []string{"outboundnat-exception-missing"}
)

// Most boxes inside one; those that are marked stay.
const (
	mostEndpoints = 24
	mostServices  = 24
	mostBackends  = 8
)

type builder struct {
	s      evidence.Snapshot
	faults []*checks.Result // causes first
	marks  map[evidence.Place]string
	names  map[string]string // address to pod
}

// Of makes the map of a report's evidence. The notes are in the language of the report.
func Of(s evidence.Snapshot, r *checks.Report) Map {
	b := &builder{s: s, marks: map[evidence.Place]string{}, names: map[string]string{}}
	for _, c := range r.Causes {
		if result := r.Result(c.ID); result != nil {
			b.faults = append(b.faults, result)
		}
	}
	for i := range r.Results {
		result := &r.Results[i]
		if !slices.Contains(b.faults, result) &&
			(result.Status == checks.StatusFail || result.Status == checks.StatusWarn) {
			b.faults = append(b.faults, result)
		}
	}
	for _, result := range b.faults {
		for _, f := range result.Findings {
			for _, because := range f.Because {
				if at, n := because.Place().Element(); n >= 0 && b.marks[at] == "" {
					b.marks[at] = result.Title
				}
			}
		}
	}
	for _, p := range evidence.Pods.In(s) {
		for _, ip := range append(p.Status.PodIPs, evidence.PodIP{IP: p.Status.PodIP}) {
			if ip.IP != "" && ip.IP != p.Status.HostIP {
				b.names[ip.IP] = p.FullName()
			}
		}
	}
	return Map{b.network(), b.services()}
}

// fault is the first finding of the first of these checks that found one.
func (b *builder) fault(ids []string) *checks.ReportFinding {
	for _, result := range b.faults {
		if slices.Contains(ids, result.ID) && len(result.Findings) > 0 {
			return &result.Findings[0]
		}
	}
	return nil
}

func (b *builder) marked(box *Box, at evidence.Place) *Box {
	if note := b.marks[at]; note != "" && at.Path != "" {
		box.State, box.Note = Wrong, note
	}
	return box
}

func (b *builder) network() []*Box {
	var roots []*Box
	adapters := evidence.Adapters.In(b.s)
	under := map[string]*Box{} // what holds the networks, by adapter
	switchOf := func(name string) *Box {
		if box := under[name]; box != nil {
			return box
		}
		if name == "" {
			root := &Box{Kind: "HNS", Name: "networks without an adapter"}
			roots, under[name] = append(roots, root), root
			return root
		}
		adapter, vSwitch := &Box{Kind: "adapter", Name: name}, &Box{Kind: "vSwitch"}
		for _, a := range adapters {
			switch a.Name {
			case name:
				adapter.Name = words(name, a.Status, strings.Join(a.Addresses, " "))
				b.marked(adapter, a.Field())
			case "vEthernet (" + name + ")":
				vSwitch.Name = words(a.Name, a.Status, strings.Join(a.Addresses, " "))
				b.marked(vSwitch, a.Field())
			}
		}
		if f := b.fault(switchMissing); f != nil && vSwitch.Name == "" {
			vSwitch.State, vSwitch.Note = Missing, f.Message
		}
		vSwitch.Name = cmp.Or(vSwitch.Name, "on "+name)
		adapter.Inside = []*Box{vSwitch}
		roots, under[name] = append(roots, adapter), vSwitch
		return vSwitch
	}
	networks := evidence.HNSNetworks.In(b.s)
	first := "" // the adapter that a missing network belongs on
	for _, n := range networks {
		first = cmp.Or(first, n.AdapterName)
	}
	for _, a := range adapters {
		if first == "" && len(a.Gateways) > 0 {
			first = strings.TrimSuffix(strings.TrimPrefix(a.Name, "vEthernet ("), ")")
		}
	}
	for _, n := range networks {
		box := b.marked(&Box{Kind: "HNS network", Name: networkName(n)}, n.Field())
		b.endpoints(box, n)
		at := switchOf(n.AdapterName)
		at.Inside = append(at.Inside, box)
	}
	if f := b.fault(networkMissing); f != nil {
		at := switchOf(first)
		at.Inside = append(at.Inside, &Box{Kind: "HNS network", State: Missing, Note: f.Message})
	}
	return roots
}

func words(list ...string) string {
	return strings.Join(slices.DeleteFunc(list, func(s string) bool { return s == "" }), " ")
}

func networkName(n evidence.HNSNetwork) string {
	name := words(n.Name, n.Type)
	for _, subnet := range n.Subnets {
		name = words(name, subnet.Prefix)
	}
	return name
}

// endpoints puts the network's endpoints into its box; those of other nodes' pods are counted.
func (b *builder) endpoints(box *Box, n evidence.HNSNetwork) {
	remote := 0
	for _, e := range evidence.HNSEndpoints.In(b.s) {
		if e.NetworkID != n.ID {
			continue
		}
		ep := b.marked(&Box{Kind: "endpoint", Name: strings.Join(e.Addresses, " "),
			Edge: b.policies(e)}, e.Field())
		ep.Name = cmp.Or(ep.Name, e.Name)
		if e.Remote && ep.State == "" {
			remote++
			continue
		}
		for _, address := range e.Addresses {
			if pod := b.names[bare(address)]; pod != "" {
				ep.Inside = append(ep.Inside, &Box{Kind: "pod", Name: pod})
			}
		}
		box.Inside = append(box.Inside, ep)
	}
	box.cut(mostEndpoints)
	if remote > 0 {
		box.Inside = append(box.Inside, &Box{Kind: "remote endpoints",
			Name: fmt.Sprint(remote)})
	}
}

func bare(address string) string {
	ip, _, _ := strings.Cut(address, "/")
	return ip
}

// cut leaves boxes out, but none that has a mark in it.
func (b *Box) cut(most int) {
	if len(b.Inside) <= most {
		return
	}
	sorted.By(b.Inside, func(x, y *Box) int { return sorted.Last(!x.hasMark(), !y.hasMark()) })
	for most < len(b.Inside) && b.Inside[most].hasMark() && most < 4*mostEndpoints {
		most++
	}
	b.More = len(b.Inside) - most
	b.Inside = b.Inside[:most]
}

func (b *Box) hasMark() bool {
	return b.State != "" || slices.ContainsFunc(b.Inside, (*Box).hasMark) ||
		slices.ContainsFunc(b.Edge, func(p Policy) bool { return p.State != "" })
}

func (b *builder) policies(e evidence.HNSEndpoint) []Policy {
	var list []Policy
	fault := b.fault(outboundNAT)
	for _, nat := range e.OutBoundNAT() {
		list = append(list, Policy{Text: "OutBoundNAT except " +
			cmp.Or(strings.Join(nat.Exceptions, " "), "nothing")})
		if fault == nil || nat.Truncated {
			continue
		}
		for _, word := range strings.Fields(fault.Message) {
			if _, err := netip.ParsePrefix(strings.Trim(word, ",.;()")); err == nil &&
				!slices.Contains(nat.Exceptions, strings.Trim(word, ",.;()")) {
				list = append(list, Policy{"OutBoundNAT exception " + strings.Trim(word, ",.;()"), Missing})
			}
		}
	}
	for _, route := range e.SDNRoutes() {
		list = append(list, Policy{Text: words("route", route.Prefix, route.NextHop)})
	}
	acls := 0
	for _, p := range e.Policies {
		if p.Type == "ACL" {
			acls++
		}
	}
	if acls > 0 {
		list = append(list, Policy{Text: fmt.Sprintf("ACL rules: %d", acls)})
	}
	return list
}
