package faults

import (
	"doctor/checks"
	"doctor/checks/evidence"
)

var _ = register(&checks.Check{
	ID:       "runtime-root-not-ntfs",
	Title:    "Data folder of the container runtime is not on NTFS",
	Healthy:  "Data folder of the container runtime is on NTFS",
	Category: checks.CategoryComponents,
	Doc: `The filter drivers behind image layers of Windows work on NTFS only. If the data folder of the
runtime (root in config.toml of containerd, data-root in daemon.json of docker) was moved to a drive
with ReFS, which a Dev Drive has too, or with FAT, dockerd does not start, and containerd starts
without its snapshotter "windows" and without its CRI plugin.

The check looks for the error in the logs of the runtime.`,
	Fix: checks.Steps(
		checks.Inspect("Get-Volume | Format-Table DriveLetter, FileSystemType, Size, SizeRemaining",
			"Find a drive with NTFS that has enough space."),
		checks.Edit("{runtimeConfig}", "Set root (containerd) or data-root (docker) to a folder on that drive."),
		checks.Run("{restart runtime}",
			"Restart the container runtime: it reads the file at its start.").
			Costs("Images and containers of the old folder are not used any more."),
		checks.Verify("Get-Service {runtime}", "Status is Running")),
	Links: []string{
		"https://github.com/docker/for-win/issues/14440",
		"https://github.com/moby/moby/pull/25509",
		"https://github.com/microsoft/Windows-Containers/issues/416",
		"https://github.com/MicrosoftDocs/Virtualization-Documentation/issues/485",
	},
	Breaks:   []*checks.Effect{effectRuntime},
	Explains: []string{"cri-not-served", "component-crash-loop"},
	Needs: []evidence.Need{evidence.Any(evidence.Logs("containerd"), evidence.Logs("docker"),
		evidence.Logs("other"), evidence.WindowsEvents)},
	Signs: []checks.Sign{
		// snapshots/windows/windows.go of containerd
		{Text: "is not on an NTFS volume - only NTFS volumes are supported",
			Says: "containerd has no snapshotter for Windows: its root is not on a volume with NTFS"},
		// daemon/graphdriver/windows/windows.go of moby
		{Text: "ReFS volumes are not supported", Until: []string{"API listen on"},
			Says: "dockerd exits: its data root is on a volume with ReFS"},
		// with a snapshotter that does not look at the file system: containerd 8999
		{Text: "Incorrect function", Also: []string{"hcsshim::ProcessBaseLayer"}, Level: checks.Warn,
			Says: "Windows cannot unpack an image layer on this volume: most often because it is not NTFS"},
	},
})
