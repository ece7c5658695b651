package faults

import (
	"doctor/checks"
	"doctor/checks/evidence"
)

var _ = register(&checks.Check{
	ID:       "cri-not-served",
	Title:    "Container runtime does not serve CRI v1",
	Healthy:  "Container runtime serves CRI v1",
	Category: checks.CategoryComponents,
	Doc: `The kubelet since 1.26 needs CRI v1. containerd before 1.6 does not have it. A newer containerd
does not serve it either if its CRI plugin is in disabled_plugins, as in the configuration that
Docker's packages write, or was not loaded because of an error in its settings. The kubelet then
exits at its start. An older kubelet may use v1alpha2, which containerd 2.0 removed.

The check looks for the error in the logs of the kubelet and kubeadm, and for the plugin's own in
the log of containerd.`,
	Fix: checks.Steps(
		checks.Inspect(`Select-String -Path "C:\Program Files\containerd\config.toml" -Pattern disabled_plugins, mirrors, config_path`,
			"Read what the configuration says about the CRI plugin."),
		checks.Edit(`C:\Program Files\containerd\config.toml`,
			"Remove cri from disabled_plugins, and fix the error in containerd's log."),
		checks.Run("Restart-Service containerd",
			"Restart the container runtime.").
			Costs("Running containers are not affected."),
		checks.Do("If containerd is older than 1.6, update it."),
		checks.Verify("crictl info", "RuntimeReady is true")),
	Links: []string{
		"https://kubernetes.io/docs/setup/production-environment/container-runtimes/#cri-versions",
		"https://github.com/containerd/containerd/blob/main/docs/cri/config.md",
		"https://github.com/containerd/containerd/blob/main/docs/hosts.md",
	},
	Breaks:   []*checks.Effect{effectRuntimePipe},
	Explains: []string{"kubeadm-join-preflight"},
	Needs:    []evidence.Need{evidence.Any(evidence.Logs("kubelet"), evidence.Logs("containerd"), evidence.Logs("other"))},
	Signs: []checks.Sign{
		// RKE2 and K3s ask while containerd still loads its plugins, and write each answer, on Windows into the event log.
		{Text: "unknown service runtime.v1.RuntimeService", Not: []string{"Waiting for containerd startup"},
			Until: nodeRegistered,
			Says:  "the container runtime does not serve CRI v1"},
		// A kubelet before 1.26 and its crictl: kubernetes 73189, containerd 8139
		{Text: "unknown service runtime.v1alpha2.RuntimeService",
			Also:  []string{"failed to run Kubelet"},
			Until: nodeRegistered,
			Says:  "the container runtime does not serve CRI v1alpha2, which this kubelet uses"},
		{Text: "unknown service runtime.v1alpha2.RuntimeService",
			Also: []string{"level=fatal"}, Until: joined,
			Says: "the container runtime does not serve CRI v1alpha2, which this crictl uses"},
		{Text: "failed to load plugin", Also: []string{"io.containerd.grpc.v1.cri"},
			Not: []string{"skip plugin"}, Says: "containerd did not load its CRI plugin"},
		{Text: "failed to load plugin", Also: []string{"io.containerd.cri.v1"},
			Not: []string{"skip plugin"}, Says: "containerd did not load its CRI plugin"},
		// where required_plugins names it, containerd exits
		{Text: "load required plugin io.containerd.grpc.v1.cri", Or: []string{"load required plugin io.containerd.cri.v1"},
			Until: []string{"containerd successfully booted"},
			Says:  "containerd exits because it cannot load its CRI plugin"},
	},
})
