package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"text/tabwriter"

	"doctor/checks/evidence"
	"doctor/collectors/cluster"
)

// anyNode is the value of --node without a name.
const anyNode = "?"

// listNodes prints the cluster's Windows nodes.
func listNodes(ctx context.Context, std streams, f flags) error {
	f.Node = ""
	if err := f.validateOutput(); err != nil {
		return err
	}
	if f.Timeout <= 0 {
		return errors.New("--timeout takes a time above zero, such as 9s")
	}
	if f.file != "" {
		return errors.New(
			"the list of nodes is written to standard output; leave --output-file out")
	}
	if f.Demo != "" {
		return errors.New("--demo cannot be combined with --node: a demo has one node")
	}
	client, err := cluster.Connect(cluster.Options{Kubeconfig: f.Kubeconfig, Context: f.Context})
	if errors.Is(err, cluster.ErrNoContext) {
		return err
	} else if err != nil {
		return trouble(err)
	}
	if err := client.LogIn(ctx, f.WaitingForLogin); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, f.Timeout)
	defer cancel()
	nodes, err := client.WindowsNodes(ctx)
	if err != nil {
		return trouble(err)
	}
	switch f.output {
	case "json":
		e := json.NewEncoder(std.out)
		e.SetIndent("", "  ")
		return e.Encode(map[string]any{"schema": "doctor.nodes/v1", "server": client.Host(),
			"nodes": nodes})
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
