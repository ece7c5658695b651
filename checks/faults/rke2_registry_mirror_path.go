package faults

import (
	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

var _ = register(&checks.Check{
	ID:       "rke2-registry-mirror-path",
	Title:    "RKE2 agent cannot create the folder of a registry mirror",
	Healthy:  "RKE2 agent creates the folders of its registry mirrors",
	Category: checks.CategoryComponents,
	Doc: `RKE2 writes a folder below certs.d for each registry and mirror, and names it after the address.
An address with a port has a colon, which Windows does not allow in a name. The embedded registry
mirror is one: RKE2 adds 127.0.0.1:9345 to each mirror of registries.yaml if embedded-registry is
on in the servers. The agent exits before it starts containerd, and the kubelet never starts.

The check looks for the agent's error.`,
	Fix: checks.Steps(
		checks.Inspect(`Get-Content C:\etc\rancher\rke2\registries.yaml`,
			"Read the mirrors of the node."),
		checks.Edit(`C:\etc\rancher\rke2\registries.yaml`,
			"Remove the mirror \"*\" and each endpoint with a port. In Rancher, set registries for the Linux machine pools only."),
		checks.Run("Restart-Service rke2", "Restart the agent.").
			Costs("Pods of the node lose their network until the agent has started."),
		checks.Verify("Get-Service rke2; Get-Process kubelet", "rke2 is Running, and there is a process kubelet")),
	Links:   []string{"https://github.com/rancher/rke2/issues/8138"},
	Breaks:  startedByAgent,
	Applies: checks.UnlessElsewhere(node.RKE2),
	Needs:   []evidence.Need{evidence.Any(evidence.Logs("rke2"), evidence.WindowsEvents, evidence.Logs("other"))},
	Signs: []checks.Sign{
		// The log has its backslashes twice or once.
		{Text: `certs.d\`, Also: []string{"level=fatal", "mkdir ", "containerd", "directory name is invalid"},
			Says: "the RKE2 agent cannot create the folder of a registry mirror"},
	},
})
