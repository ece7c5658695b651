package faults

import (
	"cmp"

	"doctor/checks"
	"doctor/checks/evidence"
)

var _ = register(checks.Check{
	ID:       "kubeadm-join-preflight",
	Title:    "kubeadm join gave up: something on the machine is not as it needs it",
	Category: checks.CategoryComponents,
	Doc: `kubeadm join looks at the machine before it touches it, starts the kubelet, and waits
for its health port. On Windows it stumbles over two runtimes of which it cannot choose (name one
with --cri-socket npipe:////./pipe/containerd-containerd), over files that an earlier join left
behind, and over a kubelet that does not stay up because it finds no /etc/kubernetes/pki/ca.crt: the
path has no drive, and PrepareNode.ps1 makes the link that leads it to C:\etc\kubernetes\pki.

Only the text tells, so the check reads the output of kubeadm and the kubelet's log. On a machine
that has become a node since, it is history. "Usage of CRI endpoints without URL scheme is
deprecated" is a hint and breaks nothing.`,
	Fix: checks.Steps(
		checks.Run("kubeadm reset --force --cri-socket npipe:////./pipe/containerd-containerd",
			"mend what kubeadm names, clear what the failed attempt left behind, and join again with the runtime's pipe named").
			Costs("kubeadm reset removes all containers of Kubernetes from the machine"),
		checks.Run(`New-Item -ItemType Directory -Force C:\var\lib\kubelet\etc\kubernetes; New-Item -ItemType SymbolicLink -Path C:\var\lib\kubelet\etc\kubernetes\pki -Value C:\etc\kubernetes\pki`, ""),
		checks.Run("kubeadm join API-SERVER:6443 --token TOKEN --discovery-token-ca-cert-hash sha256:HASH --cri-socket npipe:////./pipe/containerd-containerd", "")),
	Links: []string{
		"https://github.com/kubernetes/kubernetes/issues/123173",
		"https://github.com/kubernetes/website/pull/38334",
		"https://github.com/kubernetes-sigs/sig-windows-tools/issues/72",
		"https://kubernetes.io/docs/tasks/administer-cluster/kubeadm/adding-windows-nodes/",
	},
	Breaks: []*checks.Effect{effectKubeletStart},
	Needs: []evidence.Need{evidence.Any(evidence.Node, evidence.Logs("kubeadm"),
		evidence.Logs("kubelet"))},
	Uses: []evidence.Need{evidence.Node},
	Signs: []checks.Sign{
		{Text: "[preflight] Some fatal errors occurred",
			Says: "kubeadm join found the machine not ready for it"},
		{Text: "found multiple CRI endpoints on the host",
			Says: "kubeadm cannot choose between two container runtimes: --cri-socket is missing"},
		{Text: "[ERROR CRI]", Says: "kubeadm does not reach the container runtime"},
		{Text: "[ERROR FileAvailable-", Says: "an earlier join left files behind"},
		{Text: "[kubelet-check]", Also: []string{"isn't running or healthy"},
			Says: "the kubelet does not stay up while kubeadm waits for it"},
		{Text: "[kubelet-check] The kubelet is not healthy after",
			Says: "the kubelet does not stay up while kubeadm waits for it"},
		{Text: "unable to load client CA file", Also: []string{"cannot find"},
			Says: "the kubelet finds no ca.crt where its configuration names it"},
		{Text: "detected and using CRI socket", ConfirmOnly: true},
	},
	Run: func(s evidence.Snapshot) ([]checks.Finding, error) {
		if ready, ok := evidence.Node.In(s).Condition("Ready"); ok && ready.Status == "True" {
			return nil, nil
		}
		// A machine that is no node, or whose kubelet is silent: what the logs say stands.
		return nil, checks.Unknown(cmp.Or(evidence.Node.Gap(s),
			evidence.NotDecided.Gap(
				"the node is not Ready, and the logs that were read show no failed join")))
	},
})
