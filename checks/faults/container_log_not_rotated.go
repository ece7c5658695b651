package faults

import (
	"doctor/checks"
	"doctor/checks/evidence"
)

var _ = register(&checks.Check{
	ID:       "container-log-not-rotated",
	Title:    "Container logs are not rotated",
	Healthy:  "Container logs are rotated",
	Category: checks.CategoryNode,
	Doc: `The kubelet rotates the log of a container by renaming it. On Windows a file cannot be renamed
while another program has it open without FILE_SHARE_DELETE: a log agent, or a kubectl logs
--follow. A kubelet before 1.25 keeps the compressed log open itself. The log then grows until the
disk is full.

The check looks for the error in the log of the kubelet.`,
	Fix: checks.Steps(
		checks.Inspect(`Get-ChildItem C:\var\log\pods -Recurse -Filter 0.log | Sort-Object Length -Descending | Select-Object -First 10 Length, FullName`,
			"Find the logs that grow."),
		checks.Do("Update the log agent, or let it open container logs with FILE_SHARE_DELETE."),
		checks.Run("kubectl delete pod POD -n NAMESPACE",
			"Recreate the pods whose logs are large.").
			Costs("The pods restart."),
		checks.Verify(`Get-ChildItem C:\var\log\pods -Recurse -Filter 0.log | Measure-Object Length -Maximum`, "Maximum stays near containerLogMaxSize (10 MiB by default)")),
	Links: []string{
		"https://github.com/containerd/containerd/issues/7075",
		"https://github.com/kubernetes/kubernetes/issues/124443",
		"https://github.com/fluent/fluent-bit/issues/3892",
		"https://github.com/kubernetes/kubernetes/pull/111549",
	},
	Breaks: []*checks.Effect{},
	Needs:  []evidence.Need{evidence.Any(evidence.Logs("kubelet"), evidence.Logs("other"))},
	Signs: []checks.Sign{
		// Docker names the container after it until 28 (daemon/delete.go).
		{Text: "unable to remove filesystem", Also: []string{"-json.log", "used by another process"},
			Level: checks.Warn,
			Says:  "Docker cannot delete the log of a container: another program has the file open"},
		{Text: "unable to remove filesystem", Also: []string{"-json.log", "Access is denied"},
			Level: checks.Warn,
			Says:  "Docker cannot delete the log of a container: another program has the file open"},
		// Until 1.25 the kubelet renamed the compressed log before it had closed it.
		{Text: "failed to compress log",
			Also:  []string{"used by another process", "failed to rename", ".gz"},
			Level: checks.Warn,
			Says:  "the kubelet cannot rotate the log of a container: a kubelet before 1.25 keeps the compressed log open",
			Fix: checks.Steps(
				checks.Run("kubectl version", "Read the version of the kubelet. If it is 1.25 or newer, a log agent has the file open: update the agent."),
				checks.Do("Update the kubelet to 1.25 or newer."),
				checks.Verify(`Get-ChildItem C:\var\log\pods -Recurse -Filter 0.log | Measure-Object Length -Maximum`, "Maximum stays near containerLogMaxSize (10 MiB by default)"))},
		{Text: "failed to rotate log",
			Also:  []string{"used by another process"},
			Not:   []string{"failed to compress log"},
			Level: checks.Warn,
			Says:  "the kubelet cannot rotate the log of a container: another program has the file open"},
	},
})
