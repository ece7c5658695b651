package checks

import (
	"strings"

	"doctor/checks/evidence"
)

var _ = Register(Check{
	ID:       "cluster-dns-unreachable",
	Title:    "no server of the cluster's DNS answers",
	Category: CategoryDNS,
	FAQ:      []int{13},
	Doc: `Pods ask the Service address of the cluster's DNS, behind which the pods of CoreDNS stand. Where no question to it comes back, neither over UDP nor over TCP, no name resolves in pods, those of the world outside included. An answer of any kind, be it that a name does not exist, shows that the way is open.

Probes from pods decide. The node itself need not reach Service addresses, which is a documented limit: its own probes are a warning where the pods behind the Service do not answer it either, and otherwise only told. That nothing listens (refused) is no answer; a probe that could not be sent says nothing.`,
	Fix: Fix{
		Text:     "ask a pod of CoreDNS at its own address from the same pod: where it answers, HNS lacks the load balancer of {clusterDNS}, and where it does not, look at the routes between the nodes, at network policies, and at whether CoreDNS runs at all",
		Commands: []string{"kubectl -n kube-system get pods -l k8s-app=kube-dns -o wide", "Resolve-DnsName kubernetes.default.svc.cluster.local. -Server {clusterDNS}", "hnsdiag list loadbalancers"},
		Impact:   "none: looking changes nothing",
	},
	Links: []string{
		"https://kubernetes.io/docs/tasks/debug/debug-cluster/windows/", "https://kubernetes.io/docs/tasks/administer-cluster/dns-debugging-resolution/",
		"https://kubernetes.io/docs/concepts/services-networking/dns-pod-service/#dns-windows",
	},
	Explains: []string{"dns-pqdn-with-dots"},
	Needs:    []evidence.Need{evidence.DNSProbes},
	Uses:     dnsSources,
	Run: func(s evidence.Snapshot) ([]Finding, error) {
		n := About(s)
		roles := n.dnsRoles(s)
		var pods, host, backends dnsAsked
		for _, t := range dnsTalks(evidence.DNSProbes.In(s)) {
			switch {
			case !t.asked() || !roles.ofPods(t.server, t.from):
			case t.from != "node":
				pods = append(pods, t)
			case roles.isBackend(t.server):
				backends = append(backends, t)
			default:
				host = append(host, t)
			}
		}
		switch {
		case len(pods) > 0 && pods.answered():
			return nil, nil
		case len(pods) > 0:
			return []Finding{pods.finding(Fail, "%s gets no answer from the cluster's DNS at %s (%s)", pods[0].from)}, nil
		case len(host)+len(backends) == 0:
			return nil, Unknown(evidence.NotCollected + ": no server of the cluster's DNS was asked")
		case len(host) == 0 && !backends.answered():
			return []Finding{backends.finding(Warn, "%s gets no answer from the pods of the cluster's DNS at %s (%s)", "the node")}, nil
		case len(host) == 0 || host.answered():
			return nil, nil
		case backends.answered():
			return []Finding{host.finding(Info, "%s gets no answer from the cluster's DNS at %s (%s), and does from the pods behind it: a documented limit; probe from a pod to know whether Services work", "the node").
				With(backends.quotes(true)...)}, nil
		case len(backends) > 0:
			return []Finding{host.finding(Warn, "%s gets no answer from the cluster's DNS at %s (%s), and none from the pods behind it", "the node").With(backends.quotes(false)...)}, nil
		case host.behindServices(n):
			return []Finding{host.finding(Info, "%s gets no answer from the cluster's DNS at %s (%s): a documented limit of Service addresses; probe from a pod to know", "the node")}, nil
		}
		return []Finding{host.finding(Warn, "%s gets no answer from the server that pods ask, %s (%s)", "the node")}, nil
	},
})

// dnsAsked are talks of one kind of asker with one kind of server.
type dnsAsked []dnsTalk

func (d dnsAsked) answered() bool {
	for _, t := range d {
		if t.answered() {
			return true
		}
	}
	return false
}

// behindServices tells whether all these servers are Service addresses.
func (d dnsAsked) behindServices(n *Node) bool {
	for _, t := range d {
		if a, ok := parseAddress(hostOf(t.server)); !ok || !n.isService(a) {
			return false
		}
	}
	return true
}

func (d dnsAsked) finding(level Level, format, from string) Finding {
	var servers []string
	for _, t := range d {
		if t.from == d[0].from {
			servers = append(servers, hostOf(t.server))
		}
	}
	return Findingf(level, servers[0], format, from, strings.Join(servers, " and "), d[0].silence()).With(d.quotes(false)...)
}

// quotes shows the first talks: those that were answered, or all.
func (d dnsAsked) quotes(answered bool) []Because {
	var quotes []Because
	for _, t := range d {
		if t.answered() || !answered {
			quotes = append(quotes, t.quotes()...)
		}
	}
	return quotes[:min(len(quotes), maxQuotes)]
}
