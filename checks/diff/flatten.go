package diff

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"doctor/checks/evidence/jsontree"
)

// Bounds on what a hostile file may cost.
const (
	maxDepth  = 40
	maxLeaves = 100_000
)

// A leaf is one value with where it stands.
type leaf struct {
	value   string
	pointer string
	line    int
}

// A key is an object and a field of it.
type key struct{ object, field string }

// Flattened is a file as values by what they mean.
type flattened struct {
	keys    []key // in the order of the file
	leaves  map[key][]leaf
	objects map[string]int // how many there are under each name
	order   []string
	holders map[key]string // pointer of the map or list that a field stands for
	id      identity
	doc     *document
	left    int
}

// object counts one more object of a name.
func (f *flattened) object(name string) {
	if f.objects[name]++; f.objects[name] == 1 {
		f.order = append(f.order, name)
	}
}

func (f *flattened) add(k key, l leaf) {
	if f.left--; f.left < 0 {
		return
	}
	if _, ok := f.leaves[k]; !ok {
		f.keys = append(f.keys, k)
	}
	f.leaves[k] = append(f.leaves[k], l)
}

// walk adds what v holds under a field of an object.
func (f *flattened) walk(v any, k key, pointer string, depth int) {
	if depth > maxDepth {
		return
	}
	switch v := v.(type) {
	case map[string]any:
		f.hold(k, pointer)
		for _, name := range slices.Sorted(maps.Keys(v)) {
			if f.doc.drops(name) {
				continue
			}
			field := strings.TrimPrefix(k.field+"."+f.id.common(name), ".")
			f.walk(v[name], key{k.object, field}, pointer+jsontree.Step(name), depth+1)
		}
	case []any:
		f.hold(k, pointer)
		for i, item := range v {
			at := pointer + jsontree.Step(i)
			fields, isMap := item.(map[string]any)
			switch name := nameOf(fields); {
			case !isMap:
				f.walk(item, k, at, depth+1)
			case f.doc.keep != nil && !f.doc.keep(k.field, fields):
			case name != "":
				f.walk(f.doc.unnamed(fields), key{k.object, k.field + "[" + f.id.common(name) + "]"}, at, depth+1)
			default:
				f.add(k, leaf{value: f.compact(fields), pointer: at})
			}
		}
	default:
		f.add(k, leaf{value: f.id.common(text(v)), pointer: pointer})
	}
}

// hold remembers where the first thing stands that a field is of.
func (f *flattened) hold(k key, pointer string) {
	if _, ok := f.holders[k]; !ok {
		f.holders[k] = pointer
	}
}

// compact writes an object that has no name in one line.
func (f *flattened) compact(fields map[string]any) string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		if !f.doc.drops(name) {
			parts = append(parts, name+"="+f.id.common(text(fields[name])))
		}
	}
	return strings.Join(parts, " ")
}

// naming are the fields that name an element of a list, the first that is there.
var naming = []string{"name", "Name", "Type", "type", "path", "drive", "key"}

func namingField(fields map[string]any) string {
	for _, field := range naming {
		if textOf(fields, field) != "" {
			return field
		}
	}
	return ""
}

func nameOf(fields map[string]any) string { return textOf(fields, namingField(fields)) }

func text(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case nil:
		return "null"
	}
	b, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return string(b)
}

// lines adds the lines of a text, without comments, as values that stand side by side.
func (f *flattened) lines(object string, b []byte) {
	f.object(object)
	n := 0
	for line := range bytes.Lines(b) {
		n++
		text := strings.TrimSpace(string(line))
		if text == "" || strings.HasPrefix(text, "#") || strings.HasPrefix(text, "//") {
			continue
		}
		name, value, ok := strings.Cut(text, "=")
		if name = strings.TrimSpace(name); ok && name != "" && !strings.ContainsAny(name, " \t\"'") {
			f.add(key{object, name}, leaf{value: f.id.common(strings.TrimSpace(value)), line: n})
			continue
		}
		f.add(key{object, "line"}, leaf{value: f.id.common(strings.Join(strings.Fields(text), " ")), line: n})
	}
}
