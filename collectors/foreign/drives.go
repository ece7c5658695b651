package foreign

import (
	"math"
	"regexp"
	"strconv"
	"strings"

	"doctor/checks/evidence"
)

var (
	// A row of Get-PSDrive: name, used and free in GB, provider, root.
	psDriveRow = regexp.MustCompile(
		`(?m)^([A-Z]) +([\d.,\x{a0}\x{202f} ]*\d) +([\d.,\x{a0}\x{202f} ]*\d) +FileSystem +[A-Z]:\\`)
	// The list of the logical disks, as `Select-Object` of five properties prints it.
	diskProperty = regexp.MustCompile(`(?m)^(Size\(GB\)|Free Space\(GB\)|DeviceID) +: (.*?) *$`)
)

// readPSDrives makes disks.json of Get-PSDrive. It rounds to 10 MB; a drive whose
// size it does not show (an empty DVD drive) is left out.
func readPSDrives(t textFile) (any, evidence.Gap) {
	if t.gap.Kind != "" {
		return nil, t.gap
	}
	list := []evidence.Disk{}
	for _, m := range psDriveRow.FindAllStringSubmatch(t.content, 26) {
		used, ok1 := gigabytes(m[2])
		free, ok2 := gigabytes(m[3])
		if ok1 && ok2 && used+free > 0 {
			list = append(list, evidence.Disk{Drive: m[1] + ":", TotalBytes: used + free,
				FreeBytes: free})
		}
	}
	if len(list) == 0 {
		return nil, gapf(evidence.Error, "%s shows no drive; it begins with: %s", t.name,
			clip(firstLine(t.content)))
	}
	return list, evidence.Gap{}
}

// readDiskUsage makes disks.json of the list of logical disks.
func readDiskUsage(t textFile) (any, evidence.Gap) {
	if t.gap.Kind != "" {
		return nil, t.gap
	}
	list := []evidence.Disk{}
	var d evidence.Disk
	seen := 0
	for _, m := range diskProperty.FindAllStringSubmatch(t.content, 3*maxFields) {
		bytes, ok := gigabytes(m[2])
		switch {
		case m[1] == "Size(GB)" && ok:
			d, seen = evidence.Disk{TotalBytes: bytes}, 1
		case m[1] == "Free Space(GB)" && ok && seen == 1:
			d.FreeBytes, seen = bytes, 2
		case m[1] == "DeviceID" && seen == 2 && d.FreeBytes <= d.TotalBytes:
			d.Drive, seen = m[2], 0
			list = append(list, d)
		default:
			seen = 0
		}
	}
	if len(list) == 0 {
		return nil, gapf(evidence.Error, "%s shows no disk; it begins with: %s", t.name,
			clip(firstLine(t.content)))
	}
	return list, evidence.Gap{}
}

// gigabytes reads a number of GB that is written in any language: the last mark
// parts the fraction, except where three digits and no other mark make it one of
// thousands, which drives of that size do not need.
func gigabytes(s string) (int64, bool) {
	s = strings.NewReplacer(" ", "", "\u00a0", "", "\u202f", "").Replace(s)
	if at := strings.LastIndexAny(s, ".,"); at >= 0 {
		whole := strings.NewReplacer(".", "", ",", "").Replace(s[:at])
		s = whole + "." + s[at+1:]
	}
	n, err := strconv.ParseFloat(s, 64)
	if err != nil || n < 0 || n > 1<<20 {
		return 0, false
	}
	return int64(math.Round(n * (1 << 30))), true
}

// Handles, NPM(K), PM(K), WS(K), CPU(s) where it is known, Id, SI, ProcessName.
var processRow = regexp.MustCompile(
	`(?m)^ *\d+ +\d+ +\d+ +(\d+) +(?:[\d.,\x{a0}\x{202f}]*[.,]\d\d +)?(\d+) +\d+ +(\S.*?) *$`)

// enoughProcesses is how many a whole list has at the very least.
const enoughProcesses = 15

// readProcessTable makes processes.json of Get-Process.
func readProcessTable(t textFile) (any, evidence.Gap) {
	if t.gap.Kind != "" {
		return nil, t.gap
	}
	list := []evidence.Process{}
	for _, m := range processRow.FindAllStringSubmatch(t.content, maxObjects) {
		list = append(list, evidence.Process{PID: number(m[2]), Name: m[3],
			WorkingSetBytes: int64(number(m[1])) << 10})
	}
	if len(list) < enoughProcesses {
		return nil, gapf(evidence.NotCollected,
			"%s lists %d processes, too few for all that run; %s", t.name, len(list), runBundle)
	}
	return list, evidence.Gap{}
}
