package faults

import "doctor/checks"

var _ = register(&checks.Check{
	ID:       "smb-mapping-disconnected",
	Title:    "SMB mapping of the node is disconnected",
	Healthy:  "SMB mappings of the node are connected",
	Category: checks.CategoryStorage,
	Doc: `An SMB volume is mapped once for the whole node, and its staging folder (globalmount) is a link to
the share. After a reboot of the node or an interruption of the file server, the mapping can remain
in the state Disconnected. The link then leads nowhere: the kubelet does not see the folder, tries
to create it, and Windows answers that it exists already. The driver does not replace the mapping,
so every new pod with this volume fails.

Drivers whose release contains pull request 1219 remove such mappings themselves. The check looks
for the error at pods that do not start.`,
	Fix: checks.Steps(
		checks.Inspect("Get-SmbGlobalMapping",
			"Find the mapping of the share whose Status is not OK."),
		checks.Run(`Remove-SmbGlobalMapping -RemotePath \\SERVER\SHARE -Force`,
			"Remove the disconnected mapping: the driver maps the share again at its next attempt.").
			Costs("Pods that use the removed mapping lose their volume until it is mapped again."),
		checks.Do("If the mapping is disconnected again after each reboot, update the SMB or Azure Files CSI driver."),
		checks.Verify("Get-SmbGlobalMapping", "the share with Status OK")),
	Links: []string{
		"https://github.com/kubernetes-csi/csi-driver-smb/issues/733",
		"https://github.com/kubernetes-csi/csi-driver-smb/pull/1219",
		"https://github.com/kubernetes/kubernetes/issues/60624",
	},
	Breaks:   []*checks.Effect{effectPodStart},
	Needs:    complaintNeeds,
	FromPart: complaintNeeds,
	Uses:     complaintUses,
	Signs:    staleMappingSigns,
	Run:      complain(staleMappingSigns),
})

var staleMappingSigns = []checks.Sign{staleMapping("smb.csi.k8s.io"),
	staleMapping("file.csi.azure.com"),
	// docker, of the volume plugin of Kubernetes before 1.10: the kubelet finds the link in its place
	{Text: "bind source path does not exist", Also: []string{"kubernetes.io~azure-file"},
		Says: "the folder of an Azure Files volume leads to a share that is no longer connected",
		Fix: checks.Steps(
			checks.Do("Delete the pod, so that the kubelet mounts the share again.").
				Costs("The pod is created again."),
			checks.Do("Update Kubernetes to 1.10 or later, which mounts the share again after a reboot."),
			checks.Verify("Get-SmbGlobalMapping", "the share with Status OK"))},
}

func staleMapping(driver string) checks.Sign {
	return checks.Sign{Text: "Cannot create a file when that file already exists",
		Also: []string{"attacher.MountDevice failed to create dir", driver},
		Says: "the staging folder of an SMB volume leads to a share that is no longer connected"}
}
