package faults

import (
	"doctor/checks"
)

const staleStore = `HNS reports "The wrong diskette is in the drive": its stored objects are from before a Windows update`

var _ = register(&checks.Check{
	ID:       "hns-wrong-diskette",
	Title:    "HNS cannot read its stored objects (wrong diskette)",
	Healthy:  "HNS can read its stored objects",
	Category: checks.CategoryNetwork,
	Doc: `HNS keeps networks and endpoints across a reboot. A Windows update may change their
format. Every call that uses an old object then fails with error 0x22, "The wrong diskette is in
the drive".

The lists of HNS show the objects unchanged. Only the error in the logs of flanneld, the CNI plugin
or kube-proxy shows the fault.`,
	Fix: checks.Steps(
		checks.Run("Stop-Service hns -Force; Remove-Item C:\\ProgramData\\Microsoft\\Windows\\HNS\\HNS.data -ErrorAction SilentlyContinue; Start-Service hns; hnsdiag delete all",
			"Delete the stored objects of HNS: the file HNS.data (Server 2019 and older) and the objects in the registry.").
			Costs("All pods of {node} lose their network. Services that depend on HNS stop, and stay stopped."),
		checks.Run("Restart-Computer",
			"Reboot the node: its services start again, and the CNI plugin creates its network.").
			Costs("All pods of {node} stop until the node has booted."),
		checks.Verify("Get-HnsNetwork | Where-Object Name -eq '{network}'",
			"the network {network}")),
	Links: []string{"https://github.com/flannel-io/flannel/issues/1112",
		"https://learn.microsoft.com/en-us/virtualization/windowscontainers/kubernetes/common-problems"},
	Breaks:   []*checks.Effect{effectNetworkCreation, effectKubeProxy},
	Explains: []string{"bridge-endpoint-stale"},
	Needs:    hnsLogs,
	Signs: []checks.Sign{
		untilRepaired(checks.Sign{Text: "The wrong diskette is in the drive", Says: staleStore}),
		// The message breaks the line before the code, in every language.
		untilRepaired(unlike(checks.SignOfCode("ERROR_WRONG_DISK", staleStore, "%3"), "diskette")),
		untilRepaired(unlike(checks.SignOfCode("ERROR_WRONG_DISK", staleStore, "failed in Win32"),
			"diskette", "%3")),
	},
})

// untilRepaired ends the sign where flanneld has made its network and endpoint since.
func untilRepaired(s checks.Sign) checks.Sign {
	s.Until = bridgeAttached
	return s
}
