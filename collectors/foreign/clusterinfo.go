package foreign

import (
	"encoding/json"
	"errors"
	"regexp"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"

	"doctor/checks/evidence"
)

var errYAML = errors.New("it is no YAML")

// Bounds on clusterinfo, which holds the pods and nodes of a whole cluster.
const (
	maxClusterInfo = 64 << 20
	maxKubeObject  = 1 << 20 // as the API server has it
	maxKubeObjects = 20_000
	maxKubeParsed  = 24 << 20 // of YAML that is taken apart: it costs many times its size
)

// convertClusterInfo takes the Kubernetes objects that concern the node from the bundle's
// clusterinfo: YAML documents, each a list with a comment in front of it that says of what.
func convertClusterInfo(src *source, out *output, node string) {
	bundle := src.around("clusterinfo", "failed_nodes")
	if bundle == nil {
		return
	}
	t := bundle.readText("clusterinfo", maxClusterInfo)
	out.place("original/clusterinfo", bundle, "clusterinfo")
	out.place("original/failed_nodes", bundle, "failed_nodes")
	if t.gap.Kind != "" {
		if !t.missing {
			for _, name := range []string{"api/node.json", "api/nodes.json", "api/pods.json",
				"api/daemonsets.json"} {
				out.Gap(name, t.gap)
			}
		}
		return
	}
	c := clusterInfo{left: maxKubeParsed}
	documents := splitYAML(t.content)
	nodes, why := c.list(documents, "nodes", nil)
	at := slices.IndexFunc(nodes, func(o kubeObject) bool {
		return strings.EqualFold(o.name(), node)
	})
	switch {
	case why.Kind != "":
		out.Gap("api/nodes.json", why)
		out.Gap("api/node.json", why)
	case at < 0:
		out.JSON("api/nodes.json", kubeList("NodeList", nodes))
		out.Gap("api/node.json", missingf(
			"clusterinfo has %d nodes, and none is called %s; collect `kubectl get nodes -o json`",
			len(nodes), node))
	default:
		out.JSON("api/nodes.json", kubeList("NodeList", nodes))
		out.JSON("api/node.json", nodes[at].withKind("v1", "Node"))
		node = nodes[at].name()
	}
	ours := regexp.MustCompile(`(?m)^\s*nodeName: ["']?` + regexp.QuoteMeta(node) + `["']?\s*$`)
	pods, why := c.list(documents, "pods", ours)
	out.either("api/pods.json", kubeList("PodList", pods), why)
	sets, why := c.list(documents, "daemonsets", nil)
	out.either("api/daemonsets.json", kubeList("DaemonSetList", sets), why)
}

// A kubeObject is one Kubernetes object, as JSON.
type kubeObject map[string]json.RawMessage

func (o kubeObject) name() string {
	var m struct{ Name string }
	if json.Unmarshal(o["metadata"], &m) != nil {
		return ""
	}
	return m.Name
}

// withKind completes an object: in a list they do not say what they are.
func (o kubeObject) withKind(version, kind string) kubeObject {
	o["apiVersion"], o["kind"] = json.RawMessage(`"`+version+`"`), json.RawMessage(`"`+kind+`"`)
	return o
}

func kubeList(kind string, items []kubeObject) map[string]any {
	if items == nil {
		items = []kubeObject{}
	}
	return map[string]any{"kind": kind, "items": items}
}

type clusterInfo struct{ left int }

// list takes the objects of a list whose YAML is wanted, all of them where that is nil. Each is
// parsed by itself: one that is broken, or too much in all, makes the list unknown.
func (c *clusterInfo) list(documents map[string]string, name string,
	wanted *regexp.Regexp) ([]kubeObject, evidence.Gap) {
	document, ok := documents[name]
	if !ok {
		return nil, missingf("clusterinfo has no list of %s; collect `kubectl get %s -A -o json`",
			name, name)
	}
	items, whole := splitItems(document)
	if !whole {
		return nil, brokenf("clusterinfo: the list of %s cannot be taken apart, or is too long",
			name)
	}
	var list []kubeObject
	for _, item := range items {
		if wanted != nil && !wanted.MatchString(item) {
			continue
		}
		if c.left -= len(item); c.left < 0 || len(item) > maxKubeObject {
			return nil, brokenf("clusterinfo: its objects are larger than doctor reads (%d MiB)",
				maxKubeParsed>>20)
		}
		var o kubeObject
		if err := unmarshalItem(item, &o); err != nil {
			return nil, brokenf("clusterinfo: one of its %s is no YAML: %v", name, err)
		}
		list = append(list, o)
	}
	return list, evidence.Gap{}
}

func unmarshalItem(item string, o *kubeObject) error {
	err := unmarshalYAML(item, o)
	if err == nil && *o == nil {
		err = errYAML
	}
	return err
}

// unmarshalYAML keeps a parser's panic over hostile YAML from ending the program.
func unmarshalYAML(s string, into any) (err error) {
	defer func() {
		if recover() != nil {
			err = errYAML
		}
	}()
	if err := evidence.CheckNesting([]byte(s)); err != nil {
		return err
	}
	b, err := yaml.YAMLToJSON([]byte(s))
	if err != nil {
		return err
	}
	if json.Unmarshal(b, into) != nil {
		return errYAML
	}
	return nil
}

var clusterInfoName = regexp.MustCompile(`^#\s*([a-z]+)\s*$`)

// splitYAML takes clusterinfo apart into its documents, by the comments in front of them.
func splitYAML(s string) map[string]string {
	documents := map[string]string{}
	name, start := "", 0
	at := 0
	for line := range strings.Lines(s) {
		trimmed := strings.TrimRight(line, " \t\r\n")
		if m := clusterInfoName.FindStringSubmatch(trimmed); m != nil || trimmed == "---" {
			if name != "" {
				documents[name] = s[start:at]
			}
			name, start = "", at+len(line)
			if m != nil {
				name = m[1]
			}
		}
		at += len(line)
	}
	if name != "" {
		documents[name] = s[start:]
	}
	return documents
}

// splitItems takes the objects of a list apart by their indentation, and each
// of them out of it. An encoder may indent the list or not.
func splitItems(document string) (items []string, whole bool) {
	indent, inside := -1, false
	var item strings.Builder
	flush := func() {
		if item.Len() > 0 {
			items = append(items, item.String())
			item.Reset()
		}
	}
	for line := range strings.Lines(document) {
		text := strings.TrimRight(line, " \t\r\n")
		body := strings.TrimLeft(text, " ")
		depth := len(text) - len(body)
		switch {
		case !inside:
			if text == "items: []" || text == "items: null" {
				return nil, true
			}
			inside = text == "items:"
			continue
		case indent < 0 && strings.HasPrefix(body, "- "):
			indent = depth
		}
		switch {
		case indent >= 0 && depth == indent && strings.HasPrefix(body, "- "):
			if flush(); len(items) >= maxKubeObjects {
				return nil, false
			}
			item.WriteString(strings.Repeat(" ", indent+2) + body[2:] + "\n")
		case body == "":
			item.WriteString("\n")
		case indent >= 0 && depth > indent:
			item.WriteString(text + "\n")
		default: // the next key of the list itself
			flush()
			return items, true
		}
	}
	flush()
	return items, inside
}
