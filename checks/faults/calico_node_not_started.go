package faults

import (
	"time"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

var _ = register(&checks.Check{
	ID:       "calico-node-not-started",
	Title:    "Calico CNI plugin has no node name (calico-node not started)",
	Healthy:  "calico-node has written its node name",
	Category: checks.CategoryComponents,
	Doc: `calico-node writes the name of the node to the file nodename when it has started. Until then
the CNI plugin of Calico refuses every pod. If that goes on, calico-node was never started, ends
before it gets there, or writes to another folder than the plugin reads: the manual installation
uses C:\CalicoWindows, HostProcess containers mount /var/lib/calico.

The check looks for the answer of the plugin. Its log says why calico-node does not start.`,
	Fix: checks.Steps(
		checks.Inspect("Get-Service CalicoNode, CalicoFelix; kubectl get pods -A -o wide --field-selector spec.nodeName={node}",
			"See how Calico was installed, and whether calico-node runs."),
		checks.Inspect(`Get-Content C:\CalicoWindows\logs\calico-node.log -Tail 50; kubectl logs -n calico-system POD -c node`,
			"Read the last error of calico-node, and fix it."),
		checks.Run("Start-Service CalicoNode, CalicoFelix", "If the services are stopped, start them.").
			Costs("New pods wait until Calico runs."),
		checks.Verify("kubectl get pods -A -o wide --field-selector spec.nodeName={node}",
			"new pods get an address")),
	Links: []string{
		"https://github.com/projectcalico/cni-plugin/issues/1149",
		"https://docs.tigera.io/calico/latest/getting-started/kubernetes/windows-calico/troubleshoot",
	},
	Breaks:  []*checks.Effect{effectPodStart},
	Shows:   []*checks.Effect{effectHNSNetwork},
	Applies: checks.UnlessOtherCNI(node.Calico),
	Needs: []evidence.Need{evidence.Any(evidence.PodEvents, evidence.Logs("kubelet"), evidence.Logs("containerd"),
		evidence.Logs("cni"))},
	Signs: []checks.Sign{
		{Text: "check that the calico/node container is running and has mounted",
			Lasts: 2 * time.Minute, // at the first start pods come before calico-node is ready
			Until: []string{"Calico CNI using IPs", "Wrote updated endpoint to datastore"},
			Says:  "the CNI plugin of Calico finds no node name: calico-node has not started"},
	},
})
