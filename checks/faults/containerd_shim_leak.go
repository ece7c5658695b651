package faults

import (
	"strings"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

// A shim takes some tens of MB, whatever its container uses.
const shimBytes = 1 << 30

var _ = register(&checks.Check{
	ID:       "containerd-shim-leak",
	Title:    "containerd shim uses too much memory",
	Healthy:  "containerd shims use a normal amount of memory",
	Category: checks.CategoryWorkloads,
	Doc: `containerd-shim-runhcs-v1.exe is the process of containerd that runs the containers of a pod. It
takes some tens of MB, and no memory limit of a pod applies to it. It starts the commands of exec
probes, and several releases of it keep memory for each of them: the leak that containerd 1.6.13
fixed is one, and with containerd 1.7.30 users still see shims of several GB, mostly of
calico-node-windows, whose probes are commands. With httpGet probes the shim does not grow.

The check warns from 1 GB. It names the processes that the shim started on the node, which are those
of a HostProcess pod; other containers do not show which pod a shim belongs to.`,
	Fix: checks.Steps(
		checks.Inspect("kubectl get pods -A --field-selector spec.nodeName={node} -o custom-columns=NAME:.metadata.name,LIVENESS:.spec.containers[*].livenessProbe.exec.command,READINESS:.spec.containers[*].readinessProbe.exec.command",
			"Find the pods of this node whose probes are commands."),
		checks.Do("Replace exec probes with httpGet or tcpSocket probes, or make their period longer."),
		checks.Run("kubectl delete pod POD -n NAMESPACE",
			"Delete the pod of the shim: the memory is free when its shim has ended.").
			Costs("A pod without a controller is not created again."),
		checks.Do("Update containerd to the newest release of its line.").
			Costs("Update one node at a time: its pods may restart."),
		checks.Verify("Get-Process containerd-shim-runhcs-v1 | Format-Table Id, WorkingSet64, StartTime",
			"less than 200 MB each")),
	Links: []string{
		"https://github.com/containerd/containerd/issues/12781",
		"https://github.com/containerd/containerd/issues/7375",
		"https://github.com/microsoft/hcsshim/issues/2217",
		"https://github.com/projectcalico/calico/issues/11825",
	},
	Needs:    []evidence.Need{evidence.Processes},
	FromPart: []evidence.Need{evidence.Processes},
	Uses:     []evidence.Need{evidence.MemoryInfo},
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		var findings []*checks.Finding
		held := int64(0)
		measured, unmeasured := false, false // any process, and a shim
		for _, p := range evidence.Processes.In(s) {
			used, field := p.WorkingSetBytes, "workingSetBytes"
			if p.PrivateBytes > used {
				used, field = p.PrivateBytes, "privateBytes"
			}
			measured = measured || used > 0
			if !strings.EqualFold(node.Program(p.Name), "containerd-shim-runhcs-v1") {
				continue
			}
			unmeasured = unmeasured || used == 0
			if used < shimBytes {
				continue
			}
			f := checks.Findingf(checks.Warn, p.Name,
				"process %d of %s uses %d MB of memory; expected: less than 200 MB", p.PID, p.Name, used>>20).
				At(p.Field(field), "%s, process %d: %d bytes", p.Name, p.PID, used)
			for _, child := range evidence.Processes.In(s) {
				if child.PPID == p.PID {
					f = f.At(child.Field("ppid"), "it started %s", child.Name)
				}
			}
			held += used
			findings = append(findings, f)
		}
		if m := evidence.MemoryInfo.In(s); len(findings) > 0 && held >= m.CommitUsedBytes/5 && m.CommitUsedBytes > 0 {
			findings[0] = findings[0].Explaining("paging-file-too-small")
		}
		if (!measured || unmeasured) && len(findings) == 0 {
			return nil, checks.Unknown(evidence.NotShown.Gap("how much memory the processes use"))
		}
		return findings, nil
	},
})
