package faults

import (
	"slices"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

var _ = register(&checks.Check{
	ID:       "dll-init-failed-0xc0000142",
	Title:    "0xc0000142: DLL initialization failed",
	Healthy:  "Processes start without 0xc0000142",
	Category: checks.CategoryNode,
	Doc: `Exit code 0xc0000142 (3221225794, -1073741502; STATUS_DLL_INIT_FAILED) means that a DLL
of the program failed to initialize. On nodes with many processes the desktop heap of services or
the commit limit is exhausted. Programs in containers and on the node then fail alike, PowerShell of
a CSI driver included. A reboot helps until it fills up again. If the programs of one image alone
fail, the reason is more likely in the image: a DLL of the program itself, or a base image that does
not fit the node. So 32-bit programs end without a word where the base image has the security update of
February 2020 and the node has not, or the other way round.

The check reads the exit codes of containers that do not run and the texts of their failures. It
fails if programs of the node or of several images have the code, or if the commit charge is at its
limit; otherwise it warns. Similar codes mean something else: 0xc0000135
a missing library, 0xc000013a a normal stop, 0xc0000409 a crash of the program itself.`,
	Fix: checks.Steps(
		checks.Inspect("kubectl get pods -A -o wide --field-selector spec.nodeName={node}",
			"If the pods of one image alone fail, and on other nodes too, fix the image. Do not change the node."),
		checks.Do("If only 32-bit programs of an image fail, compare the builds of its base and of the node: both must have the security update of 11 February 2020 (17763.1039, 18363.657), or neither."),
		checks.Inspect(
			`Get-ItemPropertyValue 'HKLM:\SYSTEM\CurrentControlSet\Control\Session Manager\SubSystems' -Name Windows`,
			"Read the third number of SharedSection: the desktop heap of services in KB."),
		checks.Run(`$k='HKLM:\SYSTEM\CurrentControlSet\Control\Session Manager\SubSystems'; $v=(Get-Item $k).GetValue('Windows','','DoNotExpandEnvironmentNames'); Set-ItemProperty $k -Name Windows -Type ExpandString -Value ($v -replace 'SharedSection=(\d+),(\d+),\d+','SharedSection=$1,$2,2048')`,
			"In this registry value, raise the third number of SharedSection to 2048."),
		checks.Run("Restart-Computer", "Reboot the node.").
			Costs("The reboot stops every pod of this node."),
		checks.Do("If the fault returns, run fewer pods on this node.")),
	Links: []string{"https://github.com/kubernetes-sigs/azuredisk-csi-driver/issues/2082",
		"https://github.com/Azure/AKS/issues/1465", "https://support.microsoft.com/help/4542617",
		"https://github.com/moby/moby/issues/40328", "https://github.com/microsoft/SDN/issues/298",
		"https://learn.microsoft.com/en-us/openspecs/windows_protocols/ms-erref/596a1078-e883-4972-9bbc-49e60bebca55"},
	Breaks:   []*checks.Effect{effectPodStart, effectContainers},
	Explains: []string{"smb-global-mapping-failed"},
	Partial:  true,
	Needs:    complaintNeeds,
	FromPart: complaintNeeds,
	Uses:     slices.Concat(complaintUses, []evidence.Need{evidence.MemoryInfo}),
	Signs:    dllInitSigns,
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		var findings []*checks.Finding
		named, images := map[string]bool{}, map[string]bool{}
		for _, p := range evidence.Pods.In(s) {
			for i, st := range p.Statuses() {
				if code, ok := dllInitExit(st); ok && node.PodDown(p) && node.ContainerDown(st) &&
					!named[p.FullName()] {
					named[p.FullName()], images[st.Image] = true, true
					findings = append(findings, checks.Findingf(checks.Warn, p.FullName(),
						"Container %s of %s exits at start: DLL initialization failed (0xc0000142)",
						st.Name, p.FullName()).
						At(p.StatusField(i), "%s: container %s ended with exit code %s",
							p.FullName(), st.Name, code))
				}
			}
		}
		for _, c := range complaints(s, dllInitSigns) {
			if !named[c.pod.FullName()] {
				findings = append(findings, checks.Findingf(c.level, c.pod.FullName(),
					"%s is not running: %s", c.pod.FullName(), c.says).With(c.from))
			}
		}
		if len(images) > 1 {
			for _, f := range findings {
				f.Level = checks.Fail
			}
		}
		if m := evidence.MemoryInfo.In(s); len(findings) > 0 && m.CommitLimitBytes > 0 &&
			m.CommitUsedBytes*100 >= m.CommitLimitBytes*commitStrain {
			findings[0].Level = checks.Fail
			findings[0] = findings[0].At(evidence.MemoryInfo.Field(s, "commitUsedBytes"),
				"commitUsedBytes %d of commitLimitBytes %d", m.CommitUsedBytes,
				m.CommitLimitBytes).Cure(checks.Steps(
				checks.Run("Get-CimInstance Win32_ComputerSystem | Set-CimInstance -Property @{AutomaticManagedPagefile=$true}", "Let Windows manage the page file."),
				checks.Run("Restart-Computer", "Reboot the node.").
					Costs("The reboot stops every pod of this node.")))
		}
		return findings, nil
	},
})

// A program that starts while Windows shuts down fails with the code too, and Windows shows a
// message box ("Application Popup", event 26): https://github.com/docker/for-win/issues/12310
var dllInitSigns = []checks.Sign{
	{Text: ofProgram, Says: dllInitFailed},
	warning(unlike(checks.SignOfCode("STATUS_DLL_INIT_FAILED", dllInitContainer), messageBox, ofProgram)),
	warning(checks.SignOfCode("STATUS_DLL_INIT_FAILED", dllInitFailed, messageBox)),
}

const (
	dllInitFailed    = "a process exited with 0xc0000142: DLL initialization failed"
	dllInitContainer = "a container exited with 0xc0000142: a DLL of its image, or the node's desktop heap or memory"
	messageBox       = "Application Popup"
	// how a program of the node reports another one that it ran, such as PowerShell
	ofProgram = "exit status 0xc0000142"
)

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
