package faults

import (
	"cmp"
	"slices"
	"strings"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

// pipeOwners are the services and programs that serve pipes of the node, by the beginning of the pipe's
// name. Those of csi-proxy are csi-proxy-missing's.
var pipeOwners = []struct{ pipe, service, program string }{
	{"rancher_wins", "rancher-wins", "wins"},
	{"docker_engine", "docker", "dockerd"},
	{"containerd-containerd", "containerd", "containerd"},
}

var _ = register(&checks.Check{
	ID:       "host-pipe-missing",
	Title:    "Pod uses a named pipe that the node does not have",
	Healthy:  "Named pipes that pods mount exist",
	Category: checks.CategoryWorkloads,
	Doc: `A pod can mount a named pipe of the node (hostPath \\.\pipe\NAME) to reach the service that serves it:
rancher_wins and rancher_wins_proxy of rancher-wins, docker_engine of Docker. The pod starts without
the service too, and its program exits, because it cannot open the pipe. Rancher installs rancher-wins on
nodes that it sets up itself, not on those of AKS or of imported clusters, where the exporter of
Rancher monitoring fails in this way.

The check looks for this error in the logs and the last states of containers whose pod mounts the pipe.
Without the error, a pod that keeps restarting is a warning if the service of its pipe is not on the
node. Pipes of csi-proxy have a check of their own.`,
	Fix: checks.Steps(
		checks.Inspect("Get-ChildItem \\\\.\\pipe\\ | Select-Object Name", "Check which named pipes the node has."),
		checks.Do("Install or start the service that serves the pipe, or keep the workload off this node. On nodes without rancher-wins, set global.cattle.windows.enabled: false in the chart of Rancher monitoring, and use a chart of windows_exporter with HostProcess containers."),
		checks.Do("Delete the pod, so that it is created again."),
		checks.Verify("kubectl get pods -A -o wide --field-selector spec.nodeName={node}",
			"all pods are Running")),
	Links: []string{
		"https://github.com/rancher/rancher/issues/39417",
		"https://github.com/rancher/rancher/issues/31994",
		"https://github.com/rancher/rancher/issues/39643",
		"https://github.com/prometheus-community/windows_exporter/issues/546",
	},
	Breaks:   []*checks.Effect{effectContainers},
	Needs:    []evidence.Need{evidence.Pods},
	FromPart: []evidence.Need{evidence.Pods},
	Uses:     []evidence.Need{evidence.Services, evidence.Processes},
	Signs: []checks.Sign{
		{Text: `open \\.\pipe\`, Or: []string{`open \\\\.\\pipe\\`, "open //./pipe/"}, Also: []string{csiPipeIsMissing},
			Not: []string{csiPipeText, csiPipeEscaped}, In: []string{evidence.InPods},
			Says: "a program cannot open a named pipe of the node", Level: checks.Warn},
	},
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		var findings []*checks.Finding
		seen := map[string]bool{}
		unseen := false // a pod keeps restarting, and its pipe has an owner
		for _, p := range evidence.Pods.In(s) {
			if p.HostProcess() || podRuns(p) || onOtherNode(s, p) {
				continue
			}
			for _, m := range s.Signs("host-pipe-missing") {
				pipe := openedPipe(m.Found)
				at, mounted := mountOfPipe(p, pipe)
				if !mounted || m.Over != "" || seen[p.FullName()] || servedSince(s, p, pipe) {
					continue
				}
				seen[p.FullName()] = true
				why, from := pipeOwner(s, pipe)
				f := checks.Findingf(checks.Fail, p.FullName(), "%s cannot open named pipe %s of the node: it does not exist", p.FullName(), pipe)
				if why.Format != "" {
					f = checks.Findingf(checks.Fail, p.FullName(), "%s cannot open named pipe %s of the node: %s", p.FullName(), pipe, why).With(from)
				}
				f = f.With(at, checks.Quote(m))
				f.Basis = checks.ByBoth
				findings = append(findings, f)
			}
			crashes := slices.ContainsFunc(p.Statuses(), func(st evidence.ContainerStatus) bool {
				return node.ContainerDown(st) && st.RestartCount >= restartsWorry
			})
			for _, v := range p.Spec.Volumes {
				pipe := hostPipe(v)
				unseen = unseen || crashes && hasOwner(pipe)
				if why, from := pipeOwner(s, pipe); crashes && why.Format != "" && !seen[p.FullName()] {
					at, _ := mountOfPipe(p, pipe)
					seen[p.FullName()] = true
					findings = append(findings, checks.Findingf(checks.Warn, p.FullName(), "%s keeps restarting and mounts named pipe %s of the node: %s",
						p.FullName(), pipe, why).With(at, from))
				}
			}
		}
		if gap := cmp.Or(evidence.Services.Gap(s), evidence.Processes.Gap(s)); unseen && len(findings) == 0 && gap.Kind != "" {
			return nil, checks.Unknown(gap)
		}
		return findings, nil
	},
})

// hasOwner tells whether it is known which service serves a pipe.
func hasOwner(pipe string) bool {
	return slices.ContainsFunc(pipeOwners, func(of struct{ pipe, service, program string }) bool {
		return strings.HasPrefix(strings.ToLower(pipe), of.pipe)
	})
}

// openedPipe is the name of the pipe that a program could not open: Go quotes it once more in logs.
func openedPipe(line string) string {
	for strings.Contains(line, `\\`) {
		line = strings.ReplaceAll(line, `\\`, `\`)
	}
	_, name, _ := strings.Cut(strings.ReplaceAll(line, "/", `\`), `.\pipe\`)
	name, _, _ = strings.Cut(name, ":")
	return strings.TrimSpace(name)
}

// hostPipe is the name of the node's pipe that a volume is, or "".
func hostPipe(v evidence.Volume) string {
	if v.HostPath == nil {
		return ""
	}
	_, name, _ := strings.Cut(strings.ReplaceAll(v.HostPath.Path, "/", `\`), `\.\pipe\`)
	return name
}

// mountOfPipe is the volume of a pod that is this pipe of the node.
func mountOfPipe(p evidence.Pod, pipe string) (evidence.Because, bool) {
	for i, v := range p.Spec.Volumes {
		if pipe != "" && strings.EqualFold(hostPipe(v), pipe) {
			return p.Field("spec", "volumes", i, "hostPath", "path").Because("%s: hostPath %s", p.FullName(), v.HostPath.Path), true
		}
	}
	return evidence.Because{}, false
}

// servedSince tells whether the program of a pipe was started after the pod's containers had ended.
func servedSince(s evidence.Snapshot, p evidence.Pod, pipe string) bool {
	return slices.ContainsFunc(evidence.Processes.In(s), func(proc evidence.Process) bool {
		return slices.ContainsFunc(p.Statuses(), func(st evidence.ContainerStatus) bool {
			ended := cmp.Or(st.LastState.Terminated, st.State.Terminated)
			return ended != nil && !ended.FinishedAt.IsZero() && proc.StartedAt.After(ended.FinishedAt.Time)
		}) && slices.ContainsFunc(pipeOwners, func(of struct{ pipe, service, program string }) bool {
			return strings.HasPrefix(strings.ToLower(pipe), of.pipe) && strings.EqualFold(node.Program(proc.Name), of.program)
		})
	})
}

// pipeOwner is why the known service of a pipe does not serve it: it is not there, or stopped.
func pipeOwner(s evidence.Snapshot, pipe string) (evidence.Phrase, evidence.Because) {
	for _, of := range pipeOwners {
		if !strings.HasPrefix(strings.ToLower(pipe), of.pipe) || evidence.Services.Gap(s).Kind != "" || evidence.Processes.Gap(s).Kind != "" {
			continue
		}
		if slices.ContainsFunc(evidence.Processes.In(s), func(proc evidence.Process) bool {
			return strings.EqualFold(node.Program(proc.Name), of.program)
		}) {
			continue
		}
		for _, svc := range evidence.Services.In(s) {
			if strings.EqualFold(svc.Name, of.service) && svc.Running() {
				return evidence.Phrase{}, evidence.Because{}
			}
			if strings.EqualFold(svc.Name, of.service) {
				return evidence.Phrasef("service %s is %s", svc.Name, svc.State),
					svc.Field("state").Because("service %s is %s", svc.Name, svc.State)
			}
		}
		return evidence.Phrasef("there is no service %s", of.service), evidence.Services.Field(s).Because("there is no service %s", of.service)
	}
	return evidence.Phrase{}, evidence.Because{}
}
