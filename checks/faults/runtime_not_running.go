package faults

import (
	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

var _ = register(checks.Check{
	ID:       "runtime-not-running",
	Title:    "no container runtime runs",
	Category: checks.CategoryComponents,
	FAQ:      []int{1, 2},
	Doc: `The kubelet starts pods through a container runtime: containerd, or docker in its
several editions. Without one no container starts, and the kubelet reports "container runtime is
down".

The check looks for a running service or process of containerd or docker. A docker service that is
stopped beside a running containerd is no fault.`,
	Fix: checks.Steps(
		checks.Inspect("Get-Service {runtime}", ""),
		checks.Run("{start runtime}",
			"start the runtime; if it stops again at once, run it in a console to see why: a mistake in its configuration is the usual reason"),
		checks.Inspect(
			"Get-WinEvent -LogName Application -MaxEvents 50 | Where-Object ProviderName -match '{runtime}'", "")),
	Links:  []string{"https://kubernetes.io/docs/setup/production-environment/container-runtimes/"},
	Judges: effectRuntime,
	Needs:  []evidence.Need{node.ComponentSources},
	Uses:   []evidence.Need{evidence.Services, evidence.Processes, evidence.Pods},
	Run: func(s evidence.Snapshot) ([]checks.Finding, error) {
		return notRunning(node.About(s).Components["runtime"], s,
			evidence.Phrasef("no container can be started"))
	},
})
