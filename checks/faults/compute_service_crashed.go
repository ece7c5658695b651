package faults

import (
	"doctor/checks"
	"doctor/checks/evidence"
)

var _ = register(&checks.Check{
	ID:       "compute-service-crashed",
	Title:    "Host compute service crashed",
	Healthy:  "Host compute service did not crash",
	Category: checks.CategoryWorkloads,
	Doc: `containerd's shim and dockerd hold a connection to the host compute service (vmcompute.exe). When
its process ends, they lose every container of the node at once: "lost communication with compute
service". The programs in the containers may still run, but the runtime cannot stop them, read their
exit code or start a command in them. Known reasons are bugs of vmcompute that updates of Windows fixed,
an antivirus program that injects its library into it, and a lack of memory.

The check looks for this error in the logs of the runtime and at pods, and for the event of the
crash of vmcompute.exe. The evidence does not show which of the reasons applies.`,
	Fix: checks.Steps(
		checks.Inspect("Get-WinEvent -FilterHashtable @{LogName='Application'; ProviderName='Application Error'; Id=1000} -MaxEvents 20 | Where-Object Message -match 'vmcompute.exe' | Format-List TimeCreated, Message",
			"Read how often it crashed, and in which module."),
		checks.Do("Install the current cumulative update of Windows. If the module belongs to an antivirus program, exclude vmcompute.exe from its injection.").
			Costs("The update reboots the node and stops its pods."),
		checks.Run("kubectl drain {node} --ignore-daemonsets --delete-emptydir-data",
			"Move the pods to other nodes.").
			Costs("Draining evicts every pod of this node and deletes its emptyDir volumes."),
		checks.Run("Restart-Computer", "Reboot the node: it ends the containers that the runtime no longer controls."),
		checks.Run("kubectl uncordon {node}", "Allow pods on the node again."),
		checks.Verify("kubectl get pods -A -o wide --field-selector spec.nodeName={node}",
			"all pods are Running")),
	Links: []string{
		"https://github.com/moby/moby/issues/40479",
		"https://github.com/docker/for-win/issues/9399",
		"https://github.com/docker/for-win/issues/1614",
		"https://github.com/microsoft/hcsshim/blob/main/internal/hcs/errors.go",
	},
	Breaks:   []*checks.Effect{effectPodStart, effectContainers},
	Explains: []string{"component-crash-loop"},
	Needs: []evidence.Need{evidence.Any(evidence.Logs("containerd"), evidence.Logs("docker"),
		evidence.Logs("other"), evidence.WindowsEvents, evidence.PodEvents)},
	Signs: []checks.Sign{
		// ErrUnexpectedProcessAbort of hcsshim, since 0.5. When Windows shuts down, the service may end before
		// the runtime: the runtime's next start ends it.
		{Text: "lost communication with compute service",
			Until: []string{"msg=\"starting containerd\"", "API listen on"},
			Says:  "the runtime lost its connection to the host compute service (vmcompute): its process ended"},
		{Text: "Faulting application name: vmcompute.exe", Not: []string{"lost communication with compute service"},
			Says: "the host compute service (vmcompute.exe) crashed"},
		// Event 1000 in any language.
		{Text: "Application Error: ", Also: []string{"vmcompute.exe"},
			Not: []string{"Faulting application name: vmcompute.exe"},
			In:  []string{evidence.InEvents}, Says: "the host compute service (vmcompute.exe) crashed"},
	},
})
