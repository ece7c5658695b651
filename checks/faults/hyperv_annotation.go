package faults

import (
	"strings"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

const isolationAnnotation = "experimental.windows.kubernetes.io/isolation-type"

var _ = register(&checks.Check{
	ID:       "hyperv-annotation",
	Title:    "Hyper-V isolation annotation has no effect",
	Healthy:  "No pod uses the Hyper-V isolation annotation",
	Category: checks.CategoryWorkloads,
	Lints:    true,
	Doc: `Until Kubernetes 1.20 an alpha feature gave a pod with the annotation
experimental.windows.kubernetes.io/isolation-type: hyperv its own virtual machine, if the kubelet of the
node had the feature gate HyperVContainer. The feature was removed, and the annotation has no effect: the pod shares the kernel of the node, and an image for
another Windows build, which requires the isolation, does not start.

A RuntimeClass replaces it: it selects a handler of containerd that uses Hyper-V isolation.`,
	Fix: checks.Steps(
		checks.Inspect("kubectl get runtimeclass",
			"Look for a RuntimeClass whose handler uses Hyper-V isolation."),
		checks.Do("In the pod template, remove the annotation and set runtimeClassName to this RuntimeClass.").
			Costs("The pods of the workload are recreated."),
		checks.Do("If there is none, add a runtime handler with Hyper-V isolation to containerd on nodes with the Hyper-V feature, and create a RuntimeClass for it."),
		checks.Do("If the kubelet is older than 1.20 and runs docker, start it with --feature-gates=HyperVContainer=true. The gate of the API server does not enable the isolation."),
		checks.Verify("doctor lint MANIFEST", "no finding of this check")),
	Links: []string{"https://kubernetes.io/docs/concepts/containers/runtime-class/",
		"https://kubernetes.io/docs/concepts/windows/intro/",
		"https://github.com/kubernetes/kubernetes/pull/95505",
		"https://github.com/Azure/acs-engine/issues/2627"},
	Explains: []string{"app-image-os-version-mismatch", "hyperv-feature-missing"},
	Needs:    []evidence.Need{needPodSpecs},
	Uses:     append([]evidence.Need{evidence.Pods, evidence.Manifests}, node.KubeletSources...),
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		if gates, _ := node.About(s).KubeletFlag("feature-gates"); strings.Contains(gates.Value, "HyperVContainer=true") {
			return nil, nil // an old kubelet: others do not start with it
		}
		var findings []*checks.Finding
		for _, p := range podSpecs(s) {
			if v := p.Metadata.Annotations[isolationAnnotation]; v != "" {
				at := podField{fieldPath{"metadata", "annotations", isolationAnnotation}, v}
				findings = append(findings, checks.Findingf(checks.Warn, p.Name(),
					"%s requests %s isolation with an annotation that has no effect (expected: a RuntimeClass)", p.phrase(), evidence.Clean(v)).With(p.because(at)))
			}
		}
		return findings, nil
	},
})
