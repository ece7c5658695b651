package faults

import (
	"doctor/checks"
	"doctor/checks/evidence"
)

var _ = register(&checks.Check{
	ID:       "kubeadm-ca-hash-mismatch",
	Title:    "kubeadm join: the CA hash is of another cluster",
	Healthy:  "kubeadm join has the hash of the cluster's CA",
	Category: checks.CategoryComponents,
	Doc: `kubeadm join compares the CA of the cluster with --discovery-token-ca-cert-hash. They differ if
the control plane was initialized again, the command is of another cluster, or something between
the node and the API server replaces certificates.

The check looks for the error in the output of kubeadm.`,
	Fix: checks.Steps(
		checks.Run("kubeadm token create --print-join-command",
			"On a control plane node, create a token and print the join command."),
		checks.Run("kubeadm join API-SERVER:6443 --token TOKEN --discovery-token-ca-cert-hash sha256:HASH --cri-socket npipe:////./pipe/containerd-containerd",
			"Run the printed command on this node, with the pipe of the runtime."),
		checks.Verify("kubectl get node {node}", "STATUS is Ready")),
	Links: []string{
		"https://kubernetes.io/docs/reference/setup-tools/kubeadm/kubeadm-join/#discovering-what-cluster-ca-to-trust",
	},
	Breaks:   []*checks.Effect{effectKubeletStart},
	Explains: []string{"kubeadm-join-preflight"},
	Needs:    []evidence.Need{evidence.Any(evidence.Logs("kubeadm"), evidence.WindowsEvents, evidence.Logs("other"))},
	Uses:     []evidence.Need{evidence.Node},
	Moot:     notJoining,
	Signs: []checks.Sign{
		{Text: "cluster CA found in cluster-info ConfigMap is invalid",
			Until: joined,
			Says:  "kubeadm join failed: the cluster's CA is not the one of --discovery-token-ca-cert-hash"},
	},
})
