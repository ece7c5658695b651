package faults

import (
	"doctor/checks"
	"doctor/checks/evidence"
)

var _ = register(&checks.Check{
	ID:       "rancher-connection-info-invalid",
	Title:    "Agent of Rancher cannot read its connection information",
	Healthy:  "Agent of Rancher has its connection information",
	Category: checks.CategoryComponents,
	Doc: `When a node is registered, the installation of Rancher's agent asks Rancher (/v3/connect/agent) for
the kubeconfig of the agent and stores the answer in rancher2_connection_info.json. If Rancher answers
with an error (the token is of a deleted cluster, its webhook or Cluster API does not run, an upgrade
of Rancher is under way), the file stays missing or empty, or holds the error. The agent then ends at
its start, and Rancher waits for the node to apply its plan.

The check looks for the error in the log of the agent and in the output of its installation.`,
	Fix: checks.Steps(
		checks.Inspect(`Get-Content C:\var\lib\rancher\agent\rancher2_connection_info.json`,
			"Read the file: it must be JSON with kubeConfig, namespace and secretName."),
		checks.Inspect("kubectl get pods -A",
			"On the cluster of Rancher, check that the pods of Rancher, its webhook and Cluster API run."),
		checks.Do("Copy the registration command from Rancher again, and run it on the node."),
		checks.Verify("Get-Service rancher-wins", "Status is Running")),
	Links: []string{
		"https://github.com/rancher/rancher/issues/56895",
		"https://github.com/rancher/rancher/issues/53354",
		"https://github.com/rancher/rancher/issues/54928",
		"https://github.com/rancher/system-agent/pull/151",
	},
	Breaks: []*checks.Effect{effectKubeletStart, effectRuntime},
	Needs:  []evidence.Need{evidence.Any(evidence.Logs("rancher-wins"), evidence.WindowsEvents, evidence.Logs("other"))},
	Uses:   []evidence.Need{evidence.Services, evidence.Processes, evidence.Pods},
	Moot:   noProgram("an agent of Rancher", "wins", "rancher"),
	Signs: []checks.Sign{
		// main.go of system-agent and pkg/systemagent of rancher/wins; the second since 2026
		{Text: "unable to parse connection info file", Or: []string{"connection info file not found"},
			Until: rancherConnected,
			Says:  "the agent of Rancher ends: its connection information is missing or is not JSON"},
		// install.ps1 of rancher/wins tries six times
		{Text: "received while downloading Rancher connection information",
			Until: []string{"Successfully downloaded Rancher connection information"}, Level: checks.Warn,
			Says: "Rancher refuses the registration of the node"},
	},
})
