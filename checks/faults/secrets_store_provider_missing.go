package faults

import (
	"doctor/checks"
)

var _ = register(&checks.Check{
	ID:       "secrets-store-provider-missing",
	Title:    "Secrets store provider does not run on this node",
	Healthy:  "Secrets store providers run where pods need them",
	Category: checks.CategoryStorage,
	Doc: `The Secrets Store CSI driver asks a provider on the same node for the secrets, through a
socket that the provider creates in a folder of the host. Driver and provider have a DaemonSet each
for Windows, and both are off by default in their Helm charts (windows.enabled). If only the driver
runs on the Windows node, or the provider does not start, the mount ends with "provider not found".

The check looks for this answer at pods that do not start and in the logs of the driver.`,
	Fix: checks.Steps(
		checks.Inspect("kubectl get pods -A -o wide --field-selector spec.nodeName={node} | Select-String provider",
			"Check whether a pod of the provider runs on this node."),
		checks.Run("helm upgrade csi csi-secrets-store-provider-azure/csi-secrets-store-provider-azure -n kube-system --reuse-values --set windows.enabled=true --set secrets-store-csi-driver.windows.enabled=true",
			"For Azure Key Vault by Helm, enable the driver and its provider on Windows nodes."),
		checks.Do("If the pod of the provider runs, compare its --endpoint with the providers folder that the DaemonSet of the driver mounts."),
		checks.Verify("kubectl get pods -A -o wide --field-selector spec.nodeName={node}",
			"all pods are Running")),
	Links: []string{
		"https://github.com/Azure/secrets-store-csi-driver-provider-azure/issues/931",
		"https://secrets-store-csi-driver.sigs.k8s.io/troubleshooting",
		"https://azure.github.io/secrets-store-csi-driver-provider-azure/docs/getting-started/installation/",
	},
	Breaks:   []*checks.Effect{effectPodStart},
	Needs:    complaintNeeds,
	FromPart: complaintNeeds,
	Uses:     complaintUses,
	Signs:    secretsStoreProviderMissingSigns,
	Run:      complain(secretsStoreProviderMissingSigns),
})

var secretsStoreProviderMissingSigns = []checks.Sign{
	{Text: "error connecting to provider", Also: []string{"provider not found"},
		Says: "the Secrets Store CSI driver finds no provider on this node"},
	// The socket is there, and nobody listens.
	{Text: "connect: No connection could be made because the target machine actively refused it",
		Also: []string{"secrets-store-csi-providers", ".sock"},
		Says: "the provider of the Secrets Store CSI driver does not run: its socket refuses connections"},
	// Drivers of 2020 run the program of the provider, unless they are told that it has a socket
	// (Azure/secrets-store-csi-driver-provider-azure issue 259).
	{Text: "failed to find provider binary",
		Or: []string{"desc = stat /etc/kubernetes/secrets-store-csi-providers",
			`desc = CreateFile C:\k\secrets-store-csi-providers`},
		Also: []string{"secrets-store-csi-providers"},
		Says: "the Secrets Store CSI driver finds no program of the provider on this node",
		Fix: checks.Steps(
			checks.Do("Update the driver and its provider to releases of the same time, or add --grpc-supported-providers=PROVIDER to the arguments of the driver."),
			checks.Verify("kubectl get pods -A -o wide --field-selector spec.nodeName={node}",
				"all pods are Running"))},
}
