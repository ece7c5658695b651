package faults

import "doctor/checks"

var _ = register(&checks.Check{
	ID:       "csi-mount-point-left",
	Title:    "Mount point of a CSI volume is left over",
	Healthy:  "Mount points of CSI volumes are free",
	Category: checks.CategoryStorage,
	Doc: `A CSI driver mounts a disk at the folder globalmount of its volume. On Windows that folder is then a
reparse point and no directory. If the kubelet ends without unmounting the volume, it finds the
folder at its next start, tries to create it again, and refuses the volume because the path is not a
directory. Every new pod with this volume on this node fails.

The check looks for the error at pods that do not start. Kubelets before 1.29 have another text,
which is a regression of its own. Kubelets with pull request 129370 accept such a folder.`,
	Fix: checks.Steps(
		checks.Inspect(`Get-ChildItem C:\var\lib\kubelet\plugins\kubernetes.io\csi -Recurse -Filter globalmount | Format-List FullName, LinkType, Target`,
			"Find the folder that the error names, and what it leads to."),
		checks.Run(`cmd /c rmdir C:\var\lib\kubelet\plugins\kubernetes.io\csi\DRIVER\HASH\globalmount`,
			"Remove the mount point. rmdir without /s leaves the data of the volume alone.").
			Costs("A pod on this node that still uses the volume loses it."),
		checks.Do("Update the kubelet to a release with pull request 129370. Drain the node before you restart it."),
		checks.Verify("kubectl describe pod POD", "no new FailedMount event")),
	Links: []string{"https://github.com/kubernetes/kubernetes/issues/130300",
		"https://github.com/kubernetes/kubernetes/pull/129370"},
	Breaks:   []*checks.Effect{effectPodStart},
	Needs:    complaintNeeds,
	FromPart: complaintNeeds,
	Uses:     complaintUses,
	Signs:    mountPointLeft,
	Run:      complain(mountPointLeft),
})

var mountPointLeft = []checks.Sign{{Text: "exists but is not a directory",
	Also: []string{"attacher.MountDevice failed to create dir", "globalmount"},
	Says: "the mount point of its volume is left over from before"}}
