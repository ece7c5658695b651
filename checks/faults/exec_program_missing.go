package faults

import (
	"doctor/checks"
	"doctor/checks/evidence"
)

var _ = register(&checks.Check{
	ID:       "exec-program-missing",
	Title:    "Probe or exec program is not in the container",
	Healthy:  "Programs of probes are in their containers",
	Category: checks.CategoryWorkloads,
	Doc: `An exec probe, a lifecycle hook and kubectl exec start a program inside the container. Images for
Windows have no sh, cat or tar of Linux (nanoserver has tar.exe and no PowerShell), so commands
that were written for Linux fail with error 2. kubectl cp needs tar in the container.

The check looks for the error in the events of pods and in texts that quote it.`,
	Fix: checks.Steps(
		checks.Do("Use a program of the image: cmd /c or powershell -Command, or an HTTP or TCP probe.").
			Costs("The pods of the workload are recreated."),
		checks.Verify("kubectl get pods -A -o wide --field-selector spec.nodeName={node}", "all pods are Running")),
	Links: []string{
		"https://kubernetes.io/docs/concepts/windows/intro/",
		"https://kubernetes.io/docs/reference/kubectl/generated/kubectl_cp/",
		"https://github.com/microsoft/hcsshim/issues/674",
	},
	Breaks: []*checks.Effect{effectContainers},
	Needs:  []evidence.Need{evidence.Any(evidence.PodEvents, evidence.Logs("kubelet"), evidence.Logs("other"))},
	Signs: []checks.Sign{
		// docker fails the probe with the error of the call itself (Azure/AKS issue 1836)
		{Text: "probe failed: container", Or: []string{"Exec probe response: \"container"},
			Also:  []string{"CreateProcess", "The system cannot find the file specified"},
			Level: checks.Warn,
			Says:  "a probe or kubectl exec starts a program that the container does not have"},
		// pkg/kubelet/lifecycle/handlers.go with docker's error: first of the event, then of the log
		{Text: "Exec lifecycle hook (", Or: []string{"Exec lifecycle hook for Container in Pod failed"},
			Also:  []string{"CreateProcess", "The system cannot find the file specified"},
			Level: checks.Warn,
			Says:  "a lifecycle hook starts a program that the container does not have"},
		// the same in docker's own log, also for its health checks: daemon/exec.go of moby
		{Text: "Error running exec ",
			Also:  []string{"in container: ", "The system cannot find the file specified"},
			Level: checks.Warn,
			Says:  "a probe or kubectl exec starts a program that the container does not have"},
		{Text: "failed to exec in container",
			Also:  []string{"The system cannot find the file specified"},
			Level: checks.Warn,
			Says:  "a probe or kubectl exec starts a program that the container does not have"},
		// what kubectl exec and docker exec print with docker; that of a container's own program has more
		// words in front (docker/for-win issue 6551), and that of docker build no console
		{Text: "encountered an error during CreateProcess", Or: []string{"encountered an error during hcsshim::System::CreateProcess"},
			Also: []string{"container ", "The system cannot find the file specified"},
			Not: append([]string{"failed to start", "Error response from daemon", "Message", "probe", "lifecycle hook", "level=", "ERROR: for",
				"Cannot start service", `"EmulateConsole":false`}, startedByOthers...),
			In:    []string{"other"},
			Level: checks.Warn,
			Says:  "kubectl exec starts a program that the container does not have"},
		{Text: "failed to exec in container",
			Also:  []string{"executable file not found"},
			Level: checks.Warn,
			Says:  "a probe or kubectl exec starts a program that the container does not have"},
	},
})
