package faults

import (
	"doctor/checks"
	"doctor/checks/evidence"
)

var _ = register(&checks.Check{
	ID:       "docker-layer-in-use",
	Title:    "Docker cannot remove a container or an image: its files are in use",
	Healthy:  "Docker removes the layers of ended containers",
	Category: checks.CategoryStorage,
	Doc: `Docker renames the folder of a container's layer and detaches its virtual disk before it
removes the container. Windows refuses both while something has the files open: an antivirus
program, a process that survived its container, or a container that was still mounted when the
service of docker ended. The container stays in the state removing, its pod stays Terminating, and
the layer keeps its space on the disk.

The check looks for failed removals in the logs and events. They do not show which program holds the
files, nor whether the disk is full.`,
	Fix: checks.Steps(
		checks.Inspect("docker ps -a --filter status=removing", "List the containers that docker cannot remove."),
		checks.Run(`Add-MpPreference -ExclusionPath 'C:\ProgramData\docker'`,
			"Exclude docker's folder from antivirus scans.").
			Costs("Files in this folder are not scanned."),
		checks.Do("If it happens after a restart of docker, set a longer shutdown-timeout in daemon.json: docker then waits until its containers have ended.").
			Costs("The setting applies after a restart of docker, which stops its containers."),
		checks.Run("Restart-Computer", "If containers are still listed, drain and reboot the node.").
			Costs("All pods of this node stop."),
		checks.Verify("docker ps -a --filter status=removing", "no container is listed")),
	Links: []string{
		"https://github.com/microsoft/Windows-Containers/issues/207",
		"https://github.com/moby/moby/issues/40723",
		"https://github.com/moby/moby/issues/36218",
		"https://github.com/moby/moby/issues/32838",
		"https://github.com/moby/moby/issues/29392",
	},
	Needs: []evidence.Need{evidence.Logs("docker")},
	Signs: []checks.Sign{
		// moby: daemon/delete.go and daemon/graphdriver/windows/windows.go
		{Text: "failed to remove root filesystem", Also: []string{"windowsfilter", "denied"},
			Level: checks.Warn, Says: layersStay},
		{Text: "failed to remove root filesystem", Also: []string{"windowsfilter", "being used by another process"},
			Not: []string{"denied"}, Level: checks.Warn, Says: layersStay},
		// moby: layer/layer.go, of the layers of an image that is removed
		{Text: "Error releasing layer", Also: []string{"DestroyLayer", "denied"},
			Level: checks.Warn, Says: imageLayersStay},
		{Text: "Error releasing layer", Also: []string{"DestroyLayer", "being used by another process"},
			Level: checks.Warn, Says: imageLayersStay},
	},
})
