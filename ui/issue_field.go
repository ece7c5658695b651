package ui

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strings"

	"doctor/checks/evidence"
)

// Bounds of what is quoted out of JSON.
const (
	maxQuotedFields = 3
	maxQuotedJSON   = 1 << 20 // bytes of a file; a tree of values takes many times as much
)

// fieldName is a field as findings name it: spec.podCIDR, pageFiles, Hyper-V.
var fieldName = regexp.MustCompile(`[A-Za-z][\w-]*(?:\.[A-Za-z][\w-]*)*`)

// fields quotes the field that a finding's text names, where the text does not
// give its value already: of an object the field, of a list the element that is
// called so.
func (q *quoter) fields(path, subject, text string) []string {
	switch doc := q.doc(path).(type) {
	case map[string]any:
		return ofObject(doc, text)
	case []any:
		head, _, _ := strings.Cut(text, ":")
		return ofList(doc, head, subject)
	}
	return nil
}

func ofObject(doc map[string]any, text string) []string {
	var lines []string
	for _, name := range fieldName.FindAllString(text, 2*maxQuoted) {
		value, ok := at(doc, name)
		if !ok || len(lines) == maxQuotedFields {
			continue
		}
		shown := compact(value)
		if line := gutter(" ", "", name+" = "+shown); !strings.Contains(text, strings.Trim(shown, `"`)) && !slices.Contains(lines, line) {
			lines = append(lines, line)
		}
	}
	return lines
}

func at(doc map[string]any, name string) (any, bool) {
	var value any = doc
	for key := range strings.SplitSeq(name, ".") {
		object, ok := value.(map[string]any)
		if !ok {
			return nil, false
		}
		if value, ok = object[key]; !ok {
			return nil, false
		}
	}
	return value, true
}

// called are the keys under which elements of lists have their names.
var called = []string{"name", "Name", "id", "ID", "path", "target", "drive", "destination"}

func ofList(doc []any, names ...string) []string {
	for _, name := range names {
		for _, element := range doc {
			object, ok := element.(map[string]any)
			if !ok || name == "" || !slices.ContainsFunc(called, func(key string) bool {
				own, ok := object[key].(string)
				return ok && strings.EqualFold(own, name)
			}) {
				continue
			}
			return []string{gutter(" ", "", plainFields(object))}
		}
	}
	return nil
}

// plainFields is an object in one line, without what is nested in it.
func plainFields(object map[string]any) string {
	var fields []string
	for _, key := range slices.Sorted(maps.Keys(object)) {
		switch object[key].(type) {
		case map[string]any, []any, nil:
		default:
			fields = append(fields, fmt.Sprintf("%s: %s", Plain(key, false), compact(object[key])))
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
