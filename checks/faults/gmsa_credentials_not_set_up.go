package faults

import (
	"doctor/checks"
)

var _ = register(&checks.Check{
	ID:       "gmsa-credentials-not-set-up",
	Title:    "Container with a gMSA does not start: no credentials",
	Healthy:  "Containers with a gMSA get their credentials at start",
	Category: checks.CategoryWorkloads,
	Doc: `With a credential spec for nodes outside the domain, Windows starts Container Credential
Guard and its plug-in before the container. If that fails, the container is not created:
CreateComputeSystem ends with "winapi error #3489792023" (RPC server unavailable) or #3489661095
(the plug-in was started, and its answer is refused), and the log of Hyper-V-Compute has event
11507. Reported reasons are a plug-in that is not registered or crashes,
and one that is registered to run as the interactive user and so works only while somebody is logged
on.

The check looks for these errors at pods that do not start and in the event log. They do not show
which reason applies.`,
	Fix: checks.Steps(
		checks.Inspect("Get-WinEvent -LogName Microsoft-Windows-Containers-CCG/Admin -MaxEvents 20",
			"Read the newest error of Container Credential Guard."),
		checks.Inspect(`Get-ItemProperty "HKLM:\SYSTEM\CurrentControlSet\Control\CCG\COMClasses\*"`,
			"Check that the plug-in of the credential spec is registered."),
		checks.Do("Install the plug-in again, and set the identity of its COM application to a service account instead of the interactive user."),
		checks.Do("Allow the node to reach the secret store of the plug-in."),
		checks.Verify("kubectl get pods -A -o wide --field-selector spec.nodeName={node}",
			"all pods are Running")),
	Links: []string{
		"https://github.com/microsoft/Windows-Containers/issues/221",
		"https://github.com/microsoft/Windows-Containers/issues/293",
		"https://github.com/microsoft/Windows-Containers/issues/541",
		"https://learn.microsoft.com/en-us/virtualization/windowscontainers/manage-containers/gmsa-troubleshooting#non-domain-joined-container-hosts",
	},
	Breaks: []*checks.Effect{effectPodStart},
	Needs:  complaintNeeds,
	Uses:   complaintUses,
	Signs:  gmsaCredentialsNotSetUpSigns,
	Run:    complain(gmsaCredentialsNotSetUpSigns),
})

var gmsaCredentialsNotSetUpSigns = []checks.Sign{
	// an NTSTATUS as an HRESULT: 0xD0020017 RPC_NT_SERVER_UNAVAILABLE, and 0xD00000A7
	// STATUS_BAD_VALIDATION_CLASS, an answer of the logon that only credentials lead to
	{Text: "winapi error #3489792023", Or: []string{"winapi error #3489661095"}, Also: []string{"CreateComputeSystem"},
		Says: "Windows cannot set up the credentials of a gMSA for a container"},
	{Text: "Failed to setup the external credentials for Container",
		Says: "Windows cannot set up the credentials of a gMSA for a container"},
	{Text: "Container Credential Guard failed to instantiate the plugin",
		Also: []string{"configured identity is incorrect"},
		Says: "the plug-in for gMSA cannot start: its identity needs a logged-on user"},
}
