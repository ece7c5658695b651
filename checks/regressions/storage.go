package regressions

import (
	"doctor/checks"
)

// storageRows are by the first release that holds a fix, as the tags and changelogs show it.
var storageRows = []Row{
	{
		ID: "azure-disk-stats-panic", Of: AzureDisk,
		From:   "1.28.7 < 1.28.9, 1.29.5 < 1.29.7, 1.30.1 < 1.30.2",
		Title:  "The driver panics if it cannot read the free space of a volume",
		Breaks: []string{"pod-start"},
		Links:  []string{"https://github.com/kubernetes-sigs/azuredisk-csi-driver/commit/87d5377f3"},
	},
	{
		ID: "azure-disk-wrong-number", Of: AzureDisk,
		From:   "1.31.2 < 1.31.8, 1.32.0 < 1.32.4",
		Title:  "The driver takes the wrong disk on Windows Server 2019",
		Breaks: []string{"pod-start"},
		Build:  17763,
		Links:  []string{"https://github.com/kubernetes-sigs/azuredisk-csi-driver/commit/f890cd269"},
	},
	{
		ID: "azure-disk-nvme-v6", Of: AzureDisk,
		From:   "1.31.0 < 1.31.2",
		Title:  "The driver finds no disk on VMs of version 6 with NVMe",
		Breaks: []string{"pod-start"},
		Links:  []string{"https://github.com/kubernetes-sigs/azuredisk-csi-driver/commit/7c070fe53"},
	},
	{
		ID: "azure-disk-nvme-v7", Of: AzureDisk,
		From:   "1.34.0 < 1.34.4",
		Title:  "The driver finds no disk on VMs of version 7 with NVMe",
		Breaks: []string{"pod-start"},
		Links:  []string{"https://github.com/kubernetes-sigs/azuredisk-csi-driver/commit/410484659"},
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
		Title: "The usage of SMB volumes is reported wrong",
		Links: []string{"https://github.com/kubernetes-sigs/azurefile-csi-driver/commit/45f857659"},
	},
	{
		ID: "azure-file-mapping-kept", Of: AzureFile,
		From:  "1.28.0 < 1.28.10, 1.29.0 < 1.29.5, 1.30.0 < 1.30.2",
		Title: "The SMB mapping of a volume stays after it is unmounted",
		Links: []string{"https://github.com/kubernetes-sigs/azurefile-csi-driver/commit/40cd25089"},
	},
	{
		ID: "ebs-image-os-version", Of: EBS,
		From:   "1.29.0 < 1.29.1",
		Title:  "The image of the EBS driver has no Windows version in its manifest",
		Breaks: []string{"pod-start"},
		Signs: []checks.Sign{
			{Text: "no matching manifest for windows", Also: []string{"aws-ebs-csi-driver"}},
		},
		Explains: []string{"app-image-os-version-mismatch"},
		Links:    []string{"https://github.com/kubernetes-sigs/aws-ebs-csi-driver/pull/1985"},
	},
	{
		ID: "ebs-mount-bug", Of: EBS,
		From:   "1.5.0 < 1.6.0",
		Title:  "The EBS driver fails to mount volumes on Windows",
		Breaks: []string{"pod-start"},
		Links:  []string{"https://github.com/kubernetes-sigs/aws-ebs-csi-driver/pull/1189"},
	},
	{
		ID: "ebs-publish-target", Of: EBS,
		From:   "1.3.0 < 1.4.0",
		Title:  "The EBS driver fails because the mount target does not exist",
		Breaks: []string{"pod-start"},
		Links:  []string{"https://github.com/kubernetes-sigs/aws-ebs-csi-driver/pull/1081"},
	},
	{
		ID: "csi-proxy-share-twice", Of: CSIProxy,
		From:   "1.1.0 < 1.1.2",
		Title:  "csi-proxy mounts an SMB share only once",
		Breaks: []string{"pod-start"},
		Links:  []string{"https://github.com/kubernetes-csi/csi-proxy/commit/8563980"},
	},
	{
		ID: "csi-proxy-mbr-disk", Of: CSIProxy,
		From:   "1.0.0 < 1.0.2",
		Title:  "csi-proxy fails at disks with an MBR",
		Breaks: []string{"pod-start"},
		Links:  []string{"https://github.com/kubernetes-csi/csi-proxy/commit/07b3304"},
	},
}
