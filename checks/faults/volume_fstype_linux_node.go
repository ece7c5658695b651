package faults

import (
	"strings"

	"doctor/checks"
	"doctor/checks/evidence"
)

var _ = register(&checks.Check{
	ID:       "volume-fstype-linux",
	Title:    "Volume requires a Linux file system",
	Healthy:  "Volumes use a file system that Windows has",
	Category: checks.CategoryStorage,
	Doc: `A StorageClass or PersistentVolume names the file system of its disks. The default of a cluster is
for Linux nodes, for example ext4. Windows cannot format a disk with it: Format-Volume accepts FAT,
FAT32, exFAT, NTFS and ReFS only. The pod stays in ContainerCreating, and repeating the mount does
not help.

The check looks for the answer of Format-Volume at pods that do not start, and reads the file system
of their volumes. The file system cannot be changed in a StorageClass or volume that exists: both must
be created again.`,
	Fix: checks.Steps(
		checks.Inspect("kubectl get pv -o custom-columns=NAME:.metadata.name,CLASS:.spec.storageClassName,FSTYPE:.spec.csi.fsType,DISK:.spec.azureDisk.fsType",
			"Find the volume and its StorageClass."),
		checks.Do("Create a StorageClass for Windows with the parameter csi.storage.k8s.io/fstype: ntfs (in-tree drivers: fsType: ntfs). Use it in the PersistentVolumeClaim."),
		checks.Run("kubectl delete pvc CLAIM -n NAMESPACE",
			"Delete the claim with the wrong file system and create it again with the new StorageClass.").
			Costs("The volume is deleted if its reclaim policy is Delete."),
		checks.Verify("kubectl get pvc -n NAMESPACE", "the claim is Bound to the new StorageClass")),
	Links: []string{
		"https://github.com/kubernetes-sigs/azuredisk-csi-driver/issues/561",
		"https://github.com/MicrosoftDocs/azure-docs/issues/82617",
		"https://kubernetes.io/docs/concepts/storage/windows-storage/",
	},
	Breaks:   []*checks.Effect{effectPodStart},
	Needs:    complaintNeeds,
	FromPart: complaintNeeds,
	Uses:     []evidence.Need{evidence.PodEvents, evidence.PersistentVolumes},
	Signs:    linuxFileSystemSigns,
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		findings, err := complain(linuxFileSystemSigns)(s)
		if len(findings) > 0 || err != nil {
			return findings, err
		}
		awaited, gap := awaitedVolumes(s)
		for _, w := range awaited {
			system, kind := w.FSType()
			if strings.HasPrefix(system, "ext") || strings.HasPrefix(system, "xfs") || system == "btrfs" {
				findings = append(findings, checks.Findingf(checks.Fail, w.pod.FullName(),
					"%s waits: its volume %s requires the file system %s of Linux", w.pod.FullName(),
					w.name, system).At(w.at.At(kind, "fsType"), "%s: fsType %s", w.name, system))
			}
		}
		if gap.Kind != "" {
			return nil, checks.Unknown(gap)
		}
		return findings, nil
	},
})

const linuxFileSystem = "a disk cannot be formatted: its volume requires a file system of Linux"

var linuxFileSystemSigns = []checks.Sign{
	{Text: "Cannot validate argument on parameter 'FileSystem'", Also: []string{"Format-Volume"},
		Says: linuxFileSystem},
	// PowerShell in another language: its error id is not translated.
	{Text: "ParameterArgumentValidationError,Format-Volume",
		Not: []string{"Cannot validate argument on parameter"}, Says: linuxFileSystem},
	// The GCE driver (utils_windows.go) and that of vSphere (windows_os_utils.go) do not try it.
	{Text: "PD CSI driver can only supports ntfs file system", Says: linuxFileSystem},
	{Text: `unsupported fsType "ext`, Or: []string{`unsupported fsType \"ext`, `unsupported fsType "xfs`,
		`unsupported fsType \"xfs`}, Also: []string{"observed"}, Says: linuxFileSystem},
}
