package faults

import (
	"path"
	"slices"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

var _ = register(&checks.Check{
	ID:       "pod-subpath",
	Title:    "Docker on Windows cannot mount a subPath",
	Healthy:  "No pod mounts a subPath with Docker",
	Category: checks.CategoryWorkloads,
	Doc: `subPath mounts one file or folder of a volume. With Docker on Windows a mount is a folder
of the host, so a single file cannot be mounted: the pod fails or gets an empty folder instead of
the file. containerd supports single files (on Windows of September 2020 or later).

Before 1.19 the kubelet resolves the link of the volume before it mounts a subPath, and cannot do so
for a share (SMB): the pod stays in CreateContainerConfigError.

The check examines the pods of nodes with Docker, and looks for the kubelet's error. A container that
runs with a folder by subPath is info: Docker has mounted it, though the documentation of Kubernetes
lists subPath as not supported.`,
	Fix: checks.Steps(
		checks.Do("In the pod template, mount the whole volume into its own folder, and let the program read the file there.").
			Costs("The pods of the workload are recreated."),
		checks.Do("Or move the node to containerd, which supports subPath.").
			Costs("The node must be drained first."),
		checks.Verify(
			"kubectl get pods -A --field-selector spec.nodeName={node} -o json | ConvertFrom-Json | ForEach-Object items | Where-Object { $_.spec.containers.volumeMounts.subPath }", "nothing")),
	Links: []string{"https://kubernetes.io/docs/concepts/storage/windows-storage/",
		"https://kubernetes.io/docs/concepts/storage/volumes/#using-subpath",
		"https://github.com/kubernetes/kubernetes/issues/95547",
		"https://github.com/kubernetes/kubernetes/issues/65890",
		"https://github.com/kubernetes/kubernetes/pull/92328"},
	Breaks:   []*checks.Effect{effectPodStart},
	Explains: []string{"mount-path-invalid"},
	Applies:  checks.OnRuntime("docker"),
	Needs:    []evidence.Need{evidence.Pods, node.NeedRuntime},
	Uses:     []evidence.Need{evidence.Manifests},
	Signs: []checks.Sign{
		// what lies below the folder of a volume is mounted by subPath alone
		{Text: "source path must be a directory", Also: []string{"invalid mount config", `volumes\kubernetes.io~`},
			Says: "Docker cannot mount a single file of a volume, which a subPath names"},
		// pkg/volume/util/subpath/subpath_windows.go until 1.18, pkg/util/mount before
		{Text: "cannot read link ", Also: []string{"kubernetes.io~"},
			Says: "the kubelet cannot resolve the link of a volume, as a subPath needs",
			Fix: checks.Steps(
				checks.Do("In the pod template, mount the whole volume instead of a subPath, or update the kubelet to 1.19 or later.").
					Costs("The pods of the workload are recreated."),
				checks.Verify("kubectl get pods -A -o wide --field-selector spec.nodeName={node}",
					"all pods are Running"))},
	},
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		var findings []*checks.Finding
		for _, p := range podSpecs(s) {
			p.containers(func(at fieldPath, c evidence.Container) {
				for i, m := range c.VolumeMounts {
					name, value := "subPath", m.SubPath
					if value == "" {
						name, value = "subPathExpr", m.SubPathExpr
					}
					if value != "" {
						field := podField{at.to("volumeMounts", i, name), value}
						level := checks.Warn
						if path.Ext(value) == "" && containerRuns(p.Pod, c.Name) {
							level = checks.Info // what docker has mounted is a folder, as was meant
						}
						findings = append(findings, checks.Findingf(level, p.Name(),
							"%s mounts %s of volume %s at %s: Docker on Windows mounts only whole folders", p.phrase(), value, m.Name, m.MountPath).With(p.because(field), node.About(s).Runtime.From))
					}
				}
			})
		}
		return findings, nil
	},
})

// containerRuns tells that a container of the pod runs now.
func containerRuns(p evidence.Pod, name string) bool {
	return slices.ContainsFunc(p.Statuses(), func(st evidence.ContainerStatus) bool {
		return st.Name == name && st.State.Running != nil
	})
}
