package faults

import (
	"strings"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

var _ = register(checks.Check{
	ID:       "pod-os-not-selected",
	Title:    "a pod for Windows does not say that it is for Windows",
	Category: checks.CategoryWorkloads,
	Lints:    true,
	Doc: `The scheduler does not look into images. A pod with a Windows image and without a node
selector for kubernetes.io/os: windows may be put on a Linux node, where its image cannot be pulled;
and it is only by chance on this one. spec.os.name tells the API server and the kubelet what a pod
is for, and does not steer the scheduler: a pod needs the selector (or an affinity) as well. The
label beta.kubernetes.io/os is gone since Kubernetes 1.19, so a selector for it fits no node of a
later version.

Whether an image is one for Windows the check takes from its name and from options that only Windows
has.`,
	Fix: checks.Steps(
		checks.Run(`kubectl patch deployment NAME -n NAMESPACE -p '{"spec":{"template":{"spec":{"os":{"name":"windows"},"nodeSelector":{"kubernetes.io/os":"windows"}}}}}'`, "set nodeSelector kubernetes.io/os: windows and spec.os.name: windows, and node.kubernetes.io/windows-build where the image fits one build only; taint Windows nodes so that Linux pods stay away").
			Costs("changing a pod template recreates the pods of the workload")),
	Links: []string{
		"https://kubernetes.io/docs/concepts/windows/user-guide/#ensuring-os-specific-workloads-land-on-the-appropriate-container-host", "https://kubernetes.io/docs/concepts/workloads/pods/#pod-os"},
	Needs: []evidence.Need{needPodSpecs},
	Uses:  []evidence.Need{evidence.Pods, evidence.Manifests},
	Run: func(s evidence.Snapshot) ([]checks.Finding, error) {
		var findings []checks.Finding
		for _, p := range podSpecs(s) {
			if v, ok := p.Spec.NodeSelector["beta.kubernetes.io/os"]; ok &&
				p.Spec.NodeSelector[osLabel] == "" {
				if k := node.About(s).Kubelet; !p.isManifest() &&
					(!k.Known() || !k.Value.AtLeast(evidence.Version{Major: 1, Minor: 19})) {
					continue
				}
				at := podField{p.At.to("nodeSelector", "beta.kubernetes.io/os"), v}
				findings = append(findings, checks.Findingf(checks.Warn, p.Name(),
					"%s selects its nodes by beta.kubernetes.io/os, a label that is gone since Kubernetes 1.19; use %s", p.phrase(), osLabel).With(p.because(at)))
				continue
			}
			if staysOnWindows(p.Spec) || p.Spec.NodeName != "" && p.Kind != "Pod" {
				continue
			}
			if at, ok := windowsMark(p); ok {
				level := checks.Warn
				if p.forWindows() {
					// the kubelet of a Linux node refuses it, so it does no harm there
					level = checks.Info
				}
				findings = append(findings, checks.Findingf(level, p.Name(),
					"%s is for Windows (%s is %s) and has no node selector %s: windows", p.phrase(),
					at.Path, at.Value, osLabel).With(p.because(at)))
			}
		}
		return findings, nil
	},
})

const osLabel = "kubernetes.io/os"

// staysOnWindows tells whether the scheduler keeps the pod on Windows nodes.
// A pod of a DaemonSet is bound to its node by an affinity of the controller's
// making, which is not one that its author chose.
func staysOnWindows(p evidence.PodSpec) bool {
	for _, key := range []string{osLabel, "node.kubernetes.io/windows-build",
		"kubernetes.azure.com/os-sku", "cloud.google.com/gke-os-distribution"} {
		if v := strings.ToLower(p.NodeSelector[key]); v != "" && v != "linux" {
			return true
		}
	}
	if p.RuntimeClassName != "" {
		return true // a RuntimeClass may bring a node selector along
	}
	if p.Affinity == nil || p.Affinity.NodeAffinity == nil ||
		p.Affinity.NodeAffinity.Required == nil {
		return false
	}
	for _, term := range p.Affinity.NodeAffinity.Required.NodeSelectorTerms {
		for _, e := range term.MatchExpressions {
			if strings.HasSuffix(e.Key, "/os") && e.Operator == "In" && len(e.Values) == 1 &&
				strings.EqualFold(e.Values[0], "windows") ||
				strings.HasSuffix(e.Key, "/windows-build") {
				return true
			}
		}
	}
	return false
}

// windowsMark finds what shows that a pod is for Windows.
func windowsMark(p podSpec) (mark podField, ok bool) {
	if p.forWindows() {
		return podField{p.At.to("os", "name"), "windows"}, true
	}
	if node.HasWindowsOptions(p.Pod) {
		return podField{p.At.to("securityContext", "windowsOptions"), "set"}, true
	}
	p.containers(func(at fieldPath, c evidence.Container) {
		if !ok && isWindowsImage(c.Image) {
			mark, ok = podField{at.to("image"), c.Image}, true
		}
	})
	return mark, ok
}

// windowsImages are parts of the names of images that exist for Windows only.
var windowsImages = []string{"/windows/servercore", "/windows/nanoserver", "/windows/server:",
	"/windows/iis", "windows/servercore/iis", "dotnet/framework", "microsoft/nanoserver",
	"microsoft/windowsservercore", "microsoft/iis",
	"-ltsc2016", "-ltsc2019", "-ltsc2022", "-ltsc2025", ":ltsc20", "nanoserver-",
	"windowsservercore-"}

func isWindowsImage(image string) bool {
	image = strings.ToLower(image)
	for _, part := range windowsImages {
		if strings.Contains(image, part) {
			return true
		}
	}
	return false
}
