package evidence

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// A Kind is one typed piece of evidence: where it lies in the tree and how it is decoded.
type Kind[T any] struct{ kind }

// kind is what all Kinds have whatever their type: code that depends on the type is in the program
// once for each.
type kind struct {
	path   string
	decode func([]byte) (any, *origin, error)
	weight int // of an object against the tree's budget; 0 counts as 1
	// why the evidence is not of the node that is judged; nil where that cannot be
	foreign func(Snapshot) Gap
	// what of it is of that node; nil where all is
	own func(Snapshot, any) any
}

type decoded struct {
	value any
	from  *origin
	gap   Gap
}

// newKind makes a Kind whose decode decodes into what its second argument points to.
func newKind[T any](path string, decode func([]byte, any) (*origin, error)) *Kind[T] {
	return &Kind[T]{kind{path: path, decode: func(b []byte) (any, *origin, error) {
		var v T
		in, err := decode(b, &v)
		return v, in, err
	}}}
}

func jsonKind[T any](path string) *Kind[T] {
	return newKind[T](path, func(b []byte, v any) (*origin, error) {
		return &origin{bare: true}, decodeJSON(b, v)
	})
}

// In returns the evidence, or T's zero value where there is a gap.
func (k *Kind[T]) In(s Snapshot) T {
	s.note(k.path)
	v, _ := k.load(s).value.(T)
	return v
}

// Gap says why the evidence is not there; the zero Gap where it is.
func (k *kind) Gap(s Snapshot) Gap {
	s.note(k.path)
	return k.load(s).gap
}

// Known tells whether the evidence is there.
func (k *kind) Known(s Snapshot) bool { return k.Gap(s).Kind == "" }

// Path is where the evidence lies.
func (k *kind) Path() string { return k.path }

// Field is the place of a value in the evidence: of a document, or without steps
// of the list that it is. Elements of a list know their own place.
func (k *kind) Field(s Snapshot, steps ...any) Place {
	s.note(k.path)
	place := Place{Path: s.known().placeOf(k.path)}
	if from := k.load(s).from; from != nil {
		place.Field = from.prefix
	}
	return place.At(steps...)
}

// Paths makes a Kind a Need.
func (k *kind) Paths() []string { return []string{k.path} }

func (k *kind) load(s Snapshot) decoded {
	if s.tree.shares(k.path) {
		return k.load(Snapshot{tree: s.base})
	}
	return Memo(s, k, func(s Snapshot) decoded {
		if k.foreign != nil {
			if gap := k.foreign(s); gap.Kind != "" {
				return decoded{gap: gap}
			}
		}
		content, gap := s.tree.readFile(k.path)
		if gap.Kind != "" {
			return decoded{gap: gap}
		}
		if gap := s.tree.countObjects(content, max(k.weight, 1)); gap.Kind != "" {
			return decoded{gap: gap}
		}
		value, from, err := k.decode(content)
		if of := (otherSystem{}); errors.As(err, &of) {
			return decoded{gap: OtherSystem.Gap(of.name, of.system)}
		}
		if err != nil {
			return decoded{gap: Reported.OfKind(Error, err)}
		}
		if from != nil {
			from.path = s.placeOf(k.path)
		}
		if k.own != nil {
			value = k.own(s, value)
		}
		return decoded{value: value, from: from}
	})
}

// countObjects charges the file's JSON objects to the tree's budget before
// anything is decoded: a few bytes of "{}" cost a struct each.
func (t *tree) countObjects(content []byte, weight int) Gap {
	n := bytes.Count(content, []byte("{")) + bytes.Count(content, []byte("["))/8 +
		bytes.Count(content, []byte(","))/64
	n *= weight
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.objects+n > maxObjects {
		return TreeTooManyValues.Gap(strconv.Itoa(maxObjects))
	}
	t.objects += n
	return Gap{}
}

// decodeJSON decodes one JSON document and names the line of what is wrong.
func decodeJSON(b []byte, v any) error {
	if len(bytes.TrimSpace(b)) == 0 {
		return fmt.Errorf("line 1: the file is empty")
	}
	err := json.Unmarshal(b, v)
	cleanNames(reflect.ValueOf(v))
	return jsonError(b, err)
}

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

// objectsKind holds Kubernetes objects: a List, an array, or one object, as kubectl prints them.
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
