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
		line := 0
		for _, e := range f.Config.Exceptions {
			if len(e.Exceptions) > 0 || len(e.Destinations) == 0 {
				all = append(all, e.Exceptions...)
				line = e.Line
			}
		}
		if len(f.Config.Exceptions) > 0 {
			lists = append(lists, newExceptionList(f.Name, false, all, evidence.Because{Path: f.File.Path, Line: line}))
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
			lists = append(lists, newExceptionList(node.EndpointName(e), true, all, evidence.Because{Path: evidence.HNSEndpoints.Path()}))
		}
	}
	return lists
}

func newExceptionList(of string, live bool, list []string, from evidence.Because) exceptionList {
	e := exceptionList{of: of, live: live, from: from}
	for _, s := range list {
		if a, ok := node.ParseAddress(s); ok && !strings.Contains(s, "/") {
			e.prefixes = append(e.prefixes, netip.PrefixFrom(a, a.BitLen()))
		} else if p, ok := node.ParsePrefix(s); ok {
			e.prefixes = append(e.prefixes, p)
		} else {
			e.bad = append(e.bad, s)
		}
	}
	e.from.Text = of + ": OutBoundNAT exceptions " + strings.Join(list, ", ")
	if len(list) == 0 {
		e.from.Text = of + ": OutBoundNAT without exceptions"
	}
	return e
}
