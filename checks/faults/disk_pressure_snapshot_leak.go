package faults

import (
	"strings"

	"doctor/checks"
	"doctor/checks/evidence"
)

// A layer that is being removed is renamed to rm-NUMBER first. One or two such
// folders are work in progress; more were left behind.
const removalsInProgress = 2

// diskStrain is the share of free space, in percent, below which the kubelet evicts by default.
const diskStrain = 10

var _ = register(checks.Check{
	ID:       "disk-pressure-snapshot-leak",
	Title:    "the disk fills up, and removed layers do not give their space back",
	Category: checks.CategoryStorage,
	Doc: `Windows may keep files of a container's layers open after the container has ended, by
itself or through a virus scanner. The runtime then cannot remove the layer: it is renamed to
rm-NUMBER and stays, collecting images "freed 0 bytes", the disk fills, and the kubelet evicts pods.
A reboot closes the files, and the runtime removes the leftovers at its next start.

The check takes DiskPressure from the Node, the leftovers from the recorded folders, and the failed
removals from the logs. Where the disk is full and neither is there it says so: then it is something
else that fills it. The sum that Explorer shows for the snapshots folder counts hard links many
times, and is no measure.`,
	Fix: checks.Steps(
		checks.Run("kubectl drain {node} --ignore-daemonsets --delete-emptydir-data",
			"drain the node and reboot it, which closes the files; then see whether the rm-* folders are gone, keep the virus scanner out of the runtime's folder, and give the node a larger disk if it still fills up").
			Costs("the pods of this node are evicted, and their emptyDir volumes are lost"),
		checks.Run("Restart-Computer", ""),
		checks.Inspect(
			`Get-ChildItem C:\ProgramData\containerd\root\io.containerd.snapshotter.v1.windows\snapshots -Filter rm-* | Measure-Object`, ""),
		checks.Run("crictl rmi --prune", "")),
	Links: []string{"https://github.com/kubernetes/kubernetes/issues/116020",
		"https://github.com/microsoft/Windows-Containers/issues/358",
		"https://github.com/rancher/rke2/issues/3090", "https://github.com/moby/moby/issues/44440"},
	Breaks: []*checks.Effect{effectPodStart},
	Needs:  []evidence.Need{evidence.Node},
	Uses:   []evidence.Need{evidence.Disks, evidence.FileIndex},
	Signs: []checks.Sign{
		{Text: "snapshot garbage collection failed", Also: []string{"rename"},
			Says: "containerd cannot remove the layers of ended containers"},
		{Text: "failed to garbage collect required amount of images",
			Also: []string{"freed 0 bytes"},
			Says: "the kubelet needs disk space, and removing images frees none"},
		{Text: "failed to remove root filesystem", Also: []string{"windowsfilter", "denied"},
			Says: "docker cannot remove the layers of ended containers"},
		{Text: "Attempting to reclaim ephemeral-storage", ConfirmOnly: true},
	},
	Run: func(s evidence.Snapshot) ([]checks.Finding, error) {
		node := evidence.Node.In(s)
		pressure, ok := node.Condition("DiskPressure")
		if !ok {
			return nil, checks.Unknown(evidence.NotShown.Gap("the Node's DiskPressure condition"))
		}
		leftovers, first := 0, ""
		for _, r := range evidence.FileIndex.In(s) {
			p := strings.ToLower(evidence.CleanWinPath(r.Path))
			if r.Outcome != evidence.Absent && strings.Contains(p, `\snapshots\rm-`) &&
				!strings.Contains(p[strings.Index(p, `\snapshots\rm-`)+len(`\snapshots\`):], `\`) {
				if leftovers++; first == "" {
					first = r.Path
				}
			}
		}
		told := failedRemovals(s)
		var f checks.Finding
		switch full := pressure.Status == "True"; {
		case full && leftovers > 0:
			f = checks.Findingf(checks.Fail, "DiskPressure",
				"the node is under disk pressure, and %d removed layers still lie on its disk",
				leftovers)
		case full && told:
			f = checks.Findingf(checks.Fail, "DiskPressure",
				"the node is under disk pressure, and removing layers and images frees nothing")
		case full:
			f = checks.Findingf(checks.Fail, "DiskPressure",
				"the node is under disk pressure, and the recording does not show what fills the disk")
		case leftovers > removalsInProgress:
			f = checks.Findingf(checks.Warn, "snapshots",
				"%d removed layers still lie on the disk, and will fill it", leftovers)
		case pressure.Status != "False":
			return nil, checks.Unknown(
				evidence.NotShown.Gap("the disk as it is now: the kubelet has stopped reporting"))
		default:
			return nil, nil
		}
		f = f.At(evidence.Node.In(s).ConditionField("DiskPressure", "status"),
			"status.conditions: DiskPressure is %s: %s", pressure.Status, pressure.Message)
		if first != "" {
			f = f.At(evidence.FileRecordField(s, first, "path"), "%s is there (%d such folders)",
				first, leftovers)
		}
		for _, d := range evidence.Disks.In(s) {
			if d.TotalBytes > 0 && float64(d.FreeBytes)/float64(d.TotalBytes)*100 < diskStrain {
				f = f.At(d.Field("freeBytes"), "%s has %s free of %s", d.Drive, gib(d.FreeBytes),
					gib(d.TotalBytes))
			}
		}
		return []checks.Finding{f}, nil
	},
})

// failedRemovals tells whether a log speaks of removals that fail, and not of old ones.
func failedRemovals(s evidence.Snapshot) bool {
	for _, m := range s.Signs("disk-pressure-snapshot-leak") {
		if m.Over == "" && !strings.HasPrefix(m.Text, "Attempting") {
			return true
		}
	}
	return false
}
