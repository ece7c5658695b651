package faults

import (
	"slices"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

var _ = register(checks.Check{
	ID:       "dll-init-failed-0xc0000142",
	Title:    "processes end at once: Windows has no room for their libraries",
	Category: checks.CategoryNode,
	Doc: `Exit code 0xc0000142 (3221225794, -1073741502; STATUS_DLL_INIT_FAILED) means that a
library of the program could not initialise. On nodes with very many processes it is the desktop
heap of services that is used up, or the memory that Windows can commit: then programs of containers
and of the node fail alike, also PowerShell behind a CSI driver, and all is well again after a
reboot until it fills up once more.

The check reads the exit codes of containers that do not run and the texts of their failures, and
looks at the commit charge to tell the two reasons apart. Neighbouring codes mean something else:
0xc0000135 a missing library, 0xc000013a a normal stop, 0xc0000409 a crash of the program itself.`,
	Fix: checks.Steps(
		checks.Inspect(
			`Get-ItemPropertyValue 'HKLM:\SYSTEM\CurrentControlSet\Control\Session Manager\SubSystems' -Name Windows`, ""),
		checks.Run("(Get-Process).Count",
			"run fewer processes on this node, or enlarge the third number of SharedSection, the desktop heap of services in KB, from 768 to 2048 or so; then reboot").
			Costs("the reboot stops every pod of this node"),
		checks.Run("Restart-Computer", "")),
	Links: []string{"https://github.com/kubernetes-sigs/azuredisk-csi-driver/issues/2082",
		"https://github.com/moby/moby/issues/40328", "https://github.com/microsoft/SDN/issues/298",
		"https://learn.microsoft.com/en-us/openspecs/windows_protocols/ms-erref/596a1078-e883-4972-9bbc-49e60bebca55"},
	Breaks:   []*checks.Effect{effectPodStart, effectContainers},
	Explains: []string{"smb-global-mapping-failed"},
	Partial:  true,
	Needs:    complaintNeeds,
	Uses:     slices.Concat(complaintUses, []evidence.Need{evidence.MemoryInfo}),
	Signs:    dllInitSigns,
	Run: func(s evidence.Snapshot) ([]checks.Finding, error) {
		var findings []checks.Finding
		named := map[string]bool{}
		for _, p := range evidence.Pods.In(s) {
			for i, st := range p.Statuses() {
				if code, ok := dllInitExit(st); ok && node.PodDown(p) && node.ContainerDown(st) &&
					!named[p.FullName()] {
					named[p.FullName()] = true
					findings = append(findings, checks.Findingf(checks.Fail, p.FullName(),
						"container %s of %s ends at once: a library cannot initialise (0xc0000142)",
						st.Name, p.FullName()).
						At(p.StatusField(i), "%s: container %s ended with exit code %s",
							p.FullName(), st.Name, code))
				}
			}
		}
		for _, c := range complaints(s, dllInitSigns) {
			if !named[c.pod.FullName()] {
				findings = append(findings, checks.Findingf(checks.Fail, c.pod.FullName(),
					"%s does not run: %s", c.pod.FullName(), c.says).With(c.from))
			}
		}
		if m := evidence.MemoryInfo.In(s); len(findings) > 0 && m.CommitLimitBytes > 0 &&
			m.CommitUsedBytes*100 >= m.CommitLimitBytes*commitStrain {
			findings[0] = findings[0].At(evidence.MemoryInfo.Field(s, "commitUsedBytes"),
				"commitUsedBytes %d of commitLimitBytes %d", m.CommitUsedBytes,
				m.CommitLimitBytes).Cure(checks.Steps(
				checks.Run("Get-CimInstance Win32_ComputerSystem | Set-CimInstance -Property @{AutomaticManagedPagefile=$true}", "the node has promised nearly all the memory that it can: give it a page file or a larger one, or fewer pods").
					Costs("the reboot stops every pod of this node"),
				checks.Run("Restart-Computer", "")))
		}
		return findings, nil
	},
})

var dllInitSigns = []checks.Sign{checks.SignOfCode("STATUS_DLL_INIT_FAILED",
	"a process ended with 0xc0000142: a library of it could not initialise")}

// dllInitExit finds the code in either of the ways in which runtimes write it.
func dllInitExit(st evidence.ContainerStatus) (string, bool) {
	for _, t := range []*evidence.TerminatedState{st.State.Terminated, st.LastState.Terminated} {
		if t == nil {
			continue
		}
		switch t.ExitCode {
		case 0xc0000142:
			return "3221225794", true
		case 0xc0000142 - 1<<32:
			return "-1073741502", true
		}
	}
	return "", false
}
