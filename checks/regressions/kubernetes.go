package regressions

import (
	"doctor/checks"
	"doctor/checks/node"
)

// kubeletRows are from the release notes of Kubernetes, patch by patch.
var kubeletRows = []Row{
	{
		ID: "kubelet-socket-left-behind", Of: Kubelet,
		From:   "1.31.0 < 1.31.1",
		Title:  "Kubelet does not start again: its old socket file is in the way",
		Breaks: []string{"kubelet-start"},
		Signs: []checks.Sign{
			{Text: "Failed to listen to socket while starting device plugin registry", Also: []string{"bind"}},
		},
		Workaround: "Until the update, delete device-plugins\\kubelet.sock in the folder of the kubelet before it starts.",
		Links: []string{"https://github.com/kubernetes/kubernetes/issues/126965",
			"https://github.com/kubernetes/kubernetes/pull/127100"},
	},
	{
		ID: "kubelet-hundred-disks", Of: Kubelet,
		From:   "1.20.0 < 1.20.13, 1.21.0 < 1.21.7, 1.22.0 < 1.22.4",
		Title:  "Kubelet mounts no more than 100 disks on Windows",
		Breaks: []string{"pod-start"},
		Links:  []string{"https://github.com/kubernetes/kubernetes/pull/105673"},
	},
	{
		ID: "kubelet-disk-data-loss", Of: Kubelet,
		From:  "1.17.0 < 1.17.14, 1.18.0 < 1.18.11, 1.19.0 < 1.19.4",
		Title: "Unmounting an in-tree Azure disk can lose data",
		Links: []string{"https://github.com/kubernetes/kubernetes/pull/95456"},
	},
	{
		ID: "kubelet-volume-path-characters", Of: Kubelet,
		From:   "1.18.0 < 1.18.17, 1.19.0 < 1.19.9, 1.20.0 < 1.20.5",
		Title:  "Volumes with special characters in their path fail",
		Breaks: []string{"pod-start"},
		Links: []string{"https://github.com/kubernetes/kubernetes/pull/99008",
			"https://github.com/kubernetes/kubernetes/pull/99137"},
	},
	{
		ID: "kubelet-cgroup-driver-checked", Of: Kubelet,
		From:    "1.18.0 < 1.18.16, 1.19.0 < 1.19.8, 1.20.0 < 1.20.3",
		Title:   "Kubelet compares cgroup drivers on Windows and exits",
		Runtime: "docker",
		Breaks:  []string{"kubelet-start"},
		Signs: []checks.Sign{
			{Text: "misconfiguration: kubelet cgroup driver", Also: []string{"is different from docker cgroup driver"}},
		},
		Workaround: "Until the update, set cgroupDriver: cgroupfs in the configuration of the kubelet.",
		Links: []string{"https://github.com/kubernetes/kubernetes/issues/97759",
			"https://github.com/kubernetes/kubernetes/pull/98383"},
	},
	{
		ID: "kubelet-metrics-time-out", Of: Kubelet,
		From:  "1.16.0 < 1.16.9, 1.17.0 < 1.17.5",
		Title: "Kubelet metrics time out with more than three pods",
		Links: []string{"https://github.com/kubernetes/kubernetes/pull/87730"},
	},
	{
		ID: "kubelet-metrics-not-english", Of: Kubelet,
		From:  "1.14.0 < 1.14.9, 1.15.0 < 1.15.7, 1.16.0 < 1.16.3",
		Title: "Kubelet reads no metrics on Windows that is not English",
		Links: []string{"https://github.com/kubernetes/kubernetes/pull/84156"},
	},
	{
		ID: "kubelet-docker-stats", Of: Kubelet,
		From:    "1.19.0 < 1.19.12, 1.20.0 < 1.20.8",
		Title:   "Container statistics fail with Docker",
		Runtime: "docker",
		Links:   []string{"https://github.com/kubernetes/kubernetes/pull/98510"},
	},
	{
		ID: "kubelet-smb-permission-denied", Of: Kubelet,
		From:   "1.20.0 < 1.20.7",
		Title:  "SMB mounts of pods get PermissionDenied",
		Breaks: []string{"pod-start"},
		Links:  []string{"https://github.com/kubernetes/kubernetes/pull/99550"},
	},
	{
		ID: "kubelet-metrics-memory-leak", Of: Kubelet,
		From:  "1.14.0 < 1.14.3",
		Title: "Kubelet leaks memory when it reads container metrics",
		Links: []string{"https://github.com/kubernetes/kubernetes/pull/78594"},
	},
}

// kubeProxyRows are of the mode winkernel.
var kubeProxyRows = []Row{
	{
		ID: "kube-proxy-stale-load-balancers", Of: KubeProxy,
		From:       "1.24.0 < 1.24.7, 1.25.0 < 1.25.3",
		Title:      "kube-proxy leaves load balancers of deleted pods behind",
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
		From:   "1.32.0 < 1.32.6, 1.33.0 < 1.33.2",
		Title:  "kube-proxy updates load balancers that HNS does not change",
		Breaks: []string{"services"},
		Links: []string{"https://github.com/kubernetes/kubernetes/pull/131506",
			"https://github.com/kubernetes/kubernetes/pull/131649"},
	},
	{
		ID: "kube-proxy-cluster-ip-deleted", Of: KubeProxy,
		From:   "1.31.0 < 1.31.14, 1.32.0 < 1.32.10, 1.33.0 < 1.33.6, 1.34.0 < 1.34.2",
		Title:  "kube-proxy deletes ClusterIP load balancers of local policy",
		Breaks: []string{"services"},
		Links: []string{"https://github.com/kubernetes/kubernetes/pull/134031",
			"https://github.com/kubernetes/kubernetes/pull/134034"},
	},
	{
		ID: "kube-proxy-terminated-endpoints", Of: KubeProxy,
		From:   "1.32.0 < 1.32.10, 1.33.0 < 1.33.6, 1.34.0 < 1.34.2",
		Title:  "kube-proxy keeps remote endpoints of deleted pods",
		Breaks: []string{"services"},
		Links:  []string{"https://github.com/kubernetes/kubernetes/pull/135146"},
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
		Title: "kube-proxy sends traffic of a LoadBalancer to local processes",
		Links: []string{"https://nvd.nist.gov/vuln/detail/CVE-2021-25736"},
	},
	{
		ID: "kube-proxy-endpoint-slices", Of: KubeProxy,
		From:   "1.16.0 < 1.16.5, 1.17.0 < 1.17.1",
		Title:  "kube-proxy fails with EndpointSlices",
		Breaks: []string{"services"},
		Links:  []string{"https://github.com/kubernetes/kubernetes/pull/86016"},
	},
	{
		ID: "kube-proxy-own-node-port", Of: KubeProxy,
		From:   "1.14.0 < 1.14.8, 1.15.0 < 1.15.5, 1.16.0 < 1.16.2",
		Title:  "The node does not reach NodePorts at its own IP",
		Breaks: []string{"node-ports"},
		Links:  []string{"https://github.com/kubernetes/kubernetes/pull/83027"},
	},
}
