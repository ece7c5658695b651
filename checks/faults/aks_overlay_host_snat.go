package faults

import (
	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

// overlaySNATUBR is the update of April 2023 (KB5025230), build 20348.1668.
const overlaySNATUBR = 1668

var _ = register(&checks.Check{
	ID:       "aks-overlay-host-snat",
	Title:    "Windows build rewrites packets of host network pods (Azure CNI Overlay)",
	Healthy:  "Windows build keeps packets of host network pods (Azure CNI Overlay)",
	Category: checks.CategoryNetwork,
	Doc: `With Azure CNI Overlay, Windows Server 2022 before build 20348.1668 changes the source address
of packets that come from pods on the host network to pods on the Windows node. Such connections
fail, among them those of agents and of ingress controllers with hostNetwork. Clusters that were
updated to Overlay are affected most. AKS requires 20348.1668 or later.

No log shows it. The check uses the build's revision and the network type in the labels of the node.
It is a warning: nothing shows whether such connections are used.`,
	Fix: checks.Steps(
		checks.Run("az aks nodepool upgrade --node-image-only --name POOL --cluster-name CLUSTER --resource-group GROUP",
			"Upgrade the node image of the pool.").
			Costs("The nodes are replaced one after the other, and their pods are evicted."),
		checks.Verify(`kubectl get node {node} -o jsonpath='{.status.nodeInfo.kernelVersion}'`,
			"10.0.20348.1668 or later")),
	Links: []string{"https://learn.microsoft.com/en-us/azure/aks/update-azure-cni",
		"https://support.microsoft.com/help/5025230"},
	Breaks:  []*checks.Effect{effectServices},
	Applies: checks.OnPlatform(node.AKS),
	Needs:   []evidence.Need{node.NeedBuild, evidence.Node},
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		b, label := node.About(s).Build, "kubernetes.azure.com/podnetwork-type"
		object := evidence.Node.In(s)
		switch kind, ok := object.Metadata.Labels[label]; {
		case !ok || kind != "overlay":
			return nil, checks.Skip("the node does not use Azure CNI Overlay")
		case b.Value.Number != ws2022:
			return nil, checks.Skip("the limit is of build %d (found: %d)", ws2022, b.Value.Number)
		case b.Value.UBR < 0:
			return nil, checks.Unknown(evidence.NotShown.Gap("the revision of the Windows build"))
		case b.Value.UBR >= overlaySNATUBR:
			return nil, nil
		}
		return []*checks.Finding{checks.Findingf(checks.Warn, b.Value.String(),
			"Windows build is %s (Azure CNI Overlay requires 10.0.20348.%d or later): connections from host network pods fail",
			b.Value, overlaySNATUBR).With(b.From).
			At(object.Field("metadata", "labels", label), "%s: overlay", label)}, nil
	},
})
