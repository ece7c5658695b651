package faults

import (
	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

var _ = register(&checks.Check{
	ID:       "kubelet-not-running",
	Title:    "kubelet is not running",
	Healthy:  "kubelet is running",
	Category: checks.CategoryComponents,
	FAQ:      []int{1, 2},
	Doc: `Without the kubelet no pod is started, stopped or reported, and the node becomes NotReady
within a minute.

The check looks for a running service, a process kubelet.exe, or a service such as rke2 that runs it
as a child. Where the script of the service runs without kubelet.exe, the kubelet probably exits at its
start: the check cannot decide, and the log of the kubelet shows why. A stopped service is a fault; a
missing service is a fault only where the processes were recorded too. Before kubeadm join, which writes
its configuration, it is info. A machine of docker or containerd on which no file of Kubernetes was
found is skipped.`,
	Fix: checks.Steps(
		checks.Run("{start kubelet}", "Start the kubelet."),
		checks.Inspect("Get-ChildItem C:\\k, C:\\var\\log -Recurse -Filter kubelet*.log -ErrorAction SilentlyContinue | Sort-Object LastWriteTime | Select-Object -Last 1 | Get-Content -Tail 30",
			"If it stops again, read the last lines of the kubelet's log and fix the error."),
		checks.Verify("kubectl get node {node}", "STATUS is Ready")),
	Links:    []string{"https://kubernetes.io/docs/tasks/debug/debug-cluster/windows/"},
	Judges:   effectKubelet,
	Needs:    []evidence.Need{node.ComponentSources},
	Uses:     joinSources,
	FromPart: []evidence.Need{evidence.Services},
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		return notRunning(node.About(s).Components["kubelet"], s,
			evidence.Phrasef("pods on this node are not started or reported"))
	},
})
