package regressions

import (
	"doctor/checks"
	"doctor/checks/evidence"
)

// storageRows are by the first release that holds a fix, as the tags and changelogs show it.
var storageRows = []Row{
	{
		ID: "azure-disk-stats-panic", Of: AzureDisk,
		From:   "1.28.7 < 1.28.9, 1.29.5 < 1.29.7, 1.30.1 < 1.30.2",
		Title:  "Azure Disk driver panics if it cannot read the free space",
		Breaks: []string{"pod-start", "running-containers"},
		Signs: []checks.Sign{
			{Text: "azuredisk.(*DriverCore).GetVolumeStats(", Or: []string{"azuredisk.(*Driver).GetVolumeStats("}},
		},
		Explains: []string{"component-panic"},
		Links:    []string{"https://github.com/kubernetes-sigs/azuredisk-csi-driver/commit/87d5377f3"},
	},
	{
		ID: "azure-disk-wrong-number", Of: AzureDisk,
		From:   "1.31.2 < 1.31.8, 1.32.0 < 1.32.4",
		Title:  "Azure Disk driver uses the wrong disk on Server 2019",
		Breaks: []string{"pod-start"},
		Build:  17763,
		Signs: []checks.Sign{
			// the disk of Windows itself
			{Text: "NodeStageVolume: formatting 0 and mounting at", Also: []string{"with mount options"}}, // the EBS driver names a type
		},
		OtherCauses: true, // machines with NVMe disks, which no Server 2019 has, number them in another way
		Links: []string{"https://github.com/kubernetes-sigs/azuredisk-csi-driver/commit/f890cd269",
			"https://github.com/kubernetes-sigs/azuredisk-csi-driver/pull/3038"},
	},
	{
		ID: "azure-disk-nvme-v6", Of: AzureDisk,
		From:   "1.31.0 < 1.31.2",
		Title:  "Azure Disk driver finds no NVMe disk on v6 VM sizes",
		Breaks: []string{"pod-start"},
		Sizes:  []string{"_v6", "_v7"},
		Signs: []checks.Sign{
			{Text: "could not find disk id for lun"},
		},
		Explains:    []string{"azure-disk-nvme"},
		OtherCauses: true, // a disk that is not attached yet
		Links:       []string{"https://github.com/kubernetes-sigs/azuredisk-csi-driver/commit/7c070fe53"},
	},
	{
		ID: "azure-disk-nvme-v7", Of: AzureDisk,
		From:   "1.33.0 < 1.34.4", // 1.33.11 does not have the fix
		Title:  "Azure Disk driver finds no NVMe disk on v7 VM sizes",
		Breaks: []string{"pod-start"},
		Sizes:  []string{"_v7"},
		Signs: []checks.Sign{
			{Text: "could not find disk id for lun"},
		},
		Explains:    []string{"azure-disk-nvme"},
		OtherCauses: true, // a disk that is not attached yet
		Links:       []string{"https://github.com/kubernetes-sigs/azuredisk-csi-driver/commit/410484659"},
	},
	{
		// no such release runs in the network of the host on Windows
		ID: "azure-disk-instance-metadata", Of: AzureDisk,
		From:   "1.8.0 < 1.13.0",
		Title:  "Azure Disk driver needs the metadata service at its start",
		Breaks: []string{"pod-start"},
		Signs: []checks.Sign{
			{Text: "get instance type(", Or: []string{"get zone("}, Also: []string{"failed with", "dial tcp 169.254.169.254:80"}},
		},
		Explains: []string{"metadata-route-lost"},
		Links: []string{"https://github.com/kubernetes-sigs/azuredisk-csi-driver/issues/1198",
			"https://github.com/kubernetes-sigs/azuredisk-csi-driver/pull/1200"},
	},
	{
		ID: "azure-disk-clone", Of: AzureDisk,
		From:  "1.28.0 < 1.28.2",
		Title: "Cloned volumes keep the size of their source",
		Links: []string{"https://github.com/kubernetes-sigs/azuredisk-csi-driver/commit/349a6b7e6"},
	},
	{
		ID: "azure-file-volume-usage", Of: AzureFile,
		From:  "1.28.0 < 1.28.2",
		Title: "Usage of SMB volumes is reported wrong",
		Links: []string{"https://github.com/kubernetes-sigs/azurefile-csi-driver/commit/45f857659"},
	},
	{
		ID: "azure-file-mapping-kept", Of: AzureFile,
		From:  "1.28.0 < 1.28.10, 1.29.0 < 1.29.5, 1.30.0 < 1.30.2",
		Title: "SMB mapping stays after its volume is unmounted",
		Links: []string{"https://github.com/kubernetes-sigs/azurefile-csi-driver/commit/40cd25089"},
	},
	{
		ID: "ebs-image-os-version", Of: EBS,
		From:   "1.29.0 < 1.29.1",
		Title:  "EBS driver image has no Windows version in its manifest",
		Breaks: []string{"pod-start"},
		Signs: []checks.Sign{
			{Text: "no matching manifest for windows", Or: []string{"no match for platform in manifest"},
				Also: []string{"aws-ebs-csi-driver"}},
		},
		Explains:    []string{"app-image-os-version-mismatch"},
		OtherCauses: true, // a Windows that the image is not for
		Links:       []string{"https://github.com/kubernetes-sigs/aws-ebs-csi-driver/pull/1985"},
	},
	{
		ID: "ebs-mount-bug", Of: EBS,
		From:   "1.5.0 < 1.6.0",
		Title:  "EBS driver fails to mount volumes on Windows",
		Breaks: []string{"pod-start"},
		Signs: []checks.Sign{
			{Text: "could not format", Also: []string{"and mount it at", "volume id empty"}, Not: []string{"(lun: "}}, // the Azure Disk driver
		},
		Explains:    []string{"csi-disk-offline"},
		OtherCauses: true, // a disk that the SAN policy keeps offline
		Links: []string{"https://github.com/kubernetes-sigs/aws-ebs-csi-driver/pull/1189",
			"https://github.com/kubernetes-sigs/aws-ebs-csi-driver/issues/1090"},
	},
	{
		ID: "ebs-publish-target", Of: EBS,
		From:   "1.3.0 < 1.4.0",
		Title:  "EBS driver fails because the mount target does not exist",
		Breaks: []string{"pod-start"},
		Signs: []checks.Sign{
			{Text: "Could not mount", Also: []string{"globalmount", "file does not exist"}},
		},
		OtherCauses: true, // other drivers mount with the same words
		Links:       []string{"https://github.com/kubernetes-sigs/aws-ebs-csi-driver/pull/1081"},
	},
	{
		ID: "gce-disk-nvme", Of: GCEDisk,
		From:   "1.2.0 < 1.19.1, 1.20.0 < 1.20.2",
		Title:  "PD driver finds no NVMe disk on Windows",
		Breaks: []string{"pod-start"},
		// the series whose disks are NVMe: cloud.google.com/compute/docs/disks, persistent disk and Hyperdisk interfaces
		Sizes: []string{"c3-", "c3d-", "c4-", "c4d-", "n4-", "n4d-", "h3-", "m3-", "m4-", "x4-", "z3-"},
		Signs: []checks.Sign{
			{Text: "could not find disk number for device"},
		},
		OtherCauses: true, // a disk that Windows does not see yet
		Links:       []string{"https://github.com/kubernetes-sigs/gcp-compute-persistent-disk-csi-driver/pull/2114"},
	},
	{
		ID: "csi-proxy-share-twice", Of: CSIProxy,
		From:     "1.1.0 < 1.1.2",
		Title:    "csi-proxy mounts an SMB share only once",
		Breaks:   []string{"pod-start"},
		Explains: []string{"smb-global-mapping-failed"},
		Shown:    folderOfMappedShare,
		Reads:    []evidence.Need{evidence.PodEvents},
		Links: []string{"https://github.com/kubernetes-csi/csi-proxy/commit/8563980",
			"https://github.com/kubernetes-csi/csi-driver-smb/issues/219"},
	},
	{
		ID: "csi-proxy-mbr-disk", Of: CSIProxy,
		From:   "1.0.0 < 1.0.2",
		Title:  "csi-proxy fails with MBR disks",
		Breaks: []string{"pod-start"},
		Signs: []checks.Sign{
			{Text: "error creating parition on disk"},
		},
		OtherCauses: true, // a disk without free space
		Links:       []string{"https://github.com/kubernetes-csi/csi-proxy/commit/07b3304"},
	},
	{
		ID: "azure-disk-go-mount-points", Of: AzureDisk,
		From:   "1.30.5 < 1.30.7, 1.31.0 < 1.31.2",
		Title:  "Azure Disk driver does not recognize its mount points",
		Breaks: []string{"pod-start"},
		Links: []string{"https://github.com/kubernetes-sigs/azuredisk-csi-driver/commit/951063ecd",
			"https://github.com/kubernetes-sigs/azuredisk-csi-driver/commit/87311ca67"},
	},
	{
		ID: "azure-disk-system-drive", Of: AzureDisk,
		From:   "1.31.0 < 1.31.2",
		Title:  "Azure Disk driver may use the system drive as a volume",
		Breaks: []string{"pod-start"},
		Signs: []checks.Sign{
			{Text: "SetDiskState on disk(", Also: []string{"Operation not supported on a critical disk"}},
		},
		Links: []string{"https://github.com/kubernetes-sigs/azuredisk-csi-driver/issues/2661",
			"https://github.com/kubernetes-sigs/azuredisk-csi-driver/pull/2671"},
	},
	{
		ID: "azure-disk-access-path", Of: AzureDisk,
		From:   "1.29.0 < 1.29.12, 1.30.0 < 1.30.7, 1.31.0 < 1.31.2",
		Title:  "Azure Disk driver formats slowly, and the mount fails",
		Breaks: []string{"pod-start"},
		Signs: []checks.Sign{
			{Text: "requested access path is already in use"},
		},
		OtherCauses: true, // drivers of other disks start the same commands
		Links: []string{"https://github.com/kubernetes-sigs/azuredisk-csi-driver/issues/2690",
			"https://github.com/kubernetes-sigs/azuredisk-csi-driver/pull/2699"},
	},
	{
		ID: "azure-disk-restore-size", Of: AzureDisk,
		From:  "1.30.0 < 1.30.7, 1.31.0 < 1.31.2",
		Title: "Restored and cloned volumes are not resized",
		Links: []string{"https://github.com/kubernetes-sigs/azuredisk-csi-driver/commit/ba132a5b4"},
	},
	{
		ID: "azure-disk-bigger-clone", Of: AzureDisk,
		From:   "1.28.0 < 1.28.11, 1.29.0 < 1.29.10, 1.30.0 < 1.30.5",
		Title:  "Clones that are bigger than their source fail to resize",
		Breaks: []string{"pod-start"},
		Signs: []checks.Sign{
			{Text: "NodeStageVolume: could not resize volume",
				Also: []string{"error getting sizemin,sizemax from mount"},
				Not:  []string{"Volume{"}},
		},
		Links: []string{"https://github.com/kubernetes-sigs/azuredisk-csi-driver/commit/cd7f41988"},
	},
	{
		ID: "azure-disk-stats-fail", Of: AzureDisk,
		From:  "1.18.0 < 1.19.0",
		Title: "Azure Disk driver reports the usage of the system disk",
		Links: []string{"https://github.com/kubernetes-sigs/azuredisk-csi-driver/commit/803090e16"},
	},
	{
		ID: "azure-disk-resize-fails", Of: AzureDisk,
		From:  "1.17.0 < 1.18.0",
		Title: "Azure Disk driver fails to resize volumes",
		Signs: []checks.Sign{
			// k8s.io/mount-utils says it in each driver; the id of the disk tells which
			{Text: "could not resize volume", Also: []string{"/subscriptions/", "Resize is not supported for this build"}},
		},
		Links: []string{"https://github.com/kubernetes-sigs/azuredisk-csi-driver/commit/5ce881023"},
	},
	{
		ID: "azure-disk-pod-crash", Of: AzureDisk,
		From:   "1.6.0 < 1.8.0",
		Title:  "Azure Disk driver pod crashes",
		Breaks: []string{"pod-start"},
		Signs: []checks.Sign{
			// its probe has one second
			{Text: "--mode=kubelet-registration-probe",
				Also: []string{"disk.csi.azure.com", "timed out"}},
		},
		Links: []string{"https://github.com/kubernetes-sigs/azuredisk-csi-driver/commit/18702f01b",
			"https://github.com/kubernetes-sigs/azuredisk-csi-driver/commit/56917ba46"},
	},
	{
		ID: "azure-disk-registration", Of: AzureDisk,
		From:   "1.5.0 < 1.6.0",
		Title:  "Azure Disk driver fails to register",
		Breaks: []string{"pod-start"},
		State:  "csi-registration-missed",
		Shown:  ofDriver(drivers[AzureDisk]),
		Links:  []string{"https://github.com/kubernetes-sigs/azuredisk-csi-driver/commit/8203de06a"},
	},
	{
		ID: "azure-file-go-mount-points", Of: AzureFile,
		From:   "1.29.8 < 1.29.10, 1.30.6 < 1.30.7, 1.31.0 < 1.31.1",
		Title:  "Azure File driver does not recognize its mount points",
		Breaks: []string{"pod-start"},
		Links:  []string{"https://github.com/kubernetes-sigs/azurefile-csi-driver/commit/9f86a4813"},
	},
	{
		ID: "azure-file-server-cache", Of: AzureFile,
		From:  "1.30.3 < 1.30.7, 1.31.0 < 1.31.1",
		Title: "Azure File driver uses an outdated cache of SMB servers",
		Links: []string{"https://github.com/kubernetes-sigs/azurefile-csi-driver/commit/7153b3fb1",
			"https://github.com/kubernetes-sigs/azurefile-csi-driver/commit/a3c12bb7d"},
	},
	{
		ID: "azure-file-kubeconfig", Of: AzureFile,
		From:   "1.28.0 < 1.28.1",
		Title:  "Azure File driver does not use its service account",
		Breaks: []string{"pod-start"},
		// the argument of its own manifest
		Signs: []checks.Sign{
			{Text: "get kubeconfig(C:", Also: []string{"config) failed with error"}},
		},
		OtherCauses: true, // a kubeconfig that was set by hand
		Links:       []string{"https://github.com/kubernetes-sigs/azurefile-csi-driver/commit/a4f17e3d7"},
	},
	{
		ID: "azure-file-pod-crash", Of: AzureFile,
		From:   "1.6.0 < 1.7.0",
		Title:  "Azure File driver pod crashes",
		Breaks: []string{"pod-start"},
		Signs: []checks.Sign{
			// its probe has one second
			{Text: "--mode=kubelet-registration-probe",
				Also: []string{"file.csi.azure.com", "timed out"}},
		},
		Links: []string{"https://github.com/kubernetes-sigs/azurefile-csi-driver/commit/93d6c79de"},
	},
	{
		ID: "azure-file-registration", Of: AzureFile,
		From:   "1.5.0 < 1.6.0",
		Title:  "Azure File driver fails to register",
		Breaks: []string{"pod-start"},
		State:  "csi-registration-missed",
		Shown:  ofDriver(drivers[AzureFile]),
		Links:  []string{"https://github.com/kubernetes-sigs/azurefile-csi-driver/commit/ac26610d8"},
	},
	{
		ID: "azure-file-source-path", Of: AzureFile,
		From:   "1.2.0 < 1.3.0",
		Title:  "Azure File driver does not convert source paths",
		Breaks: []string{"pod-start"},
		Links:  []string{"https://github.com/kubernetes-sigs/azurefile-csi-driver/commit/06bc0c904"},
	},
	{
		// 70c5e7477 until f9cfa74f: "unix://" and C:\provider\azure.sock
		ID: "keyvault-provider-health-check", Of: KeyVault,
		From:   "1.8.0 < 1.8.2",
		Title:  "Azure Key Vault provider fails its own health check on Windows",
		Breaks: []string{"pod-start"},
		State:  "pods-restarting",
		Shown:  providerIsUnhealthy,
		Reads:  []evidence.Need{evidence.PodEvents},
		Signs: []checks.Sign{
			// in the answer to the probe
			{Text: "azure.sock", Also: []string{"too many colons in address"}},
		},
		Links: []string{"https://github.com/Azure/secrets-store-csi-driver-provider-azure/issues/2029",
			"https://github.com/Azure/secrets-store-csi-driver-provider-azure/pull/2033"},
	},
	{
		ID: "smb-mapping-leak", Of: SMB,
		From:  "1.17.0 < 1.20.1",
		Title: "SMB driver leaves global mappings behind",
		Signs: []checks.Sign{
			// it looks in the folder of another driver
			{Text: "CheckForDuplicateSMBMounts(",
				Also: []string{"smb.csi.k8s.io", "csi\\file.csi.azure.com: "}},
		},
		Warn: true,
		Links: []string{"https://github.com/kubernetes-csi/csi-driver-smb/commit/af3f47619",
			"https://github.com/kubernetes-csi/csi-driver-smb/issues/1035"},
	},
	{
		ID: "vsphere-csi-node-uuid", Of: VSphereCSI,
		From:     "2.5.0 < 2.5.4, 2.6.0 < 2.6.2",
		Title:    "vSphere driver registers the node by a serial number that no VM has",
		Breaks:   []string{"pod-start", "running-containers"},
		Explains: []string{"csi-driver-not-registered"},
		Signs: []checks.Sign{
			// as the BIOS prints it; later releases make a UUID of it
			{Text: "failed to retrieve nodeVM", Also: []string{"VMware-", "virtual machine wasn't found"}},
			{Text: "Successfully patched CSINodeTopology instance", Also: []string{`with Uuid: "VMware-`}},
		},
		Links: []string{"https://github.com/kubernetes-sigs/vsphere-csi-driver/pull/1996",
			"https://github.com/kubernetes-sigs/vsphere-csi-driver/pull/2007"},
	},
	{
		ID: "smb-registration", Of: SMB,
		From:   "1.2.0 < 1.3.0",
		Title:  "SMB driver fails to register",
		Breaks: []string{"pod-start"},
		State:  "csi-registration-missed",
		Shown:  ofDriver(drivers[SMB]),
		Links:  []string{"https://github.com/kubernetes-csi/csi-driver-smb/commit/dc0cda2d3"},
	},
	{
		ID: "ebs-unstage", Of: EBS,
		From:   "1.17.0 < 1.18.0",
		Title:  "EBS driver fails to stage and unmount volumes",
		Breaks: []string{"pod-start"},
		Signs: []checks.Sign{
			{Text: "error getting device name from mount", Also: []string{"because it does not exist"}},
		},
		Links: []string{"https://github.com/kubernetes-sigs/aws-ebs-csi-driver/commit/e538f662"},
	},
	{
		ID: "csi-proxy-needless-resize", Of: CSIProxy,
		From:   "1.1.0 < 1.2.0",
		Title:  "csi-proxy fails if a volume needs no resize",
		Breaks: []string{"pod-start"},
		Signs: []checks.Sign{
			{Text: "error resizing volume",
				Also: []string{"The size of the extent is less than the minimum of 1MB"}},
		},
		Explains:    []string{"csi-resize-size-not-supported"},
		OtherCauses: true, // CSI drivers that resize without csi-proxy
		Links: []string{"https://github.com/kubernetes-csi/csi-proxy/pull/364",
			"https://github.com/kubernetes-csi/csi-proxy/issues/195"},
	},
	{
		ID: "ebs-resize-fails", Of: EBS,
		From:  "1.3.0 < 1.6.0",
		Title: "EBS driver fails to resize volumes on Windows",
		Signs: []checks.Sign{
			{Text: "could not resize volume", Also: []string{"vol-", "Resize is not supported for this build"},
				Not: []string{"/subscriptions/"}},
			// its first releases look for a program of Linux before
			{Text: "Could not determine device path: executable file not found in"},
		},
		Links: []string{"https://github.com/kubernetes-sigs/aws-ebs-csi-driver/pull/1207",
			"https://github.com/kubernetes-sigs/aws-ebs-csi-driver/issues/1117"},
	},
	{
		ID: "ebs-resize-without-rescan", Of: EBS,
		From:  "1.56.0 < 1.57.0",
		Title: "EBS driver resizes volumes before Windows sees the new size",
		Links: []string{"https://github.com/kubernetes-sigs/aws-ebs-csi-driver/commit/a6ceeae3"},
	},
}
