package faults

import "doctor/checks"

var _ = register(&checks.Check{
	ID:       "container-request-unsupported",
	Title:    "Windows does not support a container's settings",
	Healthy:  "Windows supports the settings of the containers",
	Category: checks.CategoryWorkloads,
	Doc: `The host compute service returns "The request is not supported" (ERROR_NOT_SUPPORTED,
0x80070032) when this Windows cannot do what the container needs. It does not say what that is.
Three reasons are known: the container is isolated with Hyper-V, and Hyper-V is not installed; a
mount covers a folder of an image that is older than the node's Windows; or the Hyper-V feature is
in a state that is damaged, and then no container starts.

The check looks for this error at pods that do not run. Because the reason is not known, it is a
warning. Where the error itself shows Hyper-V isolation, hyperv-feature-missing reports it. Docker
names the setting: "invalid option: Windows does not support".`,
	Fix: checks.Steps(
		checks.Inspect("kubectl get pods -A -o custom-columns=POD:.metadata.name,CLASS:.spec.runtimeClassName --field-selector spec.nodeName={node}",
			"Read which RuntimeClass the pod uses. With docker, read the Isolation of docker inspect."),
		checks.Run("Install-WindowsFeature Hyper-V -Restart",
			"If it is Hyper-V isolation, install Hyper-V, or use process isolation.").
			Costs("The reboot stops every pod of this node."),
		checks.Do("If the container has a mount, mount to a path that the image does not have, or use an image for {osTag}.").
			Costs("The pods of the workload are recreated."),
		checks.Run("Disable-WindowsOptionalFeature -Online -FeatureName Microsoft-Hyper-V-All",
			"If no container starts, also none of docker run or ctr run, disable Hyper-V, reboot, and enable it again.").
			Costs("The reboots stop every pod of this node."),
		checks.Verify("kubectl get pods -A -o wide --field-selector spec.nodeName={node}",
			"all pods are Running")),
	Links: []string{"https://github.com/moby/moby/issues/42853",
		"https://github.com/moby/moby/issues/40720",
		"https://github.com/moby/moby/issues/43395",
		"https://github.com/microsoft/Windows-Containers/issues/227",
		"https://github.com/microsoft/Windows-Containers/pull/638",
		"https://github.com/microsoft/hcsshim/issues/800",
		"https://github.com/Siemens-Healthineers/K2s/blob/main/docs/troubleshooting/known-issues.md"},
	Breaks: []*checks.Effect{effectPodStart, effectContainers},
	Needs:  complaintNeeds,
	Uses:   complaintUses,
	Signs:  unsupportedSigns,
	Run:    complain(unsupportedSigns),
})

// requestUnsupported is what Windows says of ERROR_NOT_SUPPORTED.
const requestUnsupported = "The request is not supported"

var unsupportedSigns = []checks.Sign{
	{Text: "CreateComputeSystem", Also: []string{requestUnsupported}, Not: hypervIsolated,
		Level: checks.Warn, Says: "Windows does not support a setting of the container (0x80070032)"},
	// moby: daemon/daemon_windows.go, for limits that only Linux has
	{Text: "invalid option: Windows does not support",
		Says: "docker refuses the container: Windows does not support one of its settings",
		Fix: checks.Steps(
			checks.Do("Remove the setting that the error names from the pod template, or from the program that creates the container.").
				Costs("The containers of the workload are recreated."),
			checks.Verify("docker ps", "the container is Up"))},
}
