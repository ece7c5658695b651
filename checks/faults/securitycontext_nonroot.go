package faults

import (
	"slices"
	"strings"

	"doctor/checks"
	"doctor/checks/evidence"
)

var _ = register(checks.Check{
	ID:       "securitycontext-nonroot",
	Title:    "a container is not started because it would run as administrator",
	Category: checks.CategoryWorkloads,
	Doc: `runAsNonRoot works on Windows: the kubelet refuses a container that would run as
ContainerAdministrator, which is the user of most images. Unless the image names another user, the
pod must: windowsOptions.runAsUserName: ContainerUser. Kubelets before 1.19 looked at the Linux user
of the image and refused Windows containers that were in order.

Containers that were refused wait with CreateContainerConfigError and say so. A pod that asks for
ContainerAdministrator and for runAsNonRoot at once is refused whenever it comes.`,
	Fix: checks.Steps(
		checks.Run(`kubectl patch deployment NAME -n NAMESPACE -p '{"spec":{"template":{"spec":{"securityContext":{"windowsOptions":{"runAsUserName":"ContainerUser"}}}}}}'`, "set securityContext.windowsOptions.runAsUserName: ContainerUser where the program does not need to be an administrator, or take runAsNonRoot out where it does").
			Costs("changing a pod template recreates the pods of the workload; as ContainerUser a program may not write below C:\\Windows and C:\\Program Files")),
	Lints: true,
	Links: []string{
		"https://kubernetes.io/docs/tasks/configure-pod-container/configure-runasusername/",
		"https://github.com/kubernetes/kubernetes/issues/91482",
		"https://github.com/kubernetes/kubernetes/pull/92355",
		"https://github.com/kubernetes/kubernetes/issues/112469"},
	Breaks:  []*checks.Effect{effectPodStart},
	Partial: true,
	Needs:   []evidence.Need{needPodSpecs},
	Uses:    []evidence.Need{evidence.Pods, evidence.PodEvents, evidence.Manifests},
	Signs:   nonRootSigns,
	Run: func(s evidence.Snapshot) ([]checks.Finding, error) {
		findings, err := complain(nonRootSigns)(s)
		if err != nil {
			return nil, err
		}
		told := func(name string) bool {
			return slices.ContainsFunc(findings, func(f checks.Finding) bool {
				return f.Subject == name
			})
		}
		for _, p := range podSpecs(s) {
			if !p.isManifest() && (podRuns(p.Pod) || told(p.FullName())) {
				continue
			}
			pod := p.Spec.SecurityContext
			p.containers(func(at fieldPath, c evidence.Container) {
				if !nonRoot(pod, c.SecurityContext) {
					return
				}
				if user := runsAs(pod, c.SecurityContext); strings.EqualFold(user,
					"ContainerAdministrator") || strings.EqualFold(user, `NT AUTHORITY\SYSTEM`) {
					field := podField{at.to("securityContext", "windowsOptions", "runAsUserName"),
						user}
					findings = append(findings, checks.Findingf(checks.Fail, p.Name(),
						"%s asks for runAsNonRoot and for the user %s, which is root to Kubernetes",
						p.phrase(), user).With(p.because(field)))
				}
			})
		}
		return findings, nil
	},
})

var nonRootSigns = []checks.Sign{
	{Text: "container has runAsNonRoot and image will run as root",
		Says: "the kubelet refuses a container that would run as administrator, because of runAsNonRoot"},
	{Text: "which will be regarded as root identity and will break non-root policy",
		Says: "the kubelet refuses a container that asks for an administrator, because of runAsNonRoot"},
	{Text: "container has runAsNonRoot and image has non-numeric user",
		Says: "the kubelet judges a Windows container by its Linux user, as kubelets before 1.19 do"},
}

func nonRoot(pod, container *evidence.SecurityContext) bool {
	if container != nil && container.RunAsNonRoot != nil {
		return *container.RunAsNonRoot
	}
	return pod != nil && pod.RunAsNonRoot != nil && *pod.RunAsNonRoot
}

func runsAs(pod, container *evidence.SecurityContext) string {
	for _, c := range []*evidence.SecurityContext{container, pod} {
		if c != nil && c.WindowsOptions != nil && c.WindowsOptions.RunAsUserName != "" {
			return c.WindowsOptions.RunAsUserName
		}
	}
	return ""
}
