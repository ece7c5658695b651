package faults

import (
	"time"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

// While kube-proxy may still be programming Services after its start. Reports tell of half a minute
// for each load balancer, and of hours: kubernetes/kubernetes, issue 109162.
const (
	slowSyncAfter = 5 * time.Minute
	slowSyncUntil = 6 * time.Hour
	slowSyncMin   = 5 // ports without a load balancer
)

var _ = register(&checks.Check{
	ID:       "kube-proxy-slow-sync",
	Title:    "kube-proxy programs Services slowly after its start",
	Healthy:  "kube-proxy programs all Services soon after its start",
	Category: checks.CategoryNetwork,
	Doc: `After its start kube-proxy deletes the load balancers that HNS has and creates one for
each port of each Service. Until pull request 109124 of mid 2022, which was backported as far as
1.22, it asked HNS for all endpoints again for each of them, which takes up to half a minute each
with many Services. Until it has finished, the Services at the end of its list do not answer on this
node, although all components run.

The check compares how long kube-proxy has run with the Services that have no load balancer in HNS
yet. If it started five minutes to six hours ago and some load balancers, but not all, are there, it
warns. Later the missing load balancers are another fault.`,
	Fix: checks.Steps(
		checks.Inspect("1..3 | ForEach-Object { (Get-HnsPolicyList | Measure-Object).Count; Start-Sleep 60 }",
			"Count the load balancers for some minutes: the number rises while kube-proxy works."),
		checks.Do("Wait, and do not restart kube-proxy: it begins again with each start."),
		checks.Do("Update Kubernetes to 1.25 or later, or to the last patch of an older release."),
		checks.Verify("Get-HnsPolicyList | Measure-Object",
			"one entry for each port of each Service")),
	Links: []string{"https://github.com/kubernetes/kubernetes/issues/109162",
		"https://github.com/kubernetes/kubernetes/pull/109124",
		"https://github.com/kubernetes/kubernetes/issues/110674"},
	Breaks:   []*checks.Effect{effectServices},
	Shows:    []*checks.Effect{effectServiceRules},
	Explains: []string{"hns-lb-missing-or-stale"},
	Needs: []evidence.Need{evidence.KubeServices, evidence.EndpointSlices,
		evidence.HNSLoadBalancers, evidence.HNSEndpoints, node.ComponentSources},
	Uses: []evidence.Need{evidence.HNSNetworks, evidence.Pods, evidence.Node, evidence.Nodes,
		evidence.Adapters, evidence.Processes, evidence.Services, node.NeedProxySettings},
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		n := node.About(s)
		if err := proxyProgramsHNS(n, s); err != nil {
			return nil, err
		}
		started, because := proxyStart(s)
		if started.IsZero() {
			return nil, checks.Unknown(evidence.NotShown.Gap("when kube-proxy started"))
		}
		age := s.Now().Sub(started)
		if age < slowSyncAfter || age > slowSyncUntil {
			return nil, nil
		}
		wanted := balancersWanted(n, s)
		missing := 0
		for _, w := range wanted {
			if _, ok := hasBalancer(s, w.vip, w.port, w.protocol); !ok {
				missing++
			}
		}
		if missing < slowSyncMin || missing == len(wanted) {
			return nil, nil // what is missing for good is hns-lb-missing-or-stale
		}
		return []*checks.Finding{checks.Findingf(checks.Warn, "kube-proxy",
			"kube-proxy started %d minutes ago and has programmed %d of %d ports of Services",
			int(age.Minutes()), len(wanted)-missing, len(wanted)).
			With(because).At(evidence.HNSLoadBalancers.Field(s), "%d load balancers",
			len(evidence.HNSLoadBalancers.In(s)))}, nil
	},
})
