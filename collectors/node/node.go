// Package node reads the Windows node that the program runs on, through
// Windows' own interfaces, and writes what they say as evidence.
//
// Files named _windows.go hold the calls and nothing else. What parses or
// decides is in the neutral file beside them, and is tested everywhere; on
// another system the calls answer errors.ErrUnsupported.
package node

import (
	"context"
	"slices"
	"time"

	"doctor/collectors"
)

// Options bound what is read.
type Options struct {
	// Windows paths that the checks ask for, besides those that the node itself names
	Files    []string
	Folders  []string      // likewise, folders whose files they read
	Since    time.Duration // how far back event logs are read
	LogBytes int64         // how much of the end of each log is read
}

// deadline is what one collector may take. All of them together, with what
// comes after another, stay below the ten seconds that a run may take.
const deadline = 3 * time.Second

// margin is what is left of it to write what was read until then.
const margin = deadline / 8

// one is a collector that answers for one path.
func one(name, path string, read func(context.Context, *collectors.Record) error,
	after ...string) collectors.Collector {
	return collectors.Collector{Name: name, Answers: []string{path}, After: after,
		Deadline: deadline, Read: read}
}

// Collectors are all that read a node.
func Collectors(o Options) []collectors.Collector {
	return slices.Concat(machineCollectors(o), networkCollectors(o), fileCollectors(o))
}
