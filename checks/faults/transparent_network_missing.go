package faults

import (
	"strings"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

var _ = register(checks.Check{
	ID:       "transparent-network-missing",
	Title:    "the transparent network of a Kubernetes 1.5 node is not there",
	Category: checks.CategoryNetwork,
	Doc: `On a node set up as of Kubernetes 1.5, docker puts pods on a transparent network that
somebody made by hand, and the host is on it with the adapter "vEthernet (HNSTransparent)", which
holds the gateway address of the node's pods. Without the network no pod starts; without the adapter
no packet leaves the node. Both are lost where the physical adapter was renamed or docker's networks
were cleaned up.

The check looks for the adapter, and for the docker network that the environment variable
CONTAINER_NETWORK names. Recipes that put pods on an l2bridge instead do not count.`,
	Fix: checks.Steps(
		checks.Run(`docker network create -d transparent --gateway GATEWAY --subnet {podCIDR} -o com.docker.network.windowsshim.interface="Ethernet 2" NETWORK`, "make the network again on the second physical adapter, give the host its gateway address, and tell the kubelet its name").
			Costs("the adapter that the network takes is gone from the host; pods must be made anew"),
		checks.Run(`netsh interface ipv4 set address name="vEthernet (HNSTransparent)" source=static address=GATEWAY`, ""),
		checks.Run(`[Environment]::SetEnvironmentVariable("CONTAINER_NETWORK", "NETWORK", "Machine")`, "")),
	Links: []string{
		"https://github.com/kubernetes/website/tree/release-1.5/docs/getting-started-guides/windows", "https://kubernetes.io/blog/2016/12/windows-server-support-kubernetes/"},
	Breaks:   []*checks.Effect{effectHNSNetwork, effectPodStart, effectNodeReady, effectServices},
	Explains: []string{"cni-network-not-found"},
	Applies:  checks.OnGeneration(node.Gen15),
	Needs:    []evidence.Need{evidence.Adapters},
	Uses:     []evidence.Need{evidence.HNSNetworks, evidence.Env, evidence.Services},
	Signs: []checks.Sign{
		{Text: "Error response from daemon: network ", Also: []string{"not found"},
			In:   []string{"kubelet", "docker", evidence.InPodEvents},
			Says: "docker does not have the network that the kubelet puts pods on"},
	},
	Run: func(s evidence.Snapshot) ([]checks.Finding, error) {
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
		var findings []checks.Finding
		if _, there := adapterCalled(s, transparentAdapter); !there {
			if _, renamed := adapterCalled(s, "HNSTransparent"); !renamed {
				findings = append(findings, checks.Findingf(checks.Fail, transparentAdapter,
					"the host has no adapter %s: it is not on the network of its pods",
					transparentAdapter).
					At(evidence.Adapters.Field(s), "it has %s", adapterNames(s)))
			}
		}
		if name, from := containerNetwork(node.About(s), s); name != "" &&
			evidence.HNSNetworks.Known(s) && !hasNetwork(list, name) {
			findings = append(findings, checks.Findingf(checks.Fail, name,
				"the kubelet puts pods on docker's network %s, and HNS has %s", name,
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
