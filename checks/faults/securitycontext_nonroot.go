package faults

import (
	"slices"
	"strings"

	"doctor/checks"
	"doctor/checks/evidence"
)

var _ = register(&checks.Check{
	ID:       "securitycontext-nonroot",
	Title:    "Container would run as administrator despite runAsNonRoot",
	Healthy:  "Containers with runAsNonRoot do not run as administrator",
	Category: checks.CategoryWorkloads,
	Doc: `runAsNonRoot works on Windows: the kubelet rejects a container that would run as
ContainerAdministrator, the default user of most images. Unless the image sets another user, the pod
must set one: windowsOptions.runAsUserName: ContainerUser. Kubelets before 1.19 checked the Linux
user of the image and rejected valid Windows containers.

Rejected containers wait with CreateContainerConfigError and the reason. A pod that sets both
ContainerAdministrator and runAsNonRoot is always rejected.`,
	Fix: checks.Steps(
		checks.Run(`kubectl patch deployment NAME -n NAMESPACE -p 'spec: {template: {spec: {securityContext: {windowsOptions: {runAsUserName: ContainerUser}}}}}'`,
			"Set windowsOptions.runAsUserName to ContainerUser in the pod template.").
			Costs(`The pods of the workload are recreated. ContainerUser cannot write to C:\Windows and C:\Program Files.`),
		checks.Do("Or remove runAsNonRoot, if the program needs administrator rights.").
			Costs("The pods of the workload are recreated."),
		checks.Verify("kubectl get pods -A --field-selector spec.nodeName={node}",
			"no pod in CreateContainerConfigError")),
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
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		findings, err := complain(nonRootSigns)(s)
		if err != nil {
			return nil, err
		}
		reported := func(name string) bool {
			return slices.ContainsFunc(findings, func(f *checks.Finding) bool {
				return f.Subject == name
			})
		}
		for _, p := range podSpecs(s) {
			if !p.isManifest() && (podRuns(p.Pod) || reported(p.FullName())) {
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
						"%s sets runAsNonRoot and the user %s, which Kubernetes treats as root",
						p.phrase(), user).With(p.because(field)).Cure(checks.Steps(
						checks.Do("In the pod template, change windowsOptions.runAsUserName from %s to ContainerUser.", user).
							Costs(`The pods of the workload are recreated. ContainerUser cannot write to C:\Windows and C:\Program Files.`),
						checks.Do("Or remove runAsNonRoot, if the program needs administrator rights.").
							Costs("The pods of the workload are recreated."),
						checks.Verify("doctor lint MANIFEST", "no finding of this check"))))
				}
			})
		}
		return findings, nil
	},
})

var nonRootSigns = []checks.Sign{
	{Text: "container has runAsNonRoot and image will run as root",
		Says: "the kubelet rejects a container that would run as administrator (runAsNonRoot is set)"},
	{Text: "which will be regarded as root identity and will break non-root policy",
		Says: "the kubelet rejects a container whose user is an administrator (runAsNonRoot is set)"},
	{Text: "container has runAsNonRoot and image has non-numeric user",
		Says: "the kubelet checks the Linux user of a Windows container (fixed in kubelet 1.19)"},
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
