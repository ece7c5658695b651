package faults

import (
	"doctor/checks"
	"doctor/checks/evidence"
)

var nameReservedFix = checks.Steps(
	checks.Inspect("kubectl describe pod POD -n NAMESPACE",
		"Read the earliest error of the pod."),
	checks.Inspect(
		`Get-Counter '\PhysicalDisk(_Total)\Current Disk Queue Length','\Processor(_Total)\% Processor Time' -MaxSamples 5`,
		"Check whether the disk or the processor is at its limit."),
	checks.Inspect("Measure-Command { Get-HnsNetwork }",
		"Check that HNS answers within a second."),
	checks.Do("Remove what makes the first attempt slow: load on disk or processor, antivirus scans of the runtime's folder, or an HNS that does not answer."),
	checks.Run("kubectl delete pod POD -n NAMESPACE",
		"Delete the pod, so that its controller creates it again.").
		Costs("A pod without a controller is not created again."),
	checks.Verify("kubectl get pods -n NAMESPACE", "the pod is Running"))

var _ = register(&checks.Check{
	ID:       "sandbox-name-reserved",
	Title:    "Sandbox name is reserved by an earlier attempt",
	Healthy:  "No sandbox name is reserved by an earlier attempt",
	Category: checks.CategoryWorkloads,
	Symptom:  true,
	Doc: `The kubelet timed out waiting for a sandbox or a container and requested it again while
the runtime was still working on the first request. The runtime then reports that the name is
reserved. This shows that the first attempt took too long, but not why. The cause is earlier: a
request that exceeded its deadline, a network service that does not answer, a disk or processor at
its limit, an antivirus program that scans every layer.

One such line about a pod that has started since is no fault. A log alone is therefore reported as
info, and only a pod that still waits is a failure.`,
	Fix: nameReservedFix,
	Links: []string{"https://github.com/kubernetes/kubernetes/issues/107561",
		"https://github.com/antrea-io/antrea/issues/4702"},
	Breaks:   []*checks.Effect{effectPodStart},
	Needs:    complaintNeeds,
	FromPart: complaintNeeds,
	Uses:     complaintUses,
	Signs:    reservedSigns,
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		var findings []*checks.Finding
		for _, c := range complaints(s, reservedSigns) {
			if !since(s, c.pod, podPatience) {
				continue // a second attempt is usually enough
			}
			findings = append(findings, checks.Findingf(checks.Fail, c.pod.FullName(),
				"%s waits: %s", c.pod.FullName(), c.says).With(c.from).
				Cure(nameReservedFix))
		}
		return findings, nil
	},
})

var reservedSigns = []checks.Sign{
	informative(checks.Sign{Text: "failed to reserve sandbox name",
		Also: []string{"is reserved for"},
		Says: "the runtime is still creating the sandbox of an earlier attempt, or did not remove it"}),
	// docker, of the kubelet's own name of a sandbox
	informative(checks.Sign{Text: "is already in use by container",
		Also: []string{"The container name", "/k8s_POD_"},
		Says: "the runtime is still creating the sandbox of an earlier attempt, or did not remove it"}),
	informative(checks.Sign{Text: "failed to reserve container name",
		Says: "the runtime is still creating the container of an earlier attempt, or did not remove it"}),
}

func informative(s checks.Sign) checks.Sign {
	s.Level = checks.Info
	return s
}
