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
Windows no pod starts at all. A source behind a symbolic link, a mount over all of drive C:, and, before
containerd 2.0, an image whose VOLUME has a drive letter are rejected, too. So is a folder of a file system driver such as
WinFsp: HCS, and containerd 1.7 for HostProcess containers, attach a filter to the volume, which such a
driver does not allow. The errors mention an invalid directory name, an
incorrect volume label, or a symlink that cannot be resolved.

The check looks for these errors at pods that are not running. "The parameter is incorrect" has
other reasons as well, so that message alone is a warning. With docker, which checks mounts itself, it is
ignored: an update of Windows may be missing.`,
	Fix: checks.Steps(
		checks.Run("kubectl -n NAMESPACE edit KIND/NAME",
			`Mount a folder below a folder of the container: not a single file, not a link, not over C:\.`).
			Costs("The pods of the workload are recreated."),
		checks.Do("Update Windows, and containerd to 1.5 or later."),
		checks.Verify("kubectl get pods -A -o wide --field-selector spec.nodeName={node}",
			"all pods are Running")),
	Links: []string{"https://github.com/containerd/containerd/issues/4915",
		"https://github.com/containerd/containerd/issues/8171",
		"https://github.com/containerd/containerd/pull/8362",
		"https://github.com/containerd/containerd/issues/11273",
		"https://github.com/kubernetes/kubernetes/issues/95547",
		"https://github.com/kubernetes/kubernetes/issues/99342",
		"https://github.com/kubernetes/kubernetes/issues/94213",
		"https://github.com/kubernetes/kubernetes/issues/73332",
		"https://github.com/kubernetes-csi/csi-proxy/issues/55",
		"https://github.com/antrea-io/antrea/issues/2774",
		"https://github.com/containerd/containerd/issues/10001",
		"https://github.com/microsoft/hcsshim/issues/802",
		"https://github.com/microsoft/hcsshim/issues/1699",
		"https://github.com/microsoft/Windows-Containers/issues/335"},
	Breaks:   []*checks.Effect{effectPodStart, effectContainers},
	Partial:  true,
	Needs:    complaintNeeds,
	FromPart: complaintNeeds,
	Uses:     complaintUses,
	Signs:    mountSigns,
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		findings, err := complain(mountSigns)(s)
		for i, c := range complaints(s, mountSigns) {
			if len(c.fix.Steps) > 0 {
				continue // of the sign
			}
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
	volumeHasDrive = "VOLUME of the image has a drive letter, which containerd before 2.0 does not support"
	rawVolume      = "containerd cannot resolve a mount: its source is the raw volume of a disk"
	noBindFilter   = "Windows cannot mount a folder of a file system driver, such as WinFsp, into a container"
	badLabel       = "Windows rejects a mount: invalid file name, folder name or volume label"
)

// volumeDriveFix: pull request 8362 is in 2.0.0, and in no release of 1.7.
var volumeDriveFix = checks.Steps(
	checks.Do("In the Dockerfile, remove VOLUME, or the drive letter from its path, and build the image again. A pod can mount volumes without VOLUME.").
		Costs("The pods of the workload are recreated."),
	checks.Do("If you cannot change the image, update containerd to 2.0 or later.").
		Costs("An update of containerd stops the pods of this node."),
	checks.Verify("kubectl get pods -A -o wide --field-selector spec.nodeName={node}", "all pods are Running"))

var rawVolumeFix = checks.Steps(
	checks.Inspect("Get-ChildItem C:\\var\\lib\\kubelet\\pods -Recurse -Depth 5 -Attributes ReparsePoint | Select-Object FullName, Target",
		"Read the target of the volume's link: the name of a volume without a backslash at its end."),
	checks.Do("Update the CSI driver and CSI Proxy. If the link stays the same, use a version of containerd that mounts it: 1.7.3 does, 1.7.4 and 1.7.11 do not.").
		Costs("An update of containerd stops the pods of this node."),
	checks.Verify("kubectl get pods -A -o wide --field-selector spec.nodeName={node}", "all pods are Running"))

var noBindFilterFix = checks.Steps(
	checks.Inspect("Get-Volume; fltmc volumes", "Find out which file system and which driver the source of the mount has."),
	checks.Do("Mount a folder of an NTFS volume of a disk, or a network share. Containers cannot use volumes of user-mode file systems.").
		Costs("The pods of the workload are recreated."),
	checks.Do("A HostProcess container does not need the mount: let its program open the folder of the node."),
	checks.Verify("kubectl get pods -A -o wide --field-selector spec.nodeName={node}", "all pods are Running"))

var mountSigns = []checks.Sign{
	{Text: "CreateComputeSystem", Also: []string{"The directory name is invalid"},
		Says: badDirectory},
	{Text: "CreateComputeSystem", Also: []string{"volume label syntax is incorrect"},
		Says: badLabel},
	{Text: "rootpath on mountPath", Also: []string{"volume label syntax is incorrect"},
		Says: volumeHasDrive, Fix: volumeDriveFix},
	{Text: "CreateFile ", Also: []string{`\ctd-volume`, "::"}, // the same, where a console wrapped the line
		Says: volumeHasDrive, Fix: volumeDriveFix},
	{Text: "failed to resolve symlink", Also: []string{"failed to generate spec", `pipe\`},
		Says: "containerd is too old for mounts of named pipes: it opens the pipe as a file"},
	{Text: "named pipe mounts are not supported on this version of Windows", // hcsshim, before Windows 1709
		Says: "this Windows is too old for mounts of named pipes"},
	{Text: "failed to resolve symlink", Also: []string{"failed to generate spec"}, Not: []string{`pipe\`},
		Says: "the source of a mount is a link or does not exist"},
	// hcsshim: internal/hcsoci/hcsdoc_wcow.go; works with containerd 1.7.3, and not with 1.7.4 (10001)
	{Text: "failed to resolve path for mount source", Also: []string{`\\?\Volume{`, "Incorrect function"},
		Says: rawVolume, Fix: rawVolumeFix},
	// HCS and the silos of HostProcess containers attach a filter to the volume (hcsshim 802, 1699)
	{Text: "Do not attach the filter to the volume at this time", Says: noBindFilter, Fix: noBindFilterFix},
	{Text: "destination path can not be C drive",
		Says: "a mount covers all of drive C:"},
	{Text: "source path must be a directory", Also: []string{"invalid mount config"},
		Says: "docker can mount folders only, but the source is a single file"},
	// moby: volume/mounts/windows_parser.go, where the mount cannot be split into source, target and mode. An
	// invalid mount config behind it says more.
	{Text: "invalid volume specification: '",
		Not:  []string{":/var/run/secrets/kubernetes.io/serviceaccount", "invalid mount config"},
		Says: "docker rejects a mount: its source, target or mode is not valid on Windows"},
	// docker checks mounts itself: there it has other reasons (antrea 1429, moby 42159)
	{Text: "CreateComputeSystem", Also: []string{"The parameter is incorrect"}, Not: []string{"Error response from daemon"},
		In: []string{"containerd", "kubelet", "other", evidence.InPodEvents}, Level: checks.Warn,
		Says: badParameter},
}
