package faults

import (
	"doctor/checks"
	"doctor/checks/evidence"
)

var _ = register(&checks.Check{
	ID:       "apiserver-ca-unknown",
	Title:    "Node does not trust the CA of the API server",
	Healthy:  "Node trusts the CA of the API server",
	Category: checks.CategorySecurity,
	Doc: `The kubeconfig of the kubelet holds the CA of the API server. If the CA of the cluster was
replaced, the kubeconfig is of another cluster, or a proxy between them decrypts TLS, the kubelet
refuses the certificate of the API server, and the node does not join or is lost. flanneld and the
CNI plugin of Calico have a kubeconfig of their own.

The check looks for the error in the logs of these components and of kube-proxy.`,
	Fix: checks.Steps(
		checks.Run("kubeadm token create --print-join-command",
			"On a control plane node, create a token and print the join command."),
		checks.Do("If a proxy decrypts TLS, exclude the API server from it."),
		checks.Edit("{kubeconfig}",
			"Or replace certificate-authority-data by the CA of the cluster (/etc/kubernetes/pki/ca.crt, base64)."),
		checks.Run("{restart kubelet}",
			"Restart the kubelet.").
			Costs("Running containers are not affected."),
		checks.Verify("kubectl get node {node}", "STATUS is Ready")),
	Links: []string{
		"https://github.com/kubernetes/website/issues/2033",
		"https://github.com/feiskyer/kubernetes-handbook/issues/224",
		"https://kubernetes.io/docs/setup/production-environment/tools/kubeadm/troubleshooting-kubeadm/#tls-certificate-errors",
	},
	Breaks: []*checks.Effect{effectNodeReports, effectKubeletStart},
	Needs:  []evidence.Need{evidence.Any(evidence.Logs("kubelet"), evidence.WindowsEvents, evidence.Logs("other"))},
	Signs: []checks.Sign{
		{Text: "Unable to register node",
			Also:  []string{"with API server", "certificate signed by unknown authority"},
			Until: nodeRegistered,
			Says:  "the kubelet refuses the API server's certificate: its CA is not the one of the kubeconfig"},
		// What a kubelet lists it lists from its API server (client-go's reflector).
		{Text: "Failed to list *v1.Node: Get", Or: []string{"Failed to list *v1.Pod: Get", "Failed to list *v1.Service: Get"},
			Also:  []string{"certificate signed by unknown authority"},
			In:    []string{"kubelet"},
			Until: nodeRegistered,
			Level: checks.Warn, // a node that has joined recovers without a word
			Says:  "the kubelet refuses the API server's certificate: its CA is not the one of the kubeconfig"},
		{Text: "Failed to list *v1.Node: Get",
			Also:  []string{"certificate signed by unknown authority"},
			In:    []string{"flanneld"},
			Until: subnetWritten,
			Level: checks.Warn,
			Says:  "flanneld refuses the API server's certificate: its CA is not the one of the kubeconfig"},
		// cni-plugin/pkg/plugin/plugin.go of Calico
		{Text: "error getting ClusterInformation: Get", Also: []string{"certificate signed by unknown authority"},
			Until: nodeBecameReady, Fix: calicoKubeconfigFix(),
			Says: "the CNI plugin of Calico refuses the API server's certificate: its CA is not the one of its kubeconfig"},
		{Text: "Failed to list *v1.Service: Get", Or: []string{"Failed to list *v1.EndpointSlice: Get",
			"Failed to list *v1.Endpoints: Get", "Failed to list *v1.Node: Get"},
			Also:  []string{"certificate signed by unknown authority"},
			In:    []string{"kube-proxy"},
			Level: checks.Warn, // it recovers without a word
			Says:  "kube-proxy refuses the API server's certificate: its CA is not the one of its kubeconfig",
			Fix: checks.Steps(
				checks.Do("If a proxy decrypts TLS, exclude the API server from it."),
				checks.Do("Or replace certificate-authority-data in the kubeconfig of kube-proxy by the CA of the cluster (/etc/kubernetes/pki/ca.crt, base64)."),
				checks.Run("{restart kube-proxy}", "Restart kube-proxy.").
					Costs("Connections to Services break for a few seconds."),
				checks.Verify("kubectl get node {node}", "STATUS is Ready"))},
		{Text: "Failed to ensure lease exists", Or: leaseFailed,
			Also:  []string{"certificate signed by unknown authority"},
			Until: nodeRegistered,
			Level: checks.Warn, // a node that has joined recovers without a word
			Says:  "the kubelet refuses the API server's certificate: its CA is not the one of the kubeconfig"},
		// What joins the node reads its settings there, as k0s does.
		{Text: "certificate signed by unknown authority", Also: []string{`https://`, "/api/v1/namespaces/"},
			In: []string{"other"}, Level: checks.Warn,
			Says: "a program of the node refuses the API server's certificate: its CA is not the one that the program has"},
		// The first request of a kubelet that has a bootstrap kubeconfig, and the rotation of its certificate.
		{Text: "cannot create certificate signing request: ",
			Also:  []string{"certificate signed by unknown authority"},
			Until: nodeRegistered,
			Says:  "the kubelet refuses the API server's certificate: its CA is not the one of the kubeconfig"},
		{Text: "Error updating node status, will retry",
			Also:  []string{"error getting node", "certificate signed by unknown authority"},
			Level: checks.Warn, // a node that has joined recovers without a word
			Says:  "the kubelet refuses the API server's certificate: its CA is not the one of the kubeconfig"},
		// the instance configuration daemon of OpenShift: pkg/daemon/controller of WMCO
		{Text: "could not find node object associated with this instance",
			Also: []string{"certificate signed by unknown authority"},
			Says: "the configuration daemon of OpenShift refuses the API server's certificate"},
		// Every program with an event recorder says so (client-go tools/record/event.go), each of its own server.
		{Text: "Unable to write event", Also: []string{"certificate signed by unknown authority"},
			In:    []string{"kubelet"},
			Until: nodeRegistered,
			Level: checks.Warn, // a node that has joined recovers without a word
			Says:  "the kubelet refuses the API server's certificate: its CA is not the one of the kubeconfig"},
	},
})

// calicoKubeconfigFix renews the kubeconfig that calico-node or its installation wrote for the plugin.
func calicoKubeconfigFix() checks.Fix {
	return checks.Steps(
		checks.Inspect(`Get-ChildItem C:\etc\cni\net.d, C:\CalicoWindows -Filter calico-kube* -Recurse`,
			"Find the kubeconfig of the plugin."),
		checks.Do("Delete the pod of calico-node-windows, so that it writes the kubeconfig again. Where Calico runs as services, run install-calico-windows.ps1 again.").
			Costs("New pods wait until Calico runs."),
		checks.Verify("kubectl get pods -A -o wide --field-selector spec.nodeName={node}",
			"new pods get an address"))
}
