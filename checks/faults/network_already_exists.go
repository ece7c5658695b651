package faults

import (
	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

var _ = register(&checks.Check{
	ID:       "network-already-exists",
	Title:    "HNS network name already in use (hidden network)",
	Healthy:  "HNS network name is not in use by a hidden network",
	Category: checks.CategoryNetwork,
	FAQ:      []int{11},
	Doc: `Get-HnsNetwork may not show a network that was partly deleted, or that was created
through the other of the two interfaces of HNS. Its name is still in use: creating the network fails
with "A network with this name already exists", 0x803b0010, although the list is empty.

The check fails where the pod network is missing in HNS and creating it was refused. Where the
network exists, the refusal is in the past.`,
	Fix: checks.Steps(
		checks.Run("Restart-Service hns -Force",
			"Restart HNS to remove the network that Get-HnsNetwork does not show.").
			Costs("All pods of {node} lose their network. Services that depend on HNS stop, and may stay stopped."),
		startKubelet(),
		checks.Run("{restart network agent}",
			"Restart the program that creates the HNS network {network}.").
			Costs("The node loses its network for a few seconds while HNS creates the network."),
		restartProxyAfterHNS(),
		checks.Run("Restart-Computer", "Reboot the node if HNS still refuses the network.").
			Costs("All pods of {node} stop until the node has booted."),
		checks.Verify("Get-HnsNetwork | Where-Object Name -eq '{network}'",
			"the network {network}")),
	Links: []string{"https://github.com/microsoft/hcsshim/issues/850",
		"https://github.com/kubernetes-sigs/sig-windows-tools/issues/249",
		"https://github.com/kubernetes-sigs/sig-windows-tools/issues/186",
		"https://github.com/kubernetes-sigs/sig-windows-tools/issues/250"},
	Breaks: []*checks.Effect{effectNetworkCreation, effectKubeProxy, effectPodTraffic,
		effectNodePorts},
	Needs: []evidence.Need{evidence.HNSNetworks, node.NeedNetworks},
	Signs: []checks.Sign{nameTaken()},
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		return refusedNetwork(s, "network-already-exists",
			"HNS refuses to create network %s because it already exists, but lists only %s"), nil
	},
})

// refusedNetwork fails where the pod network is not there and a sign shows that
// it was refused. A refusal from before the network existed is in the past.
func refusedNetwork(s evidence.Snapshot, id, format string) []*checks.Finding {
	n := node.About(s)
	m, told := liveSign(s, id)
	if _, there := n.PodNetwork(s); there || !told {
		return nil
	}
	list := networkNames(evidence.HNSNetworks.In(s))
	f := checks.Findingf(checks.Fail, n.Networks.Value[0], format, evidence.Joined(n.Networks.Value,
		" or "), list).With(checks.Quote(m)).At(evidence.HNSNetworks.Field(s), "names: %s", list)
	f.Basis = checks.ByBoth
	return []*checks.Finding{f}
}

// nameTaken leaves out docker's own network, what the setup of flannel's pod prints at each restart
// because the network External is there (sig-windows-tools, pull request 106), and what a later line
// of flanneld or the Antrea agent says they have got.
func nameTaken() checks.Sign {
	s := unlike(checks.SignOfCode("HCN_E_NETWORK_ALREADY_EXISTS",
		"HNS refuses to create the pod network: the name is already in use"),
		`"nat" network`, `\"nat\" network`, "Invoke-HnsRequest")
	s.Until = networkCreated
	return s
}

// networkCreated is what flanneld and the Antrea agent say that have got their HNS network.
var networkCreated = append([]string{"Created HNSNetwork", "Found existing HNSNetwork"},
	subnetWritten...)
