package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/collectors/bundle"
	"doctor/collectors/foreign"
	"doctor/fixtures"
)

// source is opened evidence with where it came from.
type source struct {
	snapshot evidence.Snapshot
	origin   checks.Source
	notes    []string // what was left out of an archive, and why
	close    func() error
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
	return openPath(f.from)
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

func openPath(path string) (source, error) {
	archive, err := bundle.Open(path)
	if err != nil {
		return source{}, trouble(err)
	}
	src, err := openTree(archive.FS(), path)
	if err != nil {
		if refused := archive.Refused(); len(refused) > 0 {
			err = fmt.Errorf("%w (left out %s: %s)", err, refused[0].Name, refused[0].Reason)
		}
		archive.Close()
		return source{}, trouble(fmt.Errorf("%s: %w", path, err))
	}
	src.close = archive.Close
	refused := archive.Refused()
	for i, r := range refused {
		if i == maxNotes {
			src.notes = append(src.notes, fmt.Sprintf("%s: and %d more entries left out", path, len(refused)-i))
			break
		}
		src.notes = append(src.notes, fmt.Sprintf("%s: left out %s: %s", path, r.Name, r.Reason))
	}
	return src, nil
}

const maxNotes = 5

// openTree finds the recorded node in the tree, whoever recorded it.
func openTree(fsys fs.FS, path string) (source, error) {
	nodes, err := foreign.Find(fsys)
	if err != nil {
		return source{}, err
	}
	if len(nodes) > 1 {
		var roots []string
		for _, n := range nodes {
			roots = append(roots, n.Root)
		}
		return source{}, errors.New("it holds several recorded nodes; unpack it and give doctor one of " + strings.Join(roots, ", "))
	}
	tree, err := nodes[0].Evidence(fsys)
	if err != nil {
		return source{}, err
	}
	s, err := evidence.Load(tree)
	if err != nil {
		return source{}, err
	}
	kind := "directory"
	switch {
	case nodes[0].Format != evidence.Layout:
		kind = "foreign"
	case !isFolder(path):
		kind = "bundle"
	}
	return source{snapshot: s, origin: checks.Source{Kind: kind, Name: filepath.Base(path), Format: nodes[0].Format}}, nil
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}
