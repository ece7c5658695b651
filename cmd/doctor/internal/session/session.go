// Package session reads a node or opens a recording, judges what it holds while
// it is read, feeds a screen with it, and packs it into a bundle. It knows
// collectors and checks, which do not know each other, and no command line.
package session

import (
	"io"
	"time"

	"doctor/checks"
	"doctor/collectors/cluster"
	"doctor/collectors/onnode"
)

// Options say which node is looked at, and how.
type Options struct {
	From, Demo string    // a recording; neither nor Node: the node that the program runs on
	In         io.Reader // what From reads where it is StandardInput
	Node       string    // behind the Kubernetes API; with From, of a recording of several
	// how the user names Node, for errors: #NAME behind the path; nil: --node NAME
	NodeBy     func(name string) string
	Cluster    cluster.Options
	Timeout    time.Duration // for reading the node
	Since      time.Duration // how far back logs are read
	Passive    bool          // send no probes
	Targets    []string      // to probe, in place of OutsideTarget
	FromPod    string        // NAMESPACE/NAME of a pod to probe from
	OnNode     bool          // read Node from inside too, by a pod of Pods
	Pods       onnode.Options
	WithoutAPI bool // read this node alone: whoever asked has the cluster's view
	Program    checks.Program
	Tell       func(what string) // says something beside the result; nil says nothing
}

// nodeBy says how the user selects a recorded node of this name.
func (o Options) nodeBy(name string) string {
	if o.NodeBy == nil {
		return "--node " + name
	}
	return o.NodeBy(name)
}

func (o Options) tell(what string) {
	if o.Tell != nil {
		o.Tell(what)
	}
}

// StandardInput is the name of a recording that comes in by standard input: a paste, or a file
// that another program writes.
const StandardInput = "-"

// IsLive tells whether this very node is to be looked at.
func (o Options) IsLive() bool { return o.From == "" && o.Demo == "" && o.Node == "" }
