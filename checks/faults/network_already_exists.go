package faults

import (
	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

var _ = register(checks.Check{
	ID:       "network-already-exists",
	Title:    "HNS refuses to create a network whose name it still holds out of sight",
	Category: checks.CategoryNetwork,
	FAQ:      []int{11},
	Doc: `A network that was deleted in part, or made through the other of HNS's two interfaces,
can be invisible to Get-HnsNetwork and yet stand in the way: creating it fails with "A network with
this name already exists", 0x803b0010, although the list is empty.

The check fails where the pod network is not among the networks of HNS and somebody was refused.
Where it is there, the refusal is history.`,
	Fix: checks.Steps(
		checks.Run("Stop-Service kubelet, kube-proxy, flanneld",
			"restart HNS; if the refusal stays, let HNS forget its stored networks (HNS.data on Server 2019 and older, hnsdiag on newer ones) and reboot").
			Costs("restarts HNS: drops the network of every pod on {node}"),
		checks.Run("Restart-Service hns", ""),
		checks.Inspect("hnsdiag list networks", ""),
		checks.Run("Restart-Computer", "")),
	Links: []string{"https://github.com/microsoft/hcsshim/issues/850",
		"https://github.com/kubernetes-sigs/sig-windows-tools/issues/249",
		"https://github.com/kubernetes-sigs/sig-windows-tools/issues/186",
		"https://github.com/kubernetes-sigs/sig-windows-tools/issues/250"},
	Breaks: []*checks.Effect{effectNetworkCreation, effectKubeProxy, effectPodTraffic,
		effectNodePorts},
	Needs: []evidence.Need{evidence.HNSNetworks, node.NeedNetworks},
	Signs: []checks.Sign{checks.SignOfCode("HCN_E_NETWORK_ALREADY_EXISTS",
		"HNS refuses to create the pod network: it holds one of that name")},
	Run: func(s evidence.Snapshot) ([]checks.Finding, error) {
		return refusedNetwork(s, "network-already-exists",
			"HNS refuses to create the network %s as existing, and lists %s"), nil
	},
})

// refusedNetwork fails where the pod network is not there and a sign tells who
// refused it. What was refused before the network came about is history.
func refusedNetwork(s evidence.Snapshot, id, format string) []checks.Finding {
	n := node.About(s)
	m, told := liveSign(s, id)
	if _, there := n.PodNetwork(s); there || !told {
		return nil
	}
	list := networkNames(evidence.HNSNetworks.In(s))
	f := checks.Findingf(checks.Fail, n.Networks.Value[0], format, evidence.Joined(n.Networks.Value,
		" or "), list).With(checks.Quote(m)).At(evidence.HNSNetworks.Field(s), "names: %s", list)
	f.Basis = checks.ByBoth
	return []checks.Finding{f}
}
