package faults

import (
	"doctor/checks"
	"doctor/checks/evidence"
)

var _ = register(&checks.Check{
	ID:       "apiserver-cert-name",
	Title:    "API server certificate is for another address",
	Healthy:  "API server certificate has the address of the kubeconfig",
	Category: checks.CategorySecurity,
	Doc: `A client refuses the certificate of the API server if it does not have the name or address that
the client connects to. The usual reasons are a load balancer, a second network or a public address
that was added after the cluster was made, or a kubeconfig with an address where a name is needed.
The node does not join.

The check looks for the error in the logs of the kubelet, kube-proxy and kubeadm.`,
	Fix: checks.Steps(
		checks.Inspect(`kubectl config view --kubeconfig {kubeconfig} -o jsonpath='{.clusters[0].cluster.server}'`,
			"Read the address of the API server from the kubeconfig. The error lists the names that the certificate has."),
		checks.Do("Set server in the kubeconfig to one of these names, if the node reaches it."),
		checks.Do("Or add the address to apiServer.certSANs of the kubeadm configuration, delete apiserver.crt and apiserver.key, and run kubeadm init phase certs apiserver on each control plane node.").
			Costs("The API server restarts."),
		checks.Run("{restart kubelet}", "Restart the kubelet.").
			Costs("Running containers are not affected."),
		checks.Verify("kubectl get node {node}", "STATUS is Ready")),
	Links: []string{
		"https://github.com/kubernetes/kubernetes/issues/27442",
		"https://github.com/kubernetes/kubernetes/issues/58921",
		"https://github.com/kubernetes/kubeadm/issues/1611",
		"https://kubernetes.io/docs/reference/config-api/kubeadm-config.v1beta4/",
	},
	Breaks: []*checks.Effect{effectNodeReports, effectKubeletStart},
	Needs:  []evidence.Need{evidence.Any(evidence.Logs("kubelet"), evidence.Logs("kube-proxy"), evidence.Logs("kubeadm"))},
	Signs: append(wrongName("x509: certificate is valid for ", ", not "),
		wrongName("x509: cannot validate certificate for ", "because it doesn't contain any IP SANs")...),
})

// wrongName are the requests that only go to the API server, with the words of crypto/x509. The
// certificate of a kubelet or a webhook is refused in the same words.
func wrongName(text, rest string) []checks.Sign {
	var signs []checks.Sign
	for _, request := range []string{"Unable to register node", "Failed to list *v1.Node: Get",
		"Failed to list *v1.Service: Get", "Unable to write event", "Failed to ensure lease exists",
		leaseFailed[0], "Error updating node status, will retry", "cannot create certificate signing request: ",
		"Failed to request cluster info, will try again", "Failed to request cluster-info, will try again",
		"couldn't validate the identity of the API Server"} {
		signs = append(signs, checks.Sign{Text: text, Also: []string{rest, request},
			In:    []string{"kubelet", "kube-proxy", "kubeadm", "rke2", "k3s"},
			Until: append([]string{joined[0]}, nodeRegistered...),
			Says:  "the certificate of the API server does not have the address that the node connects to"})
	}
	return signs
}
