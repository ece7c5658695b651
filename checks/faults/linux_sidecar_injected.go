package faults

import (
	"slices"
	"strings"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

var _ = register(&checks.Check{
	ID:       "linux-sidecar-injected",
	Title:    "Service mesh injects a Linux sidecar into a Windows pod",
	Healthy:  "No Linux sidecar is injected into Windows pods",
	Category: checks.CategoryWorkloads,
	Doc: `The webhooks of Istio and Linkerd add a proxy and an init container to each pod of a
namespace. They do not look at the operating system of the pod, and their images are for Linux. On a
Windows node the pod stays in Init:ImagePullBackOff, although its own image is right. Istio does not
support Windows pods, and the open source Linkerd has no proxy for Windows.

The check looks for the known names of these containers in pods of this node that do not run.`,
	Fix: checks.Steps(
		checks.Inspect("kubectl get namespace -L istio-injection,istio.io/rev",
			"Find the namespaces in which a mesh injects its proxy."),
		checks.Do(`Exclude Windows pods in their template: label sidecar.istio.io/inject: "false", or annotation linkerd.io/inject: disabled.`).
			Costs("The pods of the workload are recreated."),
		checks.Do("Or move Windows workloads to a namespace without injection."),
		checks.Verify("kubectl get pods -A -o wide --field-selector spec.nodeName={node}",
			"all pods are Running")),
	Links: []string{
		"https://github.com/linkerd/linkerd2/issues/3298",
		"https://github.com/linkerd/linkerd2/issues/2882",
		"https://github.com/istio/istio/issues/39788",
		"https://github.com/istio/istio/issues/27893",
	},
	Breaks:   []*checks.Effect{effectPodStart},
	Explains: []string{"app-image-os-version-mismatch", "pod-field-unsupported", "securitycontext-nonroot"},
	Needs:    []evidence.Need{evidence.Pods},
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		var findings []*checks.Finding
		for _, p := range evidence.Pods.In(s) {
			if node.PodSystem(p) == "linux" || podRuns(p) || !node.PodDown(p) || ofMesh(p) {
				continue
			}
			for i, c := range slices.Concat(p.Spec.InitContainers, p.Spec.Containers) {
				mesh := linuxSidecars[c.Name]
				if mesh == "" || strings.Contains(c.Image, "windows") {
					continue
				}
				findings = append(findings, checks.Findingf(checks.Fail, p.FullName(),
					"%s cannot start: %s injected container %s, which runs on Linux only",
					p.FullName(), mesh, c.Name).
					At(p.ContainerField(i, "image"), "%s: container %s has image %s", p.FullName(),
						c.Name, c.Image))
				break
			}
		}
		return findings, nil
	},
})

// The sidecars and init containers that webhooks put into pods, and that have no image for Windows.
var linuxSidecars = map[string]string{
	"istio-init": "Istio", "istio-proxy": "Istio", "istio-validation": "Istio",
	"azwi-proxy-init": "Azure Workload Identity", "azwi-proxy": "Azure Workload Identity",
	"linkerd-init": "Linkerd", "linkerd-proxy": "Linkerd", "linkerd-network-validator": "Linkerd",
}

// ofMesh tells whether the pod is one of the mesh's own, into which nothing was injected: it has no
// other container than the proxy, as that of ztunnel, or all have images of one owner.
func ofMesh(p evidence.Pod) bool {
	owner := func(c evidence.Container) string { return c.Image[:strings.LastIndexByte(c.Image, '/')+1] }
	if !slices.ContainsFunc(p.Spec.Containers, func(c evidence.Container) bool { return linuxSidecars[c.Name] == "" }) {
		return true
	}
	return len(p.Spec.Containers) > 1 && !slices.ContainsFunc(p.Spec.Containers, func(c evidence.Container) bool {
		return owner(c) == "" || owner(c) != owner(p.Spec.Containers[0])
	})
}
