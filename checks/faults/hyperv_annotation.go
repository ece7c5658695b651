package faults

import (
	"doctor/checks"
	"doctor/checks/evidence"
)

const isolationAnnotation = "experimental.windows.kubernetes.io/isolation-type"

var _ = register(checks.Check{
	ID:       "hyperv-annotation",
	Title:    "a pod asks for Hyper-V isolation by an annotation that is gone",
	Category: checks.CategoryWorkloads,
	Lints:    true,
	Doc: `Until Kubernetes 1.20 an alpha feature gave a pod with the annotation
experimental.windows.kubernetes.io/isolation-type: hyperv a virtual machine of its own. It is gone,
and the annotation does nothing now: the pod shares the node's kernel, which its author did not
want, and an image of another Windows build, which only isolation could run, does not start.

Today a RuntimeClass selects a handler of containerd that isolates.`,
	Fix: checks.Steps(
		checks.Inspect("kubectl get runtimeclass", ""),
		checks.Inspect("Get-WindowsFeature Hyper-V", ""),
		checks.Run(`Select-String -Path 'C:\Program Files\containerd\config.toml' -Pattern hypervisor`, "take the annotation out, add a runtime handler with Hyper-V isolation to containerd's configuration on nodes that have the Hyper-V feature, and name its RuntimeClass in the pod").
			Costs("changing a pod template recreates the pods of the workload")),
	Links: []string{"https://kubernetes.io/docs/concepts/containers/runtime-class/",
		"https://kubernetes.io/docs/concepts/windows/intro/",
		"https://github.com/kubernetes/kubernetes/pull/95505"},
	Explains: []string{"app-image-os-version-mismatch", "hyperv-feature-missing"},
	Needs:    []evidence.Need{needPodSpecs},
	Uses:     []evidence.Need{evidence.Pods, evidence.Manifests},
	Run: func(s evidence.Snapshot) ([]checks.Finding, error) {
		var findings []checks.Finding
		for _, p := range podSpecs(s) {
			if v := p.Metadata.Annotations[isolationAnnotation]; v != "" {
				at := podField{fieldPath{"metadata", "annotations", isolationAnnotation}, v}
				findings = append(findings, checks.Findingf(checks.Warn, p.Name(),
					"%s asks for %s isolation by an annotation that nothing reads any more; a RuntimeClass does that", p.phrase(), evidence.Clean(v)).With(p.because(at)))
			}
		}
		return findings, nil
	},
})
