package faults

import (
	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

var _ = register(&checks.Check{
	ID:       "aks-cse-parameter-invalid",
	Title:    "AKS provisioning script fails: invalid parameter",
	Healthy:  "AKS provisioning script has valid parameters",
	Category: checks.CategoryNode,
	Doc: `AKS passes the settings of the pool to the provisioning script (CSE) of a Windows node as
parameters in one command line. A value with an unexpected character, such as a comment with spaces
and quotes in the SSH public key, breaks the command: PowerShell reports an unexpected token, and no
CSEResult.log is written. Older scripts ended with success nevertheless, so the node stayed without
a kubelet; newer ones end with exit code 50 (WINDOWS_CSE_ERROR_NO_CSE_RESULT_LOG).

The check looks for these words in the log of the script.`,
	Fix: checks.Steps(
		checks.Inspect(`Get-Content C:\AzureData\CustomDataSetupScript.log -Tail 50`,
			"Read which value PowerShell did not understand."),
		checks.Do("Correct the value in the profile of the cluster. Use an SSH public key without a comment."),
		checks.Run("az aks nodepool upgrade --node-image-only --cluster-name CLUSTER --resource-group GROUP --name POOL",
			"Provision the nodes again.").
			Costs("The nodes of the pool are replaced one after the other."),
		checks.Verify("kubectl get node {node}", "STATUS is Ready")),
	Links: []string{
		"https://github.com/Azure/AgentBaker/pull/2441",
		"https://github.com/Azure/AgentBaker/pull/990",
		"https://github.com/Azure/AgentBaker/blob/main/parts/windows/windowscsehelper.ps1",
	},
	Breaks:   []*checks.Effect{effectKubelet, effectRuntime},
	Explains: []string{"aks-provisioning-failed"},
	Applies:  checks.OnPlatform(node.AKS),
	Needs:    []evidence.Need{evidence.Any(evidence.Logs("azure"), evidence.Logs("aks"))},
	Signs: []checks.Sign{
		{Text: "WINDOWS_CSE_ERROR_NO_CSE_RESULT_LOG",
			Or:   []string{`Cannot find path 'C:\AzureData\CSEResult.log' because it does not exist`},
			Not:  []string{cseCommand},
			Says: "the provisioning script of AKS did not run: one of its parameters is not valid"},
		// what PowerShell's parser reports in every language; the script is not run
		{Text: "ParserError: (", In: aksLogs, Until: []string{"Setup Complete"},
			Says: "the provisioning script of AKS did not run: one of its parameters is not valid"},
		// PowerShell's words for an empty value of a parameter that a function of the script needs
		{Text: "Set ExitCode to ", Also: []string{"and exit. Error: Cannot bind argument to parameter"},
			In:   aksLogs,
			Says: "the provisioning script of AKS ended: one of its parameters is empty"},
	},
})
