package evidence

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
)

// hnsObject reads one JSON object by names in any case. PowerShell has been at
// most records: a list of one is a bare value, a list may be one text, numbers
// may be texts, and what was too deep is the text "@{Type=VSID; VSID=9999}".
type hnsObject struct {
	fields map[string]any // keys in lower case
	path   string         // where in the element, for errors: "Subnets[1]."
	cut    bool           // it was such a text, and not all of it could be read
	state  *hnsState
}

// hnsState is shared by an element's objects.
type hnsState struct {
	err error // the first one
	cut bool  // something in the element is lost
}

func newHNSObject(fields map[string]any, path string, state *hnsState) *hnsObject {
	o := &hnsObject{fields: make(map[string]any, len(fields)), path: path, state: state}
	for key, value := range fields {
		o.fields[strings.ToLower(key)] = value
	}
	if len(o.fields) < len(fields) {
		// Both "ID" and "Id" are there: choose the same one each time.
		clear(o.fields)
		for _, key := range sortedKeys(fields) {
			if lower := strings.ToLower(key); o.fields[lower] == nil {
				o.fields[lower] = fields[key]
			}
		}
	}
	return o
}

func sortedKeys(m map[string]any) []string { return slices.Sorted(maps.Keys(m)) }

func (o *hnsObject) wrong(key string, v any, want string) {
	if o.state.err == nil {
		o.state.err = fmt.Errorf("%s%s is %s, where %s belongs", o.path, key, describe(v), want)
	}
}

func (o *hnsObject) has(keys ...string) bool {
	return slices.ContainsFunc(keys, func(key string) bool {
		return o.fields[strings.ToLower(key)] != nil
	})
}

// lost tells whether the value is there but was cut off; it is noted.
func (o *hnsObject) lost(key string) bool {
	lost := isLost(o.fields[strings.ToLower(key)])
	o.state.cut = o.state.cut || lost
	return lost
}

// text returns the first of the keys that is there.
func (o *hnsObject) text(keys ...string) string {
	for _, key := range keys {
		v := o.fields[strings.ToLower(key)]
		if v == nil || o.lost(key) {
			continue
		}
		s, ok := scalar(v)
		if !ok {
			o.wrong(key, v, "a text")
			return ""
		}
		if s != "" {
			return s
		}
	}
	return ""
}

// id returns an id in the form in which all of them are kept.
func (o *hnsObject) id(keys ...string) string { return hnsID(o.text(keys...)) }

func (o *hnsObject) ids(key string) []string {
	var list []string
	for _, s := range o.list(key) {
		if id := hnsID(s); id != "" {
			list = append(list, id)
		}
	}
	return list
}

// number returns nil where the key is not there.
func (o *hnsObject) number(key string) *uint64 {
	v := o.fields[strings.ToLower(key)]
	if v == nil || v == "" || o.lost(key) {
		return nil
	}
	n, err := toNumber(v)
	if err != nil {
		o.wrong(key, v, "a number")
		return nil
	}
	return &n
}

func (o *hnsObject) uint(key string) uint64 {
	if n := o.number(key); n != nil {
		return *n
	}
	return 0
}

// int is uint for what must be small.
func (o *hnsObject) int(key string) int {
	n := o.uint(key)
	if n > math.MaxInt32 {
		o.wrong(key, o.fields[strings.ToLower(key)], "a smaller number")
		return 0
	}
	return int(n)
}

func (o *hnsObject) bool(key string) bool {
	v := o.fields[strings.ToLower(key)]
	if v == nil || v == "" || o.lost(key) {
		return false
	}
	b, ok := toBool(v)
	if !ok {
		o.wrong(key, v, "true or false")
	}
	return b
}

// list returns texts: of an array, or of one text that holds them all.
func (o *hnsObject) list(key string) []string {
	v := o.fields[strings.ToLower(key)]
	if v == nil || o.lost(key) {
		return nil
	}
	if _, ok := v.(map[string]any); ok {
		o.wrong(key, v, "a list of texts")
		return nil
	}
	items, _ := v.([]any)
	for i, item := range items {
		if _, ok := scalar(item); !ok && item != nil {
			o.wrong(fmt.Sprintf("%s[%d]", key, i), item, "a text")
			return nil
		}
	}
	return splitList(v)
}

// objects returns the objects of a list.
func (o *hnsObject) objects(key string) []*hnsObject {
	v := o.fields[strings.ToLower(key)]
	items, ok := v.([]any)
	if !ok {
		items = []any{v}
	}
	var list []*hnsObject
	for i, item := range items {
		name := key
		if ok {
			name = fmt.Sprintf("%s[%d]", key, i)
		}
		list = append(list, o.inner(name, item)...)
	}
	return list
}

// listOf decodes the objects of a list.
func listOf[T any](o *hnsObject, key string, decode func(*hnsObject) T) (list []T) {
	for _, item := range o.objects(key) {
		list = append(list, decode(item))
	}
	return list
}

// object returns the object under key, or nil.
func (o *hnsObject) object(key string) *hnsObject {
	if list := o.inner(key, o.fields[strings.ToLower(key)]); len(list) > 0 {
		return list[0]
	}
	return nil
}

func (o *hnsObject) inner(name string, v any) []*hnsObject {
	switch v := v.(type) {
	case nil:
		return nil
	case map[string]any:
		return []*hnsObject{newHNSObject(v, o.path+name+".", o.state)}
	case string:
		if strings.TrimSpace(v) == "" {
			return nil
		}
		var list []*hnsObject
		found, whole := psObjects(v)
		for _, fields := range found {
			one := newHNSObject(fields, o.path+name+".", o.state)
			one.cut = !whole
			list = append(list, one)
		}
		if len(found) == 0 && !isLost(v) {
			o.wrong(name, v, "an object")
		}
		o.state.cut = o.state.cut || !whole
		return list
	}
	o.wrong(name, v, "an object")
	return nil
}
