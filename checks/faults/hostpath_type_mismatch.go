package faults

import (
	"doctor/checks"
)

var _ = register(&checks.Check{
	ID:       "hostpath-type-mismatch",
	Title:    "hostPath volume does not exist on the node, or has another type",
	Healthy:  "hostPath volumes exist and have the required types",
	Category: checks.CategoryStorage,
	Doc: `With hostPath.type the kubelet checks the path on the node before the container starts: Directory,
File and Socket must exist and be that. Manifests for Linux require /var/run/docker.sock or
/var/log/containers, which Windows nodes do not have. Without a type, the runtime refuses to create the
container if the path does not exist: agents that were written for docker mount
C:\ProgramData\docker\containers, which nodes with containerd do not have.

The check looks for the event of the pod.`,
	Fix: checks.Steps(
		checks.Do("Correct the path of the hostPath volume for Windows, or its type, in the pod template.").
			Costs("The pods of the workload are recreated."),
		checks.Do("If an agent mounts a folder of docker on a node with containerd, remove that volume or update the agent: the logs of pods are in C:\\var\\log\\pods.").
			Costs("The pods of the workload are recreated."),
		checks.Do("If the pod is meant for Linux nodes, give it the node selector kubernetes.io/os: linux."),
		checks.Verify("kubectl get pods -A -o wide --field-selector spec.nodeName={node}", "all pods are Running")),
	Links: []string{
		"https://kubernetes.io/docs/concepts/storage/volumes/#hostpath",
		"https://github.com/kubernetes/kubernetes/issues/83125",
		"https://github.com/kubernetes/kubernetes/issues/90263",
		"https://github.com/Azure/aks-engine/issues/4389",
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
	{Text: "bind source path does not exist: ", Not: []string{`var\run\docker.sock`, `lib\kubelet\pods`},
		Says: "a path of the node that a container mounts does not exist"},
	// containerd: internal/cri/opts/spec_windows.go. The volumes that the kubelet makes, and those of images, are
	// not of the pod's author.
	{Text: "failed to generate spec: failed to stat", Also: []string{"The system cannot find the"},
		Not:  []string{`lib\kubelet\pods`, "io.containerd.grpc.v1.cri", "csi-proxy-"}, // csi-proxy-missing
		Says: "a path of the node that a container mounts does not exist"},
	{Text: "hostPath type check failed", Not: missingProc,
		Says: "a hostPath volume is missing on the node, or is of another type"},
}
