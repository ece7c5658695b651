package evidence

import (
	"bytes"
	"maps"
	"slices"
	"strings"
)

// listKind is a Kind that holds an array. One bare object is a list of one and
// null a list of none, as PowerShell's ConvertTo-Json writes them.
func listKind[T any](path string) *Kind[[]T] {
	return &Kind[[]T]{path: path, decode: decodeList[T]}
}

func decodeList[T any](b []byte) ([]T, *origin, error) {
	list, in := []T{}, &origin{}
	if trimmed := bytes.TrimSpace(b); len(trimmed) > 0 && trimmed[0] == '{' {
		var one T
		if err := decodeJSON(b, &one); err != nil {
			return nil, nil, err
		}
		list, in.bare = append(list, one), true
	} else if err := decodeJSON(b, &list); err != nil {
		return nil, nil, err
	}
	placeAll(list, in)
	return list, in, nil
}

// objectsKind holds Kubernetes objects: a List, an array, or one object, as
// kubectl prints them.
func objectsKind[T any](path string) *Kind[[]T] {
	return &Kind[[]T]{path: path, decode: func(b []byte) ([]T, *origin, error) {
		var list struct {
			Items *[]T `json:"items"`
		}
		if trimmed := bytes.TrimSpace(b); len(trimmed) > 0 && trimmed[0] == '{' {
			if err := decodeJSON(b, &list); err != nil {
				return nil, nil, err
			}
		}
		if list.Items == nil {
			return decodeList[T](b)
		}
		in := &origin{prefix: "/items"}
		placeAll(*list.Items, in)
		return *list.Items, in, nil
	}}
}

// findString searches a decoded JSON value for the first string under key,
// breadth of one level before the next, so that the outermost one wins.
func findString(v any, key string, in Place, depth int) (string, Place) {
	if depth > 12 {
		return "", Place{}
	}
	type value struct {
		in Place
		v  any
	}
	var inner []value
	switch v := v.(type) {
	case map[string]any:
		for _, k := range slices.Sorted(maps.Keys(v)) {
			if s, ok := v[k].(string); ok && strings.EqualFold(k, key) {
				return s, in.At(k)
			}
			inner = append(inner, value{in.At(k), v[k]})
		}
	case []any:
		for i, v := range v {
			inner = append(inner, value{in.At(i), v})
		}
	}
	for _, v := range inner {
		if s, at := findString(v.v, key, v.in, depth+1); s != "" {
			return s, at
		}
	}
	return "", Place{}
}
