package evidence

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
)

// A Kind is one typed piece of evidence: where it lies in the tree and how it
// is decoded.
type Kind[T any] struct{ kind }

// kind is what all Kinds have whatever their type: code that depends on the type is in the program
// once for each.
type kind struct {
	path   string
	decode func([]byte) (any, *origin, error)
	weight int // of an object against the tree's budget; 0 counts as 1
	// why the evidence is not of the node that is judged; nil where that cannot be
	foreign func(Snapshot) Gap
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
	return jsonError(b, json.Unmarshal(b, v))
}
