package foreign

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"doctor/checks/evidence"
)

var (
	// Get-PSDrive: Name, Used (GB), Free (GB), Provider, Root. A drive without a
	// disk in it has no sizes.
	driveRow = regexp.MustCompile(
		`(?m)^([A-Z])\s+(\d[\d.,' \x{a0}\x{202f}]*[.,]\d\d)\s+(\d[\d.,' \x{a0}\x{202f}]*[.,]\d\d)\s+FileSystem\s+([A-Z]:)\\`)
	// wmic logicaldisk get size,freespace,caption: the columns are in the order of the alphabet.
	wmicDriveRow = regexp.MustCompile(`(?m)^([A-Z]:)\s+(\d+)\s+(\d+)\s*$`)
)

// readDrives takes the bytes of wmic where Windows still has it, and otherwise
// the hundredths of a gigabyte of Get-PSDrive.
func readDrives(texts ...textFile) (any, evidence.Gap) {
	list := []evidence.Disk{}
	add := func(d evidence.Disk) {
		if d.TotalBytes > 0 && d.FreeBytes <= d.TotalBytes &&
			!slices.ContainsFunc(list, func(have evidence.Disk) bool {
				return have.Drive == d.Drive
			}) {
			list = append(list, d)
		}
	}
	for _, t := range texts {
		for _, m := range wmicDriveRow.FindAllStringSubmatch(t.content, maxObjects) {
			free, _ := strconv.ParseInt(m[2], 10, 64)
			total, _ := strconv.ParseInt(m[3], 10, 64)
			add(evidence.Disk{Drive: m[1], TotalBytes: total, FreeBytes: free})
		}
	}
	for _, t := range texts {
		for _, m := range driveRow.FindAllStringSubmatch(t.content, maxObjects) {
			used, free := hundredths(m[2]), hundredths(m[3])
			add(evidence.Disk{Drive: m[4], TotalBytes: used + free, FreeBytes: free})
		}
	}
	if len(list) > 0 {
		return list, evidence.Gap{}
	}
	for _, t := range texts {
		if t.gap.Kind == "" {
			return nil, gapf(evidence.Error, "%s shows no drive and its size; it begins with: %s",
				t.name, clip(firstLine(t.content)))
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

// memory is memory.json as far as systeminfo tells it, without the page files, which it names in
// words of its language.
func (si systeminfo) memory() evidence.Memory {
	return evidence.Memory{
		TotalBytes: si.totalMemory, AvailableBytes: si.freeMemory,
		CommitLimitBytes: si.commitLimit, CommitUsedBytes: si.commitUsed,
	}
}

// memoryAndPageFiles adds that there is no page file, which shows in the commit limit: it is then
// the memory. Of one that there is, neither size nor manager is told.
func (si systeminfo) memoryAndPageFiles() evidence.Memory {
	m := si.memory()
	if si.commitLimit == si.totalMemory && !si.pageFile {
		m.PageFiles = []evidence.PageFile{}
	}
	return m
}
