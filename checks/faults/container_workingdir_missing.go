package faults

import (
	"doctor/checks"
)

var _ = register(&checks.Check{
	ID:       "container-workingdir-missing",
	Title:    "Working directory of a container does not exist",
	Healthy:  "Working directories of containers exist",
	Category: checks.CategoryWorkloads,
	Doc: `workingDir of the container, or WORKDIR of the image, must be a folder that exists in the
container. If it is missing or on another drive than C:, Windows answers error 267 (0x10b,
ERROR_DIRECTORY) when the process is created. Docker creates a missing WORKDIR when it builds the
image; a workingDir of a pod is not created.

The check looks for the error at pods that do not start and in the logs of the runtime and the
kubelet. The same words at CreateComputeSystem have other causes.`,
	Fix: checks.Steps(
		checks.Do("Set workingDir of the container to a folder of the image on drive C:, or leave it out.").
			Costs("The pods of the workload are recreated."),
		checks.Do("Or create the folder in the Dockerfile."),
		checks.Verify("kubectl get pods -A -o wide --field-selector spec.nodeName={node}", "all pods are Running")),
	Links: []string{
		"https://github.com/Azure/aks-engine/issues/5086",
		"https://github.com/docker/cli/issues/4101",
	},
	Breaks:   []*checks.Effect{effectPodStart},
	Needs:    complaintNeeds,
	FromPart: complaintNeeds,
	Uses:     complaintUses,
	Signs:    containerWorkingdirMissingSigns,
	Run:      complain(containerWorkingdirMissingSigns),
})

var containerWorkingdirMissingSigns = []checks.Sign{
	{Text: "The directory name is invalid",
		Also: []string{"CreateProcess"},
		Says: "the working directory of the container does not exist"},
}
