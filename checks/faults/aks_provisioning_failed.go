package faults

import (
	"regexp"
	"strings"

	"doctor/checks"
	"doctor/checks/evidence"
)

// Where the provisioning script of AKS leaves its exit code: AgentBaker,
// parts/windows/csecmd.ps1. Its name changed; both hold "0", or the code with its name and a text.
var cseResults = []evidence.File{`C:\AzureData\provision.complete`, `C:\AzureData\CSEResult.log`}

// cseResult matches both ways in which the code was written.
var cseResult = regexp.MustCompile(`ExitCode:\s*[|"]?(\d{1,3})\b[|"]?(?:.*?\b(WINDOWS_CSE_\w+))?`)

// aksLogs are the folders of the logs of AKS's scripts, in bundles and on the node.
var aksLogs = []string{"aks", "azure", "other"}

// cseCommand is in the line of the command that starts the script, which throws results itself.
const cseCommand = "(Test-Path "

var _ = register(&checks.Check{
	ID:       "aks-provisioning-failed",
	Title:    "AKS provisioning of the node failed",
	Healthy:  "AKS provisioned the node",
	Category: checks.CategoryComponents,
	Doc: `AKS sets a Windows node up with a custom script extension (CSE): it downloads the packages,
configures containerd, the kubelet and the network, and checks that it reaches the API server. If a
step fails, the script ends with an exit code (1 to 84), the node pool reports
VMExtensionProvisioningError for vmssCSE, and the node does not join, or joins half configured. 5 is
the API server, 33 to 40 are downloads, 13 and 14 containerd, 76 to 84 the registry of a network
isolated cluster, 50 a script that ended without a result.

The check reads the result file in C:\AzureData, and otherwise CustomDataSetupScript.log.`,
	Fix: checks.Steps(
		checks.Inspect(`Get-Content C:\AzureData\CustomDataSetupScript.log -Tail 60`,
			"Read the last lines of the provisioning log: the exit code and the error."),
		checks.Do("If the code names a download or the API server, allow the node's required outbound hosts in the firewall, the network security group and DNS."),
		checks.Run("az aks nodepool upgrade --node-image-only --resource-group GROUP --cluster-name CLUSTER --name POOL",
			"Fix the error, then recreate the nodes of the pool.").
			Costs("Each node of the pool is drained and replaced."),
		checks.Verify("kubectl get nodes -o wide", "the new nodes are Ready")),
	Links: []string{
		"https://github.com/Azure/AgentBaker/blob/dev/parts/windows/windowscsehelper.ps1",
		"https://github.com/Azure/AgentBaker/pull/734",
		"https://github.com/Azure/aks-engine/issues/4330",
		"https://learn.microsoft.com/en-us/troubleshoot/azure/azure-kubernetes/create-upgrade-delete/node-provision-issues"},
	Breaks:  []*checks.Effect{effectRuntime, effectKubelet, effectCNIConfig},
	Applies: notOutsideAKS,
	Needs:   []evidence.Need{evidence.Any(cseResults[0], cseResults[1])},
	Uses:    []evidence.Need{cseResults[0], cseResults[1]},
	Signs: []checks.Sign{
		{Text: "Set ExitCode to ", Also: []string{"and exit. Error:"},
			Not: []string{"Set ExitCode to 0 ", "Set ExitCode to 32 "}, In: aksLogs,
			Until: []string{"Setup Complete"},
			Says:  "the provisioning script of AKS ended with an exit code"},
		// Since February 2024 the extension's own log and status show the result. Its command line, which
		// Windows logs on a healthy node too, has the texts of codes 49 and 50: csecmd.ps1.
		{Text: "ExitCode: |", Also: []string{"Output: |WINDOWS_CSE_ERROR_"},
			Not: []string{"ExitCode: |32|", cseCommand}, In: aksLogs,
			Says: "the provisioning script of AKS ended with an exit code"},
		// AKS Engine, whose script has no pause image for each version of Windows: windowskubeletfunc.ps1 (aks-engine 4330)
		{Text: "Cannot build pause container without Docker", Not: []string{"throw "}, In: aksLogs,
			Says: "the setup script of AKS Engine has no pause image for this version of Windows, and builds one with Docker only",
			Fix: checks.Steps(
				checks.Do("Use a version of Windows that this release of AKS Engine supports, or a release that supports this version."),
				checks.Verify("kubectl get nodes -o wide", "the new nodes are Ready"))},
		// The error of the cluster's operation, where a line ends after the code, as Microsoft's page
		// error-code-cnidownloadtimeoutvmextensionerror has it
		{Text: "error output of: 'ExitCode: |", Not: []string{"ExitCode: |32|", "Output: |"},
			In: aksLogs, Says: "the provisioning script of AKS ended with an exit code"},
	},
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		absent := 0
		for _, file := range cseResults {
			f := s.File(string(file))
			if exists, known := f.Exists(); known && !exists {
				absent++
			}
			text := strings.TrimSpace(f.Text)
			if f.Gap.Kind != "" || text == "" {
				continue
			}
			code, name := cseCode(text)
			if code == "0" {
				return nil, nil
			}
			if code == "" {
				break
			}
			return []*checks.Finding{checks.Findingf(checks.Fail, "CSE",
				"AKS provisioning ended with exit code %s (%s)", code, orUnknown(name)).
				At(evidence.InFile(f.Path), "%s", evidence.Clean(text))}, nil
		}
		if absent == len(cseResults) {
			return nil, checks.Skip("AKS did not provision this node: C:\\AzureData has no result")
		}
		return nil, checks.Unknown(evidence.NotShown.Gap("the exit code of AKS provisioning"))
	},
})

// cseCode is the exit code in a result file and its name.
func cseCode(text string) (code, name string) {
	if m := cseResult.FindStringSubmatch(text); m != nil {
		return m[1], m[2]
	}
	if len(text) <= 3 && strings.Trim(text, "0123456789") == "" {
		return text, ""
	}
	return "", ""
}
