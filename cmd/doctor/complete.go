package main

import (
	"context"
	"time"

	"doctor/collectors/cluster"
)

// completionTime is how long a completion may ask the cluster: somebody waits with a finger on Tab.
const completionTime = 3 * time.Second

// nodeNames are the Windows nodes of the cluster, as completions of --node.
func (f *flags) nodeNames() (names []string) {
	f.ask(func(ctx context.Context, c *cluster.Client) {
		nodes, _, _ := c.WindowsNodes(ctx) // without an answer there is nothing to offer
		names = mapped(nodes, func(n cluster.WindowsNode) string { return n.Name })
	})
	return names
}

// podNames are the running pods of the node that is named, as completions of --from-pod.
func (f *flags) podNames() (names []string) {
	f.ask(func(ctx context.Context, c *cluster.Client) {
		names, _ = c.RunningPods(ctx, f.Node)
	})
	return names
}

func (f *flags) ask(question func(context.Context, *cluster.Client)) {
	client, err := cluster.Connect(f.Cluster)
	if err != nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), completionTime)
	defer cancel()
	if client.LogIn(ctx, func(string) {}) == nil {
		question(ctx, client)
	}
}
