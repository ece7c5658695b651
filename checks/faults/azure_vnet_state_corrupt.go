package faults

import (
	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

var _ = register(&checks.Check{
	ID:       "azure-vnet-state-corrupt",
	Title:    "azure-vnet state file is damaged",
	Healthy:  "azure-vnet state file can be read",
	Category: checks.CategoryNetwork,
	Doc: `azure-vnet keeps the endpoints of all pods in C:\k\azure-vnet.json, and their addresses in
azure-vnet-ipam.json. A crash of the node or
of the plugin while it writes leaves a file empty or filled with zeros. From then on each call of
the plugin fails when it reads the file: no pod gets a network, none is removed, and the node can
become NotReady. It was not seen again with azure-vnet 1.2.2.

The check looks for the answer of the plugin in its log. It does not read the file itself.`,
	Fix: checks.Steps(
		checks.Run("kubectl drain {node} --ignore-daemonsets --delete-emptydir-data",
			"Drain the node: its pods cannot keep their network.").
			Costs("All pods of this node are moved or stopped."),
		checks.Run(`{stop kubelet}; Remove-Item C:\k\azure-vnet.json, C:\k\azure-vnet-ipam.json -ErrorAction SilentlyContinue; Restart-Computer`,
			"Remove the damaged file and reboot: the node resets its network at its start."),
		checks.Run("kubectl uncordon {node}", "Allow pods on the node again."),
		checks.Do("If azure-vnet on this node is older than 1.2.2, upgrade the node image."),
		checks.Verify("kubectl get pods -A -o wide --field-selector spec.nodeName={node}",
			"pods start and are Running")),
	Links: []string{
		"https://github.com/Azure/azure-container-networking/issues/642",
		"https://github.com/Azure/azure-container-networking/issues/306",
		"https://github.com/Azure/azure-container-networking/issues/763",
		"https://github.com/Azure/AKS/issues/1772",
	},
	Breaks:  []*checks.Effect{effectPodStart, effectNodeReady},
	Applies: checks.OnCNI(node.Azure),
	Needs:   []evidence.Need{evidence.Any(evidence.Logs("azure-vnet"), evidence.Logs("cni"), evidence.Logs("kubelet"), evidence.Logs("containerd"))},
	Signs: []checks.Sign{
		{Text: "Failed to initialize network manager, err:invalid character",
			Or: []string{"Failed to start network plugin, err:invalid character",
				"Failed to start IPAM plugin, err:invalid character",
				"Failed to restore state, err:invalid character"}, // network and ipam/manager.go
			Not:   []string{"[Azure CNS]"}, // which removes its own file and goes on
			Until: []string{"ADD command completed"},
			Says:  "azure-vnet cannot read its state file: it is damaged"},
		// JSON since 1.5.8 (cni/network/network.go) and 1.5.12 (network/manager.go)
		{Text: "Failed to initialize network manager", Also: []string{`"error":"invalid character`},
			Until: []string{"ADD command completed"},
			Says:  "azure-vnet cannot read its state file: it is damaged"},
		{Text: "Failed to restore state", Also: []string{`"error":"invalid character`},
			Until: []string{"ADD command completed"},
			Says:  "azure-vnet cannot read its state file: it is damaged"},
		{Text: "Failed to restore state", Also: []string{`"error":"EOF"`},
			Until: []string{"ADD command completed"},
			Says:  "azure-vnet cannot read its state file: it is empty"},
		{Text: "Failed to restore state", Also: []string{`"error":"unexpected end of JSON input"`},
			Until: []string{"ADD command completed"},
			Says:  "azure-vnet cannot read its state file: it is empty"},
		{Text: "[net] Failed to restore state, err:EOF",
			Or: []string{"[net] Failed to restore state, err:unexpected end of JSON input",
				"[ipam] Failed to restore state, err:EOF",
				"[ipam] Failed to restore state, err:unexpected end of JSON input"},
			Until: []string{"ADD command completed"},
			Says:  "azure-vnet cannot read its state file: it is empty"},
	},
})
