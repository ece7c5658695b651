package faults

import (
	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
	"doctor/checks/probed"
)

var _ = register(checks.Check{
	ID:       "cluster-dns-unreachable",
	Title:    "no server of the cluster's DNS answers",
	Category: checks.CategoryDNS,
	FAQ:      []int{13},
	Doc: `Pods ask the Service address of the cluster's DNS, behind which the pods of CoreDNS
stand. Where no question to it comes back, neither over UDP nor over TCP, no name resolves in pods,
those of the world outside included. An answer of any kind, be it that a name does not exist, shows
that the way is open.

Probes from pods decide. The node itself need not reach Service addresses, which is a documented
limit: its own probes are a warning where the pods behind the Service do not answer it either, and
otherwise only told. That nothing listens (refused) is no answer; a probe that could not be sent
says nothing.`,
	Fix: checks.Steps(
		checks.Run("kubectl -n kube-system get pods -l k8s-app=kube-dns -o wide",
			"ask a pod of CoreDNS at its own address from the same pod: where it answers, HNS lacks the load balancer of {clusterDNS}, and where it does not, look at the routes between the nodes, at network policies, and at whether CoreDNS runs at all"),
		checks.Inspect("Resolve-DnsName kubernetes.default.svc.cluster.local. -Server {clusterDNS}",
			""),
		checks.Inspect("hnsdiag list loadbalancers", "")),
	Links: []string{
		"https://kubernetes.io/docs/tasks/debug/debug-cluster/windows/",
		"https://kubernetes.io/docs/tasks/administer-cluster/dns-debugging-resolution/",
		"https://kubernetes.io/docs/concepts/services-networking/dns-pod-service/#dns-windows",
	},
	Breaks: []*checks.Effect{effectDNSNames},
	Shows:  []*checks.Effect{effectClusterDNS},
	Needs:  []evidence.Need{evidence.DNSProbes},
	Uses:   node.DNSSources,
	Run: func(s evidence.Snapshot) ([]checks.Finding, error) {
		n := node.About(s)
		roles := rolesOfDNSServers(n, s)
		var pods, host, backends dnsAsked
		for _, t := range probed.DNSTalks(evidence.DNSProbes.In(s)) {
			switch {
			case !t.Asked() || !roles.ofPods(t.Server, t.From):
			case t.From != "node":
				pods = append(pods, t)
			case roles.isBackend(t.Server):
				backends = append(backends, t)
			default:
				host = append(host, t)
			}
		}
		switch {
		case len(pods) > 0 && pods.answered():
			return nil, nil
		case len(pods) > 0:
			return []checks.Finding{pods.finding(checks.Fail,
				"%s gets no answer from the cluster's DNS at %s (%s)", verbatim(pods[0].From))}, nil
		case len(host)+len(backends) == 0:
			return nil, checks.Unknown(evidence.NotProbed.Gap("a server of the cluster's DNS"))
		case len(host) == 0 && !backends.answered():
			return []checks.Finding{backends.finding(checks.Warn,
				"%s gets no answer from the pods of the cluster's DNS at %s (%s)",
				evidence.Phrasef("the node"))}, nil
		case len(host) == 0 || host.answered():
			return nil, nil
		case backends.answered():
			return []checks.Finding{host.finding(checks.Info,
				"%s gets no answer from the cluster's DNS at %s (%s), and does from the pods behind it: a documented limit; probe from a pod to know whether Services work", evidence.Phrasef("the node")).
				With(backends.quotes(true)...)}, nil
		case len(backends) > 0:
			return []checks.Finding{host.finding(checks.Warn,
				"%s gets no answer from the cluster's DNS at %s (%s), and none from the pods behind it", evidence.Phrasef("the node")).With(backends.quotes(false)...)}, nil
		case host.behindServices(n):
			return []checks.Finding{host.finding(checks.Info,
				"%s gets no answer from the cluster's DNS at %s (%s): a documented limit of Service addresses; probe from a pod to know", evidence.Phrasef("the node"))}, nil
		}
		return []checks.Finding{host.finding(checks.Warn,
			"%s gets no answer from the server that pods ask, %s (%s)",
			evidence.Phrasef("the node"))}, nil
	},
})

// dnsAsked are talks of one kind of asker with one kind of server.
type dnsAsked []probed.DNSTalk

func (d dnsAsked) answered() bool {
	for _, t := range d {
		if t.Answered() {
			return true
		}
	}
	return false
}

// behindServices tells whether all these servers are Service addresses.
func (d dnsAsked) behindServices(n *node.Node) bool {
	for _, t := range d {
		if a, ok := node.ParseAddress(probed.HostOf(t.Server)); !ok || !isService(n, a) {
			return false
		}
	}
	return true
}

func (d dnsAsked) finding(level checks.Level, format string, from evidence.Phrase) checks.Finding {
	var servers []string
	for _, t := range d {
		if t.From == d[0].From {
			servers = append(servers, probed.HostOf(t.Server))
		}
	}
	return checks.Findingf(level, servers[0], format, from, evidence.Joined(servers, " and "),
		d[0].Silence()).With(d.quotes(false)...)
}

// quotes shows the first talks: those that were answered, or all.
func (d dnsAsked) quotes(answered bool) []evidence.Because {
	var quotes []evidence.Because
	for _, t := range d {
		if t.Answered() || !answered {
			quotes = append(quotes, t.Quotes()...)
		}
	}
	return quotes[:min(len(quotes), checks.MaxQuotes)]
}
