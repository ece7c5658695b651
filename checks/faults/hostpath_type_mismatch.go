package faults

import (
	"doctor/checks"
)

var _ = register(&checks.Check{
	ID:       "hostpath-type-mismatch",
	Title:    "hostPath volume is not of the type that the pod requires",
	Healthy:  "hostPath volumes are of the required types",
	Category: checks.CategoryStorage,
	Doc: `With hostPath.type the kubelet checks the path on the node before the container starts: Directory,
File and Socket must exist and be that. Manifests for Linux require /var/run/docker.sock or
/var/log/containers, which Windows nodes do not have.

The check looks for the event of the pod.`,
	Fix: checks.Steps(
		checks.Do("Correct the path of the hostPath volume for Windows, or its type, in the pod template.").
			Costs("The pods of the workload are recreated."),
		checks.Do("If the pod is meant for Linux nodes, give it the node selector kubernetes.io/os: linux."),
		checks.Verify("kubectl get pods -A -o wide --field-selector spec.nodeName={node}", "all pods are Running")),
	Links: []string{
		"https://kubernetes.io/docs/concepts/storage/volumes/#hostpath",
		"https://github.com/kubernetes/kubernetes/issues/83125",
		"https://github.com/kubernetes/kubernetes/issues/90263",
	},
	Breaks:   []*checks.Effect{effectPodStart},
	Needs:    complaintNeeds,
	FromPart: complaintNeeds,
	Uses:     complaintUses,
	Signs:    hostpathTypeMismatchSigns,
	Run:      complain(hostpathTypeMismatchSigns),
})

var hostpathTypeMismatchSigns = []checks.Sign{
	// Docker creates no folder for a bind mount of Windows
	{Text: "bind source path does not exist: ", Also: []string{`var\run\docker.sock`},
		Says: "a pod mounts docker.sock, which Windows does not have: Docker listens on a named pipe there"},
	{Text: "hostPath type check failed", Not: missingProc,
		Says: "a hostPath volume is missing on the node, or is of another type"},
}
