package evidence

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

// listKind is a Kind that holds an array. One bare object is a list of one and
// null a list of none, as PowerShell's ConvertTo-Json writes them.
func listKind[T any](path string) *Kind[[]T] {
	return &Kind[[]T]{path: path, decode: decodeList[T]}
}

func decodeList[T any](b []byte) ([]T, error) {
	list := []T{}
	if trimmed := bytes.TrimSpace(b); len(trimmed) > 0 && trimmed[0] == '{' {
		var one T
		if err := decodeJSON(b, &one); err != nil {
			return nil, err
		}
		return append(list, one), nil
	}
	err := decodeJSON(b, &list)
	return list, err
}

// objectsKind holds Kubernetes objects: a List, an array, or one object, as
// kubectl prints them.
func objectsKind[T any](path string) *Kind[[]T] {
	return &Kind[[]T]{path: path, decode: func(b []byte) ([]T, error) {
		var head struct {
			Items *json.RawMessage `json:"items"`
		}
		if trimmed := bytes.TrimSpace(b); len(trimmed) > 0 && trimmed[0] == '{' {
			if err := decodeJSON(b, &head); err != nil {
				return nil, err
			}
		}
		if head.Items == nil {
			return decodeList[T](b)
		}
		var list struct {
			Items []T `json:"items"`
		}
		err := decodeJSON(b, &list)
		return list.Items, err
	}}
}

// findString searches a decoded JSON value for the first string under key,
// breadth of one level before the next, so that the outermost one wins.
func findString(v any, key string, depth int) string {
	if depth > 12 {
		return ""
	}
	var inner []any
	switch v := v.(type) {
	case map[string]any:
		for _, k := range slices.Sorted(maps.Keys(v)) {
			if s, ok := v[k].(string); ok && strings.EqualFold(k, key) {
				return s
			}
			inner = append(inner, v[k])
		}
	case []any:
		inner = v
	}
	for _, v := range inner {
		if s := findString(v, key, depth+1); s != "" {
			return s
		}
	}
	return ""
}
