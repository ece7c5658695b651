package faults

import (
	"doctor/checks"
)

var _ = register(&checks.Check{
	ID:       "compute-system-timeout",
	Title:    "Windows does not start a container in time",
	Healthy:  "Windows starts containers in time",
	Category: checks.CategoryWorkloads,
	Doc: `The host compute service creates a container, starts its system processes and waits minutes for
them to answer. If they do not, the call ends with HCS_E_CONNECTION_TIMEOUT (0xc0370109), with
ERROR_TIMEOUT (0x5b4), or hcsshim stops waiting for the notification. The node is short of memory or
processors, its disk is slow, an antivirus program scans every layer, or too many containers start
at once. With Hyper-V isolation the virtual machine may also have too little memory. Where every
container fails until the node is rebooted, the service itself hangs. The Splunk Universal Forwarder is
known to cause this if it was started before the first container since the boot.

The check looks for these errors of a create or a start at pods that are not running and in the logs
of the runtime. A stop that takes too long is no such fault. The evidence does not show which of the
reasons applies.`,
	Fix: checks.Steps(
		checks.Inspect(`Get-Counter '\Memory\Available MBytes', '\Memory\% Committed Bytes In Use', '\Processor(_Total)\% Processor Time', '\PhysicalDisk(_Total)\Avg. Disk sec/Transfer'`,
			"Read whether memory, processors or the disk are at their limit."),
		checks.Run(`Add-MpPreference -ExclusionPath C:\ProgramData\{runtime} -ExclusionProcess containerd.exe,containerd-shim-runhcs-v1.exe,dockerd.exe`,
			"Exclude the runtime's folder and programs from scanning, in other antivirus programs, too.").
			Costs("Files that these programs write are not scanned."),
		checks.Do("Start fewer pods at once, or use a larger node. With Hyper-V isolation, raise the memory limit of the pod."),
		checks.Do("If every container fails and the Splunk Universal Forwarder runs on the node, stop its service until a container has started.").
			Costs("Splunk receives no logs of this node meanwhile."),
		checks.Run("kubectl drain {node} --ignore-daemonsets --delete-emptydir-data",
			"If every container fails, move the pods to other nodes.").
			Costs("Draining evicts every pod of this node and deletes its emptyDir volumes."),
		checks.Run("Restart-Computer", "Then reboot the node."),
		checks.Run("kubectl uncordon {node}", "Allow pods on the node again."),
		checks.Verify("kubectl get pods -A -o wide --field-selector spec.nodeName={node}",
			"all pods are Running")),
	Links: []string{
		"https://github.com/docker/for-win/issues/8770",
		"https://github.com/moby/moby/issues/36635",
		"https://github.com/microsoft/iis-docker/issues/27",
		"https://github.com/microsoft/nav-docker/issues/306",
		"https://github.com/microsoft/Windows-Containers/issues/374",
		"https://github.com/microsoft/Windows-Containers/issues/426",
	},
	Breaks:   []*checks.Effect{effectPodStart, effectContainers},
	Explains: []string{"sandbox-name-reserved", "container-name-reserved"},
	Partial:  true,
	Needs:    complaintNeeds,
	Uses:     complaintUses,
	Signs:    computeTimeoutSigns(),
	Run:      complain(computeTimeoutSigns()),
})

// startCalls are how the releases of hcsshim name the calls that create and start a container: since
// 0.7 "hcsshim::CreateComputeSystem" (internal/hcs/system.go), before it "CreateContainer" (container.go).
var startCalls = []string{"CreateComputeSystem", "System::Start",
	"encountered an error during CreateContainer", "encountered an error during Start"}

// computeTimeouts are the ends of such a call: the first one's end differs between releases of Windows.
var computeTimeouts = []string{
	"The operation timed out because a response was not received from the virtual machine",
	"hcsshim: timeout waiting for notification",
	"This operation returned because the timeout period expired",
	"context deadline exceeded", // the caller's own limit was shorter
}

func computeTimeoutSigns() []checks.Sign {
	var signs []checks.Sign
	for _, text := range computeTimeouts {
		var codes []string
		if text == computeTimeouts[0] { // where Windows is not English, docker shows the number, and Go where it has no text
			codes = []string{"0xc0370109", "0x80370109", "3224830217"}
		}
		for i, call := range startCalls {
			signs = append(signs, checks.Sign{Text: text, Or: codes, Also: []string{call}, Not: startCalls[:i],
				Says: "Windows did not create or start a container in time"})
		}
	}
	return signs
}
