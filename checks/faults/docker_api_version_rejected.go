package faults

import (
	"doctor/checks"
	"doctor/checks/evidence"
)

var _ = register(&checks.Check{
	ID:       "docker-api-version-rejected",
	Title:    "Docker rejects the API version of cri-dockerd or the kubelet",
	Healthy:  "Docker accepts the API version of its clients",
	Category: checks.CategoryComponents,
	Doc: `Docker Engine 29 requires API version 1.44 of its clients (Docker Engine 25 required 1.24). An
older cri-dockerd, or the dockershim of a kubelet before 1.24, uses a lower version and exits at its
start, so that an update of Docker alone stops the node.

The check looks for the answer of Docker in the logs of cri-dockerd and the kubelet.`,
	Fix: checks.Steps(
		checks.Do("Update cri-dockerd to a release that is made for this Docker release, and restart it."),
		checks.Do("If you cannot, add DOCKER_MIN_API_VERSION=1.24 to the environment of the service docker."),
		checks.Run("Restart-Service docker", "Restart Docker.").
			Costs("The containers of this node end, unless Docker keeps them (live-restore)."),
		checks.Run("{restart kubelet}", "Restart the kubelet."),
		checks.Verify("kubectl get node {node}", "STATUS is Ready")),
	Links: []string{
		"https://github.com/docker/for-win/issues/14997",
		"https://docs.docker.com/engine/release-notes/29/",
	},
	Breaks:  []*checks.Effect{effectKubeletStart},
	Applies: checks.OnRuntime("docker"),
	Needs:   []evidence.Need{evidence.Any(evidence.Logs("cri-dockerd"), evidence.Logs("kubelet"))},
	Signs: []checks.Sign{
		// daemon/server/middleware/version.go of moby
		{Text: "is too old. Minimum supported API version is",
			Also:  []string{"Error response from daemon: client version", "failed to get docker version"},
			In:    []string{"cri-dockerd", "kubelet", "other"},
			Until: append([]string{"Docker cri networking managed by network plugin"}, runtimeReached...),
			Says:  "Docker rejects the API version that cri-dockerd or the kubelet uses"},
		// the same file until moby 17.09 or later accepts them: an old Docker behind a newer client
		{Text: "is too new. Maximum supported API version is",
			Also:  []string{"Error response from daemon: client version"},
			In:    []string{"cri-dockerd", "kubelet", "other"},
			Until: append([]string{"Docker cri networking managed by network plugin"}, runtimeReached...),
			Says:  "Docker is older than the API version that its client uses",
			Fix: checks.Steps(
				checks.Do("Update Docker to a release that has the API version of the client."),
				checks.Run("[Environment]::SetEnvironmentVariable('DOCKER_API_VERSION', 'VERSION', 'Machine')",
					"If you cannot, make the client use the maximum that the error names, in place of VERSION."),
				checks.Run("{restart kubelet}", "Restart the kubelet."),
				checks.Verify("docker version", "the client and the server answer without an error"))},
	},
})
