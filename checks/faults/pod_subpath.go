package faults

import (
	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

var _ = register(checks.Check{
	ID:       "pod-subpath",
	Title:    "a pod mounts a single file or a part of a volume, which docker cannot",
	Category: checks.CategoryWorkloads,
	Doc: `subPath mounts one file or folder out of a volume. With docker on Windows a mount is a
folder of the host, so a single file cannot be mounted at all, and the pod fails or gets an empty
folder in the file's place. containerd maps single files (on a Windows of September 2020 or later),
and there it is fine.

The check looks at the pods of nodes that run docker.`,
	Fix: checks.Steps(
		checks.Run("kubectl get pods -A --field-selector spec.nodeName={node} -o json | ConvertFrom-Json | ForEach-Object items | Where-Object { $_.spec.containers.volumeMounts.subPath }", "mount the whole volume into a folder of its own and let the program read the file there, or move the node to containerd").
			Costs("changing the mounts recreates the pods of the workload")),
	Links: []string{"https://kubernetes.io/docs/concepts/storage/windows-storage/",
		"https://kubernetes.io/docs/concepts/storage/volumes/#using-subpath",
		"https://github.com/kubernetes/kubernetes/issues/95547"},
	Breaks:   []*checks.Effect{effectPodStart},
	Explains: []string{"mount-path-invalid"},
	Applies:  checks.OnRuntime("docker"),
	Needs:    []evidence.Need{evidence.Pods, node.NeedRuntime},
	Uses:     []evidence.Need{evidence.Manifests},
	Run: func(s evidence.Snapshot) ([]checks.Finding, error) {
		var findings []checks.Finding
		for _, p := range podSpecs(s) {
			p.containers(func(at fieldPath, c evidence.Container) {
				for i, m := range c.VolumeMounts {
					name, value := "subPath", m.SubPath
					if value == "" {
						name, value = "subPathExpr", m.SubPathExpr
					}
					if value != "" {
						field := podField{at.to("volumeMounts", i, name), value}
						findings = append(findings, checks.Findingf(checks.Warn, p.Name(),
							"%s mounts %s of the volume %s at %s: docker on Windows mounts whole folders only", p.phrase(), value, m.Name, m.MountPath).With(p.because(field), node.About(s).Runtime.From))
					}
				}
			})
		}
		return findings, nil
	},
})
