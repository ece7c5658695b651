package faults

import (
	"cmp"
	"slices"
	"strings"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

var _ = register(&checks.Check{
	ID:       "hostprocess-side-by-side",
	Title:    "HostProcess container: program does not find its assemblies",
	Healthy:  "Programs of HostProcess containers find their assemblies",
	Category: checks.CategoryWorkloads,
	Doc: `From containerd 1.7 on, a HostProcess container sees its files under C:\hpc, which is a bind mount
that only the container has. Windows looks for side-by-side assemblies, which the manifest of a program
names, outside the container and does not find them there: the program ends with "its side-by-side
configuration is incorrect" (error 14001), although it works with containerd 1.6. The maintainers say
that this may be by design.

The check looks for the error in the logs of HostProcess pods.`,
	Fix: checks.Steps(
		checks.Do("Let the container copy the program and its DLLs to a folder of the node outside C:\\hpc, and start it there.").
			Costs("The pods of the workload are recreated."),
		checks.Do("Or use a build of the program whose DLLs need no manifest."),
		checks.Inspect("sxstrace.exe trace -logfile:sxs.etl",
			"If the error stays, trace which assembly is missing: the Visual C++ runtime may not be installed on the node."),
		checks.Verify("kubectl logs POD -n NAMESPACE", "no error of side-by-side")),
	Links: []string{
		"https://github.com/microsoft/Windows-Containers/issues/366",
		"https://github.com/Azure/AKS/issues/3885",
		"https://kubernetes.io/docs/tasks/configure-pod-container/create-hostprocess-pod/#volume-mounts",
	},
	Breaks: []*checks.Effect{effectContainers},
	Applies: func(n *node.Node) error {
		if rt := n.Runtime.Value; rt.Name == "docker" || rt.Name == "containerd" &&
			!rt.Version.AtLeast(evidence.Version{Major: 1, Minor: 7}) {
			return checks.Skip("the container runtime is %s %s, not containerd 1.7 or later", rt.Name, rt.Version)
		}
		return nil
	},
	Needs: []evidence.Need{evidence.Pods},
	Uses:  []evidence.Need{evidence.Logs("pods")},
	Moot:  noHostProcess,
	Signs: []checks.Sign{
		{Text: "its side-by-side configuration is", In: []string{"pods", "other"}, Level: checks.Warn,
			Says: "a program does not start: Windows does not find its side-by-side assemblies"},
	},
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		var findings []*checks.Finding
		for _, p := range evidence.Pods.In(s) {
			if m, ok := saidBy(s, "hostprocess-side-by-side", p); ok && p.HostProcess() {
				f := checks.Findingf(checks.Warn, p.FullName(),
					"a program of HostProcess pod %s does not start: Windows does not find its side-by-side assemblies", p.FullName()).
					With(checks.Quote(m))
				f.Basis = checks.ByBoth
				findings = append(findings, f)
			}
		}
		if gap := evidence.Logs("pods").Gap(s); gap.Kind != "" {
			return nil, checks.Unknown(gap)
		}
		return findings, nil
	},
})

// saidBy is a sign of the check in the log of the pod, or in the state of a container, that nothing later ends.
func saidBy(s evidence.Snapshot, id string, p evidence.Pod) (evidence.SignMatch, bool) {
	for _, c := range slices.Concat(p.Spec.InitContainers, p.Spec.Containers) {
		if list := saidIn(s, id, p, c.Name); len(list) > 0 {
			return list[0], true
		}
	}
	return evidence.SignMatch{}, false
}

// saidIn are the signs of the check in the log or the state of a container that nothing later ends.
func saidIn(s evidence.Snapshot, id string, p evidence.Pod, container string) (list []evidence.SignMatch) {
	for _, m := range s.Signs(id) {
		if m.Over == "" && (isLogOf(m.Path, p, container) || m.Path == evidence.Pods.Path() &&
			strings.HasPrefix(m.Found, p.FullName()+" "+container+":")) {
			list = append(list, m)
		}
	}
	return list
}

// unheard tells whether a container of the pod ended and is down, and neither its log nor what it said at its
// end is recorded.
func unheard(s evidence.Snapshot, p evidence.Pod) bool {
	return slices.ContainsFunc(p.Statuses(), func(st evidence.ContainerStatus) bool {
		end := cmp.Or(st.State.Terminated, st.LastState.Terminated)
		return node.ContainerDown(st) && (end != nil && end.Message == "" || end == nil && st.RestartCount > 0) &&
			!slices.ContainsFunc(s.LogFiles("pods"), func(path string) bool { return isLogOf(path, p, st.Name) })
	})
}

// notHeard is why a check that finds nothing in the words of such containers acquits nobody.
func notHeard(s evidence.Snapshot) error {
	return checks.Unknown(cmp.Or(evidence.Logs("pods").Gap(s), evidence.NotShown.Gap("the logs of containers that ended")))
}
