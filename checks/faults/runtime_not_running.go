package faults

import (
	"time"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

var _ = register(&checks.Check{
	ID:       "runtime-not-running",
	Title:    "Container runtime is not running",
	Healthy:  "Container runtime is running",
	Category: checks.CategoryComponents,
	FAQ:      []int{1, 2},
	Doc: `The kubelet starts pods through a container runtime: containerd, or one of the editions of
docker. Without it no container starts, and the kubelet reports "container runtime is down".

The check looks for a running service or process of containerd or docker. A stopped docker service
is not a fault where containerd runs.`,
	Fix: checks.Steps(
		checks.Run("{start runtime}", "Start the container runtime."),
		checks.Inspect(
			"Get-WinEvent -LogName Application -MaxEvents 50 | Where-Object ProviderName -match '{runtime}'",
			"If it stops again, read its events: the usual reason is an error in its configuration."),
		checks.Verify("crictl info", "RuntimeReady with status true")),
	Links: []string{"https://kubernetes.io/docs/setup/production-environment/container-runtimes/",
		"https://github.com/Azure/AKS/issues/1487"},
	Judges: effectRuntime,
	Needs:  []evidence.Need{node.ComponentSources},
	Uses:   []evidence.Need{evidence.Services, evidence.Processes, evidence.Pods},
	Signs: []checks.Sign{
		// core/docker_service.go of cri-dockerd, which exits
		{Text: "failed to get docker version from dockerd: error during connect: ",
			Until: []string{"Docker cri networking managed by network plugin", "Start cri-dockerd grpc"},
			Says:  "cri-dockerd exits: Docker does not run",
			Fix: checks.Steps(
				checks.Run("Start-Service docker", "Start Docker."),
				checks.Run("Start-Service cri-dockerd", "Start cri-dockerd. The name of its service may differ."),
				checks.Verify("docker version", "a section Server"))},
		// client/errors.go of moby, where the pipe does not answer in time: one that is missing is named
		// with the words of Windows
		{Text: "Cannot connect to the Docker daemon at npipe:", Also: []string{"docker_engine"},
			In:    []string{"kubelet", "cri-dockerd", evidence.InPodEvents, evidence.InEvents, "other"},
			Until: runtimeReached, Lasts: time.Minute, // a restart of Docker
			Says: "the kubelet cannot connect to Docker: it is not running or does not answer",
			Fix: checks.Steps(
				checks.Run("Restart-Service docker", "Restart Docker.").
					Costs("The containers of this node end, unless Docker keeps them (live-restore)."),
				checks.Inspect("Get-WinEvent -FilterHashtable @{LogName='Application'; ProviderName='docker'} -MaxEvents 50 | Format-List TimeCreated, Message",
					"If it stops or hangs again, read its events before that."),
				checks.Verify("docker version", "a section Server"))},
	},
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		return notRunning(node.About(s).Components["runtime"], s,
			evidence.Phrasef("containers cannot start"))
	},
})
