package faults

import (
	"time"

	"doctor/checks"
	"doctor/checks/evidence"
)

// The share of the commit limit, in percent, at which the next large process may be refused.
const commitNarrow = 90

// refusedLately is for how long a refusal counts although there is room again:
// the process that was refused is gone, and so is the demand.
const refusedLately = 24 * time.Hour

const pagingFileText = "The paging file is too small for this operation to complete"

var _ = register(checks.Check{
	ID:       "paging-file-too-small",
	Title:    "RAM and page file are promised away: Windows refuses memory",
	Category: checks.CategoryNode,
	Doc: `Windows promises memory when a program asks for it, used or not, up to the commit
limit: RAM and page files together. It has no out-of-memory killer. At the limit containers do not
start, probes and kubectl exec fail because their process does not start, and programs end with an
OutOfMemoryException while "memory usage" looks harmless.

The check compares what is committed with the limit. A refusal in the logs of the last day is a
warning even where there is room again, for the demand will come back. A fixed page file is the
usual reason; pods whose limits are above their requests, and nothing reserved for Windows itself,
are the others.`,
	Fix: checks.Steps(
		checks.Inspect("Get-Counter '\\Memory\\Committed Bytes', '\\Memory\\Commit Limit'", ""),
		checks.Inspect(
			"Get-Process | Sort-Object PagedMemorySize64 -Descending | Select-Object -First 10 Name, Id, PagedMemorySize64", ""),
		checks.Run("Get-CimInstance Win32_ComputerSystem | Set-CimInstance -Property @{AutomaticManagedPagefile=$true}", "let Windows manage the page file, or make it larger; then keep 2 GiB back for Windows (systemReserved) and give pods limits that equal their requests").
			Costs("the reboot stops every pod of this node"),
		checks.Run("Restart-Computer", "")),
	Links: []string{
		"https://kubernetes.io/docs/concepts/configuration/windows-resource-management/",
		"https://github.com/Azure/AKS/issues/1941",
		"https://github.com/Azure/acs-engine/issues/4013",
		"https://github.com/kubernetes/kubernetes/issues/69938"},
	Breaks:   []*checks.Effect{effectPodStart, effectContainers},
	Explains: []string{"dll-init-failed-0xc0000142", "compute-system-unexpected-exit"},
	Needs:    []evidence.Need{evidence.MemoryInfo},
	Signs: []checks.Sign{
		checks.SignOfCode("ERROR_COMMITMENT_LIMIT",
			"Windows refused memory: RAM and page file together are used up"),
		checks.SignOfCode("ERROR_COMMITMENT_LIMIT",
			"Windows refused memory: RAM and page file together are used up",
			"Windows system call"),
		checks.SignOfCode("ERROR_COMMITMENT_LIMIT",
			"Windows refused memory: RAM and page file together are used up", "CreateProcess"),
		checks.SignOfCode("ERROR_COMMITMENT_LIMIT",
			"Windows refused memory: RAM and page file together are used up",
			"CreateComputeSystem"),
		{Text: pagingFileText,
			Says: "Windows refused memory: RAM and page file together are used up"},
		{Text: "diagnosed a low virtual memory condition", In: []string{evidence.InEvents},
			Says: "Windows reports that virtual memory runs low"},
	},
	Run: func(s evidence.Snapshot) ([]checks.Finding, error) {
		m := evidence.MemoryInfo.In(s)
		if m.CommitLimitBytes <= 0 || m.CommitUsedBytes <= 0 {
			return nil, checks.Unknown(evidence.NotShown.Gap("how much memory is committed"))
		}
		level := checks.Level(0)
		switch used := float64(m.CommitUsedBytes) / float64(m.CommitLimitBytes) * 100; {
		case used >= commitStrain:
			level = checks.Fail
		case used >= commitNarrow:
			level = checks.Warn
		}
		message := "%s of memory are promised, of at most %s (RAM and page files)"
		var refusal []evidence.Because
		if level == 0 {
			for _, match := range s.Signs("paging-file-too-small") {
				if match.Over == "" && !match.Last.IsZero() &&
					s.Now().Sub(match.Last) < refusedLately {
					level, refusal = checks.Warn, append(refusal, checks.Quote(match))
				}
			}
			message = "Windows refused memory within the last day; now %s are promised, of at most %s (RAM and page files)"
		}
		if level == 0 {
			return nil, nil
		}
		f := checks.Findingf(level, "commit", message, gib(m.CommitUsedBytes),
			gib(m.CommitLimitBytes)).
			At(evidence.MemoryInfo.Field(s, "commitUsedBytes"),
				"commitUsedBytes %d of commitLimitBytes %d", m.CommitUsedBytes, m.CommitLimitBytes)
		for i, p := range m.PageFiles {
			if !p.Automatic {
				f = f.At(evidence.MemoryInfo.Field(s, "pageFiles", i), "%s has a fixed size of %s",
					p.Path, gib(p.SizeBytes))
			}
		}
		if len(refusal) > 0 {
			f = f.With(refusal[:min(len(refusal), checks.MaxQuotes)]...)
			f.Basis = checks.ByBoth
		}
		return []checks.Finding{f}, nil
	},
})
