package faults

import "doctor/checks"

var _ = register(checks.Check{
	ID:       "container-invalid-state",
	Title:    "a process was to be started in a container that is starting or gone",
	Category: checks.CategoryWorkloads,
	Doc: `Windows refuses an operation that the container's state does not allow
(HCS_E_INVALID_STATE, 0xc0370105). Mostly it is a probe or kubectl exec that came while the
container was stopping: that is normal, and its logs are no fault. Where a container cannot start
for this reason, it died between its creation and its first process: its sandbox was removed under
it, or the host compute service lost it.

A pod that does not run and gives this reason is a fault, and more often the consequence of another
one than its own cause; the words in a log alone are a warning.`,
	Fix: checks.Steps(
		checks.Inspect("kubectl describe pod POD -n NAMESPACE", ""),
		checks.Run("kubectl delete pod POD -n NAMESPACE",
			"see why the sandbox went away: the events of the pod before this one, and restarts of the runtime or of vmcompute; if containers of that name are left over, delete the pod so that everything is made anew").
			Costs("deleting a pod of a workload creates it again"),
		checks.Run("hcsdiag list", "")),
	Links: []string{"https://github.com/Azure/AKS/issues/1188",
		"https://github.com/microsoft/hcsshim/blob/main/internal/hcs/errors.go"},
	Breaks: []*checks.Effect{effectPodStart, effectContainers},
	Needs:  complaintNeeds,
	Uses:   complaintUses,
	Signs:  invalidStateSigns,
	Run:    complain(invalidStateSigns),
})

var invalidStateSigns = []checks.Sign{
	doubtful(checks.SignOfCode("HCS_E_INVALID_STATE",
		"a process was to be started in a container that is starting or gone", "CreateProcess")),
	doubtful(checks.Sign{Text: "operation is not valid in the current state",
		Also: []string{"CreateProcess"}, Not: []string{"0xc0370105"},
		Says: "a process was to be started in a container that is starting or gone"}),
}

func doubtful(s checks.Sign) checks.Sign {
	s.Level = checks.Warn
	return s
}
