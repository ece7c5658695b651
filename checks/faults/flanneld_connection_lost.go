package faults

import (
	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

var _ = register(&checks.Check{
	ID:       "flanneld-connection-lost",
	Title:    "flanneld lost its connection to the API server",
	Healthy:  "flanneld is connected to the API server",
	Category: checks.CategoryNetwork,
	Doc: `When flanneld creates the first HNS network of a node, Windows moves the address of the adapter to
a virtual one, and open connections break. Older builds of flanneld keep using the dead HTTP/2
connection: every call fails with "no cached connection was available", so the leases of other
nodes, and the routes to their pods, are never read.

The check looks for the repeated error in the log of flanneld.`,
	Fix: checks.Steps(
		checks.Run("{restart flanneld}",
			"Restart flanneld: the network exists now, and the connection is new.").
			Costs("New pods wait for a few seconds."),
		checks.Do("Create the HNS network External before flanneld starts, as PrepareNode.ps1 does, or update flanneld."),
		checks.Verify("Get-NetRoute -AddressFamily IPv4 | Select-Object DestinationPrefix, NextHop", "a route for the podCIDR of each other node")),
	Links: []string{
		"https://github.com/kubernetes-sigs/sig-windows-tools/issues/37",
		"https://github.com/kubernetes-sigs/sig-windows-tools/issues/83",
	},
	Breaks:  []*checks.Effect{effectRoutes},
	Needs:   []evidence.Need{evidence.Any(evidence.Logs("flanneld"), evidence.Logs("other"))},
	Applies: checks.UnlessOtherCNI(node.Flannel),
	Signs: []checks.Sign{
		{Text: "http2: no cached connection was available",
			Also:  []string{"Failed to list *v1.Node"},
			Until: leasesRead,
			Says:  "flanneld uses a dead connection to the API server"},
		// the first request after the loss is the watch that was cut: flannel 1359
		{Text: "http2: no cached connection was available",
			Also:  []string{"Failed to watch *v1.Node", "subnet/kube/kube.go"},
			Until: leasesRead,
			Says:  "flanneld uses a dead connection to the API server"},
	},
})

// leasesRead is what flanneld prints once it has the subnets of the other nodes.
var leasesRead = append([]string{"Subnet added: "}, subnetWritten...)
