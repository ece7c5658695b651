// Package session reads a node or opens a recording, judges what it holds while
// it is read, feeds a screen with it, and packs it into a bundle. It knows
// collectors and checks, which do not know each other, and no command line.
package session

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"time"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
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

// nodeLogBytes is how much of each log is fetched through the API server.
const nodeLogBytes = 8 << 20

// ThroughAPI reads a node as its cluster sees it.
func ThroughAPI(ctx context.Context, o Options, list *checks.Catalogue) (*Live, error) {
	client, err := o.Connect(ctx)
	if err != nil {
		return nil, err
	}
	until := time.Now().Add(o.Timeout) // for this question and for all that follows
	asking, cancel := context.WithDeadline(ctx, until)
	defer cancel()
	if err := client.Check(asking, o.Node); err != nil {
		if missing, ok := errors.AsType[*cluster.NoNodeError](err); ok {
			return nil, noNode(asking, client, missing)
		}
		return nil, err
	}
	target := cluster.Target{Client: client, Node: o.Node, Since: o.Since, LogBytes: nodeLogBytes}
	if o.OnNode {
		target.LogBytes = 0 // a pod reads them where they are
	}
	find := func(evidence.Snapshot) (cluster.Target, error) { return target, nil }
	l := &Live{plan: plan{checks: list, program: o.Program, timeout: max(time.Until(until), time.Millisecond),
		origin:     checks.Source{Kind: "cluster", Name: o.Node, Format: evidence.Layout},
		collectors: cluster.Collectors(find, nil, 0),
		decisive:   []string{cluster.NodeReading, cluster.PodsReading},
		unasked:    onlyOn(o.Node, list)}}
	for _, component := range cluster.LogComponents {
		delete(l.unasked, "logs/"+component)
	}
	l.collectors = append(l.collectors,
		o.fromInside(find, []string{cluster.NodeReading, "API: nodes", "API: services",
			"API: endpoint slices", "API: config maps"}, nil)...)
	if o.OnNode {
		l.unasked, l.inside = nil, &insideReading{client: client, options: o.Pods}
		l.collectors = append(l.collectors, l.inside.collector(insideAnswers()))
	}
	return l.Fresh(), nil
}

// Connect logs in to the cluster, and tells that a login program takes its time.
func (o Options) Connect(ctx context.Context) (*cluster.Client, error) {
	client, err := cluster.Connect(o.Cluster)
	if err != nil {
		return nil, noCluster{err}
	}
	return client, client.LogIn(ctx, func(program string) {
		o.tell(fmt.Sprintf("waiting for %s to log in; Ctrl-C ends it", program))
	})
}

// A NoNodeError is ThroughAPI's where the cluster has no node of that name. Windows are the names of
// those that it has, as far as they can be listed.
type NoNodeError struct {
	error
	Windows []string
}

func noNode(ctx context.Context, client *cluster.Client, missing error) error {
	e := &NoNodeError{error: missing}
	nodes, _, err := client.WindowsNodes(ctx)
	if err != nil {
		return e // the list would only be a hint
	}
	for _, n := range nodes {
		e.Windows = append(e.Windows, n.Name)
	}
	return e
}

// ErrNoCluster is wrapped by Connect's error where the kubeconfig leads to no cluster.
var ErrNoCluster = errors.New("there is no cluster to ask")

type noCluster struct{ error }

func (e noCluster) Unwrap() error        { return e.error }
func (e noCluster) Is(target error) bool { return target == ErrNoCluster }

// The places of a kubelet's kubeconfig, for one whose arguments name none.
var kubeletKubeconfigs = []string{
	`C:\etc\kubernetes\kubelet.conf`, `C:\k\config`, `C:\ProgramData\kubernetes\kubeconfig`,
	`C:\k\kubeconfig`,
	`C:\etc\kubernetes\kubelet.kubeconfig`, `C:\var\lib\rancher\rke2\agent\kubelet.kubeconfig`,
}

// kubelet finds the cluster of the node that the program runs on, and the
// node's name in it.
func (o Options) kubelet(host string) cluster.Find {
	return func(s evidence.Snapshot) (cluster.Target, error) {
		n := node.About(s)
		name, _ := n.KubeletFlag("hostname-override")
		options := o.Cluster
		if !options.Given() {
			path, err := kubeletKubeconfig(n)
			if err != nil {
				return cluster.Target{}, err
			}
			options.Kubeconfig = path
		}
		client, err := cluster.Connect(options)
		if err != nil {
			return cluster.Target{}, err
		}
		return cluster.Target{Client: client, Node: cmp.Or(name.Value, client.NodeName(),
			strings.ToLower(host))}, nil
	}
}

var errNoKubelet = fmt.Errorf("this node has no kubeconfig of a kubelet; %w",
	cluster.ErrNoKubeconfig)

func kubeletKubeconfig(n *node.Node) (string, error) {
	paths := kubeletKubeconfigs
	if f, ok := n.KubeletFlag("kubeconfig"); ok && f.Value != "" {
		paths = []string{evidence.CleanWinPath(f.Value)}
	}
	for _, path := range paths {
		switch _, err := os.Stat(path); {
		case err == nil:
			return path, nil
		case !errors.Is(err, fs.ErrNotExist):
			return "", err
		}
	}
	return "", errNoKubelet
}
