package faults

import (
	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

var _ = register(&checks.Check{
	ID:       "kubelet-certificate-request-refused",
	Title:    "API server refuses the kubelet's credentials",
	Healthy:  "API server accepts the kubelet's credentials",
	Category: checks.CategoryComponents,
	Doc: `A kubelet requests its client certificate, or a new one before the old one expires, with a
CertificateSigningRequest. The API server answers Unauthorized if the bootstrap token has expired
(after 24 hours with kubeadm) or the old certificate is no longer valid. The node does not join,
or is lost when its certificate ends. A kubelet whose kubeconfig has neither a certificate nor a token
is system:anonymous, and may not register its node.

The check looks for the answer in the log of the kubelet.`,
	Fix: checks.Steps(
		checks.Run("kubeadm token create --print-join-command",
			"On a control plane node, create a token and print the join command.").Only(node.SelfManaged),
		checks.Run("kubeadm reset --force --cri-socket npipe:////./pipe/containerd-containerd",
			"Remove the old credentials of this node.").
			Costs("All Kubernetes containers on this machine are removed.").Only(node.SelfManaged),
		checks.Run("kubeadm join API-SERVER:6443 --token TOKEN --discovery-token-ca-cert-hash sha256:HASH --cri-socket npipe:////./pipe/containerd-containerd",
			"Run the printed command on this node, with the pipe of the runtime.").Only(node.SelfManaged),
		reprovisionAKS,
		joinEKS,
		checks.Verify("kubectl get node {node}", "STATUS is Ready")),
	Links: []string{
		"https://kubernetes.io/docs/setup/production-environment/tools/kubeadm/troubleshooting-kubeadm/#kubelet-client-cert",
		"https://kubernetes.io/docs/reference/access-authn-authz/kubelet-tls-bootstrapping/",
		"https://github.com/kubernetes-sigs/cluster-api/issues/8631",
		"https://github.com/rootsongjc/kubernetes-handbook/issues/45",
	},
	Breaks:   []*checks.Effect{effectNodeReports, effectKubeletStart},
	Explains: podsOfTheNode,
	Needs:    []evidence.Need{evidence.Any(evidence.Logs("kubelet"), evidence.WindowsEvents, evidence.Logs("other"))},
	Signs: []checks.Sign{
		{Text: "cannot create certificate signing request: Unauthorized",
			Until: nodeRegistered,
			Says:  "the API server refuses the certificate request of the kubelet: its token or certificate is no longer valid"},
		// Who has a valid token may request only what a role allows.
		{Text: "cannot create certificate signing request: certificatesigningrequests.certificates.k8s.io is forbidden",
			Not:   []string{"system:anonymous"},
			Until: nodeRegistered,
			Says:  "the identity of the bootstrap kubeconfig may not request certificates",
			Fix:   bootstrapperFix},
		{Text: "system:anonymous", Also: []string{"Unable to register node"}, Until: nodeRegistered,
			Says: "the kubelet cannot register its node: its kubeconfig has no valid certificate or token"},
		{Text: "system:anonymous", Also: []string{"cannot create certificate signing request"}, Until: nodeRegistered,
			Says: "the kubelet cannot request a certificate: its bootstrap kubeconfig has no valid token"},
	},
})

// podsOfTheNode are the faults of a node on which no pod starts: the agents that run as pods, what
// they set up, and the network that the plugin makes with the first pod come after its credentials.
var podsOfTheNode = []string{"kube-proxy-not-running", "cni-config-uninitialized", "hns-network-missing",
	"kubeproxy-network-name-unset-or-missing"}

var (
	reprovisionAKS = checks.Run("az aks nodepool upgrade --node-image-only --resource-group GROUP --cluster-name CLUSTER --name POOL",
		"On AKS, provision the nodes again, with the current bootstrap token.").
		Costs("The nodes of the pool are replaced one after the other.").Only(node.AKS)
	joinEKS = checks.Do("On EKS, map the role of the node with an access entry of type EC2_WINDOWS.").Only(node.EKS)
)

var bootstrapperFix = checks.Steps(
	checks.Run("kubectl create clusterrolebinding kubelet-bootstrap --clusterrole=system:node-bootstrapper --group=system:bootstrappers",
		"Allow the group of the bootstrap tokens to request certificates. For a user of a token file, bind that user."),
	checks.Run("{restart kubelet}", "Restart the kubelet.").Costs("Running containers are not affected."),
	checks.Verify("kubectl get node {node}", "STATUS is Ready"))
