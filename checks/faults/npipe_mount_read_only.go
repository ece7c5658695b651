package faults

import (
	"doctor/checks"
)

var _ = register(&checks.Check{
	ID:       "npipe-mount-read-only",
	Title:    "Docker rejects a named pipe mounted read-only",
	Healthy:  "Named pipes are mounted as Docker accepts them",
	Category: checks.CategoryStorage,
	Doc: `A pod mounts a named pipe of the node, such as \\.\pipe\docker_engine, with readOnly:
true. Docker does not accept the option for named pipes, and the container is not created. Manifests
for monitoring agents mount the socket of the runtime read-only on Linux, and charts for Windows
have taken this over.

The check looks for the answer of Docker at pods that do not start.`,
	Fix: checks.Steps(
		checks.Do("Remove readOnly from the volumeMount of the named pipe in the pod template.").
			Costs("The pods of the workload are recreated."),
		checks.Do("If a Helm chart created it, update the chart."),
		checks.Verify("kubectl get pods -A -o wide --field-selector spec.nodeName={node}",
			"all pods are Running")),
	Links: []string{
		"https://github.com/DataDog/helm-charts/issues/955",
		"https://github.com/kubernetes/kubernetes/pull/69484",
	},
	Breaks:   []*checks.Effect{effectPodStart},
	Applies:  checks.OnRuntime("docker"),
	Needs:    complaintNeeds,
	FromPart: complaintNeeds,
	Uses:     complaintUses,
	Signs:    npipeMountReadOnlySigns,
	Run:      complain(npipeMountReadOnlySigns),
})

var npipeMountReadOnlySigns = []checks.Sign{
	{Text: "field ReadOnly must not be specified", Also: []string{"npipe"},
		Says: "a named pipe is mounted read-only, which Docker does not accept"},
}
