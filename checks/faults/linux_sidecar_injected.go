package faults

import (
	"fmt"
	"slices"
	"strings"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

var _ = register(&checks.Check{
	ID:       "linux-sidecar-injected",
	Title:    "Webhook injects a Linux container into a Windows pod",
	Healthy:  "No Linux container is injected into Windows pods",
	Category: checks.CategoryWorkloads,
	Doc: `The webhooks of Istio and Linkerd add a proxy and an init container to each pod of a
namespace. They do not look at the operating system of the pod, and their images are for Linux. On a
Windows node the pod stays in Init:ImagePullBackOff, although its own image is right. Istio does not
support Windows pods, and the open source Linkerd has no proxy for Windows. Other webhooks inject an
init container or a sidecar in the same way. So does the controller of Tekton with the pods of a TaskRun.

The check looks for the known names of these containers in pods of this node that do not run. It also
reports a container whose image has no variant for this node, if the pod is for Windows and the
template of its DaemonSet does not have the container, or an annotation of a webhook names it.`,
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
		"https://github.com/vmware-tanzu/cert-injection-webhook/issues/6",
		"https://github.com/SparebankenVest/azure-key-vault-to-kubernetes/issues/148",
		"https://github.com/Azure/AKS/issues/5900",
		"https://github.com/tektoncd/pipeline/issues/4473",
		"https://github.com/tektoncd/pipeline/issues/5998",
	},
	Breaks:   []*checks.Effect{effectPodStart},
	Explains: []string{"app-image-os-version-mismatch", "pod-field-unsupported", "securitycontext-nonroot"},
	Needs:    []evidence.Need{evidence.Pods},
	Uses:     []evidence.Need{evidence.PodEvents, evidence.DaemonSets},
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		var findings []*checks.Finding
		for _, p := range evidence.Pods.In(s) {
			if node.PodSystem(p) == "linux" || !node.PodDown(p) || ofMesh(p) {
				continue
			}
			for i, c := range slices.Concat(p.Spec.InitContainers, p.Spec.Containers) {
				if slices.ContainsFunc(p.Statuses(), func(st evidence.ContainerStatus) bool {
					return st.Name == c.Name && st.State.Running != nil
				}) {
					continue
				}
				mesh := linuxSidecars[c.Name]
				if mesh == "" || strings.Contains(c.Image, "windows") {
					if f := injectedByWebhook(s, p, i, c); f != nil {
						findings = append(findings, f)
						break
					}
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

// Those of other webhooks. They may get an image for Windows one day.
var injectedNames = map[string]string{
	"setup-ca-certs": "cert-injection-webhook", "copy-azurekeyvault-env": "akv2k8s",
	"daprd": "Dapr", "vault-agent": "Vault Agent Injector", "vault-agent-init": "Vault Agent Injector",
}

// injectedByWebhook is about a container that the pod's author did not write, and whose image does not
// exist for this node. A container of the pod's own template is not reported.
func injectedByWebhook(s evidence.Snapshot, p evidence.Pod, i int, c evidence.Container) *checks.Finding {
	at := slices.IndexFunc(p.Statuses(), func(st evidence.ContainerStatus) bool { return st.Name == c.Name })
	if at < 0 || node.PodSystem(p) != "windows" {
		return nil
	}
	words, refused := imageRefused(s, p, at)
	if !slices.Contains(platformRefusals, words) {
		return nil
	}
	by, from := injectedNames[c.Name], p.ContainerField(i, "name").Because("%s: container %s", p.FullName(), c.Name)
	for key, value := range p.Metadata.Annotations {
		// Istio's names the containers; Kyverno's names the paths that its policies have added
		if by == "" && (strings.HasSuffix(key, "/status") && strings.Contains(value, `"`+c.Name+`"`) ||
			strings.HasSuffix(key, "/last-applied-patches") && slices.ContainsFunc(strings.Split(value, "\n"), func(line string) bool {
				return strings.HasSuffix(line, ": added "+specPath(p, i))
			})) {
			by, from = key, p.Field("metadata", "annotations", key).Because("%s: annotation %s: %s", p.FullName(), key, value)
		}
	}
	for _, d := range evidence.DaemonSets.In(s) {
		spec := d.Spec.Template.Spec
		if by == "" && d.Metadata.Namespace == p.Metadata.Namespace && len(spec.Containers) > 0 &&
			slices.ContainsFunc(p.Metadata.OwnerReferences, func(o evidence.OwnerReference) bool {
				return o.Kind == "DaemonSet" && o.Name == d.Metadata.Name
			}) && !slices.ContainsFunc(slices.Concat(spec.InitContainers, spec.Containers), func(own evidence.Container) bool {
			return own.Name == c.Name
		}) {
			by, from = "a webhook", d.Field("spec", "template").Because("template of DaemonSet %s: no container %s", d.Metadata.Name, c.Name)
		}
	}
	fix := webhookFix(c.Name)
	if by == "" && i < len(p.Spec.InitContainers) && slices.ContainsFunc(p.Metadata.OwnerReferences,
		func(o evidence.OwnerReference) bool { return o.Kind == "TaskRun" }) { // a Task has none of its own
		by, fix = "Tekton", tektonFix
	}
	if by == "" {
		return nil
	}
	return checks.Findingf(checks.Fail, p.FullName(),
		"%s cannot start: container %s is not of its own template (%s), and its image %s has no variant for this node",
		p.FullName(), c.Name, by, c.Image).With(refused, from).Cure(fix)
}

func webhookFix(container string) checks.Fix {
	return checks.Steps(
		checks.Inspect("kubectl get mutatingwebhookconfigurations", "Find the webhook that injects container %s.", container),
		checks.Do("Exclude Windows pods in the selector or policy of the webhook, or by the label or annotation that it documents.").
			Costs("The pods of the workload are recreated."),
		checks.Do("Or let the webhook inject an image that has a variant for this version of Windows."),
		checks.Verify("kubectl get pods -A -o wide --field-selector spec.nodeName={node}",
			"all pods are Running"))
}

// tektonFix: working-dir-initializer is for Windows from 0.33 on. Releases 0.31.0, 0.41.0 and 0.42.0 have no
// images for Windows at all (tektoncd/pipeline 4457, 5998).
var tektonFix = checks.Steps(
	checks.Do("Update Tekton Pipelines to a release whose images have variants for this version of Windows: 0.33 or later, and not 0.41 or 0.42."),
	checks.Do("If only working-dir-initializer fails, remove workingDir from the steps of the Task until then."),
	checks.Verify("kubectl get pods -A -o wide --field-selector spec.nodeName={node}",
		"all pods are Running"))

// specPath is the path of a container, as a JSON patch names it.
func specPath(p evidence.Pod, i int) string {
	if n := len(p.Spec.InitContainers); i >= n {
		return fmt.Sprintf("/spec/containers/%d", i-n)
	}
	return fmt.Sprintf("/spec/initContainers/%d", i)
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
