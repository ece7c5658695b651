package foreign

import (
	"io/fs"
	"slices"
	"strings"

	"doctor/checks/evidence"
	"doctor/collectors/tree"
)

// beside fills the gaps of a tool's recording with what is around it, read file by file, where it is the
// only node of the tree: people add logs and outputs to what the tool collected. taken tells the files
// that the tool's reader knows. Files of another node are left out.
func (o *output) beside(fsys fs.FS, n Node, taken func(file string) bool) {
	nodes, err := Find(fsys)
	if err != nil || len(nodes) != 1 {
		return
	}
	files := slices.DeleteFunc(scanPieces(fsys), func(f looseFile) bool { return taken(f.path) })
	if len(files) == 0 {
		return
	}
	names, _ := readPieces(fsys, files, readNames).nodeNames()
	if len(names) > 0 && !slices.ContainsFunc(names, func(name string) bool { return strings.EqualFold(name, n.Name) }) {
		return
	}
	more := &output{tree.New()}
	if convertPieces(fsys, Node{formatPieces, ".", n.Name}, files, more) != nil {
		return
	}
	had := map[string]bool{}
	lacks := func(name string) bool { // what it has is the tool's own
		whole := strings.Replace(strings.TrimSuffix(name, ".gap"), "-part.json", ".json", 1)
		if _, known := had[whole]; !known {
			had[whole] = o.HasFile(whole) || whole == "meta.json" || strings.HasPrefix(whole, originals+"/") ||
				!more.HasFile(whole) && !more.HasFile(evidence.PartOf(whole))
		}
		return !had[whole]
	}
	fs.WalkDir(more.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && lacks(name) {
			o.Remove(name)
		}
		return nil
	})
	o.Keep(more.Tree, func(name string) bool { return !lacks(name) })
}
