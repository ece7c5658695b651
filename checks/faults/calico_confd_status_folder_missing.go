package faults

import (
	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

var _ = register(&checks.Check{
	ID:       "calico-confd-status-folder-missing",
	Title:    "Calico confd folder endpoint-status is missing",
	Healthy:  "Calico confd folder endpoint-status exists",
	Category: checks.CategoryComponents,
	Doc: `confd of Calico 3.30 with BGP watches \var\run\calico\endpoint-status. On Windows nothing creates
this folder. confd tries again twice a minute, keeps a thread each time, and ends after some days
with "program exceeds 10000-thread limit". Until then routes are advertised.

The check looks for the error in the log of confd.`,
	Fix: checks.Steps(
		checks.Run(`New-Item -ItemType Directory -Force C:\var\run\calico\endpoint-status`,
			"Create the folder."),
		checks.Run("Restart-Service CalicoConfd",
			"Restart confd.").
			Costs("Routes to the pods of this node are advertised again after some seconds."),
		checks.Verify(`Test-Path C:\var\run\calico\endpoint-status`, "True")),
	Links: []string{
		"https://github.com/projectcalico/calico/issues/10596",
	},
	Breaks:  []*checks.Effect{},
	Needs:   []evidence.Need{evidence.Any(evidence.Logs("calico-node"), evidence.Logs("other"))},
	Applies: checks.UnlessOtherCNI(node.Calico),
	Signs: []checks.Sign{
		{Text: "confd/status_file_watcher.go",
			Also:  []string{"endpoint-status", "The system cannot find the"},
			Level: checks.Warn,
			Says:  "confd does not find its folder endpoint-status, and will run out of threads"},
	},
})
