package session

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/collectors/bundle"
	"doctor/collectors/fleet"
	"doctor/collectors/foreign"
	"doctor/collectors/redact"
	"doctor/fixtures"
)

// A Source is opened evidence with where it came from.
type Source struct {
	Snapshot   evidence.Snapshot
	Origin     checks.Source
	Notes      []string                 // what was left out of an archive, and why
	unsearched []evidence.UnsearchedLog // by whoever read the node
	secrets    *redact.Redactor         // that it passed when the node was read; nil: none
	close      func() error
}

// Close closes the archive that the evidence is in. The Snapshot cannot be read afterwards.
func (s Source) Close() error {
	if s.close == nil {
		return nil
	}
	return s.close()
}

// Open opens the recording that the options name.
func Open(o Options) (Source, error) {
	if o.Demo != "" {
		return openDemo(o.Demo)
	}
	return openPath(o)
}

// OpenArchive opens the recording that the options name, or what standard input holds.
func OpenArchive(o Options) (*bundle.Archive, error) {
	if o.From == StandardInput && o.In != nil {
		return bundle.Read(o.In, pastedName)
	}
	return bundle.Open(o.From)
}

// pastedName is what a text from standard input is called among the evidence.
const pastedName = "pasted.txt"

func openDemo(name string) (Source, error) {
	r, err := fixtures.Open(name)
	if err != nil {
		return Source{}, err
	}
	s, err := evidence.Load(r.FS())
	if err != nil {
		return Source{}, err
	}
	return Source{Snapshot: s, Origin: checks.Source{Kind: "demo", Name: name,
		Format: evidence.Layout}}, nil
}

// openPath opens the recorded node of that name, or the only one without a name.
func openPath(o Options) (Source, error) {
	path := o.From
	archive, err := OpenArchive(o)
	if err != nil {
		return Source{}, err
	}
	if path == StandardInput {
		path = "standard input"
	}
	if fleet.IsRecording(archive.FS()) {
		if o.Node == "" {
			return Source{}, &FleetRecording{archive, path, o.nodeBy("NAME")}
		}
		src, err := openOfFleet(archive, path, o.Node)
		if err != nil {
			archive.Close()
			return Source{}, fmt.Errorf("%s: %w", path, err)
		}
		src.close = archive.Close
		return src, nil
	}
	src, err := openNode(archive, path, o)
	if err != nil {
		refused := archive.Refused()
		archive.Close()
		var which *foreign.WhichError
		switch {
		case errors.As(err, &which):
			which.By = o.nodeBy("NAME") + " or " + o.nodeBy("PLACE")
			return Source{}, fmt.Errorf("%s: %w", path, err)
		case len(refused) > 0:
			err = fmt.Errorf("%w (left out %s: %s)", err, refused[0].Name, refused[0].Reason)
		}
		return Source{}, fmt.Errorf("%s: %w", path, err)
	}
	src.close = archive.Close
	src.Notes = append(src.Notes, leftOut(path, archive.Refused())...)
	return src, nil
}

const maxNotes = 5

func leftOut(path string, refused []bundle.Refusal) []string {
	var notes []string
	for i, r := range refused {
		if i == maxNotes {
			return append(notes, fmt.Sprintf("%s: and %d more entries left out", path,
				len(refused)-i))
		}
		notes = append(notes, fmt.Sprintf("%s: left out %s: %s", path, r.Name, r.Reason))
	}
	return notes
}

// openNode finds the recorded node in the archive, whoever recorded it.
func openNode(archive *bundle.Archive, path string, o Options) (Source, error) {
	nodes, err := foreign.Search(archive)
	if err != nil {
		return Source{}, err
	}
	node, tree, note, err := chosen(archive.FS(), nodes, o)
	if err != nil {
		return Source{}, err
	}
	s, err := evidence.Load(tree)
	if err != nil {
		return Source{}, err
	}
	kind := kindOf(path)
	if node.Format != evidence.Layout {
		kind = "foreign"
	}
	src := Source{Snapshot: s, Origin: checks.Source{Kind: kind, Name: filepath.Base(path),
		Format: node.Format}}
	if note != "" {
		src.Notes = []string{note}
	}
	return src, nil
}

// chosen is the node of that name, or the only one, with its evidence. Of several recordings of
// one node it is the last.
func chosen(fsys fs.FS, nodes []foreign.Node, o Options) (foreign.Node, fs.FS, string, error) {
	name := o.Node
	if n, ok := strings.CutPrefix(name, "#"); ok { // the place in the list
		if i, err := strconv.Atoi(n); err == nil && i > 0 && i <= len(nodes) {
			tree, err := nodes[i-1].Evidence(fsys)
			return nodes[i-1], tree, "", err
		}
		return foreign.Node{}, nil, "", fmt.Errorf("there are %d recorded nodes, and no number %s", len(nodes), n)
	}
	node, err := foreign.Choose(nodes, name)
	var which *foreign.WhichError
	if errors.As(err, &which) && (name == "" || strings.EqualFold(which.Nodes[0].Name, name)) {
		if latest, tree, ok := foreign.Latest(fsys, which.Nodes); ok {
			return latest, tree, fmt.Sprintf(
				"%d recordings of %s: the last one is diagnosed (%s), and the timeline has the others; %s selects another",
				len(which.Nodes), latest.Name, latest.Root, o.nodeBy("PLACE")), nil
		}
	}
	if err != nil {
		return node, nil, "", err
	}
	tree, err := node.Evidence(fsys)
	return node, tree, "", err
}

// IsFolder tells whether there is a folder at the path.
func IsFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}
