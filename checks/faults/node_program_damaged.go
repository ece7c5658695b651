package faults

import (
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

The check looks for the error in the output of PowerShell, for the event of the Service Control Manager,
and for what Go reports when a component starts a program.`,
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
	Breaks: []*checks.Effect{effectKubeletStart, effectKubeProxy},
	Needs:  []evidence.Need{evidence.WindowsEvents, evidence.Logs("kubelet")},
	Signs: []checks.Sign{
		{Text: "failed to run: The specified executable is not a valid application for this OS platform",
			Says: "Windows refuses a program of the node: it is damaged, or not for this Windows"},
		{Text: "failed to run: The file or directory is corrupted and unreadable",
			Says: "Windows cannot read a program of the node: its file is damaged"},
		{Text: "fork/exec ", Also: []string{".exe: ", "is not a valid Win32 application"},
			Not:  []string{"hcs", "CreateProcess"},
			Says: "a component starts a program that is damaged or not for this Windows"},
		{Text: "service failed to start due to the following error:", Also: []string{"is not a valid Win32 application"},
			Or:   []string{"%%193"},
			Says: "a service of the node does not start: its program is damaged, or not for this Windows"},
	},
})
