package faults

import (
	"doctor/checks"
	"doctor/checks/evidence"
)

var _ = register(&checks.Check{
	ID:       "vm-logon-right-missing",
	Title:    "Hyper-V may not log on the accounts of its virtual machines",
	Healthy:  "Hyper-V can log on the accounts of its virtual machines",
	Category: checks.CategoryNode,
	Doc: `The worker process of each virtual machine runs under an account of its own, a member of the
group NT VIRTUAL MACHINE\Virtual Machines (S-1-5-83-0), which needs the right "Log on as a service".
Hyper-V grants the right to the group. A Group Policy or a hardening script that defines the right
replaces the accounts that had it. Then no utility virtual machine starts: pods with Hyper-V
isolation fail with 0x80070569 (ERROR_LOGON_TYPE_NOT_GRANTED), and pods with process isolation run. The
error comes and goes, because Hyper-V grants the right again when its services start.

The check looks for the error where a virtual machine is created or started. Services that lack the
same right are the subject of service-logon-failed.`,
	Fix: checks.Steps(
		checks.Inspect(`secedit /export /areas USER_RIGHTS /cfg $env:TEMP\rights.inf; Select-String SeServiceLogonRight $env:TEMP\rights.inf`,
			"Read which accounts may log on as a service: *S-1-5-83-0 must be one of them."),
		checks.Inspect("gpresult /scope computer /v",
			"Find the Group Policy that sets ServiceLogonRight."),
		checks.Do(`Add NT VIRTUAL MACHINE\Virtual Machines to "Log on as a service" in that policy, or exclude the node from the policy. Without a policy, add it in secpol.msc.`),
		checks.Run("gpupdate /force", "Apply the policy."),
		checks.Verify("kubectl get pods -A -o wide --field-selector spec.nodeName={node}",
			"all pods are Running")),
	Links: []string{
		"https://learn.microsoft.com/en-us/troubleshoot/windows-server/virtualization/starting-or-live-migrating-hyper-v-vms-fails",
		"https://learn.microsoft.com/en-us/archive/blogs/askcore/logon-failures-involving-virtual-machines-in-windows-server-2012",
		"https://github.com/docker/for-win/issues/1056",
		"https://github.com/microsoft/WSL/issues/5401",
	},
	Breaks: []*checks.Effect{effectPodStart},
	Needs:  complaintNeeds,
	Uses:   complaintUses,
	Signs:  vmLogonSigns,
	Run:    complain(vmLogonSigns),
})

// logonTypeDenied is what Windows says of ERROR_LOGON_TYPE_NOT_GRANTED, often behind "Logon failure: ".
const logonTypeDenied = "The user has not been granted the requested logon type at this computer"

const vmNotLoggedOn = "Windows denies the account of a virtual machine the right to log on as a service (0x80070569)"

// Scheduled tasks, services and HostProcess containers have the same error: where it stands tells.
var vmLogonSigns = []checks.Sign{
	{Text: logonTypeDenied, Also: []string{"CreateComputeSystem "}, Says: vmNotLoggedOn},
	{Text: logonTypeDenied, Also: []string{"hcs::System::Start "}, Says: vmNotLoggedOn},
	// hcsshim until 0.6
	{Text: logonTypeDenied, Also: []string{"encountered an error during CreateContainer"}, Says: vmNotLoggedOn},
	// by its provider, or the name of the service in its text
	{Text: logonTypeDenied, Also: []string{"Hyper-V"}, In: []string{evidence.InEvents, "other"}, Says: vmNotLoggedOn},
	{Text: logonTypeDenied, Also: []string{"failed to start worker process"}, Says: vmNotLoggedOn},
	// of WSL, on whose virtual machine the control plane of a small cluster may run
	{Text: logonTypeDenied, Also: []string{"/CreateVm/HCS/"}, Says: vmNotLoggedOn},
}
