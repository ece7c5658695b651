package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"k8s.io/client-go/util/jsonpath"
	"sigs.k8s.io/yaml"

	"doctor/checks/evidence"
	"doctor/cmd/doctor/internal/session"
	"doctor/collectors/cluster"
	"doctor/collectors/fleet"
	"doctor/collectors/foreign"
)

// anyNode is the value of --node without a name.
const anyNode = "?"

// nodeFormats are what the list of nodes is written as, like kubectl's.
var nodeFormats = []string{"text", "name", "wide", "json", "yaml", "jsonpath="}

// nodeList is the list of nodes in JSON.
type nodeList struct {
	Schema string                `json:"schema"`
	Server string                `json:"server"`
	Nodes  []cluster.WindowsNode `json:"nodes"`
}

// listNodes prints the cluster's Windows nodes.
func listNodes(ctx context.Context, std streams, f flags) error {
	if err := f.jsonAlone(); err != nil {
		return err
	}
	write, err := nodeWriter(f.output)
	switch {
	case err != nil:
		return err
	case f.Timeout <= 0:
		return errors.New("--timeout takes a time above zero, such as 9s")
	case f.file != "":
		return errors.New(
			"the list of nodes is written to standard output; leave --output-file out")
	case f.Demo != "":
		return errors.New("--demo cannot be combined with --node: a demo has one node")
	}
	client, ctx, cancel, err := f.connect(ctx)
	if err != nil {
		return err
	}
	defer cancel()
	nodes, unread, err := client.WindowsNodes(ctx)
	if err != nil {
		return trouble(err)
	}
	if unread != nil {
		writeError(std, fmt.Errorf("stuck pods are not counted: %w", unread))
	}
	return write(std.out, nodeList{"doctor.nodes/v1", client.Host(), nodes})
}

// nodeWriter writes the list in a format of kubectl get.
func nodeWriter(format string) (func(io.Writer, nodeList) error, error) {
	if expression, ok := strings.CutPrefix(format, "jsonpath="); ok {
		return jsonPathWriter(expression)
	}
	if format = cmp.Or(format, "text"); !slices.Contains(nodeFormats, format) {
		return nil, unknownFormat(format, nodeFormats)
	}
	return func(w io.Writer, l nodeList) (err error) {
		switch format {
		case "name":
			for _, n := range l.Nodes {
				fmt.Fprintln(w, "node/"+evidence.Clean(n.Name))
			}
		case "json":
			e := json.NewEncoder(w)
			e.SetIndent("", "  ")
			err = e.Encode(l)
		case "yaml":
			var content []byte
			if content, err = yaml.Marshal(l); err == nil {
				_, err = w.Write(content)
			}
		default:
			err = writeNodeTable(w, l.Nodes, format == "wide")
		}
		return err
	}, nil
}

func jsonPathWriter(expression string) (func(io.Writer, nodeList) error, error) {
	path := jsonpath.New("nodes")
	if err := path.Parse(expression); err != nil || expression == "" {
		return nil, fmt.Errorf("-o jsonpath=%s cannot be read; an example is -o jsonpath='{.nodes[*].name}'",
			evidence.Clean(expression))
	}
	return func(w io.Writer, l nodeList) error {
		content, err := json.Marshal(l)
		if err != nil {
			return err
		}
		var v any
		if err := json.Unmarshal(content, &v); err != nil {
			return err
		}
		if err := path.Execute(w, v); err != nil {
			return fmt.Errorf("-o jsonpath: %w; `doctor --node -o json` shows the fields", err)
		}
		_, err = fmt.Fprintln(w)
		return err
	}, nil
}

func writeNodeTable(out io.Writer, nodes []cluster.WindowsNode, wide bool) error {
	if len(nodes) == 0 {
		_, err := fmt.Fprintln(out, "the cluster has no Windows node")
		return err
	}
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	columns := []string{"NAME", "READY", "KUBELET", "BUILD", "OS", "STUCK PODS"}
	if wide {
		columns = append(columns, "RUNTIME")
	}
	fmt.Fprintln(w, strings.Join(columns, "\t"))
	for _, n := range nodes {
		stuck := "?"
		if n.Stuck != nil {
			stuck = strconv.Itoa(*n.Stuck)
		}
		cells := []string{n.Name, n.Ready, n.Kubelet, n.Build, n.OS, stuck}
		if wide {
			cells = append(cells, n.Runtime)
		}
		for i, cell := range cells {
			cells[i] = evidence.Clean(cell)
		}
		fmt.Fprintln(w, strings.Join(cells, "\t"))
	}
	return w.Flush()
}

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
