package faults

import (
	"slices"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
	"doctor/checks/probed"
)

var _ = register(&checks.Check{
	ID:       "cluster-dns-unreachable",
	Title:    "Cluster DNS is unreachable",
	Healthy:  "Cluster DNS is reachable",
	Category: checks.CategoryDNS,
	FAQ:      []int{13},
	Doc: `Pods send DNS queries to the Service address of the cluster DNS, which forwards to the
pods of CoreDNS. If no query over UDP or TCP is answered, no name resolves in pods, external names
included. Any answer, even that a name does not exist, shows that the server is reachable.

Probes from pods decide. The node itself may not reach Service addresses, which is a documented
limit: its own probes are a warning if the pods of the Service do not answer it either, otherwise
information. A refused connection is not an answer. A probe that could not be sent does not count.`,
	Fix: checks.Steps(
		checks.Inspect("kubectl -n kube-system get pods -l k8s-app=kube-dns -o wide",
			"Check that the pods of CoreDNS are Running. If they are not, fix them first."),
		checks.Run("{restart kube-proxy}",
			"Restart kube-proxy: it creates all load balancers again.").
			Costs("Connections to Services break for a few seconds."),
		checks.Verify("Resolve-DnsName kubernetes.default.svc.cluster.local. -Server {clusterDNS}",
			"the address of the Service kubernetes")),
	Links: []string{
		"https://kubernetes.io/docs/tasks/debug/debug-cluster/windows/",
		"https://kubernetes.io/docs/tasks/administer-cluster/dns-debugging-resolution/",
		"https://kubernetes.io/docs/concepts/services-networking/dns-pod-service/#dns-windows",
	},
	Breaks: []*checks.Effect{effectDNSNames},
	Shows:  []*checks.Effect{effectClusterDNS},
	Needs:  []evidence.Need{evidence.DNSProbes},
	Uses:   slices.Concat(node.DNSSources, podProbeSources),
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		n := node.About(s)
		roles := rolesOfDNSServers(n, s)
		// an answer of a DNS pod's own address says nothing of the Service's
		var pods, direct, host, backends dnsAsked
		for _, t := range probed.DNSTalks(dnsProbes(s)) {
			switch {
			case !t.Asked() || !roles.ofPods(t.Server, t.From):
			case t.From != "node" && roles.isBackend(t.Server):
				direct = append(direct, t)
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
			return []*checks.Finding{pods.finding(checks.Fail,
				"%s gets no answer from the cluster DNS at %s (%s)", verbatim(pods[0].From))}, nil
		case len(direct) > 0 && !direct.answered():
			return []*checks.Finding{direct.finding(checks.Fail,
				"%s gets no answer from the pods of the cluster DNS at %s (%s)",
				verbatim(direct[0].From))}, nil
		case len(host) == 0 && (len(direct) > 0 || backends.answered()):
			return nil, checks.Unknown(
				evidence.NotProbed.Gap("the Service address of the cluster's DNS"))
		case len(host)+len(backends) == 0:
			return nil, checks.Unknown(evidence.NotProbed.Gap("a server of the cluster's DNS"))
		case len(host) == 0 && !backends.answered():
			return []*checks.Finding{backends.finding(checks.Warn,
				"%s gets no answer from the pods of the cluster DNS at %s (%s)",
				evidence.Phrasef("the node"))}, nil
		case len(host) == 0 || host.answered():
			return nil, nil
		case backends.answered():
			return []*checks.Finding{host.finding(checks.Info,
				"%s gets no answer from the cluster DNS at %s (%s), but its pods answer: documented limit; probe from a pod", evidence.Phrasef("the node")).
				With(backends.quotes(true)...)}, nil
		case len(backends) > 0:
			return []*checks.Finding{host.finding(checks.Warn,
				"%s gets no answer from the cluster DNS at %s (%s) or from its pods",
				evidence.Phrasef("the node")).With(backends.quotes(false)...)}, nil
		case host.behindServices(n):
			return []*checks.Finding{host.finding(checks.Info,
				"%s gets no answer from the cluster DNS at %s (%s): documented limit of Service addresses; probe from a pod", evidence.Phrasef("the node"))}, nil
		}
		return []*checks.Finding{host.finding(checks.Warn,
			"%s gets no answer from the DNS server of the pods, %s (%s)",
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

func (d dnsAsked) finding(level checks.Level, format string, from evidence.Phrase) *checks.Finding {
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
