package foreign

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"

	"doctor/checks/evidence"
	"doctor/collectors/manifest"
)

// Bounds of the search. Recordings lie a few folders deep, however often they were
// zipped again; below that lie the logs and caches of whatever else was handed over.
const (
	maxDepth   = 16
	maxFolders = 20_000
	maxNodes   = 1_000
	maxMeta    = 64 << 10
)

const layoutPrefix = "evidence/"

// errNoNode is what Find's error wraps for a tree that holds no recorded node.
var errNoNode = errors.New("no recorded node")

// Find looks through the tree for recorded nodes: doctor's own evidence trees and
// other tools' folders, at any depth, those nearest to the root first.
func Find(fsys fs.FS) ([]Node, error) {
	const historyFolder = "history" // earlier readings of the node, each a tree of its own
	var nodes []Node
	var seen sighting
	type place struct {
		dir   string
		depth int
	}
	queue := []place{{".", 0}}
	for visited := 0; visited < len(queue); visited++ {
		at := queue[visited]
		entries, err := fs.ReadDir(fsys, at.dir)
		if err != nil && at.dir == "." {
			return nil, fmt.Errorf("the tree cannot be listed: %w", err)
		}
		folder := newListing(at.dir, entries)
		seen.add(folder)
		if format := ownFormat(fsys, folder); format != "" {
			nodes = append(nodes, Node{format, at.dir, ownName(fsys, folder)})
			if slices.Contains(folder.folders, historyFolder) { // of a flight recorder
				queue = append(queue, place{path.Join(at.dir, historyFolder), at.depth})
			}
			continue // a bundle made of another tool's folder still holds that folder
		}
		inside := func(string) bool { return false }
		for _, f := range formats {
			if f.recognise(folder) {
				nodes = append(nodes, Node{f.name, at.dir, f.find(fsys, at.dir)})
				inside = f.inside
				break
			}
		}
		if len(nodes) > maxNodes {
			return nil, fmt.Errorf(
				"it holds more than %d recorded nodes; give doctor the folder of one", maxNodes)
		}
		if at.depth == maxDepth {
			continue
		}
		for _, child := range folder.folders {
			if !inside(child) && len(queue) < maxFolders {
				queue = append(queue, place{path.Join(at.dir, child), at.depth + 1})
			}
		}
	}
	if len(nodes) == 0 {
		return nil, seen.error()
	}
	return nodes, nil
}

func (f format) find(fsys fs.FS, root string) string {
	if src, err := openSource(fsys, root); err == nil {
		if name := f.nodeName(src); name != "" {
			return name
		}
	}
	return folderName(root)
}

// ownFormat returns the layout of doctor's own tree, or "". A meta.json that is
// broken but speaks of evidence is doctor's: opening it then names the broken line,
// which helps more than "no recorded node".
func ownFormat(fsys fs.FS, folder listing) string {
	meta, content := readMeta(fsys, folder)
	switch {
	case strings.HasPrefix(meta.Layout, layoutPrefix):
		return meta.Layout
	case meta.Layout == "" && strings.Contains(content, `"`+layoutPrefix):
		return evidence.Layout
	}
	return ""
}

func ownName(fsys fs.FS, folder listing) string {
	if meta, _ := readMeta(fsys, folder); meta.Node != "" {
		return evidence.Clean(meta.Node)
	}
	return folderName(folder.dir)
}

// metaHead is the part of meta.json that tells whose it is.
type metaHead struct {
	Layout string `json:"layout"`
	Node   string `json:"node"`
}

func readMeta(fsys fs.FS, folder listing) (metaHead, string) {
	var head metaHead
	stored, ok := folder.files["meta.json"]
	if !ok {
		return head, ""
	}
	content, err := readBounded(fsys, path.Join(folder.dir, stored), maxMeta)
	if err != nil {
		return head, ""
	}
	text := evidence.DecodeText(content)
	if json.Unmarshal(text, &head) != nil {
		head = metaHead{}
	}
	return head, string(text)
}

// A listing is the names in one folder, as recognise sees them.
type listing struct {
	dir     string
	files   map[string]string // lower case → as stored
	folders []string
}

func newListing(dir string, entries []fs.DirEntry) listing {
	l := listing{dir: dir, files: map[string]string{}}
	for _, e := range entries {
		name := e.Name()
		switch key := strings.ToLower(name); {
		case !fs.ValidPath(path.Join(dir, name)):
		case e.IsDir():
			l.folders = append(l.folders, name)
		case e.Type().IsRegular() && l.files[key] == "":
			l.files[key] = name
		}
	}
	return l
}

// count tells how many of the names, given in lower case, are files here.
func (l listing) count(names ...string) int {
	n := 0
	for _, name := range names {
		if l.files[name] != "" {
			n++
		}
	}
	return n
}

// A sighting is what the search came past, for the error when it found nothing.
type sighting struct {
	names []string
	files int
	meta  string // a meta.json that says nothing
}

// workloadKind is a line of a manifest that describes pods.
var workloadKind = regexp.MustCompile(
	`(?m)^ *"?kind"?: *["']?(?:Pod|Deployment|DaemonSet|StatefulSet|ReplicaSet|Job|CronJob)\b`)

const maxSeen = 6

func (s *sighting) add(l listing) {
	s.files += len(l.files)
	if name, ok := l.files["meta.json"]; ok && s.meta == "" {
		s.meta = evidence.Clean(path.Join(l.dir, name))
	}
	for _, name := range sortedValues(l.files) {
		if len(s.names) == maxSeen {
			return
		}
		s.names = append(s.names, evidence.Clean(path.Join(l.dir, name)))
	}
}

func (s *sighting) error() error {
	held := "it contains no file at all"
	if s.files == 1 && s.meta == "" && !strings.Contains(s.names[0], "/") {
		held = "it shows no log, no output of a command and no object that doctor reads"
	} else if s.files > 0 {
		held = "it holds " + strings.Join(s.names, ", ")
		if s.files > len(s.names) {
			held += fmt.Sprintf(" and %d more files", s.files-len(s.names))
		}
	}
	if s.meta != "" {
		held += "; " + s.meta + " is there, and is no JSON object with a layout"
	}
	return fmt.Errorf("%w in it: %s; `doctor explain formats` lists what doctor reads", errNoNode,
		held)
}

// A Parcel is a tree with archives in it, each of which can be opened in its place.
type Parcel interface {
	FS() fs.FS
	Nested() []string       // the archives that are not opened, by path
	Mount(path string) bool // makes one a folder of its own name
}

// Search is Find in archives within archives too. An archive in the folder of a recorded node
// belongs to it and stays closed: memory dumps and error reports come as archives, and no evidence
// lies in them. Where no folder is a recording, the files are looked at one by one.
func Search(p Parcel) ([]Node, error) {
	for {
		nodes, err := Find(p.FS())
		if err != nil && !errors.Is(err, errNoNode) {
			return nil, err
		}
		opened := false
		for _, path := range p.Nested() {
			if !belongs(path, nodes) && p.Mount(path) {
				opened = true
			}
		}
		if opened {
			continue
		}
		if err != nil {
			if loose, why := findPieces(p.FS()); len(loose) > 0 || why != nil {
				return loose, why
			}
			if len(readManifests(p.FS()).Pods) > 0 {
				return []Node{{formatManifests, ".", evidence.UnknownNode}}, nil
			}
		}
		return nodes, err
	}
}

// belongs tells whether a path lies in the recording of one of the nodes.
func belongs(path string, nodes []Node) bool {
	return slices.ContainsFunc(nodes, func(n Node) bool {
		return n.Root == "." || strings.HasPrefix(path, n.Root+"/")
	})
}

const formatManifests = "kubernetes-manifests"

// readManifests reads the manifests of a tree that holds nothing else: the pods that somebody means
// to run on Windows, of no node.
func readManifests(fsys fs.FS) manifest.Manifests {
	var m manifest.Manifests
	fs.WalkDir(fsys, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() || !fs.ValidPath(name) || !workloadKind.MatchString(headOf(fsys, name)) {
			return nil
		}
		if f, err := fsys.Open(name); err == nil {
			defer f.Close()
			m.Read(name, f) // what cannot be read of it is no manifest
		}
		if len(m.Pods) > maxNodes {
			return fs.SkipAll
		}
		return nil
	})
	return m
}
