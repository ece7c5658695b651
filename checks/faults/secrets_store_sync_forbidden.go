package faults

import (
	"slices"

	"doctor/checks"
)

var _ = register(&checks.Check{
	ID:       "secrets-store-sync-forbidden",
	Title:    "Secrets Store CSI driver may not create Secrets",
	Healthy:  "Secrets Store CSI driver may create the Secrets that it syncs",
	Category: checks.CategoryStorage,
	Doc: `A SecretProviderClass with secretObjects makes the Secrets Store CSI driver copy what it mounts
into Secrets of Kubernetes. The driver needs rights for this, which its Helm chart grants only with
syncSecret.enabled=true. Without them the volume is mounted and the Secret is not created: a pod that
reads it into its environment stays in CreateContainerConfigError, because the Secret is not found.

The check looks for the refusal in the events of pods that do not run, and in the logs of the driver.`,
	Fix: checks.Steps(
		checks.Inspect("kubectl get clusterrole secretprovidersyncing-role; kubectl get clusterrolebinding secretprovidersyncing-rolebinding",
			"Check whether the role for the synchronization and its binding exist."),
		checks.Run("helm upgrade csi secrets-store-csi-driver/secrets-store-csi-driver -n kube-system --reuse-values --set syncSecret.enabled=true",
			"Enable the synchronization in the chart of the driver. In the chart of Azure Key Vault, the setting is secrets-store-csi-driver.syncSecret.enabled."),
		checks.Do("If the role exists, check that its binding names the service account of the error."),
		checks.Verify("kubectl get secret -n NAMESPACE", "the Secret that secretObjects of the SecretProviderClass names")),
	Links: []string{
		"https://github.com/kubernetes-sigs/secrets-store-csi-driver/issues/618",
		"https://github.com/aws/secrets-store-csi-driver-provider-aws/issues/58",
		"https://azure.github.io/secrets-store-csi-driver-provider-azure/docs/troubleshooting/",
		"https://secrets-store-csi-driver.sigs.k8s.io/topics/sync-as-kubernetes-secret",
	},
	Breaks:   []*checks.Effect{effectPodStart},
	Explains: []string{"pod-config-object-missing"},
	Needs:    slices.Concat(complaintNeeds, complaintUses), // the pod itself does not say why there is no Secret
	FromPart: complaintNeeds,
	Signs:    secretsStoreSyncSigns,
	Run:      complain(secretsStoreSyncSigns),
})

// controllers/secretproviderclasspodstatus_controller.go of the driver
var secretsStoreSyncSigns = []checks.Sign{
	{Text: "FailedToCreateSecret", Also: []string{" is forbidden: User ", `resource "secrets"`}, Says: syncForbidden},
	{Text: "failed to create Kubernetes secret", Also: []string{" is forbidden: User "},
		Until: []string{"successfully created Kubernetes secret"}, Says: syncForbidden},
	{Text: "ensure syncSecret.enabled=true is set", Until: []string{"successfully created Kubernetes secret"}, Says: syncForbidden},
}

const syncForbidden = "the Secrets Store CSI driver may not create the Secret that the pod reads"
