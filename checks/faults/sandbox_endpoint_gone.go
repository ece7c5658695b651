package faults

import (
	"doctor/checks"
	"doctor/checks/evidence"
)

var _ = register(&checks.Check{
	ID:       "sandbox-endpoint-gone",
	Title:    "Sandbox cannot be removed: its HNS endpoint is gone",
	Healthy:  "Sandboxes are removed with their HNS endpoints",
	Category: checks.CategoryNetwork,
	Doc: `To remove a sandbox, the runtime asks the CNI plugin to delete its HNS endpoint. Some versions of
plugins fail where the endpoint was deleted before: by a restart of HNS, a reset of the network,
or by hand. The runtime then keeps the sandbox, tries again and again, and the pod stays
Terminating.

The check looks for the plugin's error in the logs and events.`,
	Fix: checks.Steps(
		checks.Run("crictl rmp -f SANDBOX",
			"Remove each sandbox that the error names.").
			Costs("The containers of the sandbox end."),
		checks.Do("Update the CNI plugin to a version that treats a missing endpoint as deleted. Until then, drain and restart the node where the sandbox stays."),
		checks.Verify("crictl pods --state NotReady", "no sandbox of a deleted pod")),
	Links: []string{
		"https://github.com/containerd/containerd/issues/6135",
		"https://github.com/Azure/azure-container-networking/issues/715",
		"https://github.com/containernetworking/cni/blob/main/SPEC.md#del-remove-container-from-network-or-un-apply-modifications",
	},
	Breaks: []*checks.Effect{},
	Needs:  []evidence.Need{evidence.Any(evidence.Logs("containerd"), evidence.Logs("azure-vnet"), evidence.Logs("kubelet"), evidence.PodEvents, evidence.Logs("other"))},
	Signs: []checks.Sign{
		{Text: "Failed to get hcn endpoint with id:",
			Also:  []string{"not found", "destroy network"},
			Until: sandboxTornDown,
			Says:  "a sandbox stays because its HNS endpoint is gone"},
		// hcsshim's EndpointNotFoundError (hcn/hcnerrors.go), where a plugin returns it
		{Text: "failed (delete): Endpoint ", Also: []string{"not found"},
			Until: sandboxTornDown,
			Says:  "a sandbox stays because its HNS endpoint is gone"},
		// azure-vnet until 1.2.0 (cni/network/network.go)
		{Text: "DEL command completed with err", Also: []string{"The endpoint was not found"},
			In:    []string{"azure-vnet", "cni"},
			Until: sandboxTornDown,
			Says:  "a sandbox stays because its HNS endpoint is gone"},
		// A newer azure-vnet logs what follows "err:" alone, and goes on (network/endpoint_windows.go).
		{Text: "Failed to delete endpoint", Also: []string{"err:Failed to remove hcn endpoint:",
			"hcnOpenNamespace failed in Win32: Element not found"},
			In:   []string{"azure-vnet", "cni"},
			Says: "a sandbox stays because its HNS namespace is gone"},
	},
})

// sandboxTornDown is what containerd logs of each sandbox whose network it could delete. One that
// stays is tried again every few minutes.
var sandboxTornDown = []string{"TearDown network for sandbox",
	"StopPodSandbox for … returns successfully"}
