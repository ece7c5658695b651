package faults

import (
	"strings"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

var _ = register(&checks.Check{
	ID:       "transparent-network-missing",
	Title:    "Transparent network is missing (Kubernetes 1.5)",
	Healthy:  "Transparent network exists (Kubernetes 1.5)",
	Category: checks.CategoryNetwork,
	Doc: `On a node set up as of Kubernetes 1.5, Docker puts pods on a transparent network that is
created by hand. The host is on it with the adapter "vEthernet (HNSTransparent)", which holds the
gateway address of the node's pods. Without the network no pod starts; without the adapter no packet
leaves the node. Both are lost if the physical adapter is renamed or Docker's networks are cleaned
up.

The check looks for the adapter, and for the docker network that the environment variable
CONTAINER_NETWORK names. Recipes that put pods on an l2bridge instead are skipped.`,
	Fix: checks.Steps(
		checks.Run(`docker network create -d transparent --gateway GATEWAY --subnet {podCIDR} -o com.docker.network.windowsshim.interface="Ethernet 2" NETWORK`,
			"Create the transparent network on the second physical adapter.").
			Costs("The host can no longer use this adapter directly. Pods must be recreated."),
		checks.Run(`netsh interface ipv4 set address name="vEthernet (HNSTransparent)" source=static address=GATEWAY`,
			"Set the gateway address on the host's adapter."),
		checks.Run(`[Environment]::SetEnvironmentVariable("CONTAINER_NETWORK", "NETWORK", "Machine")`,
			"Set the network name for the kubelet."),
		checks.Run("{restart kubelet}", "Restart the kubelet.").Costs("Running containers are not affected."),
		checks.Verify("docker network ls", "NETWORK with driver transparent")),
	Links: []string{
		"https://github.com/kubernetes/website/tree/release-1.5/docs/getting-started-guides/windows", "https://kubernetes.io/blog/2016/12/windows-server-support-kubernetes/"},
	Breaks:   []*checks.Effect{effectHNSNetwork, effectPodStart, effectNodeReady, effectServices},
	Explains: []string{"cni-network-not-found"},
	Applies:  checks.OnGeneration(node.Gen15),
	Needs:    []evidence.Need{evidence.Adapters},
	Uses:     []evidence.Need{evidence.HNSNetworks, evidence.Env, evidence.Services},
	Signs: []checks.Sign{
		{Text: "Error response from daemon: network ", Also: []string{"not found"},
			Not:  []string{"network host not found"},        // of the recipe for kubeadm
			In:   []string{"kubelet", evidence.InPodEvents}, // docker says so of anybody's network
			Says: "the Docker network that the kubelet uses is missing"},
	},
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		if len(evidence.Adapters.In(s)) == 0 {
			return nil, checks.Unknown(noAdapters)
		}
		list := evidence.HNSNetworks.In(s)
		for _, net := range list {
			if t := strings.ToLower(net.Type); t == "l2bridge" || t == "l2tunnel" ||
				t == "overlay" {
				return nil, checks.Skip("pods are on the %s network %s", net.Type, net.Name)
			}
		}
		var findings []*checks.Finding
		if _, there := adapterCalled(s, transparentAdapter); !there {
			if _, renamed := adapterCalled(s, "HNSTransparent"); !renamed {
				findings = append(findings, checks.Findingf(checks.Fail, transparentAdapter,
					"Host adapter %s is missing: the host is not on the pod network",
					transparentAdapter).
					At(evidence.Adapters.Field(s), "it has %s", adapterNames(s)))
			}
		}
		if name, from := containerNetwork(node.About(s), s); name != "" &&
			evidence.HNSNetworks.Known(s) && !hasNetwork(list, name) {
			findings = append(findings, checks.Findingf(checks.Fail, name,
				"HNS network %s, which the kubelet uses, is missing (found: %s)", name,
				networkNames(list)).
				With(from).At(evidence.HNSNetworks.Field(s), "names: %s", networkNames(list)))
		}
		return findings, nil
	},
})

// containerNetwork is docker's network that this kubelet puts pods on.
func containerNetwork(n *node.Node, s evidence.Snapshot) (string, evidence.Because) {
	const name = "CONTAINER_NETWORK"
	for _, svc := range n.Components["kubelet"].Services {
		if v := svc.Env[name]; v != "" {
			return v, svc.Field("env", name).Because("%s: %s=%s", svc.Name, name, v)
		}
	}
	v := evidence.Env.In(s)[name]
	return v, evidence.Env.Field(s, name).Because("%s=%s", name, v)
}

func hasNetwork(list []evidence.HNSNetwork, name string) bool {
	for _, net := range list {
		if strings.EqualFold(net.Name, name) {
			return true
		}
	}
	return false
}
