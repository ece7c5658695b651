package faults

import (
	"strings"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

// The first versions with HostProcess containers that do what the documentation says.
var (
	hostProcessKubelet    = evidence.Version{Major: 1, Minor: 22}
	hostProcessContainerd = evidence.Version{Major: 1, Minor: 6}
)

var _ = register(checks.Check{
	ID:       "hostprocess-unsupported",
	Title:    "HostProcess pods do not work on this node",
	Category: checks.CategoryWorkloads,
	Doc: `HostProcess containers are processes of the node. They need containerd 1.6 or later
and a kubelet of 1.22 or later (1.26 for the finished feature); docker never had them. An older
runtime starts such a pod as an ordinary container, which then misses files and rights of the node.
A named pipe cannot be mounted into them either: the process reaches the node's pipes directly.

The check compares versions where the node has HostProcess pods, and reads what containerd says of
mounts.`,
	Fix: checks.Steps(
		checks.Inspect("kubectl get node {node} -o wide", ""),
		checks.Inspect(
			`kubectl get pods -A --field-selector spec.nodeName={node} -o jsonpath='{range .items[*]}{.metadata.name}{" "}{.spec.volumes[*].hostPath.path}{"\n"}{end}'`, ""),
		checks.Do("move the node to containerd 1.7 and a current kubelet; take mounts of named pipes out of HostProcess pods and open the pipe by its own name").
			Costs("another runtime version needs the node drained; changing a pod template recreates its pods")),
	Links: []string{
		"https://kubernetes.io/docs/tasks/configure-pod-container/create-hostprocess-pod/",
		"https://github.com/microsoft/hcsshim/blob/main/internal/jobcontainers/mounts.go",
		"https://github.com/kubernetes/kubernetes/pull/110140"},
	Breaks:   []*checks.Effect{effectFlanneld, effectKubeProxy, effectPodStart, effectContainers},
	Explains: []string{"entrypoint-not-found"},
	Partial:  true,
	Needs:    []evidence.Need{evidence.Pods, node.NeedRuntime, node.NeedKubelet},
	Uses:     []evidence.Need{evidence.PodEvents},
	Signs: []checks.Sign{
		{Text: "named pipe mounts not supported for job containers",
			Says: "a HostProcess pod mounts a named pipe, which is not possible"},
		{Text: "failed to setup mount for job container",
			Says: "a mount of a HostProcess pod fails"},
	},
	Run: func(s evidence.Snapshot) ([]checks.Finding, error) {
		n := node.About(s)
		rt := n.Runtime.Value
		var findings []checks.Finding
		seen := false
		for _, p := range evidence.Pods.In(s) {
			if !p.HostProcess() {
				continue
			}
			seen = true
			switch {
			case rt.Name == "docker":
				findings = append(findings, checks.Findingf(checks.Fail, p.FullName(),
					"%s is a HostProcess pod, and docker does not know them", p.FullName()).
					At(p.HostProcessField(), "%s: windowsOptions.hostProcess is true",
						p.FullName()).With(n.Runtime.From))
			case rt.Name == "containerd" && rt.Version.Major > 0 &&
				!rt.Version.AtLeast(hostProcessContainerd):
				findings = append(findings, checks.Findingf(checks.Fail, p.FullName(),
					"%s is a HostProcess pod, and containerd %s runs it as an ordinary container; %s or later is needed", p.FullName(), rt.Version, hostProcessContainerd).
					At(p.HostProcessField(), "%s: windowsOptions.hostProcess is true",
						p.FullName()).With(n.Runtime.From))
			case !n.Kubelet.Value.AtLeast(hostProcessKubelet):
				findings = append(findings, checks.Findingf(checks.Fail, p.FullName(),
					"%s is a HostProcess pod, and kubelet %s does not know them; %s or later is needed", p.FullName(), n.Kubelet.Value, hostProcessKubelet).
					At(p.HostProcessField(), "%s: windowsOptions.hostProcess is true",
						p.FullName()).With(n.Kubelet.From))
			case !podRuns(p):
				for i, v := range p.Spec.Volumes {
					if v.HostPath != nil && strings.HasPrefix(v.HostPath.Path, `\\.\pipe\`) {
						findings = append(findings, checks.Findingf(checks.Fail, p.FullName(),
							"%s is a HostProcess pod and mounts the named pipe %s, which is not possible: it reaches the pipe directly", p.FullName(), v.HostPath.Path).
							At(p.Field("spec", "volumes", i, "hostPath", "path"),
								"%s: volume %s: hostPath %s", p.FullName(), v.Name,
								v.HostPath.Path))
					}
				}
			}
		}
		if !seen {
			return nil, checks.Skip("no HostProcess pod is on this node")
		}
		return findings, nil
	},
})
