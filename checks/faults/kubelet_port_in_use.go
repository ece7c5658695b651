package faults

import (
	"doctor/checks"
	"doctor/checks/evidence"
)

var _ = register(&checks.Check{
	ID:       "kubelet-port-in-use",
	Title:    "kubelet port is in use by another process",
	Healthy:  "kubelet port is free for the kubelet",
	Category: checks.CategoryComponents,
	Doc: `The kubelet serves logs, exec and metrics on port 10250, and its health on 10248. If another
process has the port, often a second kubelet that was started by hand or by another service, the
kubelet exits or runs without it.

The check looks for the error in the log of the kubelet.`,
	Fix: checks.Steps(
		checks.Inspect("Get-NetTCPConnection -State Listen -LocalPort 10250,10248 | Select-Object LocalPort, OwningProcess",
			"Find the process that has the port."),
		checks.Do("Stop that process, and disable the service or task that starts it."),
		checks.Run("{restart kubelet}",
			"Restart the kubelet.").
			Costs("Running containers are not affected."),
		checks.Verify("kubectl get node {node}", "STATUS is Ready")),
	Links: []string{
		"https://kubernetes.io/docs/reference/networking/ports-and-protocols/",
		"https://github.com/kubernetes/minikube/issues/4500",
	},
	Breaks: []*checks.Effect{effectKubeletStart},
	Needs:  []evidence.Need{evidence.Any(evidence.Logs("kubelet"), evidence.WindowsEvents, evidence.Logs("other"))},
	Signs: []checks.Sign{
		{Text: ":10250: bind: Only one usage of each socket address",
			Or:   []string{":10248: bind: Only one usage of each socket address"},
			Says: "the kubelet cannot listen: another process has its port"},
		// Windows has one server of a pipe at a time: pkg/kubelet/server, 1.15 and later
		{Text: "Failed to create listener for podResources endpoint", Also: []string{"Access is denied"},
			Until: nodeRegistered,
			Says:  "the kubelet exits: another kubelet serves its pipe"},
	},
})
