package session

import (
	"cmp"
	"context"
	"net/netip"
	"slices"
	"time"

	"doctor/checks/evidence"
	"doctor/checks/node"
	"doctor/collectors"
	"doctor/collectors/cluster"
	"doctor/collectors/probe"
)

// DNSTimeout is what all questions to DNS servers together may take.
const DNSTimeout = 5 * time.Second

// DefaultDomain is the domain of a cluster's names unless somebody chose another.
const DefaultDomain = "cluster.local"

// worldName is asked for to see whether names outside the cluster resolve: every
// Windows node needs it, for the pause image and the base images.
const worldName = "mcr.microsoft.com"

// DocumentedNames are those by which the documentation explains what resolves
// in a Windows pod and what does not.
func DocumentedNames(domain string) []string {
	full := clusterName(domain)
	return []string{"kubernetes", "kubernetes.default", "kubernetes.default.svc", full, full + ".",
		worldName}
}

func clusterName(domain string) string {
	return "kubernetes.default.svc." + cmp.Or(domain, DefaultDomain)
}

// The most servers of each kind that a live run asks.
const (
	maxPodServers  = 2 // the cluster's DNS, and another that the CNI configuration names
	maxBackends    = 2 // pods behind the cluster's DNS
	maxNodeServers = 2
)

// dnsPlan plans the questions of a live run: all forms of the documentation's
// names of the first server that pods ask, and of every other just what tells
// whether it answers, and the same.
func dnsPlan(s evidence.Snapshot) (probe.DNSPlan, error) {
	n := node.About(s)
	plan := probe.DNSPlan{Namespace: "default", Domain: n.ClusterDomain(s)}
	if !probe.IsDNSName(plan.Domain) {
		plan.Domain = DefaultDomain
	}
	plan.Names = DocumentedNames(plan.Domain)
	plan.System = []string{clusterName(plan.Domain), worldName}
	var asked []netip.Addr
	add := func(servers []netip.AddrPort, room int) {
		for _, server := range servers {
			a := server.Addr()
			if room == 0 || slices.Contains(asked, a) || !a.IsValid() || a.IsUnspecified() {
				continue
			}
			room--
			asked = append(asked, a)
			plan.Servers = append(plan.Servers, probe.DNSServer{Address: server.String(), Names: plan.System})
		}
	}
	add(onDNSPort(n.DNSServers(s)), maxPodServers)
	if len(plan.Servers) > 0 {
		plan.Servers[0].Names = nil // all of them, in all forms
	}
	add(n.DNSBackends(s), maxBackends)
	add(onDNSPort(nodeServers(s)), maxNodeServers)
	if len(plan.Servers) == 0 {
		return plan, collectors.GapError(evidence.NoDNSServer.Gap())
	}
	return plan, nil
}

func onDNSPort(addresses []netip.Addr) (servers []netip.AddrPort) {
	for _, a := range addresses {
		servers = append(servers, netip.AddrPortFrom(a, 53))
	}
	return servers
}

// nodeServers are the servers of the node's own adapters, those that lead out
// first; adapters of pods, in compartments of their own, are not the node's.
func nodeServers(s evidence.Snapshot) []netip.Addr {
	var out, other []netip.Addr
	for _, a := range evidence.Adapters.In(s) {
		if a.Compartment > 1 {
			continue
		}
		for _, server := range a.DNSServers {
			ip, err := netip.ParseAddr(server)
			switch {
			case err != nil || ip.IsLinkLocalUnicast() || siteLocal.Contains(ip):
			case len(a.Gateways) > 0:
				out = append(out, ip.Unmap())
			default:
				other = append(other, ip.Unmap())
			}
		}
	}
	return slices.Concat(out, other)
}

// siteLocal holds fec0:0:0:ffff::1 and its neighbours, which Windows lists where an adapter has no
// IPv6 server, and nobody answers at.
var siteLocal = netip.MustParsePrefix("fec0::/10")

// fromInside measures from inside the pod that the user names, once the
// collectors in told have recorded whom there is to ask. node names those that
// measure from the node.
func (o Options) fromInside(find cluster.Find, told, node []string) []collectors.Collector {
	if o.FromPod == "" {
		return nil
	}
	return probe.PodCollectors(func(ctx context.Context, s evidence.Snapshot) (probe.PodPlan,
		error) {
		plan, err := podPlan(s, o.FromPod, o.Targets)
		if err != nil {
			return plan, err
		}
		target, err := find(s)
		if err != nil {
			return plan, err
		}
		pod, err := target.Client.OpenPod(ctx, o.FromPod, target.Node)
		if err != nil {
			return plan, err
		}
		plan.Exec = pod.Exec
		return plan, nil
	}, told, node, probe.ReachTimeout)
}

// podPlan asks from the pod what the node is asked too, so that the two can be
// set beside each other, and pings the host outside: whether a ping comes back
// where TCP does is a question about pods.
func podPlan(s evidence.Snapshot, pod string, targets []string) (probe.PodPlan, error) {
	plan := probe.PodPlan{Pod: pod}
	reach, err := reachPlan(s, targets)
	if err != nil {
		return plan, err
	}
	for _, t := range reach.Targets {
		switch t.Purpose {
		case evidence.ForOtherNode, evidence.ForNodePort: // the kubelet's port is the node's affair
			continue
		case evidence.ForOutside, evidence.ForWhoeverAsks:
			if t.Port != 0 {
				plan.Targets = append(plan.Targets, t.Host)
			}
		}
		plan.Targets = append(plan.Targets, t.Name())
	}
	dns, _ := dnsPlan(s) // that no server is known is no matter: the pod asks its own
	plan.Names = []string{"kubernetes.default", clusterName(dns.Domain), worldName}
	return plan, nil
}
