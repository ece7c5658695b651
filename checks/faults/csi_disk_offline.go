package faults

import "doctor/checks"

var _ = register(&checks.Check{
	ID:       "csi-disk-offline",
	Title:    "CSI driver cannot mount a disk that is offline",
	Healthy:  "CSI drivers can mount the attached disks",
	Category: checks.CategoryStorage,
	Doc: `Windows keeps a disk offline if the SAN policy of the node is not OnlineAll, or if the disk was used
on another node before. A disk that is offline shows no volume, so a CSI driver finds its partition
but no volume id, and the mount fails with "volume id empty". This happens when a pod moves to
another node, and not with a new disk.

The EBS CSI driver sets disks online from version 1.6.0; other drivers depend on the SAN policy. The
check looks for the error at pods that do not start, and in the logs of the driver and of csi-proxy.`,
	Fix: checks.Steps(
		checks.Inspect("Get-Disk | Format-Table Number, FriendlyName, OperationalStatus, OfflineReason",
			"Find the disk whose OperationalStatus is Offline."),
		checks.Run("Set-StorageSetting -NewDiskPolicy OnlineAll",
			"Set the SAN policy of the node, so that attached disks come online."),
		checks.Run("Get-Disk | Where-Object IsOffline | Set-Disk -IsOffline $false",
			"Set the disks of the node online: the next attempt to mount succeeds."),
		checks.Do("Update the CSI driver: the EBS CSI driver 1.6.0 and later set disks online themselves."),
		checks.Verify("Get-Disk | Where-Object IsOffline", "nothing")),
	Links: []string{
		"https://github.com/kubernetes-sigs/aws-ebs-csi-driver/issues/1090",
		"https://github.com/kubernetes-sigs/aws-ebs-csi-driver/pull/1189",
		"https://github.com/kubernetes/kubernetes/issues/92496",
	},
	Breaks:   []*checks.Effect{effectPodStart},
	Needs:    complaintNeeds,
	FromPart: complaintNeeds,
	Uses:     complaintUses,
	Signs:    offlineDiskSigns,
	Run:      complain(offlineDiskSigns),
})

var offlineDiskSigns = []checks.Sign{{Text: "volume id empty",
	Also: []string{"could not format"},
	Says: "a disk is attached but has no volume: it is offline"}}
