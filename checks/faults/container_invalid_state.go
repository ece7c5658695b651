package faults

import (
	"doctor/checks"
	"doctor/checks/evidence"
)

var invalidStateFix = checks.Steps(
	checks.Inspect("kubectl describe pod POD -n NAMESPACE",
		"Read the older events of the pod: they show why its sandbox was removed."),
	checks.Run("kubectl delete pod POD -n NAMESPACE",
		"Delete the pod, so that its controller creates it again.").
		Costs("A pod without a controller is not created again."),
	checks.Inspect("hcsdiag list",
		"If the new pod fails too, look for containers that were left over."),
	checks.Verify("kubectl get pods -n NAMESPACE", "the pod is Running"))

var _ = register(&checks.Check{
	ID:       "container-invalid-state",
	Title:    "Container state does not allow starting a process",
	Healthy:  "Containers are running when processes start in them",
	Category: checks.CategoryWorkloads,
	Doc: `Windows rejects an operation that the state of the container does not allow
(HCS_E_INVALID_STATE, 0xc0370105). The usual reason is a probe or kubectl exec while the container
stops: that is normal, and these log lines are not a fault. If a container cannot start for this
reason, it stopped between its creation and its first process: its sandbox was removed, or the host
compute service lost it.

A pod that is not running for this reason is a fault, more often the result of another fault than
the cause. The words in a log alone are a warning.`,
	Fix: invalidStateFix,
	Links: []string{"https://github.com/Azure/AKS/issues/1188",
		"https://github.com/microsoft/hcsshim/blob/main/internal/hcs/errors.go"},
	Breaks:   []*checks.Effect{effectPodStart, effectContainers},
	Needs:    complaintNeeds,
	FromPart: complaintNeeds,
	Uses:     complaintUses,
	Signs:    invalidStateSigns,
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		var findings []*checks.Finding
		for _, c := range complaints(s, invalidStateSigns) {
			findings = append(findings, checks.Findingf(checks.Fail, c.pod.FullName(),
				"%s is not running: %s", c.pod.FullName(), c.says).With(c.from).
				Cure(invalidStateFix))
		}
		return findings, nil
	},
})

const invalidForProcess = "a process cannot start: its container is still starting or already stopped"

var invalidStateSigns = []checks.Sign{
	{Text: "operation is not valid in the current state", Also: []string{"CreateProcess"},
		Not:   []string{"failed to exec in container", "ExecSync"}, // a probe or a command of a user
		Level: checks.Warn, Says: invalidForProcess},
}
