package main

import (
	"errors"
	"fmt"

	"doctor/checks/evidence"
	"doctor/cmd/doctor/internal/session"
	"doctor/collectors/fleet"
	"doctor/collectors/foreign"
)

// listRecorded prints the recorded nodes of an archive or folder.
func listRecorded(std streams, f flags) error {
	f.Node = ""
	if err := f.validate(); err != nil {
		return err
	}
	if f.output != "" && f.output != "text" {
		return errors.New("the list of recorded nodes is written as text")
	}
	if f.file != "" {
		return errors.New(
			"the list of nodes is written to standard output; leave --output-file out")
	}
	archive, err := session.OpenArchive(f.Options)
	if err != nil {
		return trouble(err)
	}
	defer archive.Close()
	search := foreign.Search
	if fleet.IsRecording(archive.FS()) {
		search = recordedNodes
	}
	nodes, err := search(archive)
	if err != nil {
		return trouble(fmt.Errorf("%s: %w", f.From, err))
	}
	return trouble(foreign.WriteNodes(std.out, nodes))
}

// recordedNodes are the nodes of a recorded fleet as the list of recorded nodes has them.
func recordedNodes(archive foreign.Parcel) ([]foreign.Node, error) {
	f, err := fleet.Open(archive.FS())
	if err != nil {
		return nil, err
	}
	var nodes []foreign.Node
	for _, name := range f.Names() {
		nodes = append(nodes, foreign.Node{Format: evidence.Layout, Root: "nodes/" + name,
			Name: name})
	}
	return nodes, nil
}
