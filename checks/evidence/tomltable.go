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

func (t tomlTable) lookup(path ...string) (any, bool) {
	for _, key := range path[:len(path)-1] {
		t = t.table(key)
	}
	v, ok := t[path[len(path)-1]]
	return v, ok
}

func (t tomlTable) text(path ...string) string {
	v, _ := t.lookup(path...)
	s, _ := v.(string)
	return s
}

func (t tomlTable) number(path ...string) int {
	v, _ := t.lookup(path...)
	n, _ := v.(int64)
	return int(n)
}

func (t tomlTable) texts(path ...string) []string {
	v, _ := t.lookup(path...)
	list, _ := v.([]any)
	var texts []string
	for _, item := range list {
		if s, ok := item.(string); ok {
			texts = append(texts, s)
		}
	}
	return texts
}
