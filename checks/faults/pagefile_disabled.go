package faults

import (
	"doctor/checks"
	"doctor/checks/evidence"
)

var _ = register(checks.Check{
	ID:       "pagefile-disabled",
	Title:    "the node has no page file",
	Category: checks.CategoryNode,
	Doc: `Windows has no out-of-memory killer: it promises memory up to the commit limit, which
is RAM and page files together, and then refuses every allocation, of pods and of system services
alike. Without a page file the limit is reached long before RAM is used up.`,
	Fix: checks.Steps(
		checks.Run("Get-CimInstance Win32_ComputerSystem | Set-CimInstance -Property @{AutomaticManagedPagefile=$true}", "let Windows manage the page file, then reboot the node").
			Costs("the reboot stops every pod of this node"),
		checks.Run("Restart-Computer", "")),
	Links: []string{
		"https://kubernetes.io/docs/concepts/configuration/windows-resource-management/"},
	Breaks: []*checks.Effect{effectPodStart, effectContainers},
	Explains: []string{"paging-file-too-small", "dll-init-failed-0xc0000142",
		"compute-system-unexpected-exit"},
	Needs: []evidence.Need{evidence.MemoryInfo},
	Signs: []checks.Sign{
		{Text: "The paging file is too small for this operation to complete", ConfirmOnly: true},
	},
	Run: func(s evidence.Snapshot) ([]checks.Finding, error) {
		m := evidence.MemoryInfo.In(s)
		if m.PageFiles == nil {
			return nil, checks.Unknown(evidence.NotShown.Gap("the page files"))
		}
		if len(m.PageFiles) > 0 {
			return nil, nil
		}
		f := checks.Findingf(checks.Warn, "page file",
			"no page file is configured: allocations fail as soon as as much is committed as there is RAM")
		if m.CommitLimitBytes > 0 {
			f = checks.Findingf(checks.Warn, "page file",
				"no page file is configured: allocations fail as soon as %s are committed",
				gib(m.CommitLimitBytes))
		}
		f = f.At(evidence.MemoryInfo.Field(s, "pageFiles"), "pageFiles is empty")
		if m.CommitLimitBytes > 0 && m.CommitUsedBytes*100 >= m.CommitLimitBytes*commitStrain {
			f.Level = checks.Fail
			f = f.At(evidence.MemoryInfo.Field(s, "commitUsedBytes"),
				"commitUsedBytes %d of commitLimitBytes %d", m.CommitUsedBytes, m.CommitLimitBytes)
		}
		return []checks.Finding{f}, nil
	},
})

// commitStrain is the share of the commit limit, in percent, from which processes begin to be refused memory.
const commitStrain = 95
