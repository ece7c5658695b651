package ui

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"doctor/checks/evidence"
	"doctor/checks/evidence/jsontree"
)

// Bounds of what is quoted out of JSON.
const maxQuotedJSON = 1 << 20 // bytes of a file; a tree of values takes many times as much

// field quotes the value that a piece of evidence points at, where its text does not give it
// already: of a list the element that it is in, of a document the value.
func (q *quoter) field(b evidence.Because) []string {
	place, number := b.Place().Element()
	if number < 0 && b.Field == "" {
		return nil // all of a file
	}
	value, ok := follow(q.doc(b.Path), place.Field)
	if !ok {
		return nil
	}
	if object, ok := value.(map[string]any); ok {
		if fields := plainFields(object, b.Text); fields != "" {
			return []string{gutter(" ", "", fields)}
		}
		return nil
	}
	shown := compact(value)
	if strings.Contains(b.Text, strings.Trim(shown, `"`)) {
		return nil
	}
	return []string{gutter(" ", "", strings.Join(jsontree.Steps(place.Field), ".")+" = "+shown)}
}

// follow is the value that a JSON Pointer leads to, by names in any case.
func follow(value any, pointer string) (any, bool) {
	for _, step := range jsontree.Steps(pointer) {
		found := false
		switch v := value.(type) {
		case map[string]any:
			if value, found = v[step]; found {
				break
			}
			for key, inner := range v {
				if strings.EqualFold(key, step) {
					value, found = inner, true
				}
			}
		case []any:
			if n, err := strconv.Atoi(step); err == nil && n >= 0 && n < len(v) {
				value, found = v[n], true
			}
		}
		if !found {
			return nil, false
		}
	}
	return value, true
}

// saidAnyway are the fields that every object of Kubernetes has, and those that findings quote.
var saidAnyway = []string{"apiVersion", "kind", "message", "note"}

// plainFields is an object in one line, without what is nested in it and what the text says already.
func plainFields(object map[string]any, text string) string {
	var fields []string
	for _, key := range slices.Sorted(maps.Keys(object)) {
		switch object[key].(type) {
		case map[string]any, []any, nil:
		default:
			shown := compact(object[key])
			if !slices.Contains(saidAnyway, key) &&
				!strings.Contains(text, strings.Trim(shown, `"`)) {
				fields = append(fields, fmt.Sprintf("%s: %s", Plain(key, false), shown))
			}
		}
	}
	return strings.Join(fields, ", ")
}

func compact(value any) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if e.Encode(value) != nil {
		return ""
	}
	return clip(Plain(strings.TrimSpace(b.String()), false), maxQuotedLine)
}

// doc is a JSON file of the tree, nil where it is none or too large to be worth
// it. One is kept, for a finding quotes a file more than once.
func (q *quoter) doc(path string) any {
	if path != q.path {
		q.path, q.last = path, q.decode(path)
	}
	return q.last
}

func (q *quoter) decode(path string) (doc any) {
	if !strings.HasSuffix(path, ".json") {
		return nil
	}
	f, err := q.s.Open(path)
	if err != nil {
		return nil
	}
	defer f.Close()
	content, err := io.ReadAll(io.LimitReader(f, maxQuotedJSON+1))
	if err != nil || len(content) > maxQuotedJSON {
		return nil
	}
	d := json.NewDecoder(bytes.NewReader(evidence.DecodeText(content)))
	d.UseNumber()
	if d.Decode(&doc) != nil {
		return nil
	}
	return doc
}
