package faults

import (
	"strings"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

var _ = register(&checks.Check{
	ID:       "pod-os-not-selected",
	Title:    "Windows pod has no node selector for Windows",
	Healthy:  "Windows pods select Windows nodes",
	Category: checks.CategoryWorkloads,
	Lints:    true,
	Doc: `The scheduler does not examine images. A pod with a Windows image but without the node
selector kubernetes.io/os: windows can be scheduled to a Linux node, where its image cannot be
pulled. spec.os.name is read by the API server and the kubelet, but not by the scheduler: a pod
needs the selector (or an affinity) as well. The label beta.kubernetes.io/os is deprecated.

The check recognizes an image for Windows by its name, and a pod for Windows by options that only
Windows has. A pod that waits on a Linux node is a failure. A running pod is not reported if its node
selector or required affinity, such as the label of a pool, fits only Windows nodes of the list of nodes. Where the
pods are not recorded, the refusal of an image for Windows by docker on a Linux node is a warning.`,
	Fix: checks.Steps(
		checks.Run(`kubectl patch deployment NAME -n NAMESPACE -p 'spec: {template: {spec: {os: {name: windows}, nodeSelector: {kubernetes.io/os: windows}}}}'`,
			"Set the node selector kubernetes.io/os: windows and spec.os.name: windows in the pod template.").
			Costs("The pods of the workload are recreated."),
		checks.Do("If the image is for one Windows build only, select node.kubernetes.io/windows-build, too."),
		checks.Verify("doctor lint MANIFEST", "no finding of this check")),
	Links: []string{
		"https://kubernetes.io/docs/concepts/windows/user-guide/#ensuring-os-specific-workloads-land-on-the-appropriate-container-host", "https://kubernetes.io/docs/concepts/workloads/pods/#pod-os",
		"https://github.com/dapr/dapr/issues/2245"},
	Needs: []evidence.Need{needPodSpecs},
	Uses:  []evidence.Need{evidence.Pods, evidence.Manifests, evidence.Nodes},
	Signs: []checks.Sign{
		// docker's distribution/pull_v2.go; only a Linux node says it of an image for Windows. A text
		// alone does not tell whether the image or the node is the wrong one.
		{Text: `image operating system "windows" cannot be used`, Or: []string{`image operating system \"windows\" cannot be used`,
			`image operating system \\\"windows\\\" cannot be used`},
			Also: []string{"pull"}, Not: []string{"docker pull", "docker-compose"}, In: []string{"kubelet", "other", evidence.InPodEvents}, Level: checks.Warn, Says: windowsOnLinux, Fix: windowsImageFix},
		{Text: "no matching manifest for linux/", Also: []string{"failed to pull image", "mcr.microsoft.com/windows"},
			In: []string{"kubelet", "other", evidence.InPodEvents}, Level: checks.Warn, Says: windowsOnLinux, Fix: windowsImageFix},
	},
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		var findings []*checks.Finding
		notShown := false
		for _, p := range specsOf(s, evidence.ListedPods.In(s)) {
			if v, ok := p.Spec.NodeSelector["beta.kubernetes.io/os"]; ok &&
				p.Spec.NodeSelector[osLabel] == "" {
				if k := node.About(s).Kubelet; !p.isManifest() &&
					(!k.Known() || !k.Value.AtLeast(evidence.Version{Major: 1, Minor: 19})) {
					continue
				}
				at := podField{p.At.to("nodeSelector", "beta.kubernetes.io/os"), v}
				findings = append(findings, checks.Findingf(checks.Warn, p.Name(),
					"%s selects nodes by the deprecated label beta.kubernetes.io/os (expected: %s)",
					p.phrase(), osLabel).With(p.because(at)))
				continue
			}
			if p.Spec.NodeSelector["kubernetes.io/hostname"] != "" {
				continue // the author names the node
			}
			if _, ok := onLinux(s, p); onOtherNode(s, p.Pod) && !ok {
				continue
			}
			// a webhook, such as that of EKS, may look for the label of the system, so that a pod waits
			fits := onlyWindowsFits(s, p.Spec) && !node.PodDown(p.Pod)
			if staysOnWindows(p.Spec) || fits || p.Spec.NodeName != "" && p.Kind != "Pod" {
				continue
			}
			if p.Metadata.Annotations[evidence.DescribedPod] != "" {
				notShown = true
				continue
			}
			if at, ok := windowsMark(p); ok {
				level := checks.Warn
				if p.forWindows() {
					// the kubelet of a Linux node rejects it, so it does no harm there
					level = checks.Info
				}
				f := checks.Findingf(level, p.Name(),
					"%s is for Windows (%s is %s) but has no node selector %s: windows", p.phrase(),
					at.Path, at.Value, osLabel).With(p.because(at))
				if place, ok := onLinux(s, p); ok {
					f.Level, f.Format, f.Args = checks.Fail, "%s; it is on the Linux node %s",
						[]any{evidence.Phrasef(f.Format, f.Args...), p.Spec.NodeName}
					f = f.At(place, "%s: linux", p.Spec.NodeName)
				}
				findings = append(findings, f)
			}
		}
		if len(findings) == 0 && notShown {
			return nil, checks.Unknown(evidence.NotShown.Gap("the affinity of the pods"))
		}
		return findings, nil
	},
})

const windowsOnLinux = "a Linux node refuses an image for Windows: its pod is not restricted to Windows nodes"

var windowsImageFix = checks.Steps(
	checks.Inspect("kubectl get pod POD -n NAMESPACE -o jsonpath='{.spec.nodeName} {.spec.nodeSelector} {.spec.affinity.nodeAffinity}'",
		"Find the node of the pod and what it selects. A preferred affinity does not keep it from Linux nodes."),
	checks.Run(`kubectl patch deployment NAME -n NAMESPACE -p 'spec: {template: {spec: {os: {name: windows}, nodeSelector: {kubernetes.io/os: windows}}}}'`,
		"Set the node selector kubernetes.io/os: windows and spec.os.name: windows in the pod template.").
		Costs("The pods of the workload are recreated."),
	checks.Do("If the pod is for Linux, use the variant of its image for Linux."),
	checks.Verify("kubectl get pods -n NAMESPACE -o wide", "the pod is running on a Windows node"))

// onLinux tells whether a pod that does not run was scheduled to a Linux node, and what shows its system.
func onLinux(s evidence.Snapshot, p podSpec) (evidence.Place, bool) {
	for _, o := range evidence.Nodes.In(s) {
		if o.Metadata.Name == p.Spec.NodeName && !p.isManifest() && p.Status.Phase == "Pending" &&
			o.Metadata.Labels[osLabel] == "linux" {
			return o.Field("metadata", "labels", osLabel), true
		}
	}
	return evidence.Place{}, false
}

const osLabel = "kubernetes.io/os"

// staysOnWindows reports whether the scheduler keeps the pod on Windows nodes. The affinity that
// binds a DaemonSet's pod to its node was set by the controller, not by the author of the pod.
func staysOnWindows(p evidence.PodSpec) bool {
	for _, key := range []string{osLabel, "node.kubernetes.io/windows-build",
		"kubernetes.azure.com/os-sku", "cloud.google.com/gke-os-distribution"} {
		if v := strings.ToLower(p.NodeSelector[key]); v != "" && v != "linux" {
			return true
		}
	}
	if p.RuntimeClassName != "" {
		return true // a RuntimeClass may have a node selector
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

// onlyWindowsFits tells whether all of the known nodes that the pod selects are Windows nodes. A list
// without a Linux node may be one of Windows nodes alone, and proves nothing.
func onlyWindowsFits(s evidence.Snapshot, p evidence.PodSpec) bool {
	linux, fits := false, false
	for _, o := range evidence.Nodes.In(s) {
		system := o.Metadata.Labels[osLabel]
		linux = linux || system == "linux"
		if p.Selects(o.Metadata.Labels) {
			if system != "windows" {
				return false
			}
			fits = true
		}
	}
	return linux && fits
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
