package main

import (
	"errors"
	"fmt"

	"doctor/cmd/doctor/internal/session"
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
	nodes, err := foreign.Search(archive)
	if err != nil {
		return trouble(fmt.Errorf("%s: %w", f.From, err))
	}
	if err := foreign.WriteNodes(std.out, nodes); err != nil {
		return trouble(err)
	}
	return nil
}
