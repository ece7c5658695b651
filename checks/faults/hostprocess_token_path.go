package faults

import (
	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

var _ = register(&checks.Check{
	ID:       "hostprocess-token-path",
	Title:    "HostProcess container finds no service account token",
	Healthy:  "HostProcess containers find their service account token",
	Category: checks.CategoryWorkloads,
	Doc: `With containerd 1.6, the volumes of a HostProcess container are not at their mount paths:
they are below $env:CONTAINER_SANDBOX_MOUNT_POINT. client-go and kubectl look for the token at
/var/run/secrets/kubernetes.io/serviceaccount, do not find it there, and the program exits.
containerd 1.7 mounts the volumes at their paths. A pod with automountServiceAccountToken: false
fails with the same words.

The check looks for this error in the logs of pods, and does not apply to containerd 1.7 and later.`,
	Fix: checks.Steps(
		checks.Inspect("kubectl get node {node} -o wide", "Read the version of containerd."),
		checks.Do("Move the node to containerd 1.7 or later.").
			Costs("The node must be drained first."),
		checks.Do(`Or let the program use a kubeconfig that is built from $env:CONTAINER_SANDBOX_MOUNT_POINT\var\run\secrets\kubernetes.io\serviceaccount.`).
			Costs("The pods of the workload are recreated."),
		checks.Verify("kubectl get pods -A -o wide --field-selector spec.nodeName={node}",
			"all pods are Running")),
	Links: []string{
		"https://github.com/kubernetes/kubernetes/issues/104562",
		"https://github.com/kubernetes/client-go/issues/1302",
		"https://kubernetes.io/docs/tasks/configure-pod-container/create-hostprocess-pod/#volume-mounts",
	},
	Breaks:  []*checks.Effect{effectContainers},
	Applies: olderHostProcessMounts,
	Needs:   []evidence.Need{evidence.Logs("pods")},
	Uses:    []evidence.Need{evidence.Pods},
	Moot:    noHostProcess,
	Signs: []checks.Sign{
		{Text: "open /var/run/secrets/kubernetes.io/serviceaccount/token: The system cannot find the path specified",
			Level: checks.Warn,
			Says:  "a program finds no service account token at its usual path"},
	},
})

// olderHostProcessMounts: containerd 1.7 mounts the volumes of HostProcess containers where the pod
// says.
func olderHostProcessMounts(n *node.Node) error {
	if rt := n.Runtime.Value; rt.Name == "docker" || rt.Name == "containerd" &&
		rt.Version.AtLeast(evidence.Version{Major: 1, Minor: 7}) {
		return checks.Skip("the container runtime is %s %s, not containerd before 1.7", rt.Name,
			rt.Version)
	}
	return nil
}
