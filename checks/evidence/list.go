package evidence

import (
	"bytes"
	"maps"
	"reflect"
	"slices"
	"strings"
)

// listKind is a Kind that holds an array. One bare object is a list of one and
// null a list of none, as PowerShell's ConvertTo-Json writes them.
func listKind[T any](path string) *Kind[[]T] { return newKind[[]T](path, decodeList) }

// decodeList decodes into list, which points to a slice.
func decodeList(b []byte, list any) (*origin, error) {
	in, elements := &origin{}, reflect.ValueOf(list).Elem()
	if isJSONObject(b) {
		one := reflect.New(elements.Type().Elem())
		if err := decodeJSON(b, one.Interface()); err != nil {
			return nil, err
		}
		elements.Set(reflect.Append(elements, one.Elem()))
		in.bare = true
	} else if err := decodeJSON(b, list); err != nil {
		return nil, err
	}
	placeAll(elements, in)
	return in, nil
}

func isJSONObject(b []byte) bool { return bytes.HasPrefix(bytes.TrimSpace(b), []byte("{")) }

// objectsKind holds Kubernetes objects: a List, an array, or one object, as
// kubectl prints them.
func objectsKind[T any](path string) *Kind[[]T] { return newKind[[]T](path, decodeObjects) }

// decodeObjects decodes into list, which points to a slice that is nil.
func decodeObjects(b []byte, list any) (*origin, error) {
	if isJSONObject(b) {
		object := struct {
			Items any `json:"items"`
		}{list}
		if err := decodeJSON(b, &object); err != nil {
			return nil, err
		}
		if items := reflect.ValueOf(list).Elem(); !items.IsNil() {
			in := &origin{prefix: "/items"}
			placeAll(items, in)
			return in, nil
		}
	}
	return decodeList(b, list)
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

// Unique keeps the first of each, in the list's own memory.
func Unique[T comparable](list []T) []T {
	seen := map[T]bool{}
	return slices.DeleteFunc(list, func(v T) bool {
		again := seen[v]
		seen[v] = true
		return again
	})
}
