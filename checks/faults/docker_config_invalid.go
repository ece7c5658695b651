package faults

import (
	"doctor/checks"
	"doctor/checks/evidence"
)

var _ = register(&checks.Check{
	ID:       "docker-config-invalid",
	Title:    "Docker configuration conflicts with its flags or is invalid",
	Healthy:  "Docker configuration can be used",
	Category: checks.CategoryComponents,
	Doc: `dockerd exits at its start if C:\ProgramData\docker\config\daemon.json is not valid JSON,
has a key that this release does not know, or sets a directive that the service also sets as a flag.
The last happens with hosts: the service is registered with -H npipe://, and daemon.json adds a tcp
address. A file with a byte order mark is invalid, too.

The check looks for the answer of dockerd in its log and in the event log. A later successful start
ends it.`,
	Fix: checks.Steps(
		checks.Inspect(`dockerd --validate --config-file C:\ProgramData\docker\config\daemon.json`,
			"Read which directive or character is wrong."),
		checks.Edit(`C:\ProgramData\docker\config\daemon.json`, "Correct the file, and save it as UTF-8 without a byte order mark."),
		checks.Inspect("sc.exe qc docker",
			"For a conflict, read the flags of the service. Set the directive in one place only."),
		checks.Run("Restart-Service docker",
			"Restart the container runtime: it reads the file at its start.").
			Costs("Running containers are not affected."),
		checks.Verify("Get-Service docker", "Status is Running")),
	Links: []string{
		"https://github.com/docker/for-win/issues/2647",
		"https://github.com/moby/moby/issues/22339",
		"https://docs.docker.com/engine/daemon/troubleshoot/",
	},
	Breaks:  []*checks.Effect{effectRuntime},
	Applies: checks.OnRuntime("docker"),
	Needs:   []evidence.Need{evidence.Any(evidence.Logs("docker"), evidence.WindowsEvents)},
	Signs: []checks.Sign{
		{Text: "unable to configure the Docker daemon with file",
			Until: []string{"API listen on"},
			Says:  "dockerd cannot use its configuration file"},
		// daemon/graphdriver/windows/windows.go
		{Text: "windowsfilter failed to create '", Also: []string{"The system cannot find the path specified"},
			Until: []string{"API listen on"},
			Says:  "dockerd cannot create its data root: the drive does not exist"},
		// cmd/dockerd/daemon.go, listeners_windows.go and go-connections' tlsconfig
		{Text: "failed to load listeners: lookup account ", Until: []string{"API listen on"},
			Says: "dockerd cannot use its setting group: Windows has no such group or user"},
		{Text: "failed to load listeners: ", Also: []string{"CA certificate"}, Until: []string{"API listen on"},
			Says: "dockerd cannot use its setting tlscacert: it cannot read the file"},
		{Text: "failed to load listeners: ", Also: []string{"X509 key pair"}, Until: []string{"API listen on"},
			Says: "dockerd cannot use its settings tlscert and tlskey: it cannot read the files"},
	},
})
