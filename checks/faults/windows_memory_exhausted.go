package faults

import (
	"doctor/checks"
)

var _ = register(&checks.Check{
	ID:       "windows-memory-exhausted",
	Title:    "Windows has no memory for another container",
	Healthy:  "Windows has memory for containers",
	Category: checks.CategoryNode,
	Doc: `Windows answers error 8 (ERROR_NOT_ENOUGH_MEMORY) when memory for a process or container cannot be
committed. Windows does not kill processes to get memory, so on a node without limits or
reservations one workload can take all of it.

The check looks for the error in the events of pods and in the logs of the kubelet and the
runtime.`,
	Fix: checks.Steps(
		checks.Inspect(`Get-Counter "\Memory\% Committed Bytes In Use", "\Memory\Available MBytes"`,
			"Read how much memory is committed."),
		checks.Do("Set memory limits for the pods, and --system-reserved for the kubelet.").
			Costs("The pods of the workload are recreated."),
		checks.Do("Enlarge the page file, or use a larger machine."),
		checks.Verify("kubectl get pods -A -o wide --field-selector spec.nodeName={node}", "all pods are Running")),
	Links: []string{
		"https://kubernetes.io/docs/concepts/configuration/windows-resource-management/",
		"https://learn.microsoft.com/en-us/windows/win32/debug/system-error-codes--0-499-",
	},
	Breaks:   []*checks.Effect{effectPodStart},
	Needs:    complaintNeeds,
	FromPart: complaintNeeds,
	Uses:     complaintUses,
	Signs:    windowsMemoryExhaustedSigns,
	Run:      complain(windowsMemoryExhaustedSigns),
})

var windowsMemoryExhaustedSigns = []checks.Sign{
	{Text: "Not enough memory resources are available to process this command",
		Says: "Windows cannot commit the memory of the container"},
	noResources("hcs::"), noResources("hcsshim::"), // Docker until 20.10
	noResources("failure in a Windows system call"), // Docker until 18.09
}

func noResources(call string) checks.Sign {
	return checks.Sign{Text: "Insufficient system resources exist to complete the requested service",
		Also: []string{call}, Level: checks.Warn,
		Says: "Windows has no resources for the container: memory, or kernel memory of drivers"}
}
