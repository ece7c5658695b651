package faults

import (
	"time"

	"doctor/checks"
	"doctor/checks/evidence"
)

var _ = register(&checks.Check{
	ID:       "rancher-wins-program-in-use",
	Title:    "rancher-wins cannot replace a program that still runs",
	Healthy:  "rancher-wins starts its programs",
	Category: checks.CategoryComponents,
	Doc: `On nodes of RKE 1, containers such as nginx-proxy, kubelet and kube-proxy start their program on the
node through the service rancher-wins, which copies it to rancher-wins-NAME.exe first. Windows does not
delete or rename a program that runs. If the service ended and the old process did not, the copy fails,
the container ends, and each start fails in the same way until the service stops.

The check looks for the error in the logs of the containers and of the service.`,
	Fix: checks.Steps(
		checks.Inspect("Get-Process rancher-wins-* | Select-Object Id, Name, StartTime",
			"Find the process of the program that the error names."),
		checks.Run("Stop-Process -Id PID -Force", "Stop this process.").
			Costs("The component stops until its container starts it again."),
		checks.Run("Start-Service rancher-wins", "Start rancher-wins if it is stopped."),
		checks.Verify("docker ps", "the container is Up")),
	Links: []string{
		"https://github.com/rancher/wins/issues/78",
		"https://github.com/rancher/windows/issues/138",
		"https://github.com/rancher/windows/issues/189",
		"https://github.com/rancher/rancher/issues/35826",
	},
	Breaks: []*checks.Effect{effectKubelet},
	Needs: []evidence.Need{evidence.Any(evidence.Logs("rancher-wins"), evidence.Logs("pods"), evidence.Logs("docker"),
		evidence.WindowsEvents, evidence.Logs("other"))},
	Uses: []evidence.Need{evidence.Services, evidence.Processes, evidence.Pods},
	Moot: noProgram("an agent of Rancher", "wins", "rancher"),
	Signs: []checks.Sign{
		{Text: "could not rename binary: could not remove existing target file",
			Or:    []string{"could not rename binary: could not backup the existing target file"},
			Also:  []string{"Access is denied"},
			Lasts: time.Minute, // the next start may find the old process gone
			Says:  "rancher-wins cannot replace a program whose old process still runs"},
	},
})
