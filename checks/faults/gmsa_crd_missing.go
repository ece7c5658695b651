package faults

import (
	"doctor/checks"
	"doctor/checks/evidence"
)

var _ = register(&checks.Check{
	ID:       "gmsa-crd-missing",
	Title:    "Cluster does not have the resource type GMSACredentialSpec",
	Healthy:  "Cluster has the resource type GMSACredentialSpec",
	Category: checks.CategoryWorkloads,
	Doc: `Credential specs for group managed service accounts (gMSA) are objects of the kind
GMSACredentialSpec. Its custom resource definition comes with the gMSA webhook and is not part of
Kubernetes. On AKS, both are installed when gMSA is enabled for the cluster. Without it, kubectl and
Helm reject the credential spec, and the webhook refuses pods that name it. Manifests of older guides
use the version windows.k8s.io/v1alpha1, which the current definition does not serve.

The check looks for the error of kubectl and other clients.`,
	Fix: checks.Steps(
		checks.Inspect("kubectl get crd gmsacredentialspecs.windows.k8s.io -o jsonpath='{.spec.versions[*].name}'",
			"Check that the definition exists, and which versions it has."),
		checks.Do("If it does not exist, install the gMSA webhook, whose chart contains it. On AKS, run az aks update --enable-windows-gmsa with the DNS server and the root domain."),
		checks.Do("If it has another version, set this version as apiVersion of the credential spec."),
		checks.Verify("kubectl get gmsacredentialspecs", "the credential spec")),
	Links: []string{
		"https://github.com/kubernetes-sigs/windows-gmsa/issues/79",
		"https://github.com/MicrosoftDocs/azure-docs/issues/94224",
		"https://kubernetes.io/docs/tasks/configure-pod-container/configure-gmsa/#install-the-gmsacredentialspec-crd",
		"https://learn.microsoft.com/en-us/azure/aks/use-group-managed-service-accounts",
	},
	Breaks: []*checks.Effect{effectPodStart},
	Needs:  []evidence.Need{evidence.Any(evidence.PodEvents, evidence.Logs("other"))},
	Uses:   []evidence.Need{evidence.Pods},
	Moot:   noGMSA,
	Signs: []checks.Sign{
		// apimachinery/pkg/api/meta/errors.go
		{Text: `no matches for kind "GMSACredentialSpec"`,
			Says: "the cluster has no resource type GMSACredentialSpec of the version that a manifest names"},
		// kubectl get
		{Text: `the server doesn't have a resource type "gmsacredentialspec`,
			Says: "the cluster has no resource type GMSACredentialSpec"},
	},
})
