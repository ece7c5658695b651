package faults

import (
	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

var _ = register(&checks.Check{
	ID:       "calico-endpointslices-forbidden",
	Title:    "Calico may not list EndpointSlices",
	Healthy:  "Calico may list EndpointSlices",
	Category: checks.CategoryNetwork,
	Doc: `Felix watches EndpointSlices, and it applies nothing before its first list of each
resource is complete. The role of an older manifest or operator does not allow them. Felix on
Windows then asks every second, writes the refusal into its log, and the network policies of this
node stay incomplete: allowed connections are dropped, or blocked ones pass.

The check looks for the refusal of calico-node's service account.`,
	Fix: checks.Steps(
		checks.Inspect("kubectl auth can-i list endpointslices.discovery.k8s.io --as=system:serviceaccount:calico-system:calico-node",
			"Check whether calico-node may list EndpointSlices."),
		checks.Do("Upgrade the Tigera operator, or apply the ClusterRole calico-node of the installed Calico version."),
		checks.Verify("kubectl auth can-i list endpointslices.discovery.k8s.io --as=system:serviceaccount:calico-system:calico-node", "yes")),
	Links: []string{
		"https://github.com/projectcalico/calico/issues/4932",
		"https://docs.tigera.io/calico/latest/getting-started/kubernetes/windows-calico/operator",
	},
	Breaks:  []*checks.Effect{effectPodTraffic},
	Applies: checks.OnCNI(node.Calico, node.VPC), // EKS clusters run Calico's policies over Amazon's plugin
	Needs:   []evidence.Need{evidence.Logs("calico-node")},
	Signs: []checks.Sign{
		{Text: "endpointslices.discovery.k8s.io is forbidden", Also: []string{`calico-node"`},
			Until: endpointSlicesListed,
			Says:  "the role of calico-node does not allow it to list EndpointSlices"},
		{Text: "Unable to list K8s EndpointSlice resources",
			Also: []string{"the server could not find the requested resource"},
			Says: "Felix is too old for this API server: it requests EndpointSlices from an API that was removed"},
		// Calico 3.21.3 to 3.22.5 list it through list_pager.go of libcalico-go, which has no line of
		// its own; 3.23 and later request v1.
		{Text: "Failed to perform list of current data during resync",
			Also: []string{"kubernetesendpointslices", "the server could not find the requested resource"},
			Not:  []string{"Unable to list K8s EndpointSlice resources"},
			Says: "Felix is too old for this API server: it requests EndpointSlices from an API that was removed"},
	},
})

// endpointSlicesListed is what Felix says after its first list of them:
// libcalico-go/lib/backend/watchersyncer/watchercache.go, the same from Calico 3.8 to 3.32.
var endpointSlicesListed = []string{
	`Sending synced update ListRoot="/calico/resources/v3/projectcalico.org/kubernetesendpointslices"`,
	"All watchers have sync'd data"} // watchersyncer.go
