package faults

import (
	"doctor/checks"
)

var _ = register(&checks.Check{
	ID:       "image-disk-full",
	Title:    "Disk is full while an image is unpacked",
	Healthy:  "Disk has space for the images",
	Category: checks.CategoryImages,
	Doc: `Windows images have several gigabytes, and the runtime needs space for the download, the
unpacked layer and the copy that Windows imports. If the drive with the data of the runtime has too
little, unpacking ends with "There is not enough space on the disk" (0x70) and the pull is repeated.
The kubelet may not report DiskPressure, because the failed pull frees the space again. In Docker,
the same error appears for layers larger than the limit of 20 GB of a container. The layer that a
container writes to is on the same drive, so containers of unpacked images may fail, too.

The check looks for the errors of the download and of the layer import at pods that wait for their
image and in the logs of the runtime.`,
	Fix: checks.Steps(
		checks.Inspect("Get-Volume | Format-Table DriveLetter, Size, SizeRemaining",
			"Read how much space is left on the drive with the data of the runtime."),
		checks.Run("crictl rmi --prune", "Remove images that no container uses.").
			Costs("Pods that need a removed image pull it again."),
		checks.Do("If that is not enough, enlarge the disk of the node, or move the data root of the runtime to a larger drive."),
		checks.Do("With Docker, set storage-opts size=120GB in daemon.json if a layer is larger than 20 GB."),
		checks.Verify("kubectl get pods -A -o wide --field-selector spec.nodeName={node}",
			"all pods are Running")),
	Links: []string{
		"https://github.com/StefanScherer/windows-docker-machine/issues/48",
		"https://github.com/microsoft/mssql-docker/issues/299",
		"https://learn.microsoft.com/en-us/virtualization/windowscontainers/manage-containers/container-storage",
	},
	Breaks: []*checks.Effect{effectPodStart},
	Needs:  complaintNeeds,
	Uses:   complaintUses,
	Signs:  imageDiskFullSigns,
	Run:    complain(imageDiskFullSigns),
})

const noSpaceToPull = "an image layer cannot be downloaded: the disk is full"

var imageDiskFullSigns = []checks.Sign{
	{Text: "There is not enough space on the disk",
		Also: []string{"ImportLayer"},
		Says: "an image layer cannot be unpacked: the disk is full"},
	{Text: "There is not enough space on the disk",
		Also: []string{"register layer", "BackupWrite"},
		Says: "an image layer cannot be unpacked: the disk is full"},
	{Text: "There is not enough space on the disk",
		Also: []string{"failed to extract layer"}, Not: []string{"ImportLayer"},
		Says: "an image layer cannot be unpacked: the disk is full"},
	// docker's distribution/pull_v2.go downloads a layer into such a file
	{Text: "There is not enough space on the disk", Also: []string{"GetImageBlob"}, Not: []string{"pull image"},
		Says: noSpaceToPull},
	// containerd's content/local/writer.go, into its content store
	{Text: "There is not enough space on the disk", Also: []string{"io.containerd.content.v1.content"}, Not: []string{"pull image"},
		Says: noSpaceToPull},
	// the kubelet, of either
	{Text: "There is not enough space on the disk", Also: []string{"pull image"},
		Not:  []string{"ImportLayer", "register layer", "failed to extract layer"},
		Says: noSpaceToPull},
	// pkg/bootstrap of rke2
	{Text: "failed to extract runtime image", Also: []string{"There is not enough space on the disk"},
		Says: "RKE2 cannot unpack its runtime image: the disk is full"},
	// containerd's snapshotter makes the layer that a container writes to, until 1.5 as a copy
	{Text: "There is not enough space on the disk", Also: []string{"failed to create scratch layer"},
		Says: "the writable layer of a container cannot be created: the disk is full"},
	{Text: "There is not enough space on the disk", Also: []string{"failed to copy cached ", "sandbox.vhdx"},
		Not:  []string{"failed to create scratch layer"},
		Says: "the writable layer of a container cannot be created: the disk is full"},
	{Text: "There is not enough space on the disk", Also: []string{"hcsshim::CreateSandboxLayer"},
		Says: "the writable layer of a container cannot be created: the disk is full"},
}
