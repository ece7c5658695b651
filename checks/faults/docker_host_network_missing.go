package faults

import (
	"slices"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

var _ = register(&checks.Check{
	ID:       "docker-host-network-missing",
	Title:    "Docker has no network named host",
	Healthy:  "Docker has the network host that host pods need",
	Category: checks.CategoryNetwork,
	Doc: `With Docker on Windows, the kubelet starts the sandbox of a hostNetwork pod in the Docker
network "host". Docker has this network on Linux only. The scripts that prepare a node for kubeadm
(PrepareNode.ps1) create one of this name with the driver nat; if that step was left out, or the
network was deleted with the others, flannel and other host pods fail, and the node gets no pod
network.

The check looks for the answer of Docker at pods that do not start. It leaves out pods for Linux:
they need another node, not this network.`,
	Fix: checks.Steps(
		checks.Inspect("docker network ls", "List the networks of Docker."),
		checks.Run("docker network create -d nat host", "Create the network host."),
		checks.Do("Move the node to containerd, where such pods run as HostProcess pods.").
			Costs("The node must be drained first."),
		checks.Verify("kubectl get pods -A -o wide --field-selector spec.nodeName={node}",
			"all pods are Running")),
	Links: []string{
		"https://github.com/kubernetes-sigs/sig-windows-tools/issues/88",
		"https://github.com/kubernetes/kubernetes/issues/71130",
		"https://github.com/moby/moby/issues/38166",
	},
	Breaks:   []*checks.Effect{effectPodStart, effectFlanneld},
	Explains: []string{"pod-host-network", "cni-network-not-found"},
	Applies:  checks.OnRuntime("docker"),
	Needs:    complaintNeeds,
	FromPart: complaintNeeds,
	Uses:     complaintUses,
	Signs:    dockerHostNetworkMissingSigns,
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		findings, err := complain(dockerHostNetworkMissingSigns)(s)
		return slices.DeleteFunc(findings, func(f *checks.Finding) bool {
			return slices.ContainsFunc(evidence.Pods.In(s), func(p evidence.Pod) bool {
				_, linux := linuxSpec(p, linuxAgents)
				return p.FullName() == f.Subject && (node.PodSystem(p) == "linux" || linux && !staysOnWindows(p.Spec))
			})
		}), err
	},
})

var dockerHostNetworkMissingSigns = []checks.Sign{
	{Text: "network host not found", Or: []string{"No such network: host"}, Not: []string{linuxFlannel}, // the second of docker 17
		Says: "docker has no network named host, which pods with hostNetwork need"},
}
