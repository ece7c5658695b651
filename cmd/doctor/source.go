package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/collectors/bundle"
	"doctor/collectors/foreign"
	"doctor/collectors/redact"
	"doctor/fixtures"
)

// source is opened evidence with where it came from.
type source struct {
	snapshot   evidence.Snapshot
	origin     checks.Source
	notes      []string                 // what was left out of an archive, and why
	unsearched []evidence.UnsearchedLog // by whoever read the node
	secrets    *redact.Redactor         // that it passed when the node was read; nil: none
	close      func() error
}

func (s source) Close() error {
	if s.close == nil {
		return nil
	}
	return s.close()
}

func (f flags) open() (source, error) {
	if f.demo != "" {
		return openDemo(f.demo)
	}
	return openPath(f.from, f.node)
}

func openDemo(name string) (source, error) {
	r, err := fixtures.Open(name)
	if err != nil {
		return source{}, err
	}
	s, err := evidence.Load(r.FS())
	if err != nil {
		return source{}, trouble(err)
	}
	return source{snapshot: s, origin: checks.Source{Kind: "demo", Name: name, Format: evidence.Layout}}, nil
}

// openPath opens the recorded node of that name, or the only one without a name.
func openPath(path, node string) (source, error) {
	archive, err := bundle.Open(path)
	if err != nil {
		return source{}, trouble(err)
	}
	src, err := openNode(archive, path, node)
	if err != nil {
		refused := archive.Refused()
		archive.Close()
		switch {
		case errors.Is(err, foreign.ErrWhich):
			return source{}, fmt.Errorf("%s: %w", path, err)
		case len(refused) > 0:
			err = fmt.Errorf("%w (left out %s: %s)", err, refused[0].Name, refused[0].Reason)
		}
		return source{}, trouble(fmt.Errorf("%s: %w", path, err))
	}
	src.close = archive.Close
	src.notes = leftOut(path, archive.Refused())
	return src, nil
}

const maxNotes = 5

func leftOut(path string, refused []bundle.Refusal) []string {
	var notes []string
	for i, r := range refused {
		if i == maxNotes {
			return append(notes, fmt.Sprintf("%s: and %d more entries left out", path, len(refused)-i))
		}
		notes = append(notes, fmt.Sprintf("%s: left out %s: %s", path, r.Name, r.Reason))
	}
	return notes
}

// openNode finds the recorded node in the archive, whoever recorded it.
func openNode(archive *bundle.Archive, path, name string) (source, error) {
	nodes, err := foreign.Search(archive)
	if err != nil {
		return source{}, err
	}
	node, err := foreign.Choose(nodes, name)
	if err != nil {
		return source{}, err
	}
	tree, err := node.Evidence(archive.FS())
	if err != nil {
		return source{}, err
	}
	s, err := evidence.Load(tree)
	if err != nil {
		return source{}, err
	}
	kind := "directory"
	switch {
	case node.Format != evidence.Layout:
		kind = "foreign"
	case !isFolder(path):
		kind = "bundle"
	}
	return source{snapshot: s, origin: checks.Source{Kind: kind, Name: filepath.Base(path), Format: node.Format}}, nil
}

// listRecorded prints the recorded nodes of an archive or folder.
func listRecorded(std streams, f flags) error {
	f.node = ""
	if err := f.validate(); err != nil {
		return err
	}
	if f.output != "" && f.output != "text" {
		return errors.New("the list of recorded nodes is written as text")
	}
	archive, err := bundle.Open(f.from)
	if err != nil {
		return trouble(err)
	}
	defer archive.Close()
	nodes, err := foreign.Search(archive)
	if err != nil {
		return trouble(fmt.Errorf("%s: %w", f.from, err))
	}
	if err := foreign.WriteNodes(std.out, nodes); err != nil {
		return trouble(err)
	}
	return nil
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}
