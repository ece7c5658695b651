package faults

import "doctor/checks"

var _ = register(checks.Check{
	ID:       "compute-system-unexpected-exit",
	Title:    "containers end while Windows starts them",
	Category: checks.CategoryWorkloads,
	FAQ:      []int{12},
	Doc: `Windows made the container, and the system processes inside it ended before the
program of the image had begun (HCS_E_UNEXPECTED_EXIT, 0xc0370106). Where it concerns one image
only, the image does not fit the host: another build, or a revision with system files that the
host's updates do not match. Where it concerns all images, the host lacks updates or memory, or a
virus scanner puts its library into every process.

The check reads the code, or its two English messages, at pods that do not start. A container that
ran for a while and then ended is another matter, though the logs may use the same words. Which of
the reasons it is, these records do not tell.`,
	Fix: checks.Steps(
		checks.Inspect(
			"Get-WinEvent -LogName Microsoft-Windows-Hyper-V-Compute-Operational -MaxEvents 50 | Format-List TimeCreated, Message", ""),
		checks.Inspect("Get-HotFix | Sort-Object InstalledOn", ""),
		checks.Inspect(`Get-Counter '\Memory\% Committed Bytes In Use'`, ""),
		checks.Do("bring the node and the image to the same month's updates, see whether the node has memory to commit, and try one pod with the scanner's injection off; the host compute service writes more into its own event log").
			Costs("looking changes nothing; updates reboot the node")),
	Links: []string{"https://github.com/microsoft/hcsshim/issues/598",
		"https://github.com/microsoft/hcsshim/issues/917",
		"https://github.com/docker/for-win/issues/2030",
		"https://github.com/docker/for-win/issues/902",
		"https://learn.microsoft.com/en-us/virtualization/windowscontainers/deploy-containers/version-compatibility"},
	Breaks:   []*checks.Effect{effectPodStart, effectContainers},
	Explains: []string{"container-invalid-state"},
	Partial:  true,
	Needs:    complaintNeeds,
	Uses:     complaintUses,
	Signs:    unexpectedExitSigns,
	Run:      complain(unexpectedExitSigns),
})

const endedInStart = "the container's own system processes ended while Windows started it"

// A container that was stopped from outside is told of in the same words, so the call must be a start.
var unexpectedExitSigns = []checks.Sign{
	checks.SignOfCode("HCS_E_UNEXPECTED_EXIT", endedInStart, "error during Start"),
	checks.SignOfCode("HCS_E_UNEXPECTED_EXIT", endedInStart, "System::Start"),
	{Text: "The virtual machine or container exited unexpectedly", Also: []string{"System::Start"},
		Not: []string{"0xc0370106"}, Says: endedInStart},
	{Text: "The compute system exited unexpectedly", Also: []string{"System::Start"},
		Not: []string{"0xc0370106"}, Says: endedInStart},
	{Text: "The virtual machine or container exited unexpectedly",
		Also: []string{"CreateComputeSystem"}, Not: []string{"0xc0370106"}, Says: endedInStart},
	{Text: "The compute system exited unexpectedly", Also: []string{"CreateComputeSystem"},
		Not: []string{"0xc0370106"}, Says: endedInStart},
}
