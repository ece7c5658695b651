package faults

import (
	"slices"
	"strings"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

const volumeDiskReadOnly = "volume-disk-read-only"

var _ = register(&checks.Check{
	ID:       volumeDiskReadOnly,
	Title:    "Disk of a volume is read-only on this node",
	Healthy:  "Containers that are down have disks that they can write to",
	Category: checks.CategoryStorage,
	Doc: `When the disk of a volume moves to this node, Windows may set its read-only attribute: the SAN policy
OfflineShared keeps disks of shared buses offline and read-only, and some controllers do not say
that their disk can be written. The CSI driver sets the disk online and does not clear the attribute.
The volume is attached and mounted without an error, and every write fails with error 19, "The media
is write protected". Node.js calls the same error EROFS. The attribute belongs to the node: on the
node before, the same disk can be written.

The check looks for this error in the logs and last states of containers that mount a disk for
writing, and in failed mounts. Volumes and mounts with readOnly: true, and shares, do not count.`,
	Fix: checks.Steps(
		checks.Inspect("Get-Disk | Where-Object IsReadOnly | Format-Table Number, FriendlyName, SerialNumber, OperationalStatus, Size",
			"Find the number of the disk."),
		checks.Run("Set-Disk -Number NUMBER -IsReadOnly $false",
			"Clear its read-only attribute. It stays cleared on this node.").
			Costs("Running containers can lose the volume."),
		checks.Do("Delete the pod, so that the volume is mounted again."),
		checks.Run("Set-StorageSetting -NewDiskPolicy OnlineAll",
			"On each Windows node, let attached disks come online and writable. Do not set it if nodes share disks."),
		checks.Do("Update the CSI driver to a release that clears the attribute. csi-proxy has a function for it since pull request 438; the Azure Disk driver does it since 1.28.2, where it uses PowerShell."),
		checks.Do("If the disk is still read-only, check in the storage system whether it is attached or locked for reading only."),
		checks.Verify("Get-Disk | Where-Object IsReadOnly", "nothing")),
	Links: []string{
		"https://github.com/kubernetes-csi/csi-proxy/issues/437",
		"https://github.com/kubernetes-csi/csi-proxy/pull/438",
		"https://github.com/kubernetes-csi/csi-proxy/pull/288",
		"https://github.com/kubernetes-sigs/vsphere-csi-driver/issues/1631",
		"https://github.com/kubernetes/kubernetes/issues/108019",
		"https://github.com/kubernetes-sigs/azuredisk-csi-driver/pull/1909",
	},
	Breaks: []*checks.Effect{effectContainers},
	Needs:  []evidence.Need{evidence.Any(evidence.Pods, evidence.Logs("pods"))},
	Uses:   []evidence.Need{evidence.Pods, evidence.PodEvents, evidence.Logs("pods"), evidence.PersistentVolumes},
	Signs: append(slices.Clone(readOnlyMounts),
		checks.Sign{Text: writeProtected, Not: layersProtected, In: inContainers, Level: checks.Warn,
			Says: "a program cannot write to a volume: its disk is read-only"},
		// libuv, src/win/error.c; the path of a Windows program has a drive or a backslash
		checks.Sign{Text: "EROFS: read-only file system", Also: []string{`\`}, In: inContainers, Level: checks.Warn,
			Says: "a program cannot write to a volume: its disk is read-only"},
		// of diskpart; a disk that is offline has it as well
		checks.Sign{Text: "Current Read-only State : Yes", In: []string{"other"}, ConfirmOnly: true}),
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		if gap := evidence.Pods.Gap(s); gap.Kind != "" {
			return nil, checks.Unknown(gap)
		}
		findings, err := complain(readOnlyMounts)(s)
		for i, f := range findings {
			findings[i] = f.Explaining("pods-stuck-creating")
		}
		silent := false // such a container ended, and nothing shows what it said
		for _, p := range evidence.Pods.In(s) {
			if f, unheard := unwritable(s, p); f != nil {
				findings = append(findings, f)
			} else {
				silent = silent || unheard
			}
		}
		if silent && len(findings) == 0 && len(s.Signs(volumeDiskReadOnly)) == 0 {
			return nil, notHeard(s)
		}
		return findings, err
	},
})

// writeProtected is error 19 of Windows, ERROR_WRITE_PROTECT.
const writeProtected = "The media is write protected"

// layersProtected are in the errors of a runtime that cannot prepare the disk of a container itself:
// moby and hcsshim, for example where BitLocker denies writing (docker/for-win 784 and 14569).
var layersProtected = []string{"FSCTL_EXTEND_VOLUME", "UtilityVM"}

// readOnlyMounts are errors of the kubelet and of drivers at the disk of a volume.
var readOnlyMounts = []checks.Sign{
	{Text: writeProtected, Also: []string{"MountVolume"}, Says: readOnlyMount},
	{Text: writeProtected, Also: []string{"GRPC error"}, In: []string{"csi-driver"}, Says: readOnlyMount},
	// the kubelet, where it creates the folder of a subPath
	{Text: writeProtected, Also: []string{"kubernetes.io~csi"}, Says: readOnlyMount},
}

const readOnlyMount = "a volume cannot be mounted: its disk is read-only"

// unwritable finds a container of the pod that cannot write to a disk. A running one counts where it
// said so of late, and since it started. The bool is true where nothing shows what such a container said.
func unwritable(s evidence.Snapshot, p evidence.Pod) (*checks.Finding, bool) {
	silent := false
	for i, c := range slices.Concat(p.Spec.InitContainers, p.Spec.Containers) {
		at := slices.IndexFunc(p.Statuses(), func(st evidence.ContainerStatus) bool { return st.Name == c.Name })
		if at < 0 || !slices.ContainsFunc(c.VolumeMounts, func(m evidence.VolumeMount) bool { return diskOf(s, p, m) > 0 }) {
			continue
		}
		st := p.Statuses()[at]
		for _, said := range saidIn(s, volumeDiskReadOnly, p, c.Name) {
			down := node.ContainerDown(st)
			if !down && (st.State.Running == nil || s.Now().Sub(said.Last) > checks.Recently ||
				!said.Last.After(st.State.Running.StartedAt.Time)) {
				continue
			}
			k := mountNamed(s, p, c, said.Found)
			if k < 0 {
				continue
			}
			m := c.VolumeMounts[k]
			f := checks.Findingf(cond(down && diskOf(s, p, m) == isDisk, checks.Fail, checks.Warn), p.FullName(),
				"container %s of %s cannot write to its volume %s: the disk is read-only", c.Name, p.FullName(), m.Name).
				With(checks.Quote(said)).
				At(p.ContainerField(i, "volumeMounts", k), "container %s mounts volume %s at %s for writing", c.Name, m.Name, m.MountPath)
			f.Basis = checks.ByBoth
			return f, false
		}
		silent = silent || unheard(s, p)
	}
	return nil, silent
}

// mountNamed is the mount of a disk that can be written, at whose path the text is, or the only
// possible one where it names no path; -1 where there is none.
func mountNamed(s evidence.Snapshot, p evidence.Pod, c evidence.Container, text string) int {
	text = strings.ReplaceAll(strings.ReplaceAll(strings.ToLower(text), `\\`, `\`), "/", `\`)
	named, first, barred := -1, -1, false
	for i, m := range c.VolumeMounts {
		if names(text, m) && (named < 0 || len(m.MountPath) > len(c.VolumeMounts[named].MountPath)) {
			named = i
		}
		if disk := diskOf(s, p, m); disk > 0 && first < 0 {
			first = i
		} else if disk == isReadOnly {
			barred = true
		}
	}
	switch {
	case named >= 0 && diskOf(s, p, c.VolumeMounts[named]) > 0:
		return named
	case named >= 0 || barred:
		return -1
	}
	return first
}

// names tells whether a text in lower case, with backslashes, has a path at or below that of the mount.
func names(text string, m evidence.VolumeMount) bool {
	drive, folder, _ := strings.Cut(strings.ToLower(evidence.CleanWinPath(m.MountPath)), ":")
	for from := 0; ; {
		at := strings.Index(text[from:], folder)
		if at < 0 || folder == "" { // a share has no drive
			return false
		}
		before, after := text[:from+at], text[from+at+len(folder):]
		from += at + len(folder)
		if (strings.HasSuffix(before, drive+":") || !strings.HasSuffix(before, ":") && strings.TrimRight(before, ` '"([=`) != before) &&
			strings.IndexFunc(after, isNameRune) != 0 {
			return true
		}
	}
}

func isNameRune(r rune) bool {
	return r == '-' || r == '_' || 'a' <= r && r <= 'z' || '0' <= r && r <= '9'
}

// What a mount can be for this check: above zero, what a program may expect to write to.
const (
	isReadOnly = -1 // by the pod or the volume
	isOther    = 0  // no disk of its own
	isClaim    = 1  // of which it is not recorded what it is bound to
	isDisk     = 2
)

func diskOf(s evidence.Snapshot, p evidence.Pod, m evidence.VolumeMount) int {
	i := slices.IndexFunc(p.Spec.Volumes, func(v evidence.Volume) bool { return v.Name == m.Name })
	if i < 0 {
		return isOther
	}
	v := p.Spec.Volumes[i]
	source, _ := v.Source()
	switch claim := v.PersistentVolumeClaim; {
	case claim != nil:
		pvs := evidence.PersistentVolumes.In(s)
		at := slices.IndexFunc(pvs, func(pv evidence.PersistentVolume) bool {
			return pv.Spec.ClaimRef.Namespace == p.Metadata.Namespace && pv.Spec.ClaimRef.Name == claim.ClaimName
		})
		if m.ReadOnly || claim.ReadOnly {
			return isReadOnly
		}
		if at < 0 {
			attached := slices.ContainsFunc(evidence.PodEvents.In(s), func(e evidence.Event) bool {
				about := e.About()
				return e.Reason == "SuccessfulAttachVolume" && about.Namespace == p.Metadata.Namespace && about.Name == p.Metadata.Name
			})
			return cond(attached, isDisk, isClaim) // shares are not attached
		}
		source, _ = pvs[at].Spec.Source()
	case v.CSI != nil: // in the pod itself: secrets and certificates
		return isOther
	}
	switch {
	case source == nil && v.FlexVolume == nil, source != nil && (strings.Contains(source.Driver, "smb") || strings.Contains(source.Driver, "file")):
		return isOther
	case m.ReadOnly, source != nil && source.ReadOnly:
		return isReadOnly
	}
	return isDisk
}
