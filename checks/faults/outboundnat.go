package faults

import (
	"net/netip"
	"strings"

	"doctor/checks/evidence"
	"doctor/checks/node"
)

// An exceptionList is the destinations to which pods keep their own address: as
// a CNI configuration states it for pods to come, or as HNS applies it to one.
type exceptionList struct {
	of       string // 10-flannel.conf, or an endpoint
	live     bool
	prefixes []node.Prefix
	bad      []string // what is no CIDR
	from     evidence.Because
}

// exceptionLists collects the SNAT exceptions of the configuration and of the
// node's own pod endpoints. A policy that names only destinations is for
// loopback, and no exception list.
func exceptionLists(n *node.Node, s evidence.Snapshot) []exceptionList {
	var lists []exceptionList
	if f := n.Intended(); f != nil && f.Config != nil {
		var all []string
		var spot evidence.Spot
		for _, e := range f.Config.Exceptions {
			if len(e.Exceptions) > 0 || len(e.Destinations) == 0 {
				all = append(all, e.Exceptions...)
				spot = e.Spot
			}
		}
		if len(f.Config.Exceptions) > 0 {
			lists = append(lists, newExceptionList(f.Name, false, all, f.File.At(spot)))
		}
	}
	for _, e := range evidence.HNSEndpoints.In(s) {
		if e.Remote || e.Truncated {
			continue
		}
		var all []string
		found := false
		for _, nat := range e.OutBoundNAT() {
			if len(nat.Exceptions) > 0 || len(nat.Destinations) == 0 {
				all, found = append(all, nat.Exceptions...), true
			}
		}
		if found {
			lists = append(lists, newExceptionList(node.EndpointName(e), true, all,
				e.Field("Policies")))
		}
	}
	return lists
}

func newExceptionList(of string, live bool, list []string, place evidence.Place) exceptionList {
	e := exceptionList{of: of, live: live}
	for _, s := range list {
		if a, ok := node.ParseAddress(s); ok && !strings.Contains(s, "/") {
			e.prefixes = append(e.prefixes, netip.PrefixFrom(a, a.BitLen()))
		} else if p, ok := node.ParsePrefix(s); ok {
			e.prefixes = append(e.prefixes, p)
		} else {
			e.bad = append(e.bad, s)
		}
	}
	e.from = place.Because("%s: OutBoundNAT exceptions %s", of, strings.Join(list, ", "))
	if len(list) == 0 {
		e.from = place.Because("%s: OutBoundNAT without exceptions", of)
	}
	return e
}
