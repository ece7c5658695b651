package faults

import (
	"doctor/checks"
)

var _ = register(&checks.Check{
	ID:       "runtime-handler-missing",
	Title:    "containerd has no runtime for the RuntimeClass",
	Healthy:  "containerd has the runtimes that RuntimeClasses name",
	Category: checks.CategoryWorkloads,
	Doc: `A RuntimeClass names a handler, and containerd looks it up among the runtimes of its
configuration. On Windows the default is runhcs-wcow-process. A handler called windows, docker, or
one for another Windows version exists only if somebody has added it; runhcs-wcow-hypervisor is in
the default configuration from containerd 1.7 on. Otherwise the sandbox fails with "no runtime for
... is configured". A file of an older release keeps its old list after an update.

The check looks for this answer at pods that do not start.`,
	Fix: checks.Steps(
		checks.Inspect("kubectl get runtimeclass -o custom-columns=NAME:.metadata.name,HANDLER:.handler",
			"Read the handler of the RuntimeClass that the pod uses."),
		checks.Inspect(`containerd.exe --config "{runtimeConfig}" config dump`,
			"Compare it with the runtimes of containerd."),
		checks.Edit("{runtimeConfig}", "Add the handler to the runtimes of the CRI plugin, or set a handler that exists in the RuntimeClass."),
		checks.Run("{restart runtime}",
			"Restart the container runtime: it reads the file at its start.").
			Costs("Running containers are not affected."),
		checks.Verify("kubectl get pods -A -o wide --field-selector spec.nodeName={node}",
			"all pods are Running")),
	Links: []string{
		"https://github.com/containerd/containerd/issues/4884",
		"https://github.com/containerd/containerd/pull/6901",
		"https://kubernetes.io/docs/concepts/containers/runtime-class/",
	},
	Breaks:   []*checks.Effect{effectPodStart},
	Needs:    complaintNeeds,
	FromPart: complaintNeeds,
	Uses:     complaintUses,
	Signs:    runtimeHandlerMissingSigns,
	Run:      complain(runtimeHandlerMissingSigns),
})

var runtimeHandlerMissingSigns = []checks.Sign{
	{Text: "no runtime for", Also: []string{"is configured", "get sandbox runtime"},
		Says: "containerd has no runtime with the handler of the RuntimeClass"},
	// since containerd 2.0: internal/cri/server/sandbox_run.go
	{Text: "no runtime for", Also: []string{"is configured", "unable to get OCI runtime for sandbox"},
		Says: "containerd has no runtime with the handler of the RuntimeClass"},
	// dockershim and cri-dockerd: docker_sandbox.go, core/sandbox_run.go
	{Text: "desc = RuntimeHandler ", Also: []string{"not supported"},
		Says: "Docker has no runtimes to choose from, but the pod has a RuntimeClass",
		Fix: checks.Steps(
			checks.Do("Remove runtimeClassName from the pod template, or run the pod on a node with containerd.").
				Costs("The pods of the workload are recreated."),
			checks.Verify("kubectl get pods -A -o wide --field-selector spec.nodeName={node}",
				"all pods are Running"))},
}
