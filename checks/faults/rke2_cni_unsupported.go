package faults

import (
	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

var _ = register(&checks.Check{
	ID:       "rke2-cni-unsupported",
	Title:    "RKE2 cluster uses a network plugin without Windows support",
	Healthy:  "RKE2 cluster uses a network plugin for Windows",
	Category: checks.CategoryComponents,
	Doc: `On Windows the RKE2 agent sets up the network plugin of the cluster itself: Calico, and since
February 2024 flannel. RKE2 deploys Canal unless its servers are configured otherwise. With Canal or
Cilium the agent exits at its start, before it has started containerd or the kubelet.

The check looks for the agent's error.`,
	Fix: checks.Steps(
		checks.Inspect("kubectl get helmcharts -n kube-system",
			"See which network plugin the servers deploy: rke2-calico, rke2-flannel, rke2-canal or rke2-cilium."),
		checks.Do("Install the cluster with cni: calico (or cni: flannel) in config.yaml of its servers.").
			Costs("The network plugin of a cluster cannot be replaced: all its nodes are installed again."),
		checks.Verify("kubectl get node {node}", "STATUS is Ready")),
	Links: []string{
		"https://github.com/rancher/rke2/issues/2172",
		"https://github.com/rancher/rke2/issues/3316",
		"https://docs.rke2.io/networking/basic_network_options",
	},
	Breaks:  startedByAgent,
	Applies: checks.UnlessElsewhere(node.RKE2),
	Needs:   []evidence.Need{evidence.Any(evidence.Logs("rke2"), evidence.WindowsEvents, evidence.Logs("other"))},
	Signs: []checks.Sign{
		// pkg/pebinaryexecutor of RKE2, today pkg/executor/pebinary: until 1.24.6, until 1.33, and since.
		{Text: "calico chart was not found",
			Or:    []string{"Unsupported CNI: ", "unsupported CNI canal", "unsupported CNI cilium"},
			In:    []string{evidence.InEvents, "rke2", "other"},
			Until: rke2Joined,
			Says:  "the RKE2 agent exits: the network plugin of the cluster has no support for Windows"},
		// pkg/pebinaryexecutor of RKE2 1.21
		{Text: "the CNI ", Also: []string{"isn't supported on Windows"},
			In:    []string{evidence.InEvents, "rke2", "other"},
			Until: rke2Joined,
			Says:  "the RKE2 agent exits: the network plugin of the cluster has no support for Windows"},
	},
})
