package faults

import (
	"cmp"

	"doctor/checks"
	"doctor/checks/evidence"
)

var _ = register(&checks.Check{
	ID:       "kubeadm-join-preflight",
	Title:    "kubeadm join fails on this machine",
	Healthy:  "kubeadm join succeeded",
	Category: checks.CategoryComponents,
	Doc: `kubeadm join checks the machine, starts the kubelet, and waits for its health port. On
Windows it often fails because of two container runtimes (choose one with --cri-socket
npipe:////./pipe/containerd-containerd), files of an earlier join, or a kubelet that exits because
/etc/kubernetes/pki/ca.crt is missing. That path has no drive letter; PrepareNode.ps1 creates the
link from it to C:\etc\kubernetes\pki.

The fault is visible in logs only, so the check reads the output of kubeadm and the kubelet's log.
On a machine that has become a node since, these lines are history. "Usage of CRI endpoints without
URL scheme is deprecated" is a hint without effect.`,
	Fix: checks.Steps(
		checks.Run("kubeadm reset --force --cri-socket npipe:////./pipe/containerd-containerd",
			"Remove what the failed join left behind.").
			Costs("All Kubernetes containers on this machine are removed."),
		checks.Run(`New-Item -ItemType Directory -Force C:\var\lib\kubelet\etc\kubernetes; New-Item -ItemType SymbolicLink -Force -Path C:\var\lib\kubelet\etc\kubernetes\pki -Value C:\etc\kubernetes\pki`,
			"Create the link through which the kubelet finds ca.crt. Fix the other errors that kubeadm reported."),
		checks.Run("kubeadm join API-SERVER:6443 --token TOKEN --discovery-token-ca-cert-hash sha256:HASH --cri-socket npipe:////./pipe/containerd-containerd",
			"Join the cluster again, with the pipe of the runtime."),
		checks.Verify("kubectl get nodes", "this node with STATUS Ready")),
	Links: []string{
		"https://github.com/kubernetes/kubernetes/issues/123173",
		"https://github.com/kubernetes/website/pull/38334",
		"https://github.com/kubernetes-sigs/sig-windows-tools/issues/72",
		"https://github.com/kubernetes/kubernetes/issues/80400",
		"https://github.com/kubernetes/kubeadm/issues/2406",
		"https://kubernetes.io/docs/tasks/administer-cluster/kubeadm/adding-windows-nodes/",
	},
	Breaks: []*checks.Effect{effectKubeletStart, effectCNIConfig}, // no agent comes to a node that has not joined
	// kubeadm writes both when the node has joined
	Explains: []string{"kubeconfig-invalid", "kubelet-config-missing"},
	Needs: []evidence.Need{evidence.Any(evidence.Node, evidence.Logs("kubeadm"),
		evidence.Logs("kubelet"))},
	Uses: []evidence.Need{evidence.Node},
	Signs: []checks.Sign{
		// Docker Desktop in its Linux mode; kubernetes 80400
		{Text: "unsupported graph driver: overlay2", Until: joined,
			Says: "Docker on this machine runs Linux containers", Fix: linuxDockerFix},
		{Text: "criSocket: Invalid value", Also: []string{"path is not absolute"}, Until: joined,
			Says: "kubeadm does not accept the criSocket of its configuration", Fix: criSocketFix},
		// kubeadm 2218
		{Text: "[ERROR Port-10250]", Until: joined,
			Says: "kubeadm join failed: port 10250 of the kubelet is in use", Fix: joinPortFix},
		{Text: "[preflight] Some fatal errors occurred", Until: joined,
			Says: "kubeadm join failed its preflight checks"},
		{Text: "found multiple CRI endpoints on the host",
			Or: []string{"Found multiple CRI sockets, please use --cri-socket"}, Until: joined,
			Says: "kubeadm found two container runtimes: --cri-socket is required"},
		// crictl cannot parse what containerd answers on Windows: kubernetes 110626, cri-tools 1426
		{Text: "[ERROR CRI]", Also: []string{"in string escape code"}, Until: joined,
			Says: "kubeadm's check of the runtime fails in crictl, not in the runtime", Fix: crictlFix},
		{Text: "[ERROR CRI]", Not: []string{"in string escape code"}, Until: joined,
			Says: "kubeadm cannot connect to the container runtime"},
		{Text: "[ERROR FileAvailable-", Until: joined,
			Says: "files of an earlier kubeadm join exist"},
		// A slow kubelet is healthy at the next look.
		{Text: "[kubelet-check]", Also: []string{"isn't running or healthy"}, Until: joined,
			Says: "the kubelet exits while kubeadm waits for it"},
		{Text: "[kubelet-check] The kubelet is not healthy after", Until: joined,
			Says: "the kubelet exits while kubeadm waits for it"},
		// cmd/kubeadm/app/cmd/phases/join/kubelet.go
		{Text: "error execution phase kubelet-start: a Node with name", Also: []string{"already exists in the cluster"},
			Until: joined, Says: "kubeadm join failed: a Node of this name is in the cluster", Fix: existingNodeFix},
		{Text: "couldn't save the CA certificate to disk", Or: []string{"couldn't save bootstrap-kubelet.conf to disk",
			"error writing instance kubelet configuration to disk"},
			Until: joined, Says: "kubeadm join failed: it cannot write its files"},
		{Text: "error uploading crisocket: ", Level: checks.Warn, // why not, the kubelet says
			Until: joined, Says: "kubeadm join failed: the kubelet did not register its node"},
		{Text: "unable to load client CA file", Also: []string{"The system cannot find the"},
			Until: nodeRegistered, Says: "the ca.crt of the kubelet configuration is missing"},
		// Windows in another language
		{Text: "unable to load client CA file", Also: []string{": open "},
			Not: []string{"The system cannot find the"}, Until: nodeRegistered,
			Says: "the kubelet cannot read the ca.crt of its configuration"},
		{Text: "detected and using CRI socket", ConfirmOnly: true},
	},
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		if ready, ok := evidence.Node.In(s).Condition("Ready"); ok && ready.Status == "True" {
			return nil, nil
		}
		// A machine that is no node, or whose kubelet is silent: what the logs say stands.
		return nil, checks.Unknown(cmp.Or(evidence.Node.Gap(s),
			evidence.NotDecided.Gap(
				"the node is not Ready, and the logs that were read show no failed join")))
	},
})

var linuxDockerFix = checks.Steps(
	checks.Do("Install containerd for Windows, or switch Docker Desktop to Windows containers."),
	checks.Run("kubeadm join API-SERVER:6443 --token TOKEN --discovery-token-ca-cert-hash sha256:HASH --cri-socket npipe:////./pipe/containerd-containerd",
		"Join the cluster again, with the pipe of the runtime."),
	checks.Verify("kubectl get nodes", "this node with STATUS Ready"))

var existingNodeFix = checks.Steps(
	checks.Inspect("kubectl get node {node} -o wide",
		"Find out whether the Node is of another machine or of an earlier join of this one."),
	checks.Run("kubectl delete node {node}", "If it is of this machine, delete the Node.").
		Costs("The pods that are recorded for it are deleted."),
	checks.Do("If it is of another machine, join with another --node-name."),
	checks.Run("kubeadm join API-SERVER:6443 --token TOKEN --discovery-token-ca-cert-hash sha256:HASH --cri-socket npipe:////./pipe/containerd-containerd",
		"Join the cluster again, with the pipe of the runtime."),
	checks.Verify("kubectl get nodes", "this node with STATUS Ready"))

var criSocketFix = checks.Steps(
	checks.Do("In the file that you pass to kubeadm join with --config, set nodeRegistration.criSocket to npipe:////./pipe/containerd-containerd."),
	checks.Run("kubeadm join --config=join.yaml", "Join the cluster again."),
	checks.Verify("kubectl get nodes", "this node with STATUS Ready"))

var joinPortFix = checks.Steps(
	checks.Inspect("Get-NetTCPConnection -State Listen -LocalPort 10250 | Select-Object OwningProcess",
		"Find the process that has the port."),
	checks.Run("kubeadm reset --force --cri-socket npipe:////./pipe/containerd-containerd",
		"If it is the kubelet of an earlier join, remove that join. Otherwise stop the process.").
		Costs("All Kubernetes containers on this machine are removed."),
	checks.Run("kubeadm join API-SERVER:6443 --token TOKEN --discovery-token-ca-cert-hash sha256:HASH --cri-socket npipe:////./pipe/containerd-containerd",
		"Join the cluster again, with the pipe of the runtime."),
	checks.Verify("kubectl get nodes", "this node with STATUS Ready"))

var crictlFix = checks.Steps(
	checks.Run("kubeadm join API-SERVER:6443 --token TOKEN --discovery-token-ca-cert-hash sha256:HASH --cri-socket npipe:////./pipe/containerd-containerd --ignore-preflight-errors=CRI",
		"Join the cluster without this check, or remove crictl.exe from PATH for the join."),
	checks.Verify("kubectl get nodes", "this node with STATUS Ready"))

// joined is the last word of a kubeadm join that succeeded.
var joined = []string{"This node has joined the cluster"}

// nodeRegistered is what a kubelet says that has read its configuration and reached the API server.
var nodeRegistered = []string{evidence.NodeRegistered, "was previously registered"}
