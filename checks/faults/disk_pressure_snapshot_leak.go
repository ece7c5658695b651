package faults

import (
	"strings"

	"doctor/checks"
	"doctor/checks/evidence"
)

// A layer that is being removed is renamed to rm-NUMBER first. One or two such
// folders are work in progress; more were left behind.
const removalsInProgress = 2

var _ = register(&checks.Check{
	ID:       "disk-pressure-snapshot-leak",
	Title:    "Disk fills up: removed image layers keep their space",
	Healthy:  "Removed image layers free their disk space",
	Category: checks.CategoryStorage,
	Doc: `Windows or an antivirus program may keep files of a container's layers open after the
container has ended. The runtime then cannot remove the layer: it is renamed to rm-NUMBER and stays,
image collection "freed 0 bytes", the disk fills up, and the kubelet evicts pods. A reboot closes
the files, and the runtime removes the leftovers at its next start.

The check reads DiskPressure from the Node, the leftovers from the recorded folders, and the failed
removals from the logs. Where the disk is full without either, something else fills it, which disk-full
reports. The size of the snapshots folder in Explorer counts hard links several times and is
not reliable.`,
	Fix: checks.Steps(
		checks.Run("kubectl drain {node} --ignore-daemonsets --delete-emptydir-data",
			"Drain the node.").
			Costs("All pods of this node are evicted, and their emptyDir volumes are lost."),
		checks.Run("Restart-Computer", "Reboot the node."),
		checks.Run(`Add-MpPreference -ExclusionPath 'C:\ProgramData\{runtime}'`,
			"Exclude the runtime's folder from antivirus scans.").
			Costs("Files in this folder are not scanned."),
		checks.Run("kubectl uncordon {node}", "Allow pods on the node again."),
		checks.Verify(
			"kubectl get node {node} -o jsonpath=\"{.status.conditions[?(@.type=='DiskPressure')].status}\"", "False")),
	Links: []string{"https://github.com/kubernetes/kubernetes/issues/116020",
		"https://github.com/microsoft/Windows-Containers/issues/358",
		"https://github.com/rancher/rke2/issues/3090", "https://github.com/moby/moby/issues/44440",
		"https://github.com/kubernetes/kubernetes/issues/103032",
		"https://kubernetes.io/docs/concepts/scheduling-eviction/node-pressure-eviction/"},
	Breaks:   []*checks.Effect{effectPodStart},
	Explains: []string{"disk-full"},
	Needs:    []evidence.Need{evidence.Node},
	Uses:     []evidence.Need{evidence.Disks, evidence.FileIndex},
	Signs: []checks.Sign{
		{Text: "snapshot garbage collection failed", Also: []string{"second rename attempt"},
			Says: "containerd cannot remove the layers of ended containers"},
		// The next collection succeeds where a scanner had the layer open.
		{Text: "snapshot garbage collection failed", Also: []string{"rename"},
			Not: []string{"second rename attempt"}, Level: checks.Warn,
			Says: "containerd cannot remove the layers of ended containers"},
		// Docker keeps these layers, too; what they mean on their own says docker-layer-in-use.
		{Text: "failed to remove root filesystem", Also: []string{"windowsfilter", "denied"}, ConfirmOnly: true},
		{Text: "Error releasing layer", Also: []string{"DestroyLayer", "denied"}, ConfirmOnly: true},
		{Text: "Error releasing layer", Also: []string{"DestroyLayer", "being used by another process"}, ConfirmOnly: true},
	},
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		node := evidence.Node.In(s)
		pressure, ok := node.Condition("DiskPressure")
		if !ok {
			return nil, checks.Unknown(evidence.NotShown.Gap("the Node's DiskPressure condition"))
		}
		leftovers, first, listed := 0, "", false
		for _, r := range evidence.FileIndex.In(s) {
			p := strings.ToLower(evidence.CleanWinPath(r.Path))
			listed = listed || r.Outcome == "too-large" && strings.Contains(p+`\`, `\snapshots\`)
			if r.Outcome != evidence.Absent && strings.Contains(p, `\snapshots\rm-`) &&
				!strings.Contains(p[strings.Index(p, `\snapshots\rm-`)+len(`\snapshots\`):], `\`) {
				if leftovers++; first == "" {
					first = r.Path
				}
			}
		}
		told := failedRemovals(s)
		var f *checks.Finding
		switch full := pressure.Status == "True"; {
		case full && leftovers > 0:
			f = checks.Findingf(checks.Fail, "DiskPressure",
				"node has DiskPressure: %d removed image layers are still on the disk",
				leftovers)
		case full && told:
			f = checks.Findingf(checks.Fail, "DiskPressure",
				"node has DiskPressure: removed layers keep their space")
		case full && !listed:
			return nil, checks.Unknown(evidence.NotShown.Gap("which image layers are on the disk"))
		case full:
			return nil, nil // something else fills it: disk-full
		case leftovers > removalsInProgress:
			f = checks.Findingf(checks.Warn, "snapshots",
				"%d removed image layers are still on the disk and will fill it", leftovers)
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
		f = nearlyFull(s, f)
		return []*checks.Finding{f}, nil
	},
})

// failedRemovals tells whether a log speaks of removals that fail, and not of old ones.
func failedRemovals(s evidence.Snapshot) bool {
	for _, m := range s.Signs("disk-pressure-snapshot-leak") {
		if m.Over == "" {
			return true
		}
	}
	return false
}

const (
	layersStay      = "docker cannot remove the layers of ended containers"
	imageLayersStay = "docker cannot remove the layers of a removed image"
)
