package faults

import (
	"strings"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

// The AKS log analysis takes 50 to 150 MB for normal, and warns above these.
const (
	vmcomputeBytes   = 500 << 20
	vmcomputeHandles = 5000
)

var _ = register(&checks.Check{
	ID:       "vmcompute-leak",
	Title:    "vmcompute uses too much memory or too many handles",
	Healthy:  "vmcompute uses a normal amount of memory and handles",
	Category: checks.CategoryWorkloads,
	Doc: `vmcompute.exe, the host compute service, makes and ends all containers and starts the
commands of exec probes in them. Each exec probe that cannot be started leaks some 90 KB in it; one
user saw 1.8 GB after 15 days. Containers that stay behind hold handles in it. When it is out of
memory, calls fail with "The RPC server is unavailable", and no container starts or ends any more.

The check warns from 500 MB, or from 5000 handles, as the AKS log analysis does, which regards 50 to
150 MB as normal.`,
	Fix: checks.Steps(
		checks.Inspect("Get-Process vmcompute | Format-List WorkingSet64, PrivateMemorySize64, HandleCount, StartTime",
			"Read the numbers again after an hour: a leak grows."),
		checks.Inspect("kubectl get events -A --field-selector reason=Unhealthy",
			"Find exec probes that cannot be started on this node."),
		checks.Do("Replace exec probes with httpGet or tcpSocket probes, and install the current cumulative update of Windows."),
		checks.Run("kubectl drain {node} --ignore-daemonsets --delete-emptydir-data; Restart-Computer",
			"Drain and reboot the node: a restart of vmcompute alone ends all containers.").
			Costs("Draining evicts every pod of this node and deletes its emptyDir volumes."),
		checks.Verify("Get-Process vmcompute | Format-List WorkingSet64, HandleCount",
			"less than 200 MB and 5000 handles")),
	Links: []string{"https://github.com/microsoft/hcsshim/issues/1680",
		"https://github.com/Azure/AKS/issues/3262",
		"https://github.com/Azure/AgentBaker/blob/dev/.github/skills/windows-log-analysis/sub-skills/thresholds.md"},
	Explains: []string{"pods-stuck-creating"},
	Needs:    []evidence.Need{evidence.Processes},
	FromPart: []evidence.Need{evidence.Processes},
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		for _, p := range evidence.Processes.In(s) {
			if !strings.EqualFold(node.Program(p.Name), "vmcompute") {
				continue
			}
			used, field := p.WorkingSetBytes, "workingSetBytes"
			if p.PrivateBytes > used {
				used, field = p.PrivateBytes, "privateBytes"
			}
			var findings []*checks.Finding
			if used >= vmcomputeBytes {
				findings = append(findings, checks.Findingf(checks.Warn, "vmcompute",
					"vmcompute uses %d MB of memory; expected: less than 500 MB", used>>20).
					At(p.Field(field), "%s, process %d: %d bytes", p.Name, p.PID, used))
			}
			if p.Handles >= vmcomputeHandles {
				findings = append(findings, checks.Findingf(checks.Warn, "vmcompute",
					"vmcompute has %d handles; expected: less than 5000", p.Handles).
					At(p.Field("handles"), "%s, process %d: %d handles", p.Name, p.PID,
						p.Handles))
			}
			if used == 0 && p.Handles == 0 {
				break
			}
			return findings, nil
		}
		return nil, checks.Unknown(evidence.NotShown.Gap("what the process vmcompute uses"))
	},
})
