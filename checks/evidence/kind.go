package evidence

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// A Kind is one typed piece of evidence: where it lies in the tree and how it
// is decoded.
type Kind[T any] struct {
	path   string
	decode func([]byte) (T, error)
	weight int // of an object against the tree's budget; 0 counts as 1
}

type decoded[T any] struct {
	value T
	gap   Gap
}

func jsonKind[T any](path string) *Kind[T] {
	return &Kind[T]{path: path, decode: func(b []byte) (v T, err error) { return v, decodeJSON(b, &v) }}
}

// In returns the evidence, or T's zero value where there is a gap.
func (k *Kind[T]) In(s Snapshot) T {
	s.note(k.path)
	return k.load(s).value
}

// Gap says why the evidence is not there, or "".
func (k *Kind[T]) Gap(s Snapshot) Gap {
	s.note(k.path)
	return k.load(s).gap
}

// Known tells whether the evidence is there.
func (k *Kind[T]) Known(s Snapshot) bool { return k.Gap(s) == "" }

// Path is where the evidence lies.
func (k *Kind[T]) Path() string { return k.path }

// Paths makes a Kind a Need.
func (k *Kind[T]) Paths() []string { return []string{k.path} }

func (k *Kind[T]) load(s Snapshot) decoded[T] {
	return Memo(s, k, func(s Snapshot) decoded[T] {
		content, gap := s.tree.read(k.path)
		if gap != "" {
			return decoded[T]{gap: gap}
		}
		if gap := s.tree.countObjects(content, max(k.weight, 1)); gap != "" {
			return decoded[T]{gap: gap}
		}
		value, err := k.decode(content)
		if err != nil {
			return decoded[T]{gap: Gap(Error + ": " + Clean(err.Error()))}
		}
		return decoded[T]{value: value}
	})
}

// countObjects charges the file's JSON objects to the tree's budget before
// anything is decoded: a few bytes of "{}" cost a struct each.
func (t *tree) countObjects(content []byte, weight int) Gap {
	n := bytes.Count(content, []byte("{")) + bytes.Count(content, []byte("["))/8 + bytes.Count(content, []byte(","))/64
	n *= weight
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.objects+n > maxObjects {
		return Gap(fmt.Sprintf("%s: the tree holds more than %d objects", Error, maxObjects))
	}
	t.objects += n
	return ""
}

// decodeJSON decodes one JSON document and names the line of what is wrong.
func decodeJSON(b []byte, v any) error {
	if len(bytes.TrimSpace(b)) == 0 {
		return fmt.Errorf("line 1: the file is empty")
	}
	return jsonError(b, json.Unmarshal(b, v))
}
