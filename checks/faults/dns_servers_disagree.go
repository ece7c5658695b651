package faults

import (
	"slices"
	"strings"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
	"doctor/checks/probed"
)

var _ = register(&checks.Check{
	ID:       "dns-servers-disagree",
	Title:    "DNS servers give different answers for a name",
	Healthy:  "DNS servers give the same answers",
	Category: checks.CategoryDNS,
	FAQ:      []int{13},
	Doc: `A resolver uses the first answer that it gets. If its servers disagree, a name resolves
only sometimes. All servers that pods use must give the same answer for a name of the cluster. If
one resolves it and another denies it, that is a fault (an external server in the CNI configuration
or before the cluster DNS in the endpoints of pods, or a CoreDNS pod that lost its connection to the
API server). If a Service has two addresses, one of
them is stale.

The node's own resolver need not resolve names of the cluster. The check warns if it resolves one to
another address than the cluster DNS, and if the node and the cluster disagree on whether an
external name exists: an NRPT policy, a hosts file, or a forwarder with other data. Different
addresses of an external name are normal.`,
	Fix: checks.Steps(
		checks.Edit("{cniFile}", "Leave only {clusterDNS} in dns.nameservers."),
		checks.Do("Set clusterDNS of the kubelet to {clusterDNS} only."),
		checks.Do("If the CNI plugin adds the other server itself, update the plugin."),
		checks.Do("Recreate the pods of {node}: running pods keep the old nameserver.").
			Costs("The pods restart."),
		checks.Verify("Resolve-DnsName kubernetes.default.svc.cluster.local. -Server {clusterDNS}",
			"the address of the Service kubernetes")),
	Links: []string{
		"https://kubernetes.io/docs/concepts/services-networking/dns-pod-service/#dns-windows",
		"https://kubernetes.io/docs/tasks/administer-cluster/dns-debugging-resolution/",
		"https://coredns.io/plugins/kubernetes/",
		"https://github.com/Azure/azure-container-networking/issues/147",
	},
	Needs: []evidence.Need{evidence.DNSProbes},
	Uses:  append(slices.Clone(node.DNSSources), evidence.Pods, evidence.HNSEndpoints),
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		n := node.About(s)
		roles := rolesOfDNSServers(n, s)
		if first := serversOfPods(s); len(first) > 0 && len(roles.servers) > 0 {
			roles.servers = append(roles.servers, first[0]) // the others are asked only if it is silent
		}
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
			v := dnsVoice{p, roles.ofPods(p.Server, p.From), outsideCluster(n, roles, p.Server)}
			if slices.ContainsFunc(voices[name], v.saysSame) {
				continue
			}
			if voices[name] == nil {
				names = append(names, name)
			}
			voices[name] = append(voices[name], v)
		}
		var findings []*checks.Finding
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
	ofPods  bool
	outside bool // is known not to be the cluster's DNS
}

func outsideCluster(n *node.Node, roles dnsRoles, server string) bool {
	a, ok := node.ParseAddress(probed.HostOf(server))
	return ok && len(n.ClusterDNS.Value) > 0 && !slices.Contains(n.ClusterDNS.Value, a) &&
		!slices.Contains(roles.backends, a)
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
	return evidence.Phrasef("NXDOMAIN (no such name)")
}

func (v dnsVoice) who() evidence.Phrase {
	if v.Server == probed.SystemResolver {
		return evidence.Phrasef("the node's resolver")
	}
	return verbatim(v.Server)
}

// disagreement finds the worst pair of servers that contradict each other; without a level there is none.
func disagreement(name string, voices []dnsVoice) *checks.Finding {
	worst := &checks.Finding{}
	for i, a := range voices {
		for _, b := range voices[i+1:] {
			if level := contradiction(name, a, b); level > worst.Level {
				worst = checks.Findingf(level, name, "%s: %s answers %s, but %s answers %s", name,
					a.who(), a.says(), b.who(), b.says()).
					With(probed.DNSTransportBecause(a.DNSProbe),
						probed.DNSTransportBecause(b.DNSProbe)).Cure(cureDisagreement(name, a, b))
			}
		}
	}
	return worst
}

// cureDisagreement is the fix for the server that is probably wrong: one that pods should not
// use, a pod of CoreDNS, or what changes the answers of the node's own resolver.
func cureDisagreement(name string, a, b dnsVoice) checks.Fix {
	switch {
	case !probed.IsClusterName(name) || !a.ofPods || !b.ofPods:
		return checks.Steps(
			checks.Inspect("Get-DnsClientNrptPolicy",
				"Look for a policy for the domain. Look into the hosts file of the node, too."),
			checks.Do("Correct the policy, hosts entry or forwarder that gives the wrong answer."),
			checks.Verify("Resolve-DnsName NAME -Server SERVER",
				"the same answer from both servers"))
	case a.outside || b.outside:
		return fixOf("dns-servers-disagree")
	}
	return checks.Steps(
		checks.Run("kubectl -n kube-system delete pod -l k8s-app=kube-dns",
			"Recreate the CoreDNS pods: one of them has old data.").
			Costs("The cluster DNS does not answer for a few seconds."),
		checks.Inspect("kubectl -n kube-system logs -l k8s-app=kube-dns --tail=50",
			"If it happens again, look for errors of the connection to the API server."),
		checks.Verify("Resolve-DnsName kubernetes.default.svc.cluster.local. -Server {clusterDNS}",
			"the address of the Service kubernetes"))
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
