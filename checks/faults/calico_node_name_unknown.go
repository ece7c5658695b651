package faults

import (
	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

var _ = register(&checks.Check{
	ID:       "calico-node-name-unknown",
	Title:    "Calico node name does not exist in Kubernetes",
	Healthy:  "Calico uses the name of the Kubernetes Node",
	Category: checks.CategoryComponents,
	Doc: `With the Kubernetes datastore Calico stores its settings in the Node object, and cannot create
one. If NODENAME in config.ps1 is not the name of the Node, often the short host name where the
cluster uses the full one, calico-node cannot store the address of the node and starts again and
again.

The check looks for the error in the log of calico-node.`,
	Fix: checks.Steps(
		checks.Inspect("kubectl get nodes -o name",
			"Find the name of the Node."),
		checks.Edit(`C:\CalicoWindows\config.ps1`,
			"Set NODENAME to the name of the Node."),
		checks.Run("Restart-Service CalicoNode, CalicoFelix",
			"Restart the services of Calico.").
			Costs("New pods wait until Calico runs."),
		checks.Verify("Get-Service CalicoNode, CalicoFelix", "Status is Running")),
	Links: []string{
		"https://github.com/projectcalico/calico/issues/4037",
		"https://docs.tigera.io/calico/latest/getting-started/kubernetes/windows-calico/troubleshoot",
	},
	Breaks:  []*checks.Effect{effectNetworkCreation},
	Needs:   []evidence.Need{evidence.Any(evidence.Logs("calico-node"), evidence.Logs("other"))},
	Applies: checks.UnlessOtherCNI(node.Calico),
	Signs: []checks.Sign{
		// node/pkg/lifecycle/startup since 3.24 reads the Node before it stores anything, and ends
		{Text: "Failed to read Node from datastore", Also: []string{"not found"},
			Until: []string{"Using autodetected IPv4 address", "Calico node started successfully"},
			Says:  "calico-node does not find the Node with the name that it is given"},
		// libcalico-go/lib/backend/k8s/resources/node.go, and the error that calico-node makes of it. A
		// kubelet that registers the Node later ends it.
		{Text: "operation Create is not supported on Node(",
			Or:    []string{"Operation Create is not supported on Node type"},
			Until: []string{"Using node name"},
			Says:  "calico-node does not find the Node with the name that it is given"},
		// It first patches the condition NetworkUnavailable of the Node (node/pkg/lifecycle/utils).
		{Text: "timed out patching node, last error was: nodes", Also: []string{"not found"},
			Says: "calico-node does not find the Node with the name that it is given"},
	},
})
