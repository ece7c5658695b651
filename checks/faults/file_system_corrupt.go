package faults

import (
	"maps"
	"regexp"
	"slices"
	"strings"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

// Events of NTFS: a corruption was found; it was repaired; what a volume needs, when it is mounted.
const (
	ntfsCorrupt  = 55
	ntfsRepaired = 130
	ntfsState    = 98
)

var _ = register(&checks.Check{
	ID:       "file-system-corrupt",
	Title:    "File system of the node is corrupt",
	Healthy:  "File systems of the node show no corruption",
	Category: checks.CategoryStorage,
	Doc: `NTFS finds a corruption when it reads its own structures: after lost or failed writes of the disk,
a reset of the machine, or errors of a storage array. It writes event 55, and event 98 if the volume must
be taken offline for a repair. Reads of the damaged files fail with 0x80070570 (ERROR_FILE_CORRUPT) or
0x80070571 (ERROR_DISK_CORRUPT). If image layers, the data of the runtime or folders of the kubelet are
among them, pods do not start, while those that run go on.

The check looks for these events about the volumes of Windows, the runtime and the kubelet, and for the
errors at pods and in the logs. The errors alone may also come from one damaged virtual disk of a
container. Volumes of pods and other drives are information. Event 98 of a healthy volume is normal.`,
	Fix: corruptFix("C"),
	Links: []string{
		"https://learn.microsoft.com/en-us/troubleshoot/windows-server/backup-and-storage/troubleshoot-data-corruption-and-disk-errors",
		"https://learn.microsoft.com/en-us/archive/blogs/askcore/event-id-55-when-good-bits-go-bad",
		"https://learn.microsoft.com/en-us/windows-server/administration/windows-commands/chkdsk",
	},
	Breaks:   []*checks.Effect{effectPodStart},
	Explains: []string{"runtime-data-damaged", "node-program-damaged"},
	Partial:  true,
	Needs:    []evidence.Need{evidence.Any(evidence.WindowsEvents, evidence.Pods)},
	Uses: slices.Concat(complaintNeeds, complaintUses, node.RuntimeConfigs, node.KubeletSources,
		[]evidence.Need{evidence.WindowsEvents, evidence.CRI, evidence.File(dockerSettings)}),
	FromPart: []evidence.Need{evidence.WindowsEvents, evidence.Pods},
	Signs:    corruptSigns,
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		var findings, elsewhere []*checks.Finding
		own, events := ownDrives(s), evidence.WindowsEvents.In(s)
		level := checks.Warn
		for _, c := range complaints(s, corruptSigns) {
			level = checks.Fail
			findings = append(findings, checks.Findingf(c.level, c.pod.FullName(), "%s is not running: %s",
				c.pod.FullName(), c.says).With(c.from))
		}
		for _, e := range corruptVolumes(events) {
			drive := driveOf(e.Message)
			f := checks.Findingf(level, drive, "NTFS reports that its file system on %s is corrupt", drive).
				At(e.Field(), "%s %d: %s", e.Provider, e.ID, evidence.Clean(e.Message)).Cure(corruptFix(drive[:1]))
			if !slices.Contains(own, drive) {
				elsewhere = append(elsewhere, checks.Findingf(checks.Info, drive,
					"NTFS reports that its file system on %s is corrupt; no recorded setting of the runtime or the kubelet names this volume", drive).
					With(f.Because...))
				continue
			}
			findings = append(findings, f)
		}
		findings = append(findings, elsewhere...)
		if gap := evidence.WindowsEvents.Gap(s); gap.Kind != "" && len(findings) == 0 {
			return nil, checks.Unknown(gap)
		}
		if len(findings) == 0 && (len(events) == 0 || anonymous(events)) {
			return nil, checks.Unknown(evidence.NotShown.Gap("the events of the System log"))
		}
		return findings, nil
	},
})

const (
	fileCorrupt = "The file or directory is corrupted and unreadable"
	diskCorrupt = "The disk structure is corrupted and unreadable"
	corruptRead = "Windows cannot read data of the runtime: the file system or the file is corrupt"
)

// ofPodVolume are words of paths to volumes, whose disks are not the node's.
var ofPodVolume = []string{"kubernetes.io~", "globalmount", "MountVolume", "NodeStageVolume", "NodePublishVolume"}

var corruptSigns = []checks.Sign{
	{Text: fileCorrupt, Or: []string{diskCorrupt}, Also: []string{"hcsshim::", "failed in Win32"}, Not: ofPodVolume, Says: corruptRead},
	{Text: fileCorrupt, Or: []string{diskCorrupt}, Also: []string{"::CreateComputeSystem "}, Not: ofPodVolume, Says: corruptRead},
	// below the root of containerd, and in the storage of docker
	{Text: fileCorrupt, Or: []string{diskCorrupt}, Also: []string{`\io.containerd.`}, Not: ofPodVolume, Says: corruptRead},
	{Text: fileCorrupt, Or: []string{diskCorrupt}, Also: []string{`\windowsfilter\`}, Not: ofPodVolume, Says: corruptRead},
	{Text: fileCorrupt, Or: []string{diskCorrupt}, Also: []string{`\kubelet\`, `\pods\`}, Not: ofPodVolume,
		Says: "Windows cannot read a folder of the kubelet: the file system is corrupt"},
}

// drivePattern is a drive letter that no path follows, as messages in all languages name a volume.
var drivePattern = regexp.MustCompile(`(?:^|[^\pL\\])([A-Za-z]):(?:[^\\\pL]|$)`)

// driveOf is the drive that a message of NTFS names, such as C:. Volumes of containers have none.
func driveOf(message string) string {
	if m := drivePattern.FindStringSubmatch(message); m != nil {
		return strings.ToUpper(m[1]) + ":"
	}
	return ""
}

const dockerSettings = `C:\ProgramData\docker\config\daemon.json`

var dockerRoot = regexp.MustCompile(`"data-root"\s*:\s*"([A-Za-z]:)`)

// ownDrives are those of Windows, the runtime and the kubelet.
func ownDrives(s evidence.Snapshot) []string {
	root, _ := runtimeRoot(s)
	drives := []string{"C:"}
	if c, _, gap := node.About(s).ContainerdConfig(s); gap.Kind == "" && c.Root != "" {
		drives = append(drives, driveOf(c.Root[:min(2, len(c.Root))]))
	}
	if m := dockerRoot.FindStringSubmatch(s.File(dockerSettings).Text); m != nil {
		drives = append(drives, driveOf(m[1]))
	}
	flag, _ := node.About(s).KubeletFlag("root-dir")
	for _, path := range []string{root, flag.Value} {
		drives = append(drives, driveOf(path[:min(2, len(path))]))
	}
	return drives
}

// corruptVolumes lists the last event about each drive whose file system is corrupt and was not
// repaired. At a boot Windows may repair a volume, and writes the event again if it did not.
func corruptVolumes(recorded []evidence.WindowsEvent) []evidence.WindowsEvent {
	events := map[string]evidence.WindowsEvent{}
	for _, e := range recorded {
		provider := strings.ToLower(e.Provider)
		drive := driveOf(e.Message)
		switch {
		case strings.HasSuffix(provider, "kernel-general") && e.ID == 12:
			clear(events)
		case provider != "ntfs" && !strings.HasSuffix(provider, "-ntfs") || drive == "":
		case e.ID == ntfsRepaired, e.ID == ntfsState && (strings.EqualFold(e.Level, "information") || strings.Contains(e.Message, "is healthy")):
			delete(events, drive)
		case e.ID == ntfsCorrupt, e.ID == ntfsState && !strings.Contains(e.Message, "Online Scan") &&
			(strings.EqualFold(e.Level, "error") || strings.Contains(e.Message, "needs to be taken offline")):
			events[drive] = e
		}
	}
	var list []evidence.WindowsEvent
	for _, drive := range slices.Sorted(maps.Keys(events)) {
		list = append(list, events[drive])
	}
	return list
}

func corruptFix(letter string) checks.Fix {
	return checks.Steps(
		checks.Inspect("Get-WinEvent -FilterHashtable @{LogName='System'; Id=7,51,55,98,153} -MaxEvents 20 | Format-List TimeCreated, ProviderName, Message",
			"Read which volume is corrupt, and whether its disk has errors."),
		checks.Run("Repair-Volume -DriveLetter "+letter+" -Scan", "Check the volume while it is in use."),
		checks.Run("kubectl drain {node} --ignore-daemonsets --delete-emptydir-data",
			"Move the pods to other nodes.").
			Costs("Draining evicts every pod of this node and deletes its emptyDir volumes."),
		checks.Run("chkdsk "+letter+": /f", "Repair the volume. The one of Windows is repaired at the next restart: confirm with Y, and restart the node.").
			Costs("The volume cannot be used during the repair, which takes minutes to hours."),
		checks.Do("If the volume has no errors, the layer that the error names is damaged: remove its image, so that it is pulled again."),
		checks.Do("If the disk has errors or the corruption returns, replace the disk or the node."),
		checks.Run("kubectl uncordon {node}", "Allow pods on the node again."),
		checks.Verify("Get-Volume -DriveLetter "+letter, "HealthStatus is Healthy"))
}
