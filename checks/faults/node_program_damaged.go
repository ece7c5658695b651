package faults

import (
	"slices"
	"strings"

	"doctor/checks"
	"doctor/checks/evidence"
)

var _ = register(&checks.Check{
	ID:       "node-program-damaged",
	Title:    "Program of a node component is damaged or not for this Windows",
	Healthy:  "Windows can run the programs of the node components",
	Category: checks.CategoryComponents,
	Doc: `Windows refuses to run the .exe of a component: a download or a copy was not complete, an image was
published with a broken file, or the file is built for another system or processor. A file of zero
bytes, or an HTML page in place of the program, gives the same error.

The check looks for the error in the output of PowerShell and of sc.exe, for event 7000 of the
services of Kubernetes and the runtime with error 193, and for what Go reports when a component
starts a program.`,
	Fix: checks.Steps(
		checks.Inspect(`Get-Item C:\k\*.exe | Select-Object Name, Length; Get-FileHash C:\k\*.exe`,
			"Compare size and hash of the program that the error names with the published ones."),
		checks.Do("Download the program again, for windows/amd64, and check its hash. If it comes out of an image, use another tag.").
			Costs("The component stops while its program is replaced."),
		checks.Do("Restart the component."),
		checks.Verify("& PROGRAM --version", "the version of the program")),
	Links: []string{
		"https://github.com/kubernetes-sigs/sig-windows-tools/issues/379",
		"https://github.com/openshift/windows-machine-config-operator/pull/149",
		"https://learn.microsoft.com/en-us/windows/win32/debug/system-error-codes--0-499-",
	},
	Breaks:  []*checks.Effect{effectNetworkAgent, effectKubeletStart, effectKubeProxy, effectRuntime},
	Partial: true,
	Needs:   []evidence.Need{evidence.Any(evidence.WindowsEvents, evidence.Logs("kubelet"), evidence.Logs("other"))},
	Uses: slices.Concat(complaintNeeds, complaintUses,
		[]evidence.Need{evidence.WindowsEvents, evidence.Services, evidence.OSInfo}),
	Signs: nodeProgramSigns,
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		findings, err := complain(nodeProgramSigns)(s)
		if err != nil {
			return nil, err
		}
		for _, f := range failedStarts(s, serviceNotStarted, exitBadProgram, saysBadProgram) {
			findings = append(findings, checks.Findingf(checks.Fail, f.name,
				"the program of the service %s is damaged, or not for this Windows", f.name).With(f.because...))
		}
		// components start programs, too, and the kubelet logs it
		if gap := evidence.Logs("kubelet").Gap(s); gap.Kind != "" && len(findings) == 0 {
			return nil, checks.Unknown(gap)
		}
		return startsFinding(s, findings)
	},
})

var nodeProgramSigns = append(startSigns("The NAME service failed to start due to the following error", programRefused,
	func(string) checks.Fix { return checks.Fix{} }, "is not a valid Win32 application"),
	checks.Sign{Text: "failed to run: The specified executable is not a valid application for this OS platform",
		Or:   []string{"指定的可执行文件不是此操作系统平台的有效应用程序"},
		Says: "Windows refuses a program of the node: it is damaged, or not for this Windows"},
	checks.Sign{Text: "failed to run: The file or directory is corrupted and unreadable",
		Says: "Windows cannot read a program of the node: its file is damaged"},
	checks.Sign{Text: "fork/exec ", Also: []string{".exe: ", "is not a valid Win32 application"},
		Not:  []string{"hcs", "CreateProcess"},
		Says: "a component starts a program that is damaged or not for this Windows"},
	// of a recorder that keeps the message alone
	checks.Sign{Text: "service failed to start due to the following error:", Also: []string{"is not a valid Win32 application"},
		In: []string{evidence.InEvents}, Not: []string{"Service Control Manager"}, Says: programRefused},
	scStart(" 193:", programRefused))

const (
	exitBadProgram = 193 // ERROR_BAD_EXE_FORMAT
	programRefused = "the program of a service of a node component is damaged, or not for this Windows"
)

// saysBadProgram tells what event 7000 reports: its text, or the number of its message.
func saysBadProgram(e evidence.WindowsEvent, svc evidence.Service) bool {
	text := strings.TrimRight(e.Message, ". \r\n")
	return svc.Exit() == exitBadProgram || strings.HasSuffix(text, "%%193") || strings.HasSuffix(text, "%%216") ||
		evidence.Sign{Text: "is not a valid Win32 application"}.Fits("", e.Message) ||
		evidence.Sign{Text: "is not compatible with the version of Windows you're running"}.Fits("", e.Message)
}
