package faults

import (
	"cmp"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

// States of HNS objects: hcsshim, internal/hns/hnsendpoint.go. Load balancers use the same numbers;
// Microsoft's networkhealth.ps1 takes every one for broken whose state is not 2.
const (
	hnsCreated  = 1
	hnsAttached = 2
	hnsDegraded = 5
)

var hnsStateNames = []evidence.Phrase{evidence.Phrasef("uninitialized"),
	evidence.Phrasef("created"), evidence.Phrasef("attached"), evidence.Phrasef("shared"),
	evidence.Phrasef("detached"), evidence.Phrasef("degraded"), evidence.Phrasef("destroyed")}

// hnsStateName is the name of a state as far as one is documented.
func hnsStateName(state uint64) evidence.Phrase {
	if state < uint64(len(hnsStateNames)) {
		return hnsStateNames[state]
	}
	return evidence.Phrasef("in an unknown state")
}

var _ = register(&checks.Check{
	ID:       "hns-object-not-ready",
	Title:    "HNS endpoint or load balancer is not in its ready state",
	Healthy:  "HNS endpoints and load balancers are in their ready state",
	Category: checks.CategoryNetwork,
	Doc: `HNS keeps a state for each object. The endpoint of a running pod is attached (2 or 3), a load
balancer is applied (2). An endpoint that is degraded, detached or destroyed forwards nothing,
although the pod runs and has an address. Load balancers become degraded if their network or their
endpoints were deleted first; kube-proxy assumes that they work.

Only the first HNS interface (Get-HnsEndpoint, Get-HnsPolicyList) reports states; a recording of the
second one alone does not have them. The check looks at endpoints of pods that have been Ready for
five minutes, and at all load balancers. Degraded or destroyed is a fault; any other state is a
warning.`,
	Fix: checks.Steps(
		checks.Run("kubectl delete pod POD -n NAMESPACE",
			"If an endpoint is affected, delete its pod: the new one gets a new endpoint.").
			Costs("The pod is down until its replacement is Ready."),
		checks.Run("{restart kube-proxy}",
			"If a load balancer is affected, restart kube-proxy: it deletes all HNS load balancers and programs them again.").
			Costs("New connections to Services fail until kube-proxy has programmed them."),
		checks.Verify("Get-HnsEndpoint | Group-Object State; Get-HnsPolicyList | Group-Object State",
			"endpoints of pods in state 2 or 3, load balancers in state 2")),
	Links: []string{
		"https://github.com/microsoft/SDN/blob/master/Kubernetes/windows/debug/networkmonitor/networkhealth.ps1",
		"https://github.com/microsoft/Windows-Containers/issues/79"},
	Breaks: []*checks.Effect{effectServices, effectOutbound},
	Shows:  []*checks.Effect{effectPodTraffic},
	Needs:  []evidence.Need{evidence.Any(evidence.HNSEndpoints, evidence.HNSLoadBalancers)},
	Uses: []evidence.Need{evidence.HNSEndpoints, evidence.HNSLoadBalancers, evidence.Pods,
		evidence.Node},
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		findings, known := unattachedPods(s)
		for _, lb := range evidence.HNSLoadBalancers.In(s) {
			if lb.State == nil {
				continue
			}
			known = true
			if state := *lb.State; state != hnsAttached && state != hnsCreated {
				findings = append(findings, checks.Findingf(notReadyLevel(state), balancerName(lb),
					"HNS load balancer for %s is %s (state %d); expected: state 2",
					balancerName(lb), hnsStateName(state), state).Cure(onlyBalancers()).
					At(lb.Field("State"), "load balancer for %s: state %d", balancerName(lb),
						state))
			}
		}
		if !known {
			return nil, checks.Unknown(
				evidence.NotShown.Gap("the states of HNS endpoints and load balancers"))
		}
		if gap := cmp.Or(evidence.HNSEndpoints.Gap(s), evidence.HNSLoadBalancers.Gap(s)); gap.Kind != "" && len(findings) == 0 {
			return nil, checks.Unknown(gap)
		}
		return findings, nil
	},
})

// unattachedPods are findings about pods whose endpoint HNS has not attached; known tells that a state
// was recorded.
func unattachedPods(s evidence.Snapshot) (findings []*checks.Finding, known bool) {
	local := localEndpoints(s)
	for _, p := range settledPods(s) {
		ip, ok := node.ParseAddress(p.Status.PodIP)
		e, there := local[ip]
		if !ok || !there || e.State == nil || hostPod(p) {
			continue
		}
		known = true
		if state := *e.State; state != hnsAttached && state != hnsAttached+1 {
			findings = append(findings, checks.Findingf(notReadyLevel(state), p.FullName(),
				"HNS endpoint of pod %s is %s (state %d); expected: attached", p.FullName(),
				hnsStateName(state), state).
				At(e.Field("State"), "%s: state %d", node.EndpointName(e), state))
		}
	}
	return findings, known
}

// notReadyLevel is fail for a state that no object comes to in its ordinary life.
func notReadyLevel(state uint64) checks.Level {
	if state == hnsDegraded || state == hnsDegraded+1 {
		return checks.Fail
	}
	return checks.Warn
}

// onlyBalancers is the fix where no endpoint of a pod is affected: no pod has to be deleted.
func onlyBalancers() checks.Fix {
	fix := fixOf("hns-object-not-ready")
	fix.Steps = fix.Steps[1:]
	fix.Steps[0].TextOf = evidence.Phrasef(
		"Restart kube-proxy: it deletes all HNS load balancers and programs them again.")
	return fix
}
