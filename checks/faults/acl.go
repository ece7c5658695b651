package faults

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"doctor/checks/evidence"
	"doctor/checks/node"
	"doctor/checks/sorted"
)

// An aclRule is one ACL policy of an endpoint.
type aclRule struct {
	endpoint  evidence.HNSEndpoint
	policy    evidence.HNSPolicy
	direction string // in, out
	priority  uint64
}

func (r aclRule) name() string {
	return cmp.Or(r.policy.Text("Id"), "without a name")
}

// blockedBy finds the rule that blocks a connection: on its way out of a pod of
// this node, or on its way into one.
func blockedBy(endpoints map[node.Address]evidence.HNSEndpoint, source node.Address,
	to destination) (aclRule, bool) {
	if e, ok := endpoints[source]; ok && source.IsValid() {
		if r, blocked := decides(e, "out", source, to, to.IP); blocked {
			return r, true
		}
	}
	if e, ok := endpoints[to.IP]; ok && source.IsValid() {
		return decides(e, "in", to.IP, to, source)
	}
	return aclRule{}, false
}

// decides evaluates the rules of an endpoint, the lowest priority number first.
// A rule that may or may not fit ends the search without a verdict.
func decides(e evidence.HNSEndpoint, direction string, local node.Address, to destination,
	remote node.Address) (aclRule, bool) {
	var rules []aclRule
	for _, p := range e.Policies {
		if p.Type == "ACL" && strings.EqualFold(p.Text("Direction"), direction) {
			priority, _ := p.Number("Priority")
			rules = append(rules, aclRule{e, p, direction, priority})
		}
	}
	sorted.By(rules, func(a, b aclRule) int {
		return cmp.Compare(a.priority, b.priority)
	})
	for i, r := range rules {
		fits, known := r.fits(local, remote, to)
		switch {
		case !known:
			return aclRule{}, false
		case !fits || strings.EqualFold(r.policy.Text("Action"), "Pass"):
			continue
		}
		// Of two rules of one priority, either may come first.
		tied := slices.ContainsFunc(rules[i:], func(o aclRule) bool {
			f, k := o.fits(local, remote, to)
			return o.priority == r.priority && (f || !k) &&
				!strings.EqualFold(o.policy.Text("Action"), r.policy.Text("Action"))
		})
		return r, !tied && strings.EqualFold(r.policy.Text("Action"), "Block")
	}
	return aclRule{}, false
}

// fits tells whether a rule is about the connection; known is false where the
// recording does not tell, as with sets of addresses.
func (r aclRule) fits(local, remote node.Address, to destination) (fits, known bool) {
	// The port of the connection is the remote one on the way out and the local
	// one on the way in; the other is any.
	portKey, otherKey := "RemotePorts", "LocalPorts"
	if r.direction == "in" {
		portKey, otherKey = otherKey, portKey
	}
	known = !r.policy.Truncated && r.list(otherKey) == nil
	for _, part := range []func() (bool, bool){
		func() (bool, bool) { return protocolIn(r.list("Protocols"), to.protocol) },
		func() (bool, bool) { return addressIn(r.list("LocalAddresses"), local) },
		func() (bool, bool) { return addressIn(r.list("RemoteAddresses"), remote) },
		func() (bool, bool) { return portIn(r.list(portKey), to) },
	} {
		f, k := part()
		if k && !f {
			return false, true // one part that does not fit settles it
		}
		known = known && k
	}
	return true, known
}

// list reads a comma-separated setting, in v2's name or in v1's, which lacks the s.
func (r aclRule) list(key string) []string {
	values := r.policy.List(key)
	if len(values) == 0 {
		if v := r.policy.Text(key); v != "" {
			values = []string{v}
		} else if v := r.policy.Text(strings.TrimSuffix(key, "s")); v != "" {
			values = []string{v}
		}
	}
	var list []string
	for _, v := range values {
		for part := range strings.SplitSeq(v, ",") {
			if part = strings.TrimSpace(part); part != "" {
				list = append(list, part)
			}
		}
	}
	return list
}

// protocolIn: no protocol and 256 stand for all of them.
func protocolIn(list []string, protocol string) (fits, known bool) {
	number := map[string]string{"tcp": "6", "udp": "17"}[protocol]
	return len(list) == 0 || slices.ContainsFunc(list, func(p string) bool {
		return p == number || p == "256" || strings.EqualFold(p, protocol) ||
			strings.EqualFold(p, "any")
	}), true
}

// addressIn: what is no address is the id of a set, whose members are not on the endpoint.
func addressIn(list []string, a node.Address) (fits, known bool) {
	known = true
	for _, s := range list {
		if p, ok := node.ParsePrefix(s); ok {
			if p.Contains(a) {
				return true, true
			}
			continue
		}
		ip, ok := node.ParseAddress(s)
		switch {
		case ok && ip == a, s == "*":
			return true, true
		case !ok:
			known = false
		}
	}
	return len(list) == 0, known
}

func portIn(list []string, to destination) (fits, known bool) {
	if len(list) == 0 || slices.Contains(list, "*") {
		return true, true
	}
	known = true
	for _, s := range list {
		low, high, ok := strings.Cut(s, "-")
		if !ok {
			high = low
		}
		from, err := strconv.Atoi(strings.TrimSpace(low))
		until, err2 := strconv.Atoi(strings.TrimSpace(high))
		if err != nil || err2 != nil {
			known = false
		} else if from <= to.port && to.port <= until {
			return true, true
		}
	}
	return false, known
}
