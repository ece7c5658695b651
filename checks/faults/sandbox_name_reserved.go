package faults

import (
	"doctor/checks"
	"doctor/checks/evidence"
)

var _ = register(checks.Check{
	ID:       "sandbox-name-reserved",
	Title:    "the runtime is still busy with an earlier attempt to create a pod",
	Category: checks.CategoryWorkloads,
	Symptom:  true,
	Doc: `The kubelet gave up waiting for a sandbox or a container and asked again, while the
runtime was still at work on the first request: it answers that the name is reserved. This says that
the first attempt took too long, never why. The cause stands before it: a request that ran into its
deadline, a network service that does not answer, a disk or processor at its limit, a virus scanner
that reads every layer.

One such line beside a pod that came up since is of no account, so a log alone is told and no more,
and only pods that still wait convict.`,
	Fix: checks.Steps(
		checks.Inspect("kubectl describe pod POD -n NAMESPACE", ""),
		checks.Inspect(
			`Get-Counter '\PhysicalDisk(_Total)\Current Disk Queue Length','\Processor(_Total)\% Processor Time' -MaxSamples 5`, ""),
		checks.Run("Measure-Command { Get-HnsNetwork }",
			"look for what the first attempt hangs on: the earliest error of the pod, the load of disk and processor, whether HNS answers; restarting the runtime drops the reservation and does not mend the reason")),
	Links: []string{"https://github.com/kubernetes/kubernetes/issues/107561",
		"https://github.com/antrea-io/antrea/issues/4702"},
	Breaks: []*checks.Effect{effectPodStart},
	Needs:  complaintNeeds,
	Uses:   complaintUses,
	Signs:  reservedSigns,
	Run: func(s evidence.Snapshot) ([]checks.Finding, error) {
		var findings []checks.Finding
		for _, c := range complaints(s, reservedSigns) {
			if !since(s, c.pod, podPatience) {
				continue // a second attempt is usually enough
			}
			findings = append(findings, checks.Findingf(checks.Fail, c.pod.FullName(),
				"%s waits: %s", c.pod.FullName(), c.says).With(c.from))
		}
		return findings, nil
	},
})

var reservedSigns = []checks.Sign{
	informative(checks.Sign{Text: "failed to reserve sandbox name",
		Also: []string{"is reserved for"},
		Says: "the runtime is still creating the sandbox of an earlier attempt, or has not cleaned it up"}),
	informative(checks.Sign{Text: "failed to reserve container name",
		Says: "the runtime is still creating the container of an earlier attempt, or has not cleaned it up"}),
}

func informative(s checks.Sign) checks.Sign {
	s.Level = checks.Info
	return s
}
