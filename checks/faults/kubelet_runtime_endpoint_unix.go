package faults

import (
	"doctor/checks"
	"doctor/checks/evidence"
)

var _ = register(&checks.Check{
	ID:       "kubelet-runtime-endpoint-unix",
	Title:    "kubelet runtime endpoint is a Unix socket",
	Healthy:  "kubelet runtime endpoint is a named pipe",
	Category: checks.CategoryComponents,
	Doc: `On Windows the kubelet reaches the container runtime through a named pipe. If its configuration
names a Unix socket (unix:///run/containerd/containerd.sock), as a configuration for Linux nodes
does, it exits at once. This was seen after upgrades of kubeadm clusters to 1.31.

The check looks for the error in the log of the kubelet.`,
	Fix: checks.Steps(
		checks.Edit(`C:\var\lib\kubelet\config.yaml`,
			"Set containerRuntimeEndpoint to npipe:////./pipe/containerd-containerd, and imageServiceEndpoint too if it is set."),
		checks.Run("{restart kubelet}",
			"Restart the kubelet.").
			Costs("Running containers are not affected."),
		checks.Verify("kubectl get node {node}", "STATUS is Ready")),
	Links: []string{
		"https://github.com/kubernetes/kubernetes/issues/129952",
		"https://kubernetes.io/docs/reference/config-api/kubelet-config.v1beta1/",
	},
	Breaks: []*checks.Effect{effectKubeletStart},
	Needs:  []evidence.Need{evidence.Any(evidence.Logs("kubelet"), evidence.WindowsEvents, evidence.Logs("other"))},
	Signs: []checks.Sign{
		{Text: "failed to run Kubelet: protocol",
			// 1.13, which makes the kubelet before it connects to the runtime: kubernetes 73189
			Or:    []string{"failed to run Kubelet: failed to create kubelet: protocol"},
			Also:  []string{"unix", "not supported"},
			Until: nodeRegistered,
			Says:  "the kubelet exits: its runtime endpoint is a Unix socket, which it does not support on Windows"},
		// util_windows.go of the kubelet and of cri-client returns it as an error, which on Linux is a warning
		{Text: "as endpoint is deprecated, please consider using full url format",
			Also:  []string{"failed to run Kubelet: ", ".sock"},
			Until: nodeRegistered,
			Says:  "the kubelet exits: its runtime endpoint is a Unix socket, which it does not support on Windows"},
	},
})
