package faults

import (
	"slices"
	"time"

	"doctor/checks"
	"doctor/checks/evidence"
)

// How long a container may take from its creation to its start, as in the AKS log analysis; and how
// many must have taken longer, since the first container after a boot or of an image is slow.
const (
	slowStart     = 30 * time.Second
	verySlowStart = 2 * time.Minute
	slowStartsMin = 3
)

var _ = register(&checks.Check{
	ID:       "compute-start-slow",
	Title:    "Containers start slowly",
	Healthy:  "Containers start soon after their creation",
	Category: checks.CategoryWorkloads,
	Doc: `Event 2001 (start) of the host compute service follows event 2000 (create) after a few
seconds: the service mounts the layers, makes a network compartment and starts the system processes.
On a node whose disk is busy, whose files an antivirus program scans, or whose vmcompute is short of
memory, it takes minutes: containerd and the kubelet give up, try again, and make the load worse.

The check pairs the two events of each container in the last day. At least three that took more than
30 seconds are a warning if they are a tenth of all, as is one that took more than two minutes.`,
	Fix: checks.Steps(
		checks.Inspect("Get-Counter '\\PhysicalDisk(_Total)\\Avg. Disk sec/Transfer', '\\Memory\\Available MBytes', '\\Processor(_Total)\\% Processor Time'",
			"Read how busy disk, memory and processors are."),
		checks.Run(`Add-MpPreference -ExclusionPath C:\ProgramData\containerd -ExclusionProcess containerd.exe, containerd-shim-runhcs-v1.exe`,
			"Exclude the container runtime's files and programs from Defender."),
		checks.Do("Use a faster disk for the node, and start fewer pods at once."),
		checks.Verify("Get-WinEvent -FilterHashtable @{LogName='Microsoft-Windows-Hyper-V-Compute-Operational'; Id=2000,2001} -MaxEvents 20 | Format-Table TimeCreated, Id, Message",
			"a few seconds between the two events of a container")),
	Links: []string{
		"https://github.com/Azure/AgentBaker/blob/dev/.github/skills/windows-log-analysis/sub-skills/thresholds.md",
		"https://learn.microsoft.com/en-us/virtualization/windowscontainers/manage-docker/anti-virus-optimization-for-windows-containers"},
	Shows: []*checks.Effect{effectPodStart},
	Needs: []evidence.Need{evidence.WindowsEvents},
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		starts := computeStarts(computeOperations(s))
		if len(starts) == 0 {
			return nil, checks.Unknown(
				evidence.NotShown.Gap("events 2000 and 2001 of the host compute service"))
		}
		slow := 0
		longest := slices.MaxFunc(starts, func(a, b creationToStart) int {
			return int(a.took - b.took)
		})
		for _, start := range starts {
			if start.took > slowStart {
				slow++
			}
		}
		if longest.took <= verySlowStart && (slow < slowStartsMin || slow*10 < len(starts)) {
			return nil, nil
		}
		return []*checks.Finding{checks.Findingf(checks.Warn, "vmcompute",
			"%d of %d containers took more than %s from creation to start in the last day, the slowest %s",
			slow, len(starts), slowStart, longest.took.Round(time.Second)).
			With(longest.event.Field().Because("%s", evidence.Clean(longest.event.Message)))}, nil
	},
})
