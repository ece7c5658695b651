package faults

import (
	"slices"
	"strings"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

// The first versions whose HostProcess containers work as documented.
var (
	hostProcessKubelet    = evidence.Version{Major: 1, Minor: 22}
	hostProcessContainerd = evidence.Version{Major: 1, Minor: 6}
)

var hostProcessUpgrade = checks.Steps(
	checks.Do("Move the node to containerd 1.7 or later and a supported kubelet.").
		Costs("The node must be drained first."),
	checks.Verify("kubectl get node {node} -o wide",
		"containerd 1.6 or later and kubelet 1.22 or later"))

var _ = register(&checks.Check{
	ID:       "hostprocess-unsupported",
	Title:    "Node does not support HostProcess pods",
	Healthy:  "Node supports HostProcess pods",
	Category: checks.CategoryWorkloads,
	Doc: `HostProcess containers are processes of the node. They require containerd 1.6 or later
and kubelet 1.22 or later (stable since 1.26); Docker does not support them. An older runtime starts
such a pod as an ordinary container, which then has no access to the files of the node. A named pipe
cannot be mounted into them either: the process opens the node's pipes directly.

The check compares versions if the node has HostProcess pods, and reads the mount errors of
containerd. A pod whose containers are ready is a warning.`,
	Fix: checks.Steps(
		checks.Inspect("kubectl get node {node} -o wide",
			"Read the versions of the kubelet and of the runtime."),
		checks.Do(`If the versions are new enough, remove mounts of named pipes from HostProcess pods. The program opens \\.\pipe\NAME directly.`).
			Costs("The pods of the workload are recreated."),
		checks.Do("If they are not, move the node to containerd 1.7 or later and a supported kubelet.").
			Costs("The node must be drained first."),
		checks.Verify("kubectl get pods -A -o wide --field-selector spec.nodeName={node}",
			"all pods are Running")),
	Links: []string{
		"https://kubernetes.io/docs/tasks/configure-pod-container/create-hostprocess-pod/",
		"https://github.com/microsoft/hcsshim/blob/main/internal/jobcontainers/mounts.go",
		"https://github.com/kubernetes/kubernetes/pull/110140"},
	Breaks:   []*checks.Effect{effectNetworkAgent, effectFlanneld, effectKubeProxy, effectPodStart, effectContainers},
	Explains: []string{"entrypoint-not-found"},
	Partial:  true,
	Needs:    []evidence.Need{evidence.Pods, node.NeedRuntime, node.NeedKubelet},
	Uses:     []evidence.Need{evidence.PodEvents},
	Signs: []checks.Sign{
		{Text: "named pipe mounts not supported for job containers",
			Says: "a HostProcess pod mounts a named pipe, which is not supported"},
		// A path that is not on the node fails like this too.
		{Text: "failed to setup mount for job container", Level: checks.Warn,
			Says: "a mount of a HostProcess pod failed"},
	},
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		n := node.About(s)
		rt := n.Runtime.Value
		var findings []*checks.Finding
		seen := false
		for _, p := range evidence.Pods.In(s) {
			if !p.HostProcess() {
				continue
			}
			seen = true
			level := checks.Fail
			if podRuns(p) && !slices.ContainsFunc(p.Status.ContainerStatuses, func(st evidence.ContainerStatus) bool { return !st.Ready }) {
				level = checks.Warn // it runs, with the network and the files of a container
			}
			switch {
			case rt.Name == "docker":
				findings = append(findings, checks.Findingf(level, p.FullName(),
					"%s is a HostProcess pod, which Docker does not support", p.FullName()).
					At(p.HostProcessField(), "%s: windowsOptions.hostProcess is true",
						p.FullName()).With(n.Runtime.From).Cure(hostProcessUpgrade))
			case rt.Name == "containerd" && rt.Version.Major > 0 &&
				!rt.Version.AtLeast(hostProcessContainerd):
				findings = append(findings, checks.Findingf(level, p.FullName(),
					"%s is a HostProcess pod, but containerd %s runs it as an ordinary container (required: %s or later)", p.FullName(), rt.Version, hostProcessContainerd).
					At(p.HostProcessField(), "%s: windowsOptions.hostProcess is true",
						p.FullName()).With(n.Runtime.From).Cure(hostProcessUpgrade))
			case !n.Kubelet.Value.AtLeast(hostProcessKubelet):
				findings = append(findings, checks.Findingf(level, p.FullName(),
					"%s is a HostProcess pod, which kubelet %s does not support (required: %s or later)", p.FullName(), n.Kubelet.Value, hostProcessKubelet).
					At(p.HostProcessField(), "%s: windowsOptions.hostProcess is true",
						p.FullName()).With(n.Kubelet.From).Cure(hostProcessUpgrade))
			case !podRuns(p):
				for i, v := range p.Spec.Volumes {
					if v.HostPath != nil && strings.HasPrefix(v.HostPath.Path, `\\.\pipe\`) {
						findings = append(findings, checks.Findingf(checks.Fail, p.FullName(),
							"HostProcess pod %s mounts named pipe %s, which is not supported",
							p.FullName(), v.HostPath.Path).
							At(p.Field("spec", "volumes", i, "hostPath", "path"),
								"%s: volume %s: hostPath %s", p.FullName(), v.Name,
								v.HostPath.Path).Cure(checks.Steps(
							checks.Do("Remove the mount of %s from the pod template. The program opens the pipe directly.", v.HostPath.Path).
								Costs("The pods of the workload are recreated."),
							checks.Verify(
								"kubectl get pods -A -o wide --field-selector spec.nodeName={node}",
								"all pods are Running"))))
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
