package faults

import "doctor/checks"

var _ = register(&checks.Check{
	ID:       "secrets-store-vault-unreachable",
	Title:    "Secrets store provider cannot reach its vault",
	Healthy:  "Secrets store providers reach their vaults",
	Category: checks.CategoryStorage,
	Doc: `The provider of the Secrets Store CSI driver fetches the secrets from a vault, such as Azure Key
Vault, AWS Secrets Manager or HashiCorp Vault, over HTTPS. Its pod uses the network of the host. If a
firewall, a network security group or a network policy drops these connections, or the name of the vault
does not resolve on the node, the mount ends with a timeout, and the pod stays in ContainerCreating.

The check looks for connections of the provider that fail, in the events of pods that do not start. An
answer of the vault, such as "forbidden", is another fault, and so is a timeout of the driver that does not
say what the provider waited for.`,
	Fix: checks.Steps(
		checks.Inspect("Test-NetConnection VAULT -Port 443",
			"On the node, check that the name of the vault resolves and its port answers. For HashiCorp Vault, use the port of its address."),
		checks.Do("Allow the node to reach the vault and the login service of the cloud in the firewall, the network security group, the routes and network policies.").
			Costs("Other nodes of the subnet get the same access."),
		checks.Do("If the vault has a private endpoint, link its private DNS zone to the network of the node."),
		checks.Do("If the name does not resolve anywhere, correct the name of the vault in the SecretProviderClass."),
		checks.Verify("kubectl get pods -A -o wide --field-selector spec.nodeName={node}", "all pods are Running")),
	Links: []string{
		"https://learn.microsoft.com/en-us/troubleshoot/azure/azure-kubernetes/extensions/troubleshoot-key-vault-csi-secrets-store-csi-driver",
		"https://azure.github.io/secrets-store-csi-driver-provider-azure/docs/troubleshooting/",
		"https://github.com/Azure/secrets-store-csi-driver-provider-azure/issues/292",
		"https://github.com/hashicorp/vault-csi-provider/issues/186",
	},
	Breaks:   []*checks.Effect{effectPodStart},
	Needs:    complaintNeeds,
	FromPart: complaintNeeds,
	Uses:     complaintUses,
	Signs:    secretsStoreVaultSigns,
	Run:      complain(secretsStoreVaultSigns),
})

const vaultUnreachable = "the provider of the Secrets Store CSI driver cannot connect to its vault"

// The driver passes on the error of the provider: pkg/secrets-store/nodeserver.go. What is at the
// address of the cloud's metadata gives tokens, and the provider itself is at a socket of a file.
var secretsStoreVaultSigns = func() (signs []checks.Sign) {
	for _, also := range [][]string{
		// Azure, go-autorest until 1.4 of the provider
		{"#Get", "Failure sending request: StatusCode=0", "context deadline exceeded"},
		{"dial tcp", "i/o timeout"},
		{"dial tcp", "no such host"},
		{"dial tcp", "connected party did not properly respond"},
		{"dial tcp", "actively refused it"},
		{"dial tcp", "connection refused"},
	} {
		signs = append(signs, checks.Sign{Text: "failed to mount secrets store objects", Also: also,
			Not:   []string{"169.254.169.254", "Failed to refresh the Token", "dial unix"},
			Until: secretsMounted, Says: vaultUnreachable})
	}
	return signs
}()
