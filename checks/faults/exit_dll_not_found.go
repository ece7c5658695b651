package faults

import (
	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

var _ = register(&checks.Check{
	ID:       "exit-dll-not-found",
	Title:    "Container exits: a DLL is missing in its image",
	Healthy:  "Programs of containers find their DLLs",
	Category: checks.CategoryWorkloads,
	Doc: `A program ends before its first line with exit code 3221225781 (-1073741515, 0xc0000135,
STATUS_DLL_NOT_FOUND) if one of its libraries is not in the image. Frequent reasons are the base
image nanoserver, which does not have many libraries of Server Core, native parts of a .NET program,
and the missing Visual C++ runtime. The container has no log, and the pod restarts without end.

The check reads the exit codes of containers that do not run. The code in a log or a report is a
warning, and so is the error of Go or .NET about a DLL that is loaded later.`,
	Fix: checks.Steps(
		checks.Inspect("docker run --rm -it --entrypoint cmd IMAGE",
			"Start the image with a shell, and run the program by hand."),
		checks.Do("Install the Visual C++ runtime in the image, copy the library from a Server Core image of the same version, or use servercore as the base image.").
			Costs("The pods of the workload are recreated."),
		checks.Do("If you do not know which library is missing, trace the program on the node with Process Monitor: NAME NOT FOUND for a .dll names it."),
		checks.Verify("kubectl get pods -A -o wide --field-selector spec.nodeName={node}",
			"all pods are Running")),
	Links: []string{
		"https://github.com/microsoft/Windows-Containers/issues/564",
		"https://github.com/docker-library/golang/issues/348",
		"https://github.com/QuestPDF/QuestPDF/issues/54",
		"https://learn.microsoft.com/en-us/openspecs/windows_protocols/ms-erref/596a1078-e883-4972-9bbc-49e60bebca55",
		"https://learn.microsoft.com/en-us/virtualization/windowscontainers/manage-containers/container-base-images",
	},
	Breaks:   []*checks.Effect{effectContainers},
	Needs:    []evidence.Need{evidence.Pods},
	FromPart: []evidence.Need{evidence.Pods},
	// A program of the node fails with the code too; Windows then shows a message box (event 26).
	Signs: []checks.Sign{warning(unlike(checks.SignOfCode("STATUS_DLL_NOT_FOUND",
		"a program exits at start: a DLL is missing, most often in the image of a container"),
		messageBox)),
		// Where it is quoted alone. In the log of a pod it may be over, and the pod's state is judged.
		// syscall/dll_windows.go of Go: docker-library/golang 348
		{Text: "panic: Failed to load ", Also: []string{".dll: "}, In: []string{"other"}, Level: checks.Warn,
			Says: "a program exits: Windows cannot load a DLL that it needs, as on nanoserver"},
		// .NET, in the language of Windows but for the code (ERROR_MOD_NOT_FOUND): QuestPDF 54
		{Text: "System.DllNotFoundException: ", Also: []string{"0x8007007E"}, In: []string{"other"}, Level: checks.Warn,
			Says: "a program of .NET does not find a native DLL, or one that this DLL needs"},
	},
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		var findings []*checks.Finding
		for _, p := range evidence.Pods.In(s) {
			for i, st := range p.Statuses() {
				code, ok := dllMissingExit(st)
				if !ok || !node.PodDown(p) || !node.ContainerDown(st) {
					continue
				}
				findings = append(findings, checks.Findingf(checks.Fail, p.FullName(),
					"container %s of %s exits at start: a DLL is missing in its image (0xc0000135)",
					st.Name, p.FullName()).
					At(p.StatusField(i), "%s: container %s ended with exit code %s", p.FullName(),
						st.Name, code))
				break
			}
		}
		return findings, nil
	},
})

// dllMissingExit finds STATUS_DLL_NOT_FOUND in either of the ways in which runtimes write it.
func dllMissingExit(st evidence.ContainerStatus) (string, bool) {
	for _, t := range []*evidence.TerminatedState{st.State.Terminated, st.LastState.Terminated} {
		if t == nil {
			continue
		}
		switch t.ExitCode {
		case 0xc0000135:
			return "3221225781", true
		case 0xc0000135 - 1<<32:
			return "-1073741515", true
		}
	}
	return "", false
}
