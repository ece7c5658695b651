package foreign

import (
	"io/fs"
	"slices"
	"strings"

	"doctor/checks/evidence"
)

// copied gives a file of the recording the place that it was copied from.
func (c *copies) copied(src *source, file, windowsPath string) {
	name := evidence.EvidencePath(windowsPath)
	info, err := src.stat(file)
	if err != nil || strings.ContainsAny(windowsPath, "\x00\n\r") || !fs.ValidPath(name) || c.out.Has(name) {
		return
	}
	c.out.place(name, src, file)
	c.records = append(c.records, copiedFile(windowsPath, info))
}

// Bounds on a folder that was copied whole.
const (
	maxCopiedDepth = 4
	maxCopiedFiles = 1_000
)

// folder gives all files of a folder of the recording, and of those in it, their places.
func (c *copies) folder(src *source, windowsPath string) {
	c.below(src, windowsPath, maxCopiedDepth)
}

func (c *copies) below(src *source, windowsPath string, depth int) {
	for _, name := range sortedValues(src.names.files) {
		if len(c.records) < maxCopiedFiles {
			c.copied(src, name, windowsPath+`\`+name)
		}
	}
	if depth == 0 {
		return
	}
	for _, name := range slices.Sorted(slices.Values(src.names.folders)) {
		c.below(src.folder(name), windowsPath+`\`+name, depth-1)
	}
}
