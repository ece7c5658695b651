package faults

import "doctor/checks"

var _ = register(&checks.Check{
	ID:       "compute-system-unexpected-exit",
	Title:    "Container system processes exit during start",
	Healthy:  "Containers start without an unexpected exit",
	Category: checks.CategoryWorkloads,
	FAQ:      []int{12},
	Doc: `Windows created the container, and the system processes inside it exited before the
program of the image started (HCS_E_UNEXPECTED_EXIT, 0xc0370106). If only one image is affected, it
does not fit the host: it is for another Windows build, or its system files do not match the host's
updates. If all images are affected, the host is missing updates or memory, or an antivirus program
injects its library into every process.

The check searches for the code, or its two English messages, in pods that do not start. A container
that ran for a while and then exited is another fault, although logs may use the same words. The
evidence does not show which of the reasons applies.`,
	Fix: checks.Steps(
		checks.Inspect(
			"Get-WinEvent -LogName Microsoft-Windows-Hyper-V-Compute-Operational -MaxEvents 50 | Format-List TimeCreated, Message",
			"Read the newest errors of the host compute service."),
		checks.Do("Install the current cumulative update of Windows on the node, and use an image of the same month for {osTag}.").
			Costs("The update reboots the node and stops its pods."),
		checks.Inspect(`Get-Counter '\Memory\% Committed Bytes In Use'`,
			"If all images fail, read how much of the commit limit is in use."),
		checks.Do("If memory is short, stop pods or enlarge the page file. If it is not, exclude container processes from the injection of the antivirus program."),
		checks.Verify("kubectl get pods -A -o wide --field-selector spec.nodeName={node}",
			"all pods are Running")),
	Links: []string{"https://github.com/microsoft/hcsshim/issues/598",
		"https://github.com/microsoft/hcsshim/issues/917",
		"https://github.com/docker/for-win/issues/2030",
		"https://github.com/docker/for-win/issues/902",
		"https://learn.microsoft.com/en-us/virtualization/windowscontainers/deploy-containers/version-compatibility"},
	Breaks:   []*checks.Effect{effectPodStart, effectContainers},
	Explains: []string{"container-invalid-state"},
	Partial:  true,
	Needs:    complaintNeeds,
	FromPart: complaintNeeds,
	Uses:     complaintUses,
	Signs:    unexpectedExitSigns,
	Run:      complain(unexpectedExitSigns),
})

const exitedInStart = "the container's system processes exited while Windows started it"

// A container that was stopped from outside causes the same message, so the call must be a start.
var unexpectedExitSigns = []checks.Sign{
	{Text: "The virtual machine or container exited unexpectedly",
		Also: []string{"error during Start"}, Says: exitedInStart},
	{Text: "The virtual machine or container exited unexpectedly",
		Also: []string{"System::Start"}, Says: exitedInStart},
	{Text: "The virtual machine or container exited unexpectedly",
		Also: []string{"CreateComputeSystem"}, Says: exitedInStart},
	// hcsshim internal/hcs/waithelper.go, where the notification of the exit comes first
	{Text: "CreateComputeSystem", Also: []string{": unexpected container exit"}, Says: exitedInStart},
	{Text: "System::Start", Also: []string{": unexpected container exit"}, Says: exitedInStart},
	{Text: "encountered an error during CreateContainer: unexpected container exit",
		Or: []string{"encountered an error during Start: unexpected container exit"}, Says: exitedInStart},
}
