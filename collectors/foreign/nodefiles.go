package foreign

import (
	"io/fs"
	"path"
	"slices"
	"strings"

	"doctor/checks/evidence"
)

// copied gives a file of the recording the place that it was copied from.
func (c *copies) copied(src *source, file, windowsPath string) {
	stored, ok := src.names.files[strings.ToLower(file)]
	if !ok || strings.ContainsAny(windowsPath, "\x00\n\r") {
		return
	}
	name := evidence.EvidencePath(windowsPath)
	if !fs.ValidPath(name) || c.out.Has(name) {
		return
	}
	info, err := fs.Stat(src.fsys, path.Join(src.root, stored))
	if err != nil {
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
