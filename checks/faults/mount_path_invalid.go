package faults

import (
	"doctor/checks"
	"doctor/checks/evidence"
)

var _ = register(&checks.Check{
	ID:       "mount-path-invalid",
	Title:    "Windows rejects a mount of a container",
	Healthy:  "Windows accepts the mounts of containers",
	Category: checks.CategoryStorage,
	Doc: `A mount that works on Linux may be rejected on Windows when the container is created. A
single file as source requires containerd and Windows of September 2020 or later; docker supports
folders only. The kubelet mounts the file hosts into each container, so with containerd on an older
Windows no pod starts at all. A source behind a symbolic link, a mount over all of drive C:, and an image
whose VOLUME has a drive letter are rejected, too. The errors mention an invalid directory name, an
incorrect volume label, or a symlink that cannot be resolved.

The check looks for these errors at pods that are not running. "The parameter is incorrect" has
other reasons as well, so that message alone is a warning.`,
	Fix: checks.Steps(
		checks.Run("kubectl -n NAMESPACE edit KIND/NAME",
			`Mount a folder below a folder of the container: not a single file, not a link, not over C:\.`).
			Costs("The pods of the workload are recreated."),
		checks.Do("If the image's VOLUME has a drive letter, remove the letter."),
		checks.Do("Update Windows, and containerd to 1.5 or later."),
		checks.Verify("kubectl get pods -A -o wide --field-selector spec.nodeName={node}",
			"all pods are Running")),
	Links: []string{"https://github.com/containerd/containerd/issues/4915",
		"https://github.com/containerd/containerd/issues/11273",
		"https://github.com/kubernetes/kubernetes/issues/95547",
		"https://github.com/kubernetes/kubernetes/issues/99342",
		"https://github.com/kubernetes/kubernetes/issues/94213",
		"https://github.com/kubernetes/kubernetes/issues/73332",
		"https://github.com/kubernetes-csi/csi-proxy/issues/55",
		"https://github.com/antrea-io/antrea/issues/2774"},
	Breaks:   []*checks.Effect{effectPodStart, effectContainers},
	Partial:  true,
	Needs:    complaintNeeds,
	FromPart: complaintNeeds,
	Uses:     complaintUses,
	Signs:    mountSigns,
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		findings, err := complain(mountSigns)(s)
		for i, c := range complaints(s, mountSigns) {
			fix := fixOf("mount-path-invalid")
			fix.Steps[0].Command = onWorkload(c.pod, "edit", "")
			findings[i] = findings[i].Cure(fix)
		}
		return findings, err
	},
})

const (
	badDirectory   = "Windows rejects a mount: its source is not a folder, or this Windows is too old to mount single files"
	badParameter   = "Windows rejects a container parameter, most often the path of a mount"
	volumeHasDrive = "VOLUME of the image has a drive letter, which containerd does not support"
	badLabel       = "Windows rejects a mount: invalid file name, folder name or volume label"
)

var mountSigns = []checks.Sign{
	{Text: "CreateComputeSystem", Also: []string{"The directory name is invalid"},
		Says: badDirectory},
	{Text: "CreateComputeSystem", Also: []string{"volume label syntax is incorrect"},
		Says: badLabel},
	{Text: "rootpath on mountPath", Also: []string{"volume label syntax is incorrect"},
		Says: volumeHasDrive},
	{Text: "CreateFile ", Also: []string{`\ctd-volume`, "::"}, // the same, where a console wrapped the line
		Says: volumeHasDrive},
	{Text: "failed to resolve symlink", Also: []string{"failed to generate spec", `pipe\`},
		Says: "containerd is too old for mounts of named pipes: it opens the pipe as a file"},
	{Text: "named pipe mounts are not supported on this version of Windows", // hcsshim, before Windows 1709
		Says: "this Windows is too old for mounts of named pipes"},
	{Text: "failed to resolve symlink", Also: []string{"failed to generate spec"}, Not: []string{`pipe\`},
		Says: "the source of a mount is a link or does not exist"},
	{Text: "destination path can not be C drive",
		Says: "a mount covers all of drive C:"},
	{Text: "source path must be a directory", Also: []string{"invalid mount config"},
		Says: "docker can mount folders only, but the source is a single file"},
	// moby: volume/mounts/windows_parser.go, where the mount cannot be split into source, target and mode. An
	// invalid mount config behind it says more.
	{Text: "invalid volume specification: '",
		Not:  []string{":/var/run/secrets/kubernetes.io/serviceaccount", "invalid mount config"},
		Says: "docker rejects a mount: its source, target or mode is not valid on Windows"},
	{Text: "CreateComputeSystem", Also: []string{"The parameter is incorrect"}, Level: checks.Warn,
		Says: badParameter},
}
