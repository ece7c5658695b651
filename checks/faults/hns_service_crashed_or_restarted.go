package faults

import (
	"strings"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

var _ = register(&checks.Check{
	ID:       "hns-service-crashed-or-restarted",
	Title:    "HNS crashed or was restarted while pods ran",
	Healthy:  "HNS has run since before the pods",
	Category: checks.CategoryNetwork,
	Doc: `Endpoints of pods and the load balancers of kube-proxy live in the Host Network
Service. After it crashes or is restarted by hand they may be missing, and no component creates them
again for a running pod: the pod has no network, and kube-proxy assumes that its load balancers
exist.

The service manager's events since the boot show a restart, or the start time of the process that
hosts HNS, if it is later than that of kube-proxy. A restart alone is not a fault: the check fails
if pods started before it have no endpoint, or if kube-proxy started before it and most of its load
balancers are missing. It warns if this was not collected.`,
	Fix: checks.Steps(
		restartAgentAfterHNS(),
		restartProxyAfterHNS(),
		checks.Run("kubectl delete pod POD -n NAMESPACE",
			"Recreate the pods without a network.").
			Costs("The pods restart."),
		checks.Do("If HNS crashed, install the current cumulative update of Windows.").
			Costs("The node reboots."),
		checks.Verify("Get-HnsEndpoint | Select-Object IPAddress, State",
			"one endpoint for each pod of the node")),
	Links: []string{"https://github.com/microsoft/Windows-Containers/issues/278",
		"https://github.com/microsoft/Windows-Containers/issues/18",
		"https://github.com/projectcalico/calico/issues/5164",
		"https://github.com/Azure/AgentBaker/pull/2085",
		"https://github.com/microsoft/SDN/blob/master/Kubernetes/windows/debug/networkmonitor/networkhealth.ps1"},
	Breaks: []*checks.Effect{effectHNSNetwork, effectHostAdapter, effectPodTraffic,
		effectServiceRules, effectDNSOverUDP, effectRoutes, effectPodStart},
	Explains: []string{"hns-element-not-found", "bridge-endpoint-stale", "source-vip-invalid",
		"sandbox-name-reserved", "local-and-remote-endpoint-same-ip"},
	Needs: []evidence.Need{evidence.Any(evidence.WindowsEvents, evidence.Processes)},
	Uses: []evidence.Need{evidence.WindowsEvents, evidence.Processes, evidence.Services,
		evidence.OSInfo, evidence.Pods, evidence.HNSEndpoints, evidence.HNSLoadBalancers,
		evidence.KubeServices, evidence.EndpointSlices, evidence.Node, node.NeedManagementIPs},
	Signs: []checks.Sign{
		{Text: "Host Network Service", Also: []string{"terminated unexpectedly"},
			In:   []string{evidence.InEvents},
			Says: "the Host Network Service terminated unexpectedly"},
		{Text: "Faulting module name: HostNetSvc.dll", In: []string{evidence.InEvents},
			Says: "the Host Network Service crashed"},
		{Text: rpcUnavailable, Or: []string{"The remote procedure call failed"},
			Also:  []string{"failed in Win32", "hcn"},
			Level: checks.Warn,
			Says:  "HNS did not answer a call: the service was stopped, starting or had crashed"},
		{Text: rpcUnavailable, Or: []string{"The remote procedure call failed"},
			Also:  []string{"failed in Win32", "hnsCall"},
			Level: checks.Warn,
			Says:  "HNS did not answer a call: the service was stopped, starting or had crashed"},
		// RPC_S_CALL_FAILED: the service ended during the call
		{Text: "failed in Win32", Also: []string{"hcn", "The remote procedure call failed"},
			Level: checks.Warn,
			Says:  "HNS ended during a call: the service crashed or was stopped"},
		{Text: "failed in Win32", Also: []string{"hnsCall", "The remote procedure call failed"},
			Level: checks.Warn,
			Says:  "HNS ended during a call: the service crashed or was stopped"},
		{Text: "Failed to look up one or more HNS endpoints; will schedule a retry",
			Level: checks.Warn,
			Until: []string{"Resolved hns endpoint id", "Found new HNS endpoint"},
			Says:  "Felix does not find the HNS endpoints of running pods, as after a restart of HNS"},
	},
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		proxied, proxy := proxyStart(s)
		r, known := hnsRestart(s, proxied)
		if !known {
			return nil, checks.Unknown(
				evidence.NotShown.Gap(
					"the service manager's events, or when HNS and kube-proxy started"))
		}
		if r.at.IsZero() {
			return nil, nil
		}
		when := r.at.UTC().Format("2006-01-02 15:04 UTC")
		var lost []evidence.Pod
		for _, p := range podsWithoutEndpoint(s) {
			if node.StartedBefore(p, r.at) && !node.StartedBefore(p, evidence.OSInfo.In(s).BootedAt.Time) {
				lost = append(lost, p)
			}
		}
		if len(lost) > 0 {
			return []*checks.Finding{checks.Findingf(checks.Fail, "hns",
					"%s at %s, and %d pods started before then have no HNS endpoint: %s", r.what,
					when,
					len(lost), podNames(lost)).
					With(r.from).At(evidence.HNSEndpoints.Field(s),
					"no endpoint has %s, the address of %s", lost[0].Status.PodIP,
					lost[0].FullName()).Cure(withoutNetwork(lost))},
				nil
		}
		stale := !proxied.IsZero() && proxied.Before(r.at)
		balancers := evidence.HNSLoadBalancers.In(s)
		wanted, missing := lostBalancers(s)
		switch {
		case stale && evidence.HNSLoadBalancers.Known(s) && len(balancers) == 0:
			return []*checks.Finding{checks.Findingf(checks.Fail, "hns",
					"%s at %s, and kube-proxy, started before then, has no load balancers in HNS",
					r.what, when).
					With(r.from, proxy).At(evidence.HNSLoadBalancers.Field(s),
					"the list is empty")},
				nil
		case stale && missing > 0 && missing*2 >= wanted:
			return []*checks.Finding{checks.Findingf(checks.Fail, "hns",
					"%s at %s, and kube-proxy, started before then, has no load balancers for %d of %d ports of Services",
					r.what, when, missing, wanted).
					With(r.from, proxy).At(evidence.HNSLoadBalancers.Field(s), "%d load balancers", len(balancers))},
				nil
		case stale && !evidence.HNSLoadBalancers.Known(s):
			return []*checks.Finding{checks.Findingf(checks.Warn, "hns",
				"%s at %s, and kube-proxy started before then: its load balancers may be missing",
				r.what, when).With(r.from, proxy)}, nil
		case r.crash && !(evidence.Pods.Known(s) && evidence.HNSEndpoints.Known(s)):
			return []*checks.Finding{checks.Findingf(checks.Warn, "hns",
				"%s at %s; pods and HNS endpoints were not collected, so pods may have lost their network", r.what,
				when).With(r.from)}, nil
		}
		return nil, nil // what was lost has been created again
	},
})

// lostBalancers counts the ports of Services that kube-proxy serves, and those of them that HNS has no
// load balancer for.
func lostBalancers(s evidence.Snapshot) (wanted, missing int) {
	n := node.About(s)
	if !n.Name.Known() || servedByHNS(n) != nil || !evidence.HNSLoadBalancers.Known(s) {
		return 0, 0
	}
	for _, want := range balancersWanted(n, s) {
		wanted++
		if _, ok := hasBalancer(s, want.vip, want.port, want.protocol); !ok {
			missing++
		}
	}
	return wanted, missing
}

// withoutNetwork names the pods that lost their endpoints.
func withoutNetwork(lost []evidence.Pod) checks.Fix {
	fix := fixOf("hns-service-crashed-or-restarted")
	for _, step := range fix.Steps {
		if strings.Contains(step.Command, " POD ") {
			step.Command = deletePods(lost...)
		}
	}
	return fix
}

// podsWithoutEndpoint lists the running pods whose address no endpoint of HNS has.
func podsWithoutEndpoint(s evidence.Snapshot) []evidence.Pod {
	if !evidence.HNSEndpoints.Known(s) {
		return nil
	}
	have := map[node.Address]bool{}
	for _, e := range evidence.HNSEndpoints.In(s) {
		if e.Truncated && len(e.Addresses) == 0 {
			return nil
		}
		for _, a := range node.ParseAddresses(e.Addresses...) {
			have[a] = have[a] || !e.Remote
		}
	}
	var lost []evidence.Pod
	for _, p := range evidence.Pods.In(s) {
		if a, ok := node.ParseAddress(p.Status.PodIP); ok && ownsAddress(p) && podRuns(p) &&
			!have[a] {
			lost = append(lost, p)
		}
	}
	return lost
}

func podNames(pods []evidence.Pod) evidence.Phrase {
	var names []string
	for _, p := range pods {
		names = append(names, p.FullName())
	}
	if len(names) > 5 {
		return evidence.Phrasef("%s, and %d more", strings.Join(names[:5], ", "), len(names)-5)
	}
	return verbatim(strings.Join(names, ", "))
}
