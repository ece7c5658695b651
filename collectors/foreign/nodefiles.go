package foreign

import (
	"io/fs"
	"path"
	"slices"
	"strings"

	"doctor/checks/evidence"
)

// nodeFiles are copies of the node's files that a recording holds. Other tools do not report what
// they looked for and did not find, so nothing here is absent.
type nodeFiles struct {
	out  *output
	list []evidence.FileRecord
}

// copied gives a file of the recording the place that it was copied from.
func (n *nodeFiles) copied(src *source, file, windowsPath string) {
	stored, ok := src.names.files[strings.ToLower(file)]
	if !ok || strings.ContainsAny(windowsPath, "\x00\n\r") {
		return
	}
	name := evidence.EvidencePath(windowsPath)
	if !fs.ValidPath(name) || n.out.Has(name) {
		return
	}
	info, err := fs.Stat(src.fsys, path.Join(src.root, stored))
	if err != nil {
		return
	}
	n.out.place(name, src, file)
	n.list = append(n.list, copiedFile(windowsPath, info))
}

// Bounds on a folder that was copied whole.
const (
	maxCopiedDepth = 4
	maxCopiedFiles = 1_000
)

// folder gives all files of a folder of the recording, and of those in it, their places.
func (n *nodeFiles) folder(src *source, windowsPath string) {
	n.below(src, windowsPath, maxCopiedDepth)
}

func (n *nodeFiles) below(src *source, windowsPath string, depth int) {
	for _, name := range sortedValues(src.names.files) {
		if len(n.list) < maxCopiedFiles {
			n.copied(src, name, windowsPath+`\`+name)
		}
	}
	if depth == 0 {
		return
	}
	for _, name := range slices.Sorted(slices.Values(src.names.folders)) {
		n.below(src.folder(name), windowsPath+`\`+name, depth-1)
	}
}

// write makes files.json, or the gap where no file was copied.
func (n *nodeFiles) write(why evidence.Gap) {
	if len(n.list) == 0 {
		n.out.Gap(evidence.FileIndex.Path(), why)
		return
	}
	n.out.JSON(evidence.FileIndex.Path(), n.list)
}
