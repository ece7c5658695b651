package faults

import (
	"time"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

const fileNotFound = "The system cannot find the file specified"

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
		// The commands of an administrator: client/request.go of moby, ctr of containerd, crictl. A command
		// may be meant for a runtime that the node does not have.
		{Text: "error during connect", Also: []string{"open //./pipe/docker_engine: ", fileNotFound},
			In: []string{"other"}, Level: checks.Warn,
			Says: "docker finds no daemon: its pipe does not exist",
			Fix: checks.Steps(
				checks.Inspect("Get-Service docker", "Check whether this node has Docker and whether it runs."),
				checks.Run("Start-Service docker", "Start Docker, if this node uses it."),
				checks.Verify("docker version", "a section Server"))},
		{Text: "ctr: failed to dial", Or: []string{"validate service connection"},
			Also: []string{"open //./pipe/containerd-containerd: ", fileNotFound},
			In:   []string{"other"}, Level: checks.Warn,
			Says: "containerd does not run, or serves another pipe: its pipe does not exist",
			Fix: checks.Steps(
				checks.Inspect("Get-Service containerd", "Check whether containerd runs."),
				checks.Run("Start-Service containerd", "Start containerd."),
				checks.Verify("ctr version", "a section Server"))},
	},
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		return notRunning(node.About(s).Components["runtime"], s,
			evidence.Phrasef("containers cannot start"))
	},
})
