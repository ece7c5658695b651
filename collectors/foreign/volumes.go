package foreign

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"doctor/checks/evidence"
)

type disk struct {
	Drive      string `json:"drive"`
	TotalBytes int64  `json:"totalBytes"`
	FreeBytes  int64  `json:"freeBytes"`
}

var (
	// Get-PSDrive: Name, Used (GB), Free (GB), Provider, Root. A drive without a
	// disk in it has no sizes.
	driveRow = regexp.MustCompile(`(?m)^([A-Z])\s+(\d[\d.,' \x{a0}\x{202f}]*[.,]\d\d)\s+(\d[\d.,' \x{a0}\x{202f}]*[.,]\d\d)\s+FileSystem\s+([A-Z]:)\\`)
	// wmic logicaldisk get size,freespace,caption: the columns are in the order of the alphabet.
	wmicDriveRow = regexp.MustCompile(`(?m)^([A-Z]:)\s+(\d+)\s+(\d+)\s*$`)
)

// readDrives takes the bytes of wmic where Windows still has it, and otherwise
// the hundredths of a gigabyte of Get-PSDrive.
func readDrives(texts ...text) (any, evidence.Gap) {
	list := []disk{}
	add := func(d disk) {
		if d.TotalBytes > 0 && d.FreeBytes <= d.TotalBytes && !slices.ContainsFunc(list, func(have disk) bool { return have.Drive == d.Drive }) {
			list = append(list, d)
		}
	}
	for _, t := range texts {
		for _, m := range wmicDriveRow.FindAllStringSubmatch(t.content, maxObjects) {
			free, _ := strconv.ParseInt(m[2], 10, 64)
			total, _ := strconv.ParseInt(m[3], 10, 64)
			add(disk{m[1], total, free})
		}
	}
	for _, t := range texts {
		for _, m := range driveRow.FindAllStringSubmatch(t.content, maxObjects) {
			used, free := hundredths(m[2]), hundredths(m[3])
			add(disk{m[4], used + free, free})
		}
	}
	if len(list) > 0 {
		return list, ""
	}
	for _, t := range texts {
		if t.gap == "" {
			return nil, gapf(evidence.Error, "%s shows no drive and its size; it begins with: %s", t.name, clip(firstLine(t.content)))
		}
	}
	return nil, texts[0].gap
}

// hundredths reads gigabytes, "1,234.56": two digits behind the last separator, whichever it is.
func hundredths(s string) int64 {
	digits := strings.Map(func(r rune) rune {
		if r < '0' || r > '9' {
			return -1
		}
		return r
	}, s)
	n, err := strconv.ParseInt(digits, 10, 44)
	if err != nil {
		return 0
	}
	return n * (1 << 30) / 100
}

// memory is memory.json. That there is no page file shows in the commit limit,
// which is then the memory; of one that there is neither size nor manager is told.
type memory struct {
	TotalBytes       int64      `json:"totalBytes"`
	AvailableBytes   int64      `json:"availableBytes,omitempty"`
	CommitLimitBytes int64      `json:"commitLimitBytes,omitempty"`
	CommitUsedBytes  int64      `json:"commitUsedBytes,omitempty"`
	PageFiles        []struct{} `json:"pageFiles,omitzero"`
}

func (si systeminfo) memory() (any, bool) {
	if si.totalMemory == 0 {
		return nil, false
	}
	m := memory{TotalBytes: si.totalMemory, AvailableBytes: si.freeMemory, CommitLimitBytes: si.commitLimit, CommitUsedBytes: si.commitUsed}
	if si.commitLimit == si.totalMemory && !si.pageFile {
		m.PageFiles = []struct{}{}
	}
	return m, true
}
