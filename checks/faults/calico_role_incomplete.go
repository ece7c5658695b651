package faults

import (
	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

var _ = register(&checks.Check{
	ID:       "calico-role-incomplete",
	Title:    "Roles of Calico do not fit its release",
	Healthy:  "Roles of Calico allow what its release needs",
	Category: checks.CategoryComponents,
	Doc: `Each release of Calico brings the ClusterRoles of its service accounts. Where only the images or
the DaemonSet for Windows were upgraded, or where the manifests for Windows were applied to an older
Calico, the roles lack a resource: the API server refuses the request, and calico-node or the CNI plugin ends.
Without the rights for ClusterInformation, calico-node exits at its start, and no pod gets a network.

The check looks for a service account of calico-node or of the CNI plugin that is refused one of Calico's
resources. Refused EndpointSlices are the subject of another check.`,
	Fix: checks.Steps(
		checks.Inspect("kubectl get clusterrolebindings -o wide | Select-String calico",
			"Check that the ClusterRoles of Calico are bound to the service account and namespace of the error."),
		checks.Do("Apply the whole manifest of the installed Calico release, with its ClusterRoles and bindings, or upgrade the Tigera operator."),
		checks.Do("Use the same Calico release for Linux and Windows nodes."),
		checks.Verify("kubectl auth can-i get clusterinformations.crd.projectcalico.org --as=system:serviceaccount:NAMESPACE:calico-node", "yes")),
	Links: []string{
		"https://github.com/kubernetes-sigs/sig-windows-tools/issues/302",
		"https://github.com/projectcalico/calico/issues/7971",
		"https://github.com/projectcalico/calico/issues/5046",
	},
	Breaks:   []*checks.Effect{effectNetworkCreation},
	Explains: []string{"calico-node-not-started"},
	Applies:  checks.OnCNI(node.Calico),
	Needs: []evidence.Need{evidence.Any(evidence.PodEvents, evidence.Logs("calico-node"),
		evidence.Logs("kubelet"))},
	Signs: []checks.Sign{
		{Text: "crd.projectcalico.org", Also: []string{" is forbidden: User ", ":calico-node"}, Until: calicoAllowed, Says: calicoRefused},
		{Text: "crd.projectcalico.org", Also: []string{" is forbidden: User ", ":calico-cni-plugin"}, Until: calicoAllowed, Says: calicoRefused},
	},
})

// calicoAllowed are said later if the roles were only applied after the DaemonSet: by node-service.ps1 of
// calico-node, and by Felix.
var calicoAllowed = []string{"Calico node initialisation succeeded", "All watchers have sync'd data"}

const calicoRefused = "the roles of Calico do not allow its service account what this release needs"
