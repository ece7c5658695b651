package cluster

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"

	"k8s.io/apimachinery/pkg/api/validate/content"

	"doctor/checks/evidence"
	"doctor/checks/sorted"
	"doctor/collectors"
)

// A WindowsNode is a line of the list of a cluster's Windows nodes.
type WindowsNode struct {
	Name    string `json:"name"`
	Ready   string `json:"ready"` // True, False, Unknown: of the Node's condition
	Kubelet string `json:"kubelet"`
	OS      string `json:"os"`
	Build   string `json:"build"`
	Runtime string `json:"runtime"`
	Stuck   *int   `json:"stuckPods"` // pods on it that are Pending; null where they may not be listed
}

// WindowsNodes lists the cluster's Windows nodes by name. unread is why the pods could not be listed,
// which keeps nobody from having the nodes.
func (c *Client) WindowsNodes(ctx context.Context) (list []WindowsNode, unread, err error) {
	ctx, cancel := collectors.BeforeDeadline(ctx, margin)
	defer cancel()
	list = []WindowsNode{}
	err = eachObject(ctx, c, "/api/v1/nodes",
		url.Values{"labelSelector": {"kubernetes.io/os=windows"}}, "nodes",
		func(n evidence.NodeObject) {
			row := WindowsNode{Name: n.Metadata.Name, Ready: "Unknown",
				Kubelet: n.Status.NodeInfo.KubeletVersion, OS: n.Status.NodeInfo.OSImage,
				Build:   n.Status.NodeInfo.KernelVersion,
				Runtime: n.Status.NodeInfo.ContainerRuntimeVersion}
			if ready, ok := n.Condition("Ready"); ok {
				row.Ready = ready.Status
			}
			list = append(list, row)
		})
	if err != nil {
		return nil, nil, err
	}
	sorted.By(list, func(a, b WindowsNode) int { return strings.Compare(a.Name, b.Name) })
	stuck := map[string]int{}
	unread = eachObject(ctx, c, "/api/v1/pods", url.Values{"fieldSelector": {"status.phase=Pending"}},
		"pods", func(p evidence.Pod) { stuck[p.Spec.NodeName]++ })
	for i := range list {
		if pods := stuck[list[i].Name]; unread == nil {
			list[i].Stuck = &pods
		}
	}
	return list, unread, nil
}

// RunningPods lists the running pods as NAMESPACE/NAME, of one node unless its name is empty.
func (c *Client) RunningPods(ctx context.Context, node string) (names []string, err error) {
	selector := "status.phase=Running"
	if node != "" {
		selector += ",spec.nodeName=" + node
	}
	err = eachObject(ctx, c, "/api/v1/pods", url.Values{"fieldSelector": {selector}}, "pods",
		func(p evidence.Pod) { names = append(names, p.FullName()) })
	return names, err
}

// eachObject visits what a list holds, one object after the other. The list comes from
// the server's memory and as a whole: its pages would each cost a walk through
// etcd, past all that is not selected.
func eachObject[T any](ctx context.Context, c *Client, path string, query url.Values, what string,
	visit func(T)) error {
	query.Set("resourceVersion", "0")
	l := &list{visit: func(object json.RawMessage) error {
		var v T
		if err := json.Unmarshal(object, &v); err != nil {
			return fmt.Errorf("the API server's list of %s: %w", what, err)
		}
		visit(v)
		return nil
	}}
	return c.listInto(ctx, l, path, query, what)
}

// A NoNodeError says that the cluster has no node of a name.
type NoNodeError struct{ server, node string }

// Error names the cluster and the node.
func (e *NoNodeError) Error() string {
	return fmt.Sprintf("the cluster at %s has no node %q; `doctor --node` lists its Windows nodes",
		e.server, evidence.Clean(e.node))
}

// Check asks for the node and tells what keeps it from being diagnosed: that it
// does not exist, or is no Windows node. That the server does not answer is no
// such thing: then there is a report, of gaps.
func (c *Client) Check(ctx context.Context, node string) error {
	if len(content.IsPathSegmentName(node)) > 0 {
		return fmt.Errorf(
			"%q is no name that a node can have; `doctor --node` lists the cluster's Windows nodes",
			evidence.Clean(node))
	}
	ctx, cancel := collectors.BeforeDeadline(ctx, margin)
	defer cancel()
	object, err := c.node(ctx, node)
	switch {
	case IsNotFound(err):
		return &NoNodeError{server: server(c.config.Host), node: node}
	case err != nil:
		return nil
	}
	var n evidence.NodeObject
	if err := json.Unmarshal(object, &n); err != nil {
		return nil
	}
	if os := cmp.Or(n.Status.NodeInfo.OperatingSystem,
		n.Metadata.Labels["kubernetes.io/os"]); os != "" && os != "windows" {
		return fmt.Errorf(
			"node %q runs %s, and doctor knows Windows nodes alone; `doctor --node` lists them",
			evidence.Clean(node), evidence.Clean(os))
	}
	return nil
}

// nextNode is the Node object for another reading of the node: what a reading before this one got is
// old. The first takes what Check read.
func (c *Client) nextNode(ctx context.Context, name string) (json.RawMessage, error) {
	c.nodeMu.Lock()
	if c.nodeTaken {
		c.nodeObject, c.nodeErr = nil, nil
	}
	c.nodeTaken = true
	c.nodeMu.Unlock()
	return c.node(ctx, name)
}

// node reads the Node object, once for all who ask during one reading.
func (c *Client) node(ctx context.Context, name string) (json.RawMessage, error) {
	c.nodeMu.Lock()
	defer c.nodeMu.Unlock()
	if c.nodeObject == nil &&
		(c.nodeErr == nil || collectors.GapOf(c.nodeErr).Kind == evidence.Timeout) {
		c.nodeObject, c.nodeErr = c.Object(ctx, "/api/v1/nodes/"+url.PathEscape(name), "node "+name)
		var node struct{ Metadata struct{ Name string } }
		if c.nodeErr == nil && json.Unmarshal(c.nodeObject, &node) == nil &&
			node.Metadata.Name != "" && node.Metadata.Name != name {
			c.nodeErr = collectors.GapError(evidence.AnotherNode.Gap(node.Metadata.Name, name))
			c.nodeObject = nil
		}
	}
	return c.nodeObject, c.nodeErr
}
