package faults

import (
	"doctor/checks"
	"doctor/checks/evidence"
)

var _ = register(&checks.Check{
	ID:       "container-name-reserved",
	Title:    "Container name is still reserved by an earlier attempt",
	Healthy:  "No container name is reserved by an earlier attempt",
	Category: checks.CategoryComponents,
	Doc: `If creating a container takes longer than the kubelet waits (two minutes), the kubelet tries
again, and containerd answers that the name is reserved for the first attempt, which still goes
on. The disk is slow or overloaded, antivirus software scans the layers, or the image is very
large.

The check looks for the error in the events of pods and in the log of the kubelet.`,
	Fix: checks.Steps(
		checks.Inspect(`Get-Counter "\PhysicalDisk(_Total)\Avg. Disk Queue Length" -SampleInterval 2 -MaxSamples 5`,
			"See whether the disk is overloaded."),
		checks.Do("Use a faster disk for the folder of containerd, and exclude it from antivirus scans."),
		checks.Do("If the attempt never ends, reboot the node.").
			Costs("The reboot stops every pod of this node."),
		checks.Verify("kubectl get pods -A -o wide --field-selector spec.nodeName={node}", "all pods are Running")),
	Links: []string{
		"https://github.com/containerd/containerd/issues/4604",
		"https://learn.microsoft.com/en-us/windows-hardware/drivers/ifs/anti-virus-optimization-for-windows-containers",
	},
	Breaks:   []*checks.Effect{effectPodStart},
	Explains: []string{"sandbox-name-reserved"},
	Needs:    []evidence.Need{evidence.Any(evidence.PodEvents, evidence.Logs("kubelet"), evidence.Logs("other"))},
	Signs: []checks.Sign{
		{Text: "failed to reserve container name",
			Also:  []string{"is reserved for"},
			Level: checks.Warn,
			Says:  "an earlier attempt to create the container has not ended"},
		// docker; the kubelet removes a sandbox in the way by itself
		{Text: "is already in use by container", Also: []string{"The container name", "/k8s_"},
			Not: []string{"/k8s_POD_"}, Level: checks.Warn,
			Says: "an earlier attempt to create the container has not ended"},
	},
})
