package faults

import (
	"cmp"
	"strings"

	"doctor/checks"
	"doctor/checks/evidence"
)

var _ = register(&checks.Check{
	ID:       "exec-probe-not-started",
	Title:    "Windows does not start the exec probe of a running container",
	Healthy:  "Exec probes of running containers start",
	Category: checks.CategoryWorkloads,
	Doc: `The command of an exec probe is a process that the host compute service starts in the container.
When it has lost the container, each start fails with "The RPC server is unavailable", and so does kubectl
exec, while other containers are well. The kubelet counts a probe that fails, but not one that cannot be
started: it neither restarts the container nor marks it unready. The cause is in Windows, often a lack of
memory before. One chart had it from the first probe on, with a path whose backslashes were not doubled.

The check reports such an event if it has come for five minutes, still comes, and names a container that runs.`,
	Fix: checks.Steps(
		checks.Run("kubectl delete pod POD -n NAMESPACE", "Delete the pod: the kubelet does not restart its container.").
			Costs("The pod is down until its replacement is Ready."),
		checks.Do("If the probe of the new pod fails so from the start, change its command: double each backslash of a path in it."),
		checks.Do("Install the current cumulative update of Windows and the current containerd, and replace exec probes with httpGet or tcpSocket probes."),
		checks.Verify("kubectl get events -A --field-selector reason=Unhealthy", "no probe of this node errored")),
	Links: []string{"https://github.com/kubernetes/kubernetes/issues/117086",
		"https://github.com/microsoft/hcsshim/issues/1680",
		"https://github.com/Azure/AKS/issues/3262",
		"https://github.com/kubernetes-csi/csi-driver-smb/pull/521"},
	Explains: []string{"vmcompute-leak"},
	Partial:  true, // events are kept for an hour
	Needs:    []evidence.Need{evidence.Pods, evidence.PodEvents},
	FromPart: []evidence.Need{evidence.Pods, evidence.PodEvents},
	Signs: []checks.Sign{{Text: "System::CreateProcess", Also: []string{"failed to start exec", "The RPC server is unavailable"},
		In: []string{"kubelet", "containerd"}, ConfirmOnly: true}},
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		var findings []*checks.Finding
		for _, e := range evidence.PodEvents.In(s) {
			before, _, ok := strings.Cut(strings.ToLower(e.Text()), " probe errored")
			first := cmp.Or(e.FirstTimestamp, e.EventTime, e.Metadata.CreationTimestamp)
			if !ok || !strings.Contains(e.Text(), "CreateProcess") || !strings.Contains(e.Text(), "The RPC server is unavailable") ||
				e.At().Sub(first.Time) < podPatience || s.Now().Sub(e.At().Time) > 2*podPatience {
				continue
			}
			kind := before[strings.LastIndexByte(before, ' ')+1:] // behind "(combined from similar events): "
			for _, p := range evidence.Pods.In(s) {
				for i, st := range p.Statuses() {
					_, id, _ := strings.Cut(st.ContainerID, "://")
					if st.State.Running == nil || id == "" || !strings.Contains(e.Text(), id) || p.Metadata.DeletionTimestamp != nil {
						continue
					}
					findings = append(findings, checks.Findingf(checks.Warn, p.FullName(),
						"Windows does not start the %s probe of container %s of %s: the kubelet does not restart the container", kind, st.Name, p.FullName()).
						At(e.Field(), "%s: %s", e.Reason, e.Text()).
						At(p.StatusField(i, "state"), "%s: container %s is running", p.FullName(), st.Name))
				}
			}
		}
		return findings, nil
	},
})
