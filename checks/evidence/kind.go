package evidence

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
)

// A Kind is one typed piece of evidence: where it lies in the tree and how it
// is decoded.
type Kind[T any] struct {
	path   string
	decode func([]byte) (T, *origin, error)
	weight int // of an object against the tree's budget; 0 counts as 1
}

type decoded[T any] struct {
	value T
	from  *origin
	gap   Gap
}

func jsonKind[T any](path string) *Kind[T] {
	return &Kind[T]{path: path, decode: func(b []byte) (v T, _ *origin, err error) {
		err = decodeJSON(b, &v)
		return v, &origin{bare: true}, err
	}}
}

// In returns the evidence, or T's zero value where there is a gap.
func (k *Kind[T]) In(s Snapshot) T {
	s.note(k.path)
	return k.load(s).value
}

// Gap says why the evidence is not there; the zero Gap where it is.
func (k *Kind[T]) Gap(s Snapshot) Gap {
	s.note(k.path)
	return k.load(s).gap
}

// Known tells whether the evidence is there.
func (k *Kind[T]) Known(s Snapshot) bool { return k.Gap(s).Kind == "" }

// Path is where the evidence lies.
func (k *Kind[T]) Path() string { return k.path }

// Field is the place of a value in the evidence: of a document, or without steps
// of the list that it is. Elements of a list know their own place.
func (k *Kind[T]) Field(s Snapshot, steps ...any) Place {
	s.note(k.path)
	place := Place{Path: k.path}
	if from := k.load(s).from; from != nil {
		place.Field = from.prefix
	}
	return place.At(steps...)
}

// Paths makes a Kind a Need.
func (k *Kind[T]) Paths() []string { return []string{k.path} }

func (k *Kind[T]) load(s Snapshot) decoded[T] {
	if s.tree.shares(k.path) {
		return k.load(Snapshot{tree: s.base})
	}
	return Memo(s, k, func(s Snapshot) decoded[T] {
		content, gap := s.tree.readFile(k.path)
		if gap.Kind != "" {
			return decoded[T]{gap: gap}
		}
		if gap := s.tree.countObjects(content, max(k.weight, 1)); gap.Kind != "" {
			return decoded[T]{gap: gap}
		}
		value, from, err := k.decode(content)
		if err != nil {
			return decoded[T]{gap: Reported.OfKind(Error, err)}
		}
		if from != nil {
			from.path = k.path
		}
		return decoded[T]{value: value, from: from}
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
	return jsonError(b, json.Unmarshal(b, v))
}
