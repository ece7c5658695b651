package faults

import (
	"doctor/checks"
	"doctor/checks/evidence"
)

var _ = register(&checks.Check{
	ID:       "rancher-plan-for-linux",
	Title:    "Rancher sends the Windows node a plan for Linux",
	Healthy:  "Plans of Rancher are for Windows",
	Category: checks.CategoryComponents,
	Doc: `The agent of Rancher runs the instructions of a plan that Rancher makes for the node. Rancher before 2.9.8 and
2.10.4 wraps the rotation of certificates in a script for /bin/sh, also for Windows nodes. The agent
then fails at this instruction again and again, and applies no plan behind it.

The check looks for the error in the log of the agent (provider rancher-wins in the Application log).`,
	Fix: checks.Steps(
		checks.Do("Update Rancher to 2.9.8, 2.10.4 or later. The agent gets a new plan."),
		checks.Run("Restart-Service rke2", "Until then, restart the agent of RKE2: it takes its new certificates at its start.").
			Costs("The kubelet and the network agents of the node restart."),
		checks.Verify("Get-WinEvent -ProviderName rancher-wins -MaxEvents 20 | Format-List TimeCreated, Message",
			"no new event names /bin/sh")),
	Links: []string{
		"https://github.com/rancher/rancher/issues/44979",
		"https://github.com/rancher/rancher/pull/49071",
		"https://www.suse.com/support/kb/doc/?id=000021805",
	},
	Breaks: []*checks.Effect{},
	Needs:  []evidence.Need{evidence.Any(evidence.WindowsEvents, evidence.Logs("rancher-wins"), evidence.Logs("other"))},
	Signs: []checks.Sign{
		// the log of the agent has its quotes after a backslash
		{Text: `error executing instruction`, Also: []string{"exec: ", `"/bin/sh`},
			Says: "the agent of Rancher cannot run an instruction of its plan: it is for Linux"},
	},
})
