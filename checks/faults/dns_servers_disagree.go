package faults

import (
	"slices"
	"strings"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
	"doctor/checks/probed"
)

var _ = register(checks.Check{
	ID:       "dns-servers-disagree",
	Title:    "two DNS servers give different answers for the same name",
	Category: checks.CategoryDNS,
	FAQ:      []int{13},
	Doc: `A resolver takes the first answer that it gets, so that a name resolves now and then
where its servers disagree. All servers that pods ask must say the same of a name of the cluster:
that one resolves it and another denies it is a fault (a server of the world outside in the CNI
configuration, a CoreDNS that lost its connection to the API server), and two addresses for one
Service mean that one of them is stale.

The node's own resolver need not know names of the cluster. It is a warning where it resolves one,
to another address than the cluster's DNS does (somebody answers for the cluster's domain), and
where the node and the cluster disagree on whether a name of the world exists: a policy, a hosts
file, or a forwarder that sees another world. Different addresses of a name of the world are normal.`,
	Fix: checks.Steps(
		checks.Inspect("Resolve-DnsName kubernetes.default.svc.cluster.local. -Server {clusterDNS}",
			""),
		checks.Run("kubectl -n kube-system logs -l k8s-app=kube-dns --tail=50",
			"let pods have no nameserver but the cluster's DNS (dns.nameservers of the CNI configuration, clusterDNS of the kubelet), compare what the pods of CoreDNS say one by one, and restart one that is behind"),
		checks.Inspect("Get-DnsClientNrptPolicy", "")),
	Links: []string{
		"https://kubernetes.io/docs/concepts/services-networking/dns-pod-service/#dns-windows",
		"https://kubernetes.io/docs/tasks/administer-cluster/dns-debugging-resolution/",
		"https://coredns.io/plugins/kubernetes/",
	},
	Needs: []evidence.Need{evidence.DNSProbes},
	Uses:  node.DNSSources,
	Run: func(s evidence.Snapshot) ([]checks.Finding, error) {
		roles := rolesOfDNSServers(node.About(s), s)
		var names []string
		voices := map[string][]dnsVoice{}
		for _, p := range evidence.DNSProbes.In(s) {
			name := ""
			if len(p.Sent) == 1 { // else it is not told which of them was answered
				name = probed.PlainName(p.Sent[0])
			}
			if p.Outcome != "ok" && p.Outcome != "nxdomain" || !strings.Contains(name, ".") {
				continue // a name without a dot is completed by each resolver in its own way
			}
			v := dnsVoice{p, roles.ofPods(p.Server, p.From)}
			if slices.ContainsFunc(voices[name], v.saysSame) {
				continue
			}
			if voices[name] == nil {
				names = append(names, name)
			}
			voices[name] = append(voices[name], v)
		}
		var findings []checks.Finding
		compared := false
		for _, name := range names {
			if len(voices[name]) < 2 {
				continue
			}
			compared = true
			if f := disagreement(name, voices[name]); f.Level > 0 {
				findings = append(findings, f)
			}
		}
		if !compared {
			return nil, checks.Unknown(
				evidence.NotProbed.Gap("one name at two servers that answered"))
		}
		return findings, nil
	},
})

// A dnsVoice is what one server says of a name.
type dnsVoice struct {
	evidence.DNSProbe
	ofPods bool
}

// addresses are the answers in order: which comes first changes from time to time.
func (v dnsVoice) addresses() []string { return slices.Sorted(slices.Values(v.Answers)) }

// saysSame tells whether it is the same server again, with the same words.
func (v dnsVoice) saysSame(o dnsVoice) bool {
	return v.Server == o.Server && v.Outcome == o.Outcome &&
		slices.Equal(v.addresses(), o.addresses())
}

func (v dnsVoice) says() evidence.Phrase {
	if v.Outcome == "ok" {
		return verbatim(strings.Join(v.addresses(), ", "))
	}
	return evidence.Phrasef("that it does not exist")
}

func (v dnsVoice) who() evidence.Phrase {
	if v.Server == probed.SystemResolver {
		return evidence.Phrasef("the resolver of the node")
	}
	return verbatim(v.Server)
}

// disagreement finds the worst pair of servers that contradict each other.
func disagreement(name string, voices []dnsVoice) checks.Finding {
	var worst checks.Finding
	for i, a := range voices {
		for _, b := range voices[i+1:] {
			if level := contradiction(name, a, b); level > worst.Level {
				worst = checks.Findingf(level, name, "of %s, %s says %s, and %s says %s", name,
					a.who(), a.says(), b.who(), b.says()).
					With(probed.DNSTransportBecause(a.DNSProbe),
						probed.DNSTransportBecause(b.DNSProbe))
			}
		}
	}
	return worst
}

// contradiction tells how bad it is that two servers say what they say.
func contradiction(name string, a, b dnsVoice) checks.Level {
	denied := a.Outcome != b.Outcome
	differ := !denied && a.Outcome == "ok" && !slices.Equal(a.addresses(), b.addresses())
	switch {
	case !probed.IsClusterName(name):
		if denied {
			return checks.Warn
		}
	case a.ofPods && b.ofPods && denied:
		return checks.Fail
	case differ && (a.ofPods || b.ofPods):
		return checks.Warn
	}
	return 0
}
