package faults

import (
	"regexp"
	"strconv"
	"strings"

	"doctor/checks"
	"doctor/checks/evidence"
)

// diskStrain is the share of free space, in percent, below which the kubelet evicts by default.
const diskStrain = 10

var _ = register(&checks.Check{
	ID:       "disk-full",
	Title:    "Disk of the node is full",
	Healthy:  "Disk of the node has free space",
	Category: checks.CategoryStorage,
	Doc: `When less than 10 % of the disk is free, the kubelet reports DiskPressure, removes unused
containers and images, and evicts pods. "Only found 0 bytes eligible to free" says that every image is in
use: something else fills the disk. Often it is what containers write into their own layer or into emptyDir
volumes, logs, dumps, or too many large images. On a full disk programs fail to write, containers end, also
with exit code 0xC000013A (3221225786, -1073741510), and new pods do not start.

The check reads DiskPressure from the Node and looks for evictions and failed writes of the kubelet. Layers
that stay on the disk although they were removed are the subject of disk-pressure-snapshot-leak.`,
	Fix: fullDiskFix,
	Links: []string{
		"https://kubernetes.io/docs/concepts/scheduling-eviction/node-pressure-eviction/",
		"https://kubernetes.io/docs/concepts/configuration/manage-resources-containers/#local-ephemeral-storage",
		"https://github.com/kubernetes/kubernetes/issues/103032",
		"https://github.com/kubernetes/kubernetes/issues/83038",
	},
	Breaks:   []*checks.Effect{effectPodStart, effectContainers},
	Explains: []string{"node-under-pressure"},
	Needs:    []evidence.Need{evidence.Node},
	FromPart: []evidence.Need{evidence.Node},
	Uses:     []evidence.Need{evidence.Disks, evidence.PodEvents},
	Signs: []checks.Sign{
		// All images may be in use, and something else fills the disk. The second wording is of
		// Kubernetes 1.27 and later: pkg/kubelet/images.
		{Text: "failed to garbage collect required amount of images",
			Also: []string{"freed 0 bytes"}, Level: checks.Warn, Says: imagesFreeNothing},
		{Text: "only found 0 bytes eligible to free", Level: checks.Warn, Says: imagesFreeNothing},
		// Kubernetes 1.35
		{Text: "Failed to free sufficient space by deleting unused images (freed 0 bytes)",
			Level: checks.Warn, Says: imagesFreeNothing},
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
		switch {
		case !ok:
			return nil, checks.Unknown(evidence.NotShown.Gap("the Node's DiskPressure condition"))
		case pressure.Status == "False":
			return nil, nil
		case pressure.Status != "True":
			return nil, checks.Unknown(
				evidence.NotShown.Gap("the disk as it is now: the kubelet has stopped reporting"))
		}
		f := checks.Findingf(checks.Fail, "DiskPressure", "node has DiskPressure: its disk is full")
		if writer, by := evictedOver(s); writer.Format != "" {
			f = checks.Findingf(checks.Fail, "DiskPressure", "node has DiskPressure: its disk is full (%s)", writer).With(by)
		}
		return []*checks.Finding{nearlyFull(s, f.At(node.ConditionField("DiskPressure", "status"),
			"status.conditions: DiskPressure is %s: %s", pressure.Status, pressure.Message))}, nil
	},
})

// usedDisk is how the kubelet tells what a container had written when its pod was evicted, its log included:
// pkg/kubelet/eviction/helpers.go. The second wording is that of 1.24 and before.
var usedDisk = regexp.MustCompile(`Container (\S+) was using (\d+)([KMG]?)i?, (?:request is|which exceeds)`)

var binaryUnits = map[string]int{"K": 10, "M": 20, "G": 30}

// evictedOver names the container that had written most when the kubelet evicted its pod in the last day.
func evictedOver(s evidence.Snapshot) (writer evidence.Phrase, by evidence.Because) {
	most := int64(leastNamed)
	for _, e := range evidence.PodEvents.In(s) {
		if e.Reason != "Evicted" || !strings.Contains(e.Text(), "ephemeral-storage") || s.Now().Sub(e.At().Time) > checks.LongAgo {
			continue
		}
		for _, m := range usedDisk.FindAllStringSubmatch(e.Text(), -1) {
			unit := binaryUnits[m[3]]
			if n, err := strconv.ParseInt(m[2], 10, 62-unit); err == nil && n<<unit > most {
				most = n << unit
				pod := e.About().Namespace + "/" + e.About().Name
				writer = evidence.Phrasef("container %s of %s used %s, with its log", m[1], pod, gib(most))
				by = e.Field().Because("%s %s: %s", e.Reason, pod, e.Text())
			}
		}
	}
	return writer, by
}

// leastNamed is what a container must have written to be worth a name.
const leastNamed = 1 << 30

// nearlyFull adds the drives that have little space.
func nearlyFull(s evidence.Snapshot, f *checks.Finding) *checks.Finding {
	for _, d := range evidence.Disks.In(s) {
		if d.TotalBytes > 0 && float64(d.FreeBytes)/float64(d.TotalBytes)*100 < diskStrain {
			f = f.At(d.Field("freeBytes"), "%s has %s free of %s", d.Drive, gib(d.FreeBytes), gib(d.TotalBytes))
		}
	}
	return f
}

const imagesFreeNothing = "the kubelet needs disk space, but removing images frees none"

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
