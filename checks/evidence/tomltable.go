package evidence

import (
	"bytes"
	"fmt"
)

// boundTOML refuses what could send the parser into deep recursion.
func boundTOML(b []byte) error {
	if len(b) > maxTOML {
		return fmt.Errorf("%d bytes are too many for a configuration", len(b))
	}
	number := 0
	for line := range bytes.Lines(b) {
		if number++; bytes.Count(line, []byte(".")) > maxBrackets {
			return fmt.Errorf("line %d: too many dotted keys", number)
		}
	}
	return CheckNesting(b)
}

// A tomlTable is a table of a TOML document; the nil one is empty.
type tomlTable map[string]any

func (t tomlTable) table(key string) tomlTable {
	nested, _ := t[key].(map[string]any)
	return nested
}

func (t tomlTable) lookup(path ...string) any {
	for _, key := range path[:len(path)-1] {
		t = t.table(key)
	}
	return t[path[len(path)-1]]
}

func (t tomlTable) text(path ...string) string {
	s, _ := t.lookup(path...).(string)
	return s
}

func (t tomlTable) texts(path ...string) []string {
	list, _ := t.lookup(path...).([]any)
	var texts []string
	for _, item := range list {
		if s, ok := item.(string); ok {
			texts = append(texts, s)
		}
	}
	return texts
}
