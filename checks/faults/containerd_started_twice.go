package faults

import (
	"doctor/checks"
	"doctor/checks/evidence"
)

var _ = register(&checks.Check{
	ID:       "containerd-started-twice",
	Title:    "Another containerd already uses the pipe",
	Healthy:  "No other containerd uses the pipe",
	Category: checks.CategoryComponents,
	Doc: `containerd serves a named pipe, and Windows gives a name to one process only. If a second
containerd is started with the same name, it ends with "failed to get listener" and "Access is
denied". RKE2 and Docker start a containerd of their own: a service containerd that somebody
installed on the node before takes the pipe, and rke2 or docker starts again and again.

The check looks for the error in the logs. It does not show which process has the pipe.`,
	Fix: checks.Steps(
		checks.Inspect("Get-CimInstance Win32_Process -Filter \"name='containerd.exe'\" | Format-List ProcessId, ParentProcessId, CommandLine",
			"Find the containerd that has the pipe, and who started it."),
		checks.Run("Stop-Service containerd; Set-Service containerd -StartupType Disabled",
			"If RKE2 or Docker runs a containerd of its own, stop the service containerd and disable it.").
			Costs("Containers of the stopped containerd are no longer managed."),
		checks.Verify("Get-Service rke2, docker, containerd -ErrorAction SilentlyContinue",
			"only the services that the node needs are Running")),
	Links: []string{"https://github.com/rancher/rke2/issues/6853",
		"https://github.com/moby/moby/pull/47955"},
	Breaks:   []*checks.Effect{effectRuntime},
	Explains: []string{"cni-config-uninitialized"}, // the other one has another configuration
	Needs: []evidence.Need{evidence.Any(evidence.Logs("containerd"),
		evidence.Logs("other"), evidence.WindowsEvents)},
	Signs: []checks.Sign{
		{Text: "failed to get listener for main ttrpc endpoint",
			Or:   []string{"failed to get listener for main endpoint", "failed to get listener for debug endpoint"},
			Also: []string{`pipe`}, Not: []string{"syntax is incorrect"},
			Until: []string{"containerd successfully booted in"},
			Says:  "containerd exits: another process already serves its pipe"},
		// metadata/plugin/plugin.go: it waits until the other process closes the file
		{Text: "waiting for response from boltdb open", In: []string{"containerd", "docker", "rke2", "k3s", "other", evidence.InEvents},
			Until: []string{"containerd successfully booted in"},
			Says:  "containerd waits at its start: another process has its database open"},
	},
})
