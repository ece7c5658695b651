package faults

import (
	"doctor/checks"
	"doctor/checks/evidence"
)

// The file is there, and lacks a server or a name: kubernetes-the-hard-way 162.
const bootstrapInconsistent = "unable to load bootstrap kubeconfig: invalid configuration"

var _ = register(&checks.Check{
	ID:       "kubelet-bootstrap-config-missing",
	Title:    "kubelet has no kubeconfig and no bootstrap kubeconfig",
	Healthy:  "kubelet has a kubeconfig or a bootstrap kubeconfig",
	Category: checks.CategoryComponents,
	Doc: `A kubelet without a kubeconfig requests one with the bootstrap kubeconfig. If both files are
missing, it exits at once: kubeadm join did not finish, its token file was deleted, or the paths
of the flags are wrong.

The check looks for the error in the log of the kubelet. Before kubeadm join it is expected.`,
	Fix: checks.Steps(
		checks.Run("kubeadm token create --print-join-command",
			"On a control plane node, create a token and print the join command."),
		checks.Run("kubeadm join API-SERVER:6443 --token TOKEN --discovery-token-ca-cert-hash sha256:HASH --cri-socket npipe:////./pipe/containerd-containerd",
			"Run the printed command on this node, with the pipe of the runtime."),
		checks.Verify("kubectl get node {node}", "STATUS is Ready")),
	Links: []string{
		"https://kubernetes.io/docs/reference/access-authn-authz/kubelet-tls-bootstrapping/",
		"https://kubernetes.io/docs/tasks/administer-cluster/kubeadm/adding-windows-nodes/",
	},
	Breaks:   []*checks.Effect{effectKubeletStart},
	Explains: []string{"kubeconfig-invalid"},
	Needs:    []evidence.Need{evidence.Any(evidence.Logs("kubelet"), evidence.WindowsEvents, evidence.Logs("other"))},
	Signs: []checks.Sign{
		{Text: "unable to load bootstrap kubeconfig",
			Not:   []string{bootstrapInconsistent},
			Until: nodeRegistered,
			Says:  "the kubelet exits: it has neither a kubeconfig nor a bootstrap kubeconfig"},
	},
})
