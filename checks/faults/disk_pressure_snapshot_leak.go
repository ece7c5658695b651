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
removals from the logs. Where the disk is full without either, something else fills it, and the
finding says so. The size of the snapshots folder in Explorer counts hard links several times and is
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
	Breaks: []*checks.Effect{effectPodStart},
	Needs:  []evidence.Need{evidence.Node},
	Uses:   []evidence.Need{evidence.Disks, evidence.FileIndex},
	Signs: []checks.Sign{
		{Text: "snapshot garbage collection failed", Also: []string{"second rename attempt"},
			Says: "containerd cannot remove the layers of ended containers"},
		// The next collection succeeds where a scanner had the layer open.
		{Text: "snapshot garbage collection failed", Also: []string{"rename"},
			Not: []string{"second rename attempt"}, Level: checks.Warn,
			Says: "containerd cannot remove the layers of ended containers"},
		// All images may be in use, and something else fills the disk. The second wording is of
		// Kubernetes 1.27 and later: pkg/kubelet/images.
		{Text: "failed to garbage collect required amount of images",
			Also: []string{"freed 0 bytes"}, Level: checks.Warn, Says: imagesFreeNothing},
		{Text: "only found 0 bytes eligible to free", Level: checks.Warn, Says: imagesFreeNothing},
		// Kubernetes 1.35
		{Text: "Failed to free sufficient space by deleting unused images (freed 0 bytes)",
			Level: checks.Warn, Says: imagesFreeNothing},
		// Docker keeps these layers, too; what they mean on their own says docker-layer-in-use.
		{Text: "failed to remove root filesystem", Also: []string{"windowsfilter", "denied"}, ConfirmOnly: true},
		{Text: "Error releasing layer", Also: []string{"DestroyLayer", "denied"}, ConfirmOnly: true},
		{Text: "Error releasing layer", Also: []string{"DestroyLayer", "being used by another process"}, ConfirmOnly: true},
		{Text: "Attempting to reclaim ephemeral-storage", ConfirmOnly: true},
		// pkg/kubelet/eviction/helpers.go
		{Text: "The node was low on resource: ephemeral-storage",
			Or: []string{"The node had condition: [DiskPressure]"}, Level: checks.Warn,
			Says: "the kubelet evicts pods: the disk of the node is almost full",
			Fix:  fullDiskFix},
		// pkg/kubelet/kubelet.go, pkg/volume
		{Text: "There is not enough space on the disk", Also: []string{"Unable to make pod data directories"},
			Level: checks.Warn, Says: "the kubelet cannot write: a disk of the node is full", Fix: fullDiskFix},
		{Text: "There is not enough space on the disk", Also: []string{"MountVolume.SetUp failed"},
			Level: checks.Warn, Says: "the kubelet cannot write: a disk of the node is full", Fix: fullDiskFix},
	},
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
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
		var f *checks.Finding
		switch full := pressure.Status == "True"; {
		case full && leftovers > 0:
			f = checks.Findingf(checks.Fail, "DiskPressure",
				"node has DiskPressure: %d removed image layers are still on the disk",
				leftovers)
		case full && told:
			f = checks.Findingf(checks.Fail, "DiskPressure",
				"node has DiskPressure: removing layers and images frees no space")
		case full:
			f = checks.Findingf(checks.Fail, "DiskPressure",
				"node has DiskPressure (what fills the disk was not collected)")
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
		for _, d := range evidence.Disks.In(s) {
			if d.TotalBytes > 0 && float64(d.FreeBytes)/float64(d.TotalBytes)*100 < diskStrain {
				f = f.At(d.Field("freeBytes"), "%s has %s free of %s", d.Drive, gib(d.FreeBytes),
					gib(d.TotalBytes))
			}
		}
		return []*checks.Finding{f}, nil
	},
})

// failedRemovals tells whether a log speaks of removals that fail, and not of old ones.
func failedRemovals(s evidence.Snapshot) bool {
	for _, m := range s.Signs("disk-pressure-snapshot-leak") {
		if m.Over == "" && !strings.HasPrefix(m.Text, "Attempting") && !strings.HasPrefix(m.Text, "The node") {
			return true
		}
	}
	return false
}

const (
	imagesFreeNothing = "the kubelet needs disk space, but removing images frees none"
	layersStay        = "docker cannot remove the layers of ended containers"
	imageLayersStay   = "docker cannot remove the layers of a removed image"
)

var fullDiskFix = checks.Steps(
	checks.Inspect("Get-Volume | Format-Table DriveLetter, Size, SizeRemaining",
		"Read how much space is left on the drives."),
	checks.Inspect(`Get-ChildItem C:\ProgramData\{runtime}, C:\var\log, C:\k -Recurse -File -ErrorAction SilentlyContinue | Sort-Object Length | Select-Object -Last 20 FullName, Length`,
		"Find the largest files of the runtime and of the logs."),
	checks.Run("crictl rmi --prune", "Remove images that no container uses.").
		Costs("Pods that need a removed image pull it again."),
	checks.Do("Set requests and limits of ephemeral-storage for the pods that write most: the kubelet evicts those over their requests first.").
		Costs("The pods of the workload are recreated."),
	checks.Do("If that is not enough, enlarge the disk of the node."),
	checks.Verify("kubectl get node {node} -o jsonpath=\"{.status.conditions[?(@.type=='DiskPressure')].status}\"",
		"False"))
