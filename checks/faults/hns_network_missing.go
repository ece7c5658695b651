package faults

import (
	"strings"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

var _ = register(&checks.Check{
	ID:       "hns-network-missing",
	Title:    "HNS network of the pods is missing",
	Healthy:  "HNS network of the pods exists",
	Category: checks.CategoryNetwork,
	FAQ:      []int{8, 11},
	Doc: `Each CNI plugin puts pods on an HNS network of a certain name and type: cbr0 for
flannel host-gw, flannel.4096 or vxlan0 for flannel overlay, Calico, azure, vpcbr… on EKS. Without
it, or with one of the wrong type, no pod gets a network.

The component that creates the network failed before that: look at flanneld, the Calico node
service, the physical adapter and the Windows features.`,
	Fix: checks.Steps(
		checks.Inspect("Get-HnsNetwork | Select-Object Name, Type, ManagementIP",
			"Look for leftovers of an older network of the same name, and remove them."),
		checks.Run("{restart network agent}",
			"Restart the program that creates the HNS network {network}.").
			Costs("The node loses its network for a few seconds while HNS creates the network."),
		checks.Verify("Get-HnsNetwork | Where-Object Name -eq '{network}'",
			"the network {network}")),
	Links: []string{"https://kubernetes.io/docs/tasks/debug/debug-cluster/windows/",
		"https://learn.microsoft.com/en-us/virtualization/windowscontainers/kubernetes/common-problems"},
	Judges: effectHNSNetwork,
	Needs:  []evidence.Need{evidence.HNSNetworks, node.NeedNetworks},
	Uses:   []evidence.Need{evidence.Pods, evidence.Processes},
	// each belongs to the fault of who misses the network, which follows from this one
	Signs: []checks.Sign{
		{Text: "is not present or has changed since the last sync", ConfirmOnly: true},
		{Text: "Unable to find HNS Network specified", ConfirmOnly: true},
		{Text: "error while GETHNSNewtorkByName", ConfirmOnly: true},
		{Text: "error while hcn.GetNetworkByName", ConfirmOnly: true},
		{Text: "is of unexpected type", Also: []string{"network"}, ConfirmOnly: true},
	},
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		n := node.About(s)
		net, ok := n.PodNetwork(s)
		if err := awaitsFirstPod(n, s); !ok && err != nil {
			return nil, err
		}
		if !ok {
			return []*checks.Finding{checks.Findingf(checks.Fail, n.Networks.Value[0],
				"HNS network %s is missing (found: %s)", evidence.Joined(n.Networks.Value, " or "),
				networkNames(evidence.HNSNetworks.In(s))).
				At(evidence.HNSNetworks.Field(s), "names: %s",
					networkNames(evidence.HNSNetworks.In(s))).With(n.Networks.From)}, nil
		}
		f := n.Intended()
		if f == nil || f.Config == nil {
			return nil, nil
		}
		if want := typeFor(f.Config.EffectiveType()); want != "" && net.Type != "" &&
			!strings.EqualFold(string(want), net.Type) &&
			!(want == node.L2Bridge && strings.EqualFold(net.Type, "L2Tunnel")) {
			return []*checks.Finding{checks.Findingf(checks.Fail, net.Name,
				"HNS network %s is of type %s, and the plugin %s needs %s", net.Name, net.Type,
				f.Config.EffectiveType(), want).
				At(net.Field("Type"), "%s: type %s", net.Name, net.Type).At(f.TypeField(),
				"type is %s", f.Config.EffectiveType())}, nil
		}
		return nil, nil
	},
})

// awaitsFirstPod is nil where the HNS network of a plugin that makes it itself must be there.
func awaitsFirstPod(n *node.Node, s evidence.Snapshot) error {
	switch {
	case n.BeforeFirstPod(s): // kube-proxy waits for it, as AKS' kubeproxystart.ps1 says
		return checks.Skip("the CNI plugin creates the HNS network with the first pod")
	case n.MayAwaitFirstPod(s):
		return checks.Unknown(evidence.Pods.Gap(s))
	}
	return nil
}

// typeFor is the HNS network type that a plugin insists on.
func typeFor(plugin string) node.Backend {
	switch strings.ToLower(strings.TrimSuffix(strings.ToLower(plugin), ".exe")) {
	case "win-bridge", "sdnbridge", "wincni":
		return node.L2Bridge
	case "win-overlay", "sdnoverlay":
		return node.OverlayNet
	}
	return ""
}

func networkNames(list []evidence.HNSNetwork) string {
	if len(list) == 0 {
		return "none"
	}
	var names []string
	for _, net := range list {
		names = append(names, net.Name+" ("+net.Type+")")
	}
	if len(names) > 12 {
		names = append(names[:12], "…")
	}
	return strings.Join(names, ", ")
}
