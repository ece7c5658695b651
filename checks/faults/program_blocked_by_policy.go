package faults

import "doctor/checks"

var _ = register(&checks.Check{
	ID:       "program-blocked-by-policy",
	Title:    "Policy of the node blocks programs in containers",
	Healthy:  "No policy blocks programs in containers",
	Category: checks.CategorySecurity,
	Doc: `AppLocker, Software Restriction Policies and App Control for Business (WDAC) decide which
programs may run on a node. Their rules apply to processes of Windows containers too, and those run
under accounts that no default rule names. If a rule blocks the program of the pause image, no pod
starts: Windows answers "This program is blocked by group policy" (error 1260) or "An Application
Control policy has blocked this file" (error 4551).

The check looks for the error at pods that do not start and in the logs of the runtime and the
kubelet.`,
	Fix: checks.Steps(
		checks.Inspect(`Get-WinEvent -FilterHashtable @{LogName='Microsoft-Windows-AppLocker/EXE and DLL','Microsoft-Windows-CodeIntegrity/Operational'; Id=8004,3077} -MaxEvents 5 | Format-List TimeCreated, Message`,
			"See which file was blocked, and by which policy."),
		checks.Do("In that policy, allow the accounts of containers: S-1-5-93-2-1 (ContainerAdministrator) and S-1-5-93-2-2 (ContainerUser). For App Control, allow the signer of the file.").
			Costs("These accounts may run any program of the paths or signers that the rule names."),
		checks.Run("gpupdate /force", "Apply the policy."),
		checks.Verify("kubectl get pods -A -o wide --field-selector spec.nodeName={node}", "all pods are Running")),
	Links: []string{
		"https://github.com/Siemens-Healthineers/K2s/issues/1067",
		"https://github.com/Siemens-Healthineers/K2s/blob/main/docs/troubleshooting/known-issues.md",
		"https://learn.microsoft.com/en-us/windows/security/application-security/application-control/app-control-for-business/applocker/using-event-viewer-with-applocker",
	},
	Breaks:   []*checks.Effect{effectPodStart},
	Needs:    complaintNeeds,
	FromPart: complaintNeeds,
	Uses:     complaintUses,
	Signs:    programBlockedByPolicySigns,
	Run:      complain(programBlockedByPolicySigns),
})

var programBlockedByPolicySigns = []checks.Sign{
	{Text: "This program is blocked by group policy", Or: []string{"0x800704ec"},
		Also: []string{"CreateProcess"}, Says: "a policy of the node blocks the program"},
	// of a program that another one of the node starts, such as the plug-ins of the docker command
	{Text: "This program is blocked by group policy", Or: []string{"An Application Control policy has blocked this file"},
		Also: []string{"fork/exec"}, Not: []string{"CreateProcess"}, Level: checks.Warn,
		Says: "a policy of the node blocks the program"},
	{Text: "An Application Control policy has blocked this file", Or: []string{"0x800711c7"},
		Also: []string{"CreateProcess"}, Says: "a policy of the node blocks the program"},
}
