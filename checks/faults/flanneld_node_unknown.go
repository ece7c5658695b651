package faults

import (
	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

var _ = register(&checks.Check{
	ID:       "flanneld-node-unknown",
	Title:    "flanneld node name does not exist in Kubernetes",
	Healthy:  "flanneld uses the name of the Kubernetes Node",
	Category: checks.CategoryNetwork,
	Doc: `flanneld reads the podCIDR from the Node with the name in its environment variable NODE_NAME, or
with the host name. If the kubelet registered the node under another name (--hostname-override, a
cloud's name, or capitals), flanneld finds no such Node and exits. It is the same while the
kubelet has not registered the node yet.

The check looks for the error in the log of flanneld.`,
	Fix: checks.Steps(
		checks.Inspect("kubectl get nodes -o name",
			"Find the name of the Node."),
		checks.Edit(`C:\k\start-flannel.ps1`,
			"Set NODE_NAME to the name of the Node, here or in the parameters of the service."),
		checks.Run("{restart flanneld}",
			"Restart flanneld.").
			Costs("New pods wait for a few seconds."),
		checks.Verify("Get-Process flanneld", "one process flanneld")),
	Links: []string{
		"https://github.com/flannel-io/flannel/issues/512",
		"https://kubernetes.io/docs/concepts/architecture/nodes/#node-name-uniqueness",
	},
	Breaks:  []*checks.Effect{effectNetworkCreation},
	Needs:   []evidence.Need{evidence.Any(evidence.Logs("flanneld"), evidence.Logs("other"))},
	Applies: checks.UnlessOtherCNI(node.Flannel),
	Signs: []checks.Sign{
		{Text: "failed to acquire lease: node",
			Also:  []string{`" not found`},
			Until: subnetWritten,
			Says:  "flanneld does not find the Node with the name that it uses"},
	},
})
