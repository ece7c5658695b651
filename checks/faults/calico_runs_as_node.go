package faults

import (
	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

var _ = register(&checks.Check{
	ID:       "calico-runs-as-node",
	Title:    "Calico uses the identity of the kubelet",
	Healthy:  "Calico uses its service account",
	Category: checks.CategoryComponents,
	Doc: `calico-node must act as its service account, which may read Calico's resources. Manifests
that set KUBECONFIG to the kubelet's kubeconfig make it act as system:node:NAME instead. The API
server lets that user read its own Node and little more, so the first request for ClusterInformation
is forbidden, and calico-node starts again and again.

The check looks for a node user that is refused one of Calico's resources.`,
	Fix: checks.Steps(
		checks.Inspect("kubectl -n calico-system get daemonset calico-node-windows -o yaml",
			"Look for KUBECONFIG among the variables of the containers, and for a kubeconfig that install-cni writes."),
		checks.Do("Remove KUBECONFIG from the DaemonSet, so that calico-node uses its service account, or install Calico for Windows with the operator.").
			Costs("calico-node restarts on all Windows nodes. Running pods keep their network."),
		checks.Verify("kubectl get pods -A -o wide --field-selector spec.nodeName={node}", "the calico-node pod is Running")),
	Links: []string{
		"https://github.com/projectcalico/calico/issues/7445",
		"https://docs.tigera.io/calico/latest/getting-started/kubernetes/windows-calico/operator",
	},
	Breaks:  []*checks.Effect{effectNetworkCreation},
	Applies: checks.OnCNI(node.Calico),
	Needs: []evidence.Need{evidence.Any(evidence.PodEvents, evidence.Logs("calico-node"),
		evidence.Logs("kubelet"))},
	Signs: []checks.Sign{
		{Text: "crd.projectcalico.org", Also: []string{`User "system:node:`, "is forbidden"},
			Says: "Calico acts as the kubelet, which may not read its resources"},
		{Text: "crd.projectcalico.org", Also: []string{`User \"system:node:`, "is forbidden"},
			Says: "Calico acts as the kubelet, which may not read its resources"},
	},
})
