package faults

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

// The share of the commit limit, in percent, at which the next large process may be refused.
const commitNarrow = 90

// refusedLately is for how long a refusal counts although there is room again:
// the process that was refused is gone, and so is the demand.
const refusedLately = 24 * time.Hour

const pagingFileText = "The paging file is too small for this operation to complete"

var _ = register(&checks.Check{
	ID:       "paging-file-too-small",
	Title:    "Commit limit exhausted",
	Healthy:  "Committed memory is below the commit limit",
	Category: checks.CategoryNode,
	Doc: `Windows commits memory when a program requests it, used or not, up to the commit limit
(RAM plus page files). It has no out-of-memory killer. At the limit containers do not start, probes
and kubectl exec fail because their process does not start, and programs exit with an
OutOfMemoryException while "memory usage" looks normal.

The check compares committed memory with the limit. A refusal in the logs of the last day is a
warning even if memory is available again, because the demand will return. It names the program whose
processes hold a fifth of the committed memory or more. The usual cause is a page
file of fixed size; other causes are pod limits above requests and no memory reserved for Windows.`,
	Fix: checks.Steps(
		checks.Run("Get-CimInstance Win32_ComputerSystem | Set-CimInstance -Property @{AutomaticManagedPagefile=$true}",
			"Let Windows manage the page file."),
		checks.Run("Restart-Computer", "Reboot the node.").
			Costs("The reboot stops every pod of this node."),
		checks.Do("Reserve 2 GiB for Windows (systemReserved), and set pod limits equal to requests."),
		checks.Verify("Get-Counter '\\Memory\\Committed Bytes', '\\Memory\\Commit Limit'",
			"Committed Bytes is clearly below Commit Limit")),
	Links: []string{
		"https://kubernetes.io/docs/concepts/configuration/windows-resource-management/",
		"https://github.com/Azure/AKS/issues/1941",
		"https://github.com/Azure/acs-engine/issues/4013",
		"https://github.com/kubernetes/kubernetes/issues/69938"},
	Breaks:   []*checks.Effect{effectPodStart, effectContainers},
	Explains: []string{"dll-init-failed-0xc0000142", "compute-system-unexpected-exit"},
	Needs:    []evidence.Need{evidence.MemoryInfo},
	Uses:     []evidence.Need{evidence.Processes, evidence.Pods},
	Signs: []checks.Sign{
		checks.SignOfCode("ERROR_COMMITMENT_LIMIT",
			"Windows refused memory: the commit limit (RAM plus page file) is exhausted",
			"Windows system call"),
		checks.SignOfCode("ERROR_COMMITMENT_LIMIT",
			"Windows refused memory: the commit limit (RAM plus page file) is exhausted",
			"CreateProcess"),
		checks.SignOfCode("ERROR_COMMITMENT_LIMIT",
			"Windows refused memory: the commit limit (RAM plus page file) is exhausted",
			"CreateComputeSystem"),
		{Text: pagingFileText,
			Says: "Windows refused memory: the commit limit (RAM plus page file) is exhausted"},
		{Text: "diagnosed a low virtual memory condition", In: []string{evidence.InEvents},
			Says: "Windows reports low virtual memory"},
		// Event 2004 in any language: it names the programs that use most.
		{Text: "Resource-Exhaustion-Detector", Also: []string{".exe"},
			Not: []string{"diagnosed a low virtual memory condition"},
			In:  []string{evidence.InEvents}, Says: "Windows reports low virtual memory"},
	},
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
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
		message := "Committed memory is %s of the %s commit limit (RAM plus page files)"
		var refusal []evidence.Because
		if level == 0 {
			for _, match := range s.Signs("paging-file-too-small") {
				if match.Over == "" && !match.Last.IsZero() &&
					s.Now().Sub(match.Last) < refusedLately && !refusedAtLimit(s, match) {
					level, refusal = checks.Warn, append(refusal, checks.Quote(match))
				}
			}
			message = "Windows refused memory within the last day; committed now: %s of %s (RAM plus page files)"
		}
		if level == 0 {
			return nil, nil
		}
		program, largest := largestUser(s, m.CommitUsedBytes)
		f := checks.Findingf(level, "commit", message, gib(m.CommitUsedBytes),
			gib(m.CommitLimitBytes)).
			At(evidence.MemoryInfo.Field(s, "commitUsedBytes"),
				"commitUsedBytes %d of commitLimitBytes %d", m.CommitUsedBytes, m.CommitLimitBytes).
			With(largest...)
		if slices.Contains(node.Managed, program) {
			fix := fixOf("paging-file-too-small")
			f = f.Cure(checks.Fix{Steps: append([]*checks.Step{checks.Run("{restart "+program+"}",
				"Restart %s: it holds far more memory than it needs. If its memory grows again, update it.", program)},
				fix.Steps...)})
		}
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
		return []*checks.Finding{f}, nil
	},
})

// largestUser is the program whose processes together hold most of the committed memory, if that is
// much: many small ones may be the exec probes of a pod that hang.
func largestUser(s evidence.Snapshot, used int64) (program string, because []evidence.Because) {
	held, first, count := map[string]int64{}, map[string]evidence.Process{}, map[string]int{}
	most := ""
	for _, p := range evidence.Processes.In(s) {
		if count[p.Name]++; count[p.Name] == 1 {
			first[p.Name] = p
		}
		if held[p.Name] += cmp.Or(p.PrivateBytes, p.WorkingSetBytes); held[p.Name] > held[most] {
			most = p.Name
		}
	}
	if most == "" || held[most] < used/5 {
		return "", nil
	}
	return strings.ToLower(node.Program(most)), []evidence.Because{first[most].Field().Because("%d processes of %s hold %s",
		count[most], most, gib(held[most]))}
}
