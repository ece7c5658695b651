package faults

import (
	"doctor/checks"
	"doctor/checks/evidence"
)

const staleStore = "HNS answers that the wrong diskette is in the drive: what it stored before an update of Windows no longer fits"

var _ = register(checks.Check{
	ID:       "hns-wrong-diskette",
	Title:    "HNS cannot use the objects that it stored before an update of Windows",
	Category: checks.CategoryNetwork,
	Doc: `HNS keeps networks and endpoints over a reboot. After a Windows update its format may
differ, and every call that touches an old object fails with error 0x22, whose text is one of the
oldest of Windows: "The wrong diskette is in the drive".

Nothing in the listings of HNS shows it, for the objects look as they did; only the error in the
logs of flanneld, of the CNI plugin or of kube-proxy tells.`,
	Fix: checks.Steps(
		checks.Run("Stop-Service kubelet, kube-proxy, flanneld",
			"let HNS forget what it stored. On Server 2019 and older that is the file HNS.data; newer versions keep it in the registry, where hnsdiag removes endpoints and networks one by one").
			Costs("removes every HNS network and endpoint: all pods of {node} lose their network, and the node may be off the network for a minute"),
		checks.Run("Stop-Service hns; Remove-Item C:\\ProgramData\\Microsoft\\Windows\\HNS\\HNS.data; Start-Service hns", ""),
		checks.Inspect("hnsdiag list all", ""),
		checks.Run("hnsdiag delete networks <id>", ""),
		checks.Run("Restart-Computer", "")),
	Links: []string{"https://github.com/flannel-io/flannel/issues/1112",
		"https://learn.microsoft.com/en-us/virtualization/windowscontainers/kubernetes/common-problems"},
	Breaks:   []*checks.Effect{effectNetworkCreation, effectKubeProxy},
	Explains: []string{"bridge-endpoint-stale"},
	Needs:    []evidence.Need{hnsLogs},
	Signs: []checks.Sign{
		{Text: "The wrong diskette is in the drive", Says: staleStore},
		// The message breaks the line before the code, in every language.
		unlike(checks.SignOfCode("ERROR_WRONG_DISK", staleStore, "%3"), "diskette"),
		unlike(checks.SignOfCode("ERROR_WRONG_DISK", staleStore, "failed in Win32"), "diskette",
			"%3"),
	},
})
