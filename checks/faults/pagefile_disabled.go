package faults

import (
	"doctor/checks"
	"doctor/checks/evidence"
)

var _ = register(&checks.Check{
	ID:       "pagefile-disabled",
	Title:    "Node has no page file",
	Healthy:  "Node has a page file",
	Category: checks.CategoryNode,
	Doc: `Windows has no out-of-memory killer: it commits memory up to the commit limit (RAM plus
page files) and then refuses every allocation, of pods and system services alike. Without a page
file the limit is reached long before RAM is used up.`,
	Fix: checks.Steps(
		checks.Run("Get-CimInstance Win32_ComputerSystem | Set-CimInstance -Property @{AutomaticManagedPagefile=$true}",
			"Let Windows manage the page file."),
		checks.Run("Restart-Computer", "Reboot the node.").
			Costs("The reboot stops every pod of this node."),
		checks.Verify("Get-CimInstance Win32_PageFileUsage", "at least one page file")),
	Links: []string{
		"https://kubernetes.io/docs/concepts/configuration/windows-resource-management/"},
	Breaks: []*checks.Effect{effectPodStart, effectContainers},
	Explains: []string{"paging-file-too-small", "dll-init-failed-0xc0000142",
		"compute-system-unexpected-exit"},
	Needs: []evidence.Need{evidence.MemoryInfo},
	Signs: []checks.Sign{
		{Text: "The paging file is too small for this operation to complete", ConfirmOnly: true},
	},
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		m := evidence.MemoryInfo.In(s)
		if m.PageFiles == nil {
			return nil, checks.Unknown(evidence.NotShown.Gap("the page files"))
		}
		if len(m.PageFiles) > 0 {
			return nil, nil
		}
		f := checks.Findingf(checks.Warn, "page file",
			"No page file is configured: allocations fail when committed memory reaches the RAM size")
		if m.CommitLimitBytes > 0 {
			f = checks.Findingf(checks.Warn, "page file",
				"No page file is configured: allocations fail when %s are committed",
				gib(m.CommitLimitBytes))
		}
		f = f.At(evidence.MemoryInfo.Field(s, "pageFiles"), "pageFiles is empty")
		if m.CommitLimitBytes > 0 && m.CommitUsedBytes*100 >= m.CommitLimitBytes*commitStrain {
			f.Level = checks.Fail
			f = f.At(evidence.MemoryInfo.Field(s, "commitUsedBytes"),
				"commitUsedBytes %d of commitLimitBytes %d", m.CommitUsedBytes, m.CommitLimitBytes)
		}
		return []*checks.Finding{f}, nil
	},
})

// commitStrain is the share of the commit limit, in percent, from which processes begin to be refused memory.
const commitStrain = 95
