package faults

import "doctor/checks"

var _ = register(&checks.Check{
	ID:       "secrets-store-class-invalid",
	Title:    "SecretProviderClass is missing or names no credentials",
	Healthy:  "SecretProviderClasses of pods exist and name credentials",
	Category: checks.CategoryStorage,
	Doc: `A volume of the Secrets Store CSI driver names a SecretProviderClass, which must be in the namespace
of the pod. For Azure Key Vault, the class names the identity that reads the vault: clientID for workload
identity, or useVMManagedIdentity. A class without either leaves a service principal, whose credentials the
volume itself names in nodePublishSecretRef. If nothing names credentials, or the Secret has no clientid or no
clientsecret, the mount fails on Windows and Linux alike.

The check looks for these answers of the driver and its provider at pods that do not start.`,
	Fix: checks.Steps(
		checks.Inspect("kubectl get secretproviderclass -n NAMESPACE -o yaml",
			"Check which identity the SecretProviderClass of the pod selects."),
		checks.Do("For a managed identity, set useVMManagedIdentity: \"true\" and userAssignedIdentityID in the SecretProviderClass. For workload identity, set clientID, which providers before 1.1.0 ignore."),
		checks.Do("For a service principal, create a Secret with the keys clientid and clientsecret in the namespace of the pod, and name it in nodePublishSecretRef of the volume.").
			Costs("The pods of the workload are recreated."),
		checks.Verify("kubectl get pods -A -o wide --field-selector spec.nodeName={node}", "all pods are Running")),
	Links: []string{
		"https://github.com/Azure/secrets-store-csi-driver-provider-azure/issues/382",
		"https://github.com/Azure/secrets-store-csi-driver-provider-azure/issues/445",
		"https://github.com/Azure/secrets-store-csi-driver-provider-azure/issues/179",
		"https://azure.github.io/secrets-store-csi-driver-provider-azure/docs/configurations/identity-access-modes/service-principal-mode/",
		"https://secrets-store-csi-driver.sigs.k8s.io/troubleshooting",
	},
	Breaks:   []*checks.Effect{effectPodStart},
	Needs:    complaintNeeds,
	FromPart: complaintNeeds,
	Uses:     complaintUses,
	Signs:    secretsStoreClassSigns,
	Run:      complain(secretsStoreClassSigns),
})

var secretsStoreClassSigns = []checks.Sign{
	// pkg/auth/auth.go of the provider of Azure, "provided" as a program of 2020; that of LastPass names itself in it
	{Text: "nodePublishSecretRef secret is not", Until: secretsMounted,
		Says: "nothing names the credentials of the secrets store: neither the SecretProviderClass nor nodePublishSecretRef of the volume"},
	{Text: "could not find clientid in secrets", Or: []string{"could not find clientsecret in secrets"}, Until: secretsMounted,
		Says: "the Secret of nodePublishSecretRef has no clientid or no clientsecret"},
	// pkg/secrets-store/nodeserver.go of the driver
	{Text: "failed to get secretproviderclass ", Also: []string{"not found"}, Until: secretsMounted,
		Says: "the SecretProviderClass of the volume does not exist in the namespace of the pod",
		Fix: checks.Steps(
			checks.Inspect("kubectl get secretproviderclass -A", "Compare the name in the error with the SecretProviderClasses of the namespace."),
			checks.Do("Create the SecretProviderClass in the namespace of the pod, or correct its name in the volume."),
			checks.Verify("kubectl get pods -A -o wide --field-selector spec.nodeName={node}", "all pods are Running"))},
}

// secretsMounted is what the kubelet says of a later attempt that succeeds.
var secretsMounted = []string{"MountVolume.SetUp succeeded"}
