package faults

import (
	"strings"

	"doctor/checks"
	"doctor/checks/evidence"
)

var _ = register(checks.Check{
	ID:       "entrypoint-not-found",
	Title:    "a container's command is not in its image",
	Category: checks.CategoryWorkloads,
	Doc: `The runtime made the container and could not start its first process: Windows finds no
such file. The usual reasons are a command for Linux (/bin/sh), a shell that the image does not have
(nanoserver has cmd.exe but no powershell.exe), a program whose extension or path is wrong, and a
single string where the command needs its arguments apart. In a HostProcess pod the path is one of
the node, or lies below $env:CONTAINER_SANDBOX_MOUNT_POINT.

The check reads the state and the events of pods that do not run. The same error at kubectl exec or
at a probe is about a command that somebody else asked for, and is left out.`,
	Fix: checks.Steps(
		checks.Inspect(
			"kubectl get pod POD -n NAMESPACE -o jsonpath='{.spec.containers[*].command}'", ""),
		checks.Run(`kubectl run look -it --rm --restart=Never --image=IMAGE --overrides='{"spec":{"nodeName":"{node}"}}' -- cmd /c dir C:\`, "give the container a command that its image holds, with arguments as list items of their own, or none so that the image's own entrypoint runs; look into the image to see what is there").
			Costs("changing the command recreates the pods of the workload")),
	Links: []string{"https://github.com/containerd/containerd/issues/6300",
		"https://github.com/kubernetes/website/issues/29924",
		"https://github.com/kubernetes/kubernetes/issues/88942",
		"https://github.com/kubernetes-sigs/sig-windows-tools/issues/40",
		"https://kubernetes.io/docs/tasks/configure-pod-container/create-hostprocess-pod/"},
	Breaks:  []*checks.Effect{effectPodStart, effectContainers},
	Partial: true,
	Needs:   complaintNeeds,
	Uses:    complaintUses,
	Signs:   entrypointSigns,
	Run: func(s evidence.Snapshot) ([]checks.Finding, error) {
		var findings []checks.Finding
		for _, c := range complaints(s, entrypointSigns) {
			f := checks.Findingf(checks.Fail, c.pod.FullName(), "%s is not running: %s",
				c.pod.FullName(), c.says).With(c.from)
			for i, container := range c.pod.Spec.Containers {
				if len(container.Command) > 0 {
					f = f.At(c.pod.Field("spec", "containers", i, "command"),
						"%s: container %s of image %s is to run %s", c.pod.FullName(),
						container.Name, container.Image, strings.Join(container.Command, " "))
				}
			}
			if c.pod.HostProcess() {
				f = f.Cure(checks.Steps(
					checks.Inspect(
						"kubectl get pod POD -n NAMESPACE -o jsonpath='{.spec.containers[*].command}'", ""),
					checks.Do(`name a program of the node by its full path, or one of the image below $env:CONTAINER_SANDBOX_MOUNT_POINT; from containerd 1.7 on the image lies in C:\hpc`).
						Costs("changing the command recreates the pods of the workload")))
			}
			findings = append(findings, f)
		}
		return findings, nil
	},
})

const noEntrypoint = "Windows does not find the program that a container is to start with"

var entrypointSigns = []checks.Sign{
	{Text: "hcs::System::CreateProcess", Also: []string{"failed to start containerd task",
		"The system cannot find the file specified"}, Not: asked, Says: noEntrypoint},
	{Text: "hcs::System::CreateProcess", Also: []string{"failed to start containerd task", "(0x2)"},
		Not:  append([]string{"The system cannot find the file specified"}, asked...),
		Says: noEntrypoint},
	{Text: "encountered an error during CreateProcess",
		Or: []string{"encountered an error during hcsshim::System::CreateProcess",
			"encountered an error during hcs::System::CreateProcess"},
		Also: []string{"failed to start container", "(0x2)"}, Not: asked, Says: noEntrypoint},
	{Text: "failed to get application name from commandline",
		Also: []string{"failed to find executable"}, Not: asked,
		Says: "the program of a HostProcess container is not on the node"},
}

// asked are the marks of a process that a person or a probe asked for, and of
// the helper of port-forward.
var asked = []string{"exec in container", "ExecSync", "failed to start exec", "wincat.exe",
	"Liveness", "Readiness", "Startup probe"}
