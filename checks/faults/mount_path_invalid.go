package faults

import "doctor/checks"

var _ = register(checks.Check{
	ID:       "mount-path-invalid",
	Title:    "a volume cannot be mounted into a container: its path is invalid on Windows",
	Category: checks.CategoryStorage,
	Doc: `A mount that works on Linux may be refused on Windows while the container is made. A
single file as source needs containerd and a Windows of September 2020 or later, docker takes
folders only. A source behind a symbolic link, a mount over the whole of drive C:, and an image
whose VOLUME names a drive letter are refused too, in words about an invalid directory name or an
incorrect volume label, or about a symlink that cannot be resolved.

The check looks for these words at pods that do not run. That a parameter is incorrect has other
reasons as well, so that message alone is a warning.`,
	Fix: checks.Steps(
		checks.Inspect(
			"kubectl get pod POD -n NAMESPACE -o jsonpath='{.spec.containers[*].volumeMounts}'",
			""),
		checks.Inspect("Get-Item HOSTPATH | Select-Object FullName, LinkType, Target", ""),
		checks.Do(`mount folders instead of single files and below a folder of the container, never over C:\; point hostPath volumes at the real folder instead of a link; take drive letters out of the image's VOLUME; update Windows, and containerd to 1.5 or later`).
			Costs("changing the mounts recreates the pods of the workload")),
	Links: []string{"https://github.com/containerd/containerd/issues/4915",
		"https://github.com/containerd/containerd/issues/11273",
		"https://github.com/kubernetes/kubernetes/issues/95547",
		"https://github.com/kubernetes/kubernetes/issues/99342",
		"https://github.com/kubernetes/kubernetes/issues/94213",
		"https://github.com/kubernetes/kubernetes/issues/73332",
		"https://github.com/antrea-io/antrea/issues/2774"},
	Breaks:  []*checks.Effect{effectPodStart, effectContainers},
	Partial: true,
	Needs:   complaintNeeds,
	Uses:    complaintUses,
	Signs:   mountSigns,
	Run:     complain(mountSigns),
})

const (
	badDirectory = "Windows refuses a mount: the name of a folder is invalid"
	badLabel     = "Windows refuses a mount: a file name, folder name or volume label is not one of Windows"
)

var mountSigns = []checks.Sign{
	{Text: "CreateComputeSystem", Also: []string{"The directory name is invalid"},
		Says: badDirectory},
	{Text: "CreateComputeSystem", Also: []string{"(0x10b)"},
		Not: []string{"The directory name is invalid"}, Says: badDirectory},
	{Text: "CreateComputeSystem", Also: []string{"volume label syntax is incorrect"},
		Says: badLabel},
	{Text: "CreateComputeSystem", Also: []string{"(0x7b)"},
		Not: []string{"volume label syntax is incorrect"}, Says: badLabel},
	{Text: "rootpath on mountPath", Also: []string{"volume label syntax is incorrect"},
		Says: "the image declares a VOLUME with a drive letter, which containerd cannot prepare"},
	{Text: "failed to resolve symlink", Also: []string{"failed to generate spec"},
		Says: "the source of a mount cannot be resolved: it is a link, or not there"},
	{Text: "destination path can not be C drive",
		Says: "a mount is to cover the whole of drive C:"},
	{Text: "source path must be a directory", Also: []string{"invalid mount config"},
		Says: "docker mounts folders only, and a single file is asked for"},
	{Text: "CreateComputeSystem", Also: []string{"The parameter is incorrect"}, Level: checks.Warn,
		Says: "Windows refuses to make a container over a parameter, most often the path of a mount"},
}
