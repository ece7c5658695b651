package faults

import (
	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

var _ = register(&checks.Check{
	ID:       "calico-cni-token-expired",
	Title:    "Token of the Calico CNI plugin expired",
	Healthy:  "Token of the Calico CNI plugin is valid",
	Category: checks.CategoryNetwork,
	Doc: `The Calico CNI plugin authenticates with a token in a kubeconfig on the node, which is
valid for a day. A process that runs with calico-node writes a new one in time. On Windows the HostProcess
images had no such process before 3.27.3, and elsewhere it is off where CALICO_MANAGE_CNI is false.
A day after the start of its pod the node can neither create nor remove pods: each call ends with
Unauthorized. Restarting the pod gives the plugin another day.

The check looks for that answer in events and logs. A pod that became Ready later ends it.`,
	Fix: checks.Steps(
		checks.Run("kubectl delete pod -n calico-system -l k8s-app=calico-node-windows --field-selector spec.nodeName={node}",
			"Restart the calico-node pod of this node: its init container writes a new token. With manifests the namespace is kube-system.").
			Costs("Network policies are not updated for some seconds. Running pods keep their network."),
		checks.Do("Upgrade Calico to 3.27.3, 3.28 or later. In manifests of your own, remove CALICO_MANAGE_CNI=false."),
		checks.Verify("kubectl get pods -A -o wide --field-selector spec.nodeName={node}", "all pods are Running")),
	Links: []string{
		"https://github.com/projectcalico/calico/issues/8379",
		"https://github.com/projectcalico/calico/pull/8563",
		"https://github.com/projectcalico/calico/issues/8757",
		"https://github.com/projectcalico/calico/issues/8577",
		"https://github.com/projectcalico/calico/issues/6546",
	},
	Breaks:  []*checks.Effect{effectPodStart},
	Applies: checks.OnCNI(node.Calico),
	Needs: []evidence.Need{evidence.Any(evidence.PodEvents, evidence.Logs("kubelet"),
		evidence.Logs("containerd"))},
	Signs: []checks.Sign{
		{Text: "error getting ClusterInformation: connection is unauthorized: Unauthorized",
			Until: nodeBecameReady,
			Says:  "the API server rejects the token of the Calico CNI plugin"},
	},
})
