package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"text/tabwriter"
	"time"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
	"doctor/collectors/cluster"
	livenode "doctor/collectors/node"
)

// anyNode is the value of --node without a name.
const anyNode = "?"

// nodeLogBytes is how much of each log is fetched through the API server.
const nodeLogBytes = 8 << 20

// throughAPI reads a node as its cluster sees it.
func (f flags) throughAPI(ctx context.Context, list *checks.Catalogue) (*live, error) {
	client, err := cluster.Connect(cluster.Options{Kubeconfig: f.kubeconfig, Context: f.context})
	if err != nil {
		return nil, err
	}
	until := time.Now().Add(f.timeout) // for this question and for all that follows
	asking, cancel := context.WithDeadline(ctx, until)
	defer cancel()
	if err := client.Check(asking, f.node); err != nil {
		return nil, err
	}
	target := cluster.Target{Client: client, Node: f.node, Since: f.since, LogBytes: nodeLogBytes}
	find := func(evidence.Snapshot) (cluster.Target, error) { return target, nil }
	l := &live{checks: list, timeout: max(time.Until(until), time.Millisecond), origin: checks.Source{Kind: "cluster", Name: f.node, Format: evidence.Layout},
		collectors: cluster.Collectors(find, nil, 0),
		unasked:    unprobed("what this machine reaches says nothing of " + f.node + "; run doctor there, or name one of its pods with --from-pod")}
	l.collectors = append(l.collectors, f.fromInside(find, []string{"API: node", "API: nodes", "API: services", "API: endpoint slices", "API: config maps"}, nil)...)
	for _, c := range livenode.Collectors(livenode.Options{}) {
		for _, path := range c.Answers {
			if !strings.HasSuffix(path, "/") {
				l.unasked[path] = "only the node itself tells this; run doctor on " + f.node + " as Administrator"
			}
		}
	}
	return l.fresh(), nil
}

// The places of a kubelet's kubeconfig, for one whose arguments name none.
var kubeletKubeconfigs = []string{
	`C:\etc\kubernetes\kubelet.conf`, `C:\k\config`, `C:\ProgramData\kubernetes\kubeconfig`, `C:\k\kubeconfig`,
	`C:\etc\kubernetes\kubelet.kubeconfig`, `C:\var\lib\rancher\rke2\agent\kubelet.kubeconfig`,
}

// kubelet finds the cluster of the node that the program runs on, and the
// node's name in it.
func (f flags) kubelet(host string) cluster.Find {
	return func(s evidence.Snapshot) (cluster.Target, error) {
		n := node.About(s)
		name, _ := n.KubeletFlag("hostname-override")
		options := cluster.Options{Kubeconfig: f.kubeconfig, Context: f.context}
		if options == (cluster.Options{}) {
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
		return cluster.Target{Client: client, Node: cmp.Or(name.Value, client.NodeName(), strings.ToLower(host))}, nil
	}
}

var errNoKubelet = fmt.Errorf("this node has no kubeconfig of a kubelet; %w", cluster.ErrNoKubeconfig)

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

// listNodes prints the cluster's Windows nodes.
func listNodes(ctx context.Context, std streams, f flags) error {
	f.node = ""
	if err := f.validateOutput(); err != nil {
		return err
	}
	if f.demo != "" {
		return errors.New("--demo names a node of its own; leave --node out")
	}
	client, err := cluster.Connect(cluster.Options{Kubeconfig: f.kubeconfig, Context: f.context})
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, f.timeout)
	defer cancel()
	nodes, err := client.WindowsNodes(ctx)
	if err != nil {
		return trouble(err)
	}
	switch f.output {
	case "json":
		e := json.NewEncoder(std.out)
		e.SetIndent("", "  ")
		return e.Encode(map[string]any{"schema": "doctor.nodes/v1", "server": client.Host(), "nodes": nodes})
	case "", "text":
	default:
		return errors.New("the list of nodes is written as text or json")
	}
	if len(nodes) == 0 {
		fmt.Fprintln(std.out, "the cluster has no Windows node")
		return nil
	}
	w := tabwriter.NewWriter(std.out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "NAME\tREADY\tKUBELET\tBUILD\tOS\tSTUCK PODS")
	for _, n := range nodes {
		for _, cell := range []string{n.Name, n.Ready, n.Kubelet, n.Build, n.OS} {
			fmt.Fprint(w, evidence.Clean(cell), "\t")
		}
		fmt.Fprintln(w, n.Stuck)
	}
	return w.Flush()
}
