package faults

import (
	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

var _ = register(&checks.Check{
	ID:       "runtime-not-running",
	Title:    "Container runtime is not running",
	Healthy:  "Container runtime is running",
	Category: checks.CategoryComponents,
	FAQ:      []int{1, 2},
	Doc: `The kubelet starts pods through a container runtime: containerd, or one of the editions of
docker. Without it no container starts, and the kubelet reports "container runtime is down".

The check looks for a running service or process of containerd or docker. A stopped docker service
is not a fault where containerd runs.`,
	Fix: checks.Steps(
		checks.Run("{start runtime}", "Start the container runtime."),
		checks.Inspect(
			"Get-WinEvent -LogName Application -MaxEvents 50 | Where-Object ProviderName -match '{runtime}'",
			"If it stops again, read its events: the usual reason is an error in its configuration."),
		checks.Verify("crictl info", "RuntimeReady with status true")),
	Links:  []string{"https://kubernetes.io/docs/setup/production-environment/container-runtimes/"},
	Judges: effectRuntime,
	Needs:  []evidence.Need{node.ComponentSources},
	Uses:   []evidence.Need{evidence.Services, evidence.Processes, evidence.Pods},
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		return notRunning(node.About(s).Components["runtime"], s,
			evidence.Phrasef("containers cannot start"))
	},
})
