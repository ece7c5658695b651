package manifest

import (
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"

	"doctor/checks/evidence"
)

// lines says in which line of its file each field of a document stands, by the
// path that findings quote: spec.containers[0].image. It is empty where the
// document's places cannot be told; a finding then names the file alone.
type lines map[string]int

func linesOf(d document) (places lines) {
	places = lines{"": d.line}
	defer func() {
		_ = recover() // the parser is not ours, and lines are a courtesy
	}()
	var root yaml.Node
	if evidence.CheckNesting(d.text) != nil {
		return places
	}
	if yaml.Unmarshal(d.text, &root) != nil || len(root.Content) == 0 {
		return places
	}
	places[""] = d.line + root.Content[0].Line - 1
	places.walk(root.Content[0], "", d.line-1, 0)
	return places
}

func (l lines) walk(n *yaml.Node, path string, offset, depth int) {
	if depth > 100 || len(l) >= maxLines {
		return
	}
	switch n.Kind {
	case yaml.MappingNode:
		for i := 0; i+1 < len(n.Content); i += 2 {
			key, value := n.Content[i], n.Content[i+1]
			at := strings.TrimPrefix(path+"."+key.Value, ".")
			l[at] = key.Line + offset
			l.walk(value, at, offset, depth+1)
		}
	case yaml.SequenceNode:
		for i, value := range n.Content {
			at := fmt.Sprintf("%s[%d]", path, i)
			l[at] = value.Line + offset
			l.walk(value, at, offset, depth+1)
		}
	case yaml.AliasNode:
		// What an alias stands for is written elsewhere; the alias is where it takes effect.
	}
}

// below returns the places of one item of a List, or of all of the document.
func (l lines) below(prefix string) map[string]int {
	if prefix == "" {
		return l
	}
	under := map[string]int{}
	for path, line := range l {
		if rest, ok := strings.CutPrefix(path, prefix); ok {
			under[rest] = line
		}
	}
	return under
}
