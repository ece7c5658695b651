package regressions

import (
	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

// kubeProxyRows are of the mode winkernel.
var kubeProxyRows = []Row{
	{
		ID: "kube-proxy-stale-load-balancers", Of: KubeProxy,
		From:       "1.24.0 < 1.24.7, 1.25.0 < 1.25.3",
		Title:      "kube-proxy keeps load balancers of deleted pods",
		Breaks:     []string{"services"},
		State:      "hns-lb-missing-or-stale",
		Workaround: "Until the update, restart kube-proxy after pods of a Service of type LoadBalancer were deleted.",
		Links: []string{"https://github.com/kubernetes/kubernetes/issues/112836",
			"https://github.com/kubernetes/kubernetes/pull/112837",
			"https://github.com/Azure/AKS/issues/3246"},
	},
	{
		ID: "kube-proxy-remote-endpoint-exists", Of: KubeProxy,
		From:   "1.31.0 < 1.31.9, 1.32.0 < 1.32.5, 1.33.0 < 1.33.1",
		Title:  "HNS endpoints fail where a remote endpoint has the same IP",
		Breaks: []string{"pod-start"},
		State:  "local-and-remote-endpoint-same-ip",
		Links: []string{"https://github.com/kubernetes/kubernetes/pull/131427",
			"https://github.com/kubernetes/kubernetes/pull/131429"},
	},
	{
		ID: "kube-proxy-modify-load-balancer", Of: KubeProxy,
		From:   "1.31.0 < 1.32.6, 1.33.0 < 1.33.2",
		Title:  "kube-proxy updates load balancers that HNS does not change",
		Breaks: []string{"services"},
		Build:  26100, // the only one with HNS 15.4
		State:  "hns-lb-missing-or-stale",
		Findings: []string{
			"load balancer of %s sends traffic to %s, not a backend of the Service",
			"load balancer of %s has no backend for %s, which is ready"},
		Links: []string{"https://github.com/kubernetes/kubernetes/issues/131466",
			"https://github.com/kubernetes/kubernetes/pull/131506",
			"https://github.com/kubernetes/kubernetes/pull/131649"},
	},
	{
		ID: "kube-proxy-cluster-ip-deleted", Of: KubeProxy,
		From:       "1.31.0 < 1.31.14, 1.32.0 < 1.32.10, 1.33.0 < 1.33.6, 1.34.0 < 1.34.2",
		Title:      "kube-proxy deletes ClusterIP load balancers of local policy",
		Breaks:     []string{"services"},
		State:      "hns-lb-missing-or-stale",
		Findings:   []string{"HNS has no load balancer for %s, although %s"},
		Shown:      localOnly,
		Workaround: "Until the update, restart kube-proxy when its rules in HNS are lost.",
		Links: []string{"https://github.com/kubernetes/kubernetes/pull/134031",
			"https://github.com/kubernetes/kubernetes/pull/134034"},
	},
	{
		ID: "kube-proxy-terminated-endpoints", Of: KubeProxy,
		From:       "1.32.0 < 1.32.10, 1.33.0 < 1.33.6, 1.34.0 < 1.34.2",
		Title:      "kube-proxy keeps remote endpoints of deleted pods",
		Breaks:     []string{"services"},
		Explains:   []string{"remote-endpoint-unused"},
		Shown:      remoteOfNoPod,
		Reads:      []evidence.Need{evidence.HNSEndpoints, evidence.HNSLoadBalancers, evidence.EndpointSlices},
		Warn:       true,
		Workaround: "Until the update, restart kube-proxy: it removes such endpoints when it starts.",
		Links:      []string{"https://github.com/kubernetes/kubernetes/pull/135146"},
	},
	{
		ID: "kube-proxy-hourly-resync", Of: KubeProxy,
		From:       "1.34.0 < 1.34.4, 1.35.0 < 1.35.1",
		Title:      "kube-proxy rechecks its rules only every hour",
		Breaks:     []string{"services"},
		Workaround: "Until the update, restart kube-proxy when its rules in HNS are lost.",
		Links: []string{"https://github.com/kubernetes/kubernetes/pull/135631",
			"https://github.com/kubernetes/kubernetes/issues/134147"},
	},
	{
		ID: "kube-proxy-dual-stack-shared", Of: KubeProxy,
		From:      "1.33.0 < 1.33.8, 1.34.0 < 1.34.4, 1.35.0 < 1.35.1",
		Title:     "kube-proxy mixes IPv4 and IPv6 load balancers",
		DualStack: true,
		Shown:     mixedFamilies,
		Reads:     []evidence.Need{evidence.HNSLoadBalancers, evidence.HNSEndpoints},
		Breaks:    []string{"services"},
		Links:     []string{"https://github.com/kubernetes/kubernetes/pull/136241"},
	},
	{
		ID: "kube-proxy-stale-remote-endpoint", Of: KubeProxy,
		From:       "1.34.0 < 1.34.8, 1.35.0 < 1.35.5",
		Title:      "kube-proxy keeps a remote endpoint whose IP a local pod has",
		Breaks:     []string{"cluster-dns"},
		State:      "local-and-remote-endpoint-same-ip",
		Backend:    node.L2Bridge,
		Workaround: "Until the update, restart kube-proxy: it removes such endpoints when it starts.",
		Links: []string{"https://github.com/kubernetes/kubernetes/pull/138000",
			"https://github.com/kubernetes/kubernetes/pull/138601"},
	},
	{
		ID: "kube-proxy-local-process", Of: KubeProxy,
		From:  "1.20.0 < 1.20.6",
		Title: "kube-proxy sends LoadBalancer traffic to local processes",
		Links: []string{"https://nvd.nist.gov/vuln/detail/CVE-2021-25736"},
	},
	{
		ID: "kube-proxy-endpoint-slices", Of: KubeProxy,
		From:   "1.16.0 < 1.17.5", // no 1.16 has the fix
		Title:  "kube-proxy fails with EndpointSlices",
		Breaks: []string{"services"},
		// it never syncs where the gate is on, and says no more than at an ordinary start
		Signs: []checks.Sign{
			{Text: "FLAG: --feature-gates=", Also: []string{"EndpointSlice=true"},
				In: []string{"kube-proxy"}},
			{Text: "feature gates: &{map[", Also: []string{"EndpointSlice:true"},
				In: []string{"kube-proxy"}},
		},
		OtherCauses: true, // releases with the fix leave the gate alone
		Workaround:  "Until the update, start kube-proxy without the feature gate EndpointSlice.",
		Links: []string{"https://github.com/kubernetes/kubernetes/issues/85352",
			"https://github.com/kubernetes/kubernetes/pull/86016",
			"https://github.com/kubernetes/kubernetes/pull/89117"},
	},
	{
		ID: "kube-proxy-own-node-port", Of: KubeProxy,
		From:   "1.14.0 < 1.14.8, 1.15.0 < 1.15.5, 1.16.0 < 1.16.2",
		Title:  "Node does not reach NodePorts at its own IP",
		Breaks: []string{"node-ports"},
		Links:  []string{"https://github.com/kubernetes/kubernetes/pull/83027"},
	},
	{
		ID: "kube-proxy-connections-dropped", Of: KubeProxy,
		From:   "1.24.0 < 1.24.10, 1.26.0 < 1.26.1",
		Title:  "TCP connections drop when endpoints of a Service scale",
		Breaks: []string{"services"},
		Links: []string{"https://github.com/kubernetes/kubernetes/pull/113742",
			"https://github.com/kubernetes/kubernetes/pull/114040",
			"https://github.com/kubernetes/kubernetes/pull/114038"},
	},
	{
		ID: "kube-proxy-terminating-endpoints", Of: KubeProxy,
		From:   "1.24.0 < 1.24.10",
		Title:  "Services have no rules while all endpoints are terminating",
		Breaks: []string{"services"},
		Links: []string{"https://github.com/kubernetes/kubernetes/pull/113776",
			"https://github.com/kubernetes/kubernetes/pull/114451"},
	},
	{
		ID: "kube-proxy-stale-vips", Of: KubeProxy,
		From:       "1.24.0 < 1.24.9",
		Title:      "kube-proxy treats undeleted load balancers as valid",
		Breaks:     []string{"services"},
		State:      "hns-lb-missing-or-stale",
		Findings:   []string{"HNS has no endpoint for %d of the %d backends of %s: traffic to them is lost"},
		Workaround: "Until the update, restart kube-proxy when its rules in HNS are lost.",
		Links: []string{"https://github.com/kubernetes/kubernetes/issues/113524",
			"https://github.com/kubernetes/kubernetes/pull/113567"},
	},
	{
		ID: "kube-proxy-dual-stack-host", Of: KubeProxy,
		From:   "1.21.0 < 1.21.6",
		Title:  "kube-proxy uses dual stack on hosts that do not support it",
		Breaks: []string{"kube-proxy"},
		Signs: []checks.Sign{
			{Text: "unable to create ipv4 proxier: Could not find host mac address for 0.0.0.0"},
			{Text: "unable to create ipv6 proxier: Could not find host mac address for ::"},
		},
		Explains:    []string{"kubeproxy-no-host-mac"},
		OtherCauses: true, // without a version, kubeproxy-no-host-mac says what is known
		Links: []string{"https://github.com/kubernetes/kubernetes/pull/101047",
			"https://github.com/kubernetes/kubernetes/issues/100966"},
	},
	{
		ID: "kube-proxy-hash-panic", Of: KubeProxy,
		From:   "1.24.9 < 1.25.0",
		Title:  "kube-proxy panics if a load balancer has no endpoints",
		Breaks: []string{"kube-proxy"},
		Signs: []checks.Sign{
			{Text: "Error hashing endpoints", Also: []string{"endpoints=[]"}},
		},
		Explains: []string{"kube-proxy-panic", "component-panic", "hns-lb-missing-or-stale"},
		Links: []string{"https://github.com/Azure/AKS/issues/3718",
			"https://github.com/kubernetes/kubernetes/pull/113567"},
	},
	{
		ID: "kube-proxy-no-port-mappings", Of: KubeProxy,
		From:   "1.25.0 < 1.36.5, 1.37.0 < 1.37.1", // 1.35.8 does not have the fix
		Title:  "kube-proxy panics if a load balancer has no port",
		Breaks: []string{"kube-proxy"},
		Signs: []checks.Sign{
			{Text: "winkernel.hns.getAllLoadBalancers("},
		},
		Explains: []string{"kube-proxy-panic", "component-panic", "hns-lb-missing-or-stale"},
		Links: []string{"https://github.com/kubernetes/kubernetes/issues/141488",
			"https://github.com/kubernetes/kubernetes/pull/141681",
			"https://github.com/kubernetes/kubernetes/pull/141707"},
	},
}
