package faults

import (
	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

var _ = register(&checks.Check{
	ID:       "kube-proxy-panic",
	Title:    "kube-proxy crashes while it programs Services",
	Healthy:  "kube-proxy does not crash",
	Category: checks.CategoryComponents,
	Doc: `kube-proxy panics in its Windows proxier (package winkernel) when HNS answers what it does not
expect: no load balancer where it wants one, a load balancer without ports, an endpoint that is
gone. It starts again and panics at the same Service, so Services of the node are never programmed
to the end.

The check looks for the stack of the panic in the log of kube-proxy, which nothing else prints.`,
	Fix: checks.Steps(
		checks.Run("Get-HnsPolicyList | Remove-HnsPolicyList",
			"Remove the load balancers from HNS: kube-proxy creates them again.").
			Costs("Connections to Services of this node drop for some seconds."),
		checks.Run("{restart kube-proxy}",
			"Restart kube-proxy."),
		checks.Do("Update kube-proxy to the newest patch release of its minor version."),
		checks.Verify("Get-Process kube-proxy | Select-Object StartTime", "the time does not change")),
	Links: []string{
		"https://github.com/kubernetes/kubernetes/issues/116389",
		"https://github.com/kubernetes/kubernetes/issues/100384",
		"https://github.com/microsoft/Windows-Containers/issues/103",
		"https://github.com/kubernetes/kubernetes/pull/141681",
	},
	Breaks:   []*checks.Effect{effectKubeProxy},
	Explains: []string{"component-panic", "hns-lb-missing-or-stale"},
	Needs:    []evidence.Need{evidence.Any(evidence.Logs("kube-proxy"), evidence.WindowsEvents, evidence.Logs("other"))},
	Uses:     []evidence.Need{node.NeedCNI, evidence.Services, evidence.Processes, evidence.Pods},
	Moot: func(s evidence.Snapshot) error {
		if node.About(s).CNI.Value != node.Antrea { // whose own proxy may replace kube-proxy
			return nil
		}
		return noProgram("kube-proxy", "kube-proxy")(s)
	},
	Signs: []checks.Sign{
		{Text: "pkg/proxy/winkernel.(*Proxier).", Or: []string{"pkg/proxy/winkernel.hns."}, // kubernetes 141488
			Says: "kube-proxy panics in its Windows proxier"},
		{Text: "winkernel.(*Proxier).syncProxyRules (proxier.go:",
			Says: "kube-proxy panics in its Windows proxier"},
	},
})
