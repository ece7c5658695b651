package faults

import (
	"doctor/checks"
	"doctor/checks/evidence"
)

var _ = register(&checks.Check{
	ID:       "kubeadm-token-expired",
	Title:    "kubeadm join: the token has expired",
	Healthy:  "kubeadm join has a valid token",
	Category: checks.CategoryComponents,
	Doc: `A bootstrap token of kubeadm is valid for 24 hours. After that kubeadm join finds no signature for
it in the ConfigMap cluster-info and gives up. A misspelled token gives the same error.

The check looks for the error in the output of kubeadm.`,
	Fix: checks.Steps(
		checks.Run("kubeadm token create --print-join-command",
			"On a control plane node, create a token and print the join command."),
		checks.Run("kubeadm join API-SERVER:6443 --token TOKEN --discovery-token-ca-cert-hash sha256:HASH --cri-socket npipe:////./pipe/containerd-containerd",
			"Run the printed command on this node, with the pipe of the runtime."),
		checks.Verify("kubectl get node {node}", "STATUS is Ready")),
	Links: []string{
		"https://github.com/kubernetes/kubeadm/issues/668",
		"https://github.com/kubernetes/kubeadm/issues/630",
		"https://kubernetes.io/docs/tasks/administer-cluster/kubeadm/adding-windows-nodes/",
	},
	Breaks:   []*checks.Effect{effectKubeletStart},
	Explains: []string{"kubeadm-join-preflight"},
	Needs:    []evidence.Need{evidence.Any(evidence.Logs("kubeadm"), evidence.WindowsEvents, evidence.Logs("other"))},
	Uses:     []evidence.Need{evidence.Node},
	Moot:     notJoining,
	Signs: []checks.Sign{
		{Text: "could not find a JWS signature in the cluster-info ConfigMap",
			Until: joined,
			Says:  "kubeadm join failed: the token has expired or is misspelled"},
		// with discovery from a file, or a Secret of the token without its expired counterpart
		{Text: "unable to fetch the kubeadm-config ConfigMap", Also: []string{"Unauthorized"},
			Until: joined,
			Says:  "kubeadm join failed: the API server does not accept the token"},
		// kubeadm 1.10 to 1.17, which asks again and again and shows it from --v=3 on: kubernetes 86936
		{Text: "there is no JWS signed token in the cluster-info ConfigMap",
			Or:    []string{"is invalid for this cluster or it has expired"},
			Until: joined,
			Says:  "kubeadm join failed: the token has expired or is misspelled"},
	},
})
