package faults

import (
	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

var _ = register(&checks.Check{
	ID:       "calico-apiserver-address-missing",
	Title:    "Calico CNI plugin has no API server address",
	Healthy:  "Calico CNI plugin has the address of the API server",
	Category: checks.CategoryNetwork,
	Doc: `Pods of Windows nodes cannot use the cluster IP of the API server before the network
works, so the manifests of Calico for Windows take its address from a ConfigMap, as
KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT. Both are empty in the file as published. The
installer then writes a kubeconfig whose server is only "https://", and the plugin fails for each
pod, although calico-node looks healthy.

The check looks for the plugin's complaint about the address.`,
	Fix: checks.Steps(
		checks.Do("Set KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT to the address of the API server: in the ConfigMap calico-windows-config, or with the operator in the ConfigMap kubernetes-services-endpoint of namespace tigera-operator."),
		checks.Run("kubectl -n kube-system rollout restart daemonset calico-node-windows",
			"Restart the DaemonSet, so that its init container writes the kubeconfig again. With the operator the namespace is calico-system.").
			Costs("calico-node restarts on all Windows nodes. Running pods keep their network."),
		checks.Verify("kubectl get pods -A -o wide --field-selector spec.nodeName={node}", "all pods are Running")),
	Links: []string{
		"https://github.com/kubernetes-sigs/sig-windows-tools/issues/302",
		"https://docs.tigera.io/calico/latest/getting-started/kubernetes/windows-calico/operator",
	},
	Breaks:  []*checks.Effect{effectPodStart},
	Applies: checks.OnCNI(node.Calico),
	Needs: []evidence.Need{evidence.Any(evidence.PodEvents, evidence.Logs("kubelet"),
		evidence.Logs("containerd"))},
	Signs: []checks.Sign{
		{Text: `host must be a URL or a host:port pair: "https://"`,
			Or:   []string{`host must be a URL or a host:port pair: \"https://\"`},
			Says: "the kubeconfig of the Calico CNI plugin names no server"},
	},
})
