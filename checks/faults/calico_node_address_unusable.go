package faults

import (
	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

var _ = register(&checks.Check{
	ID:       "calico-node-address-unusable",
	Title:    "calico-node finds no usable address of its node",
	Healthy:  "calico-node knows the address of its node",
	Category: checks.CategoryComponents,
	Doc: `calico-node stores the address of its node, over which the other nodes reach its pods.
With IP set to autodetect it takes the first adapter, or the one that IP_AUTODETECTION_METHOD
selects. If none matches, as with a name of a Linux interface, or another node has the same address,
it exits and starts again. Windows leaves adapters of old nat networks, which have the same address
on each node.

The check looks for the error in the log of calico-node.`,
	Fix: checks.Steps(
		checks.Inspect("Get-NetIPAddress -AddressFamily IPv4 | Select-Object IPAddress, InterfaceAlias",
			"Find the address of the node, and the adapter that has it."),
		checks.Edit(`C:\CalicoWindows\config.ps1`,
			"Set IP to this address, or IP_AUTODETECTION_METHOD to a method that finds it, such as cidr=SUBNET. With the operator, set nodeAddressAutodetectionV4 of the Installation."),
		checks.Run("Restart-Service CalicoNode",
			"Restart calico-node, or delete its pod.").
			Costs("New pods wait until it runs."),
		checks.Verify("kubectl get pods -A -o wide --field-selector spec.nodeName={node}",
			"new pods get an address")),
	Links: []string{
		"https://github.com/projectcalico/calico/issues/2965",
		"https://github.com/projectcalico/calico/issues/1628",
		"https://github.com/projectcalico/calico/issues/2166",
		"https://github.com/projectcalico/calico/issues/4260",
		"https://docs.tigera.io/calico/latest/networking/ipam/ip-autodetection",
	},
	Breaks:  []*checks.Effect{effectNetworkCreation},
	Applies: checks.UnlessOtherCNI(node.Calico),
	Needs:   []evidence.Need{evidence.Any(evidence.Logs("calico"), evidence.Logs("other"))},
	Signs: []checks.Sign{
		// node/pkg/lifecycle/startup; it keeps an address that it has stored before
		{Text: "Couldn't autodetect an IPv4 address", Or: []string{"failed to autodetect an IPv4 address"},
			Until: calicoNodeStarted,
			Says:  "calico-node exits: it finds no address of this node"},
		// node/pkg/lifecycle/startup/autodetection: the reason, before it exits or keeps the stored address
		{Text: "Unable to auto-detect an IPv4 address", Until: calicoNodeStarted, Level: checks.Warn,
			Says: "calico-node finds no address of this node by its autodetection method"},
		{Text: "is already using the IPv4 address", Also: []string{"Calico node '"},
			Until: calicoNodeStarted, Fix: checks.Steps(
				checks.Inspect("kubectl get nodes -o wide",
					"See whether the other node exists, and which address it has."),
				checks.Do("If it does not exist any more, delete it from Calico: calicoctl delete node NAME. If the address is of a nat network, remove that network with Remove-HnsNetwork or set IP_AUTODETECTION_METHOD.").
					Costs("Pods on a node that is deleted from Calico lose their network."),
				checks.Verify("kubectl get pods -A -o wide --field-selector spec.nodeName={node}",
					"new pods get an address")),
			Says: "calico-node exits: another node of Calico has its address"},
	},
})

// calicoNodeStarted is the last word of calico-node's start-up.
var calicoNodeStarted = []string{"Using node name: "}
