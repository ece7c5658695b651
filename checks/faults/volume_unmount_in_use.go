package faults

import (
	"doctor/checks"
	"doctor/checks/evidence"
)

var _ = register(&checks.Check{
	ID:       "volume-unmount-in-use",
	Title:    "Pod stays Terminating: a file of its volume is in use",
	Healthy:  "Volumes of deleted pods can be removed",
	Category: checks.CategoryStorage,
	Doc: `The kubelet removes the volume folders of a deleted pod. Windows does not delete a file
that a process has open: a process that survived its container, an antivirus program, a log agent
that reads emptyDir folders, or the kubelet itself. The removal is repeated every two minutes, the
pod stays Terminating, and a rollout or StatefulSet waits for it.

The check looks for removals in the log of the kubelet that fail again and again with "used by
another process". A single failure right after the end of a container is normal.`,
	Fix: checks.Steps(
		checks.Inspect(`handle.exe -accepteula C:\var\lib\kubelet\pods`,
			"Find the process with Handle of Sysinternals."),
		checks.Do(`Stop the process that has the file open. Exclude C:\var\lib\kubelet\pods from the antivirus program and from log agents.`),
		checks.Run("{restart kubelet}",
			"If no process is found, restart the kubelet: it may hold the file itself.").
			Costs("Running containers are not affected."),
		checks.Verify("kubectl get pods -A --field-selector spec.nodeName={node}",
			"no pod is Terminating for minutes")),
	Links: []string{
		"https://github.com/kubernetes/kubernetes/issues/112630",
		"https://github.com/kubernetes/kubernetes/issues/89484",
	},
	Needs: []evidence.Need{evidence.Logs("kubelet")},
	Signs: []checks.Sign{
		{Text: "UnmountVolume.TearDown failed",
			Also: []string{"durationBeforeRetry 2m2s", "being used by another process"},
			Says: "the kubelet cannot remove the volume of a deleted pod: a file is in use"},
		{Text: "error cleaning subPath mounts for volume ",
			Also: []string{"durationBeforeRetry 2m2s", "being used by another process"},
			Says: "the kubelet cannot remove a subPath of a deleted pod: a file is in use"},
	},
})
