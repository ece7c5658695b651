package faults

import (
	"doctor/checks"
)

var _ = register(&checks.Check{
	ID:       "container-user-unknown",
	Title:    "Container user cannot log on",
	Healthy:  "Container users can log on",
	Category: checks.CategoryWorkloads,
	Doc: `windowsOptions.runAsUserName, or USER of the image, names the account of the container. Windows
starts the process only if the account exists in the image and can log on without a password:
ContainerUser, ContainerAdministrator, or one that the Dockerfile creates. Otherwise it answers
error 1326 (0x52e). NT AUTHORITY\SYSTEM works in HostProcess containers only. Docker also uses
the number of runAsUser as a name, which shows a pod for Linux on a Windows node.

The check looks for the error at pods that do not start and in the logs of the runtime and the
kubelet.`,
	Fix: checks.Steps(
		checks.Do("Set securityContext.windowsOptions.runAsUserName to an account of the image, such as ContainerUser.").
			Costs("The pods of the workload are recreated."),
		checks.Do("If the user is a number, the pod is for Linux: set nodeSelector kubernetes.io/os: linux.").
			Costs("The pods of the workload are recreated."),
		checks.Do("Or create the account in the Dockerfile, without a password that expires."),
		checks.Verify("kubectl get pods -A -o wide --field-selector spec.nodeName={node}", "all pods are Running")),
	Links: []string{
		"https://github.com/moby/moby/issues/28585",
		"https://github.com/prometheus-operator/prometheus-operator/issues/2712",
		"https://kubernetes.io/docs/tasks/configure-pod-container/configure-runasusername/",
	},
	Breaks:   []*checks.Effect{effectPodStart},
	Needs:    complaintNeeds,
	FromPart: complaintNeeds,
	Uses:     complaintUses,
	Signs:    containerUserUnknownSigns,
	Run:      complain(containerUserUnknownSigns),
})

var containerUserUnknownSigns = []checks.Sign{
	{Text: "The user name or password is incorrect",
		Also: []string{"CreateProcess"},
		Says: "Windows cannot log on the user of the container"},
	// hcsshim internal/jobcontainers/logon.go: no group has this name, and the account has a password or does not exist
	{Text: "The user name or password is incorrect",
		Also: []string{"failed to create user process token"},
		Says: "Windows cannot log on the user of a HostProcess container",
		Fix: checks.Steps(
			checks.Do("Set securityContext.windowsOptions.runAsUserName to NT AUTHORITY\\SYSTEM, NT AUTHORITY\\Local service, NT AUTHORITY\\NetworkService, or the name of a local group of the node.").
				Costs("The pods of the workload are recreated."),
			checks.Verify("kubectl get pods -A -o wide --field-selector spec.nodeName={node}", "all pods are Running"))},
}
