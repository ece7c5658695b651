package faults

import (
	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

var _ = register(&checks.Check{
	ID:       "calico-service-hostprocess-only",
	Title:    "CalicoNode service fails after an upgrade of Calico",
	Healthy:  "CalicoNode service starts with this version of Calico",
	Category: checks.CategoryComponents,
	Doc: `Releases 3.27 and 3.28 of Calico before July 2024 start a token refresher and call an
upgrade helper from node-service.ps1. Both belong to HostProcess containers. Where Calico is
installed as Windows services the helper's flag does not exist any more, and the refresher ends
because a service has no mounted service account. Service CalicoNode then stops, although the Node
may still be Ready.

The check looks for the words of the flag and of the refresher.`,
	Fix: checks.Steps(
		checks.Do("Upgrade Calico for Windows to 3.28.1 or later, or install it with HostProcess containers by the operator.").
			Costs("calico-node restarts. Running pods keep their network."),
		checks.Verify("Get-Service CalicoNode, CalicoFelix", "both are Running")),
	Links: []string{
		"https://github.com/projectcalico/calico/pull/9016",
		"https://github.com/projectcalico/calico/pull/9028",
		"https://github.com/projectcalico/calico/pull/9029",
	},
	Breaks:  []*checks.Effect{effectNetworkCreation},
	Applies: checks.OnCNI(node.Calico),
	Needs:   []evidence.Need{evidence.Logs("calico-node")},
	Signs: []checks.Sign{
		{Text: "flag provided but not defined: -should-install-windows-upgrade",
			Says: "node-service.ps1 of Calico uses a flag that this calico-node does not have"},
		{Text: "cni-config-monitor/token_watch.go",
			Also: []string{"Failed to read service account namespace file"},
			Says: "the token refresher of Calico has no service account: this is not a HostProcess container"},
	},
})
