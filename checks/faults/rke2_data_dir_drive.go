package faults

import (
	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

var _ = register(&checks.Check{
	ID:       "rke2-data-dir-drive",
	Title:    "RKE2 agent does not accept a drive letter in data-dir",
	Healthy:  "data-dir of the RKE2 agent has no drive letter",
	Category: checks.CategoryComponents,
	Doc: `The RKE2 agent puts C:\ before the path in data-dir. A path that has a drive letter of its own
becomes one that Windows does not allow (c:\D:), and the agent exits at its start.

The check looks for the agent's error in its log and in the event log.`,
	Fix: checks.Steps(
		checks.Edit(`C:\etc\rancher\rke2\config.yaml`,
			"Set data-dir to a path without a drive letter, or remove the line."),
		checks.Run("Restart-Service rke2", "Restart the agent.").
			Costs("Pods of the node lose their network until the agent has started."),
		checks.Verify("Get-Service rke2", "Status is Running")),
	Links:   []string{"https://github.com/rancher/rke2/issues/9320"},
	Breaks:  startedByAgent,
	Applies: checks.UnlessElsewhere(node.RKE2),
	Needs:   []evidence.Need{evidence.Any(evidence.Logs("rke2"), evidence.WindowsEvents, evidence.Logs("other"))},
	Signs: []checks.Sign{
		// in the event log with one backslash, in a log with two
		{Text: "volume label syntax is incorrect", Also: []string{`mkdir c:\`, ":: "},
			Says: "the RKE2 agent puts C: before a data-dir with a drive letter"},
	},
})
