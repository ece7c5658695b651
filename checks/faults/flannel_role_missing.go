package faults

import (
	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

var _ = register(&checks.Check{
	ID:       "flannel-role-missing",
	Title:    "flannel's service account has no permission",
	Healthy:  "flannel's service account has its permissions",
	Category: checks.CategoryNetwork,
	Doc: `flanneld reads its own pod and the nodes from the API server, and writes to the Node object. Its
service account gets these permissions from the ClusterRole and the ClusterRoleBinding named flannel, which are
in the manifest of flannel. If they were not applied, or have the namespace of another release, the API server
refuses the first request, and flanneld exits. Nodes on which flanneld still runs are not affected until it starts again.

The check looks for the refusal in the log of flanneld.`,
	Fix: checks.Steps(
		checks.Inspect("kubectl get clusterrole,clusterrolebinding flannel -o yaml",
			"Check that both exist, and that the subject is the service account that the log names."),
		checks.Do("Apply the ClusterRole, the ClusterRoleBinding and the ServiceAccount of the manifest of your release of flannel."),
		checks.Run("{restart flanneld}", "Restart flanneld.").
			Costs("New pods wait for a few seconds."),
		checks.Verify("Get-Process flanneld", "one process flanneld")),
	Links: []string{
		"https://github.com/kubernetes-sigs/sig-windows-tools/issues/261",
		"https://github.com/voxpupuli/puppet-k8s/pull/126",
	},
	Breaks:  []*checks.Effect{effectNetworkCreation},
	Needs:   []evidence.Need{evidence.Any(evidence.Logs("flanneld"), evidence.Logs("other"))},
	Applies: checks.UnlessOtherCNI(node.Flannel),
	Signs: []checks.Sign{
		// pkg/subnet/kube/kube.go: flanneld reads its own pod first
		{Text: "Failed to create SubnetManager: error retrieving pod spec for ",
			Also:  []string{" is forbidden: User "},
			Not:   []string{"RBAC: "}, // an API server that starts has not read the roles yet
			Until: subnetWritten,
			Says:  "flanneld exits: its service account may not read pods"},
		{Text: `:flannel" cannot list resource "nodes"`, Or: []string{`:flannel\" cannot list resource \"nodes\"`},
			Also:  []string{" is forbidden: User "},
			Not:   []string{"RBAC: "}, // an API server that starts has not read the roles yet
			Until: subnetWritten,
			Says:  "flanneld waits: its service account may not list the nodes"},
	},
})
