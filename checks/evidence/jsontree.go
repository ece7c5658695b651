package evidence

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"

	"doctor/checks/evidence/jsontree"
)

// Bounds for configuration files. A real one has a few kilobytes.
const (
	maxConfig  = 4 << 20
	maxNesting = 200
	maxNodes   = 200_000
	// Brackets in a YAML or TOML file, nested or not.
	maxBrackets = 20_000
)

// A jsonNode is a JSON value that knows its line; a nil one is absent.
type jsonNode = jsontree.Node

// A SyntaxFault is why a JSON file does not parse.
type SyntaxFault = jsontree.SyntaxFault

var errNotObject = errors.New("not a JSON object")

// parseJSONObject reads a document that must be one object.
func parseJSONObject(b []byte) (*jsonNode, error) {
	if len(b) > maxConfig {
		return nil, fmt.Errorf("%d bytes are too many for a configuration", len(b))
	}
	root, err := jsontree.Parse(b, maxNodes)
	switch {
	case errors.Is(err, jsontree.ErrTooLarge):
		return nil, fmt.Errorf("%w: more than doctor takes of a configuration", err)
	case err != nil:
		return nil, err
	case root.Kind != '{':
		return nil, &SyntaxFault{Line: root.Line, Err: errNotObject}
	}
	return root, nil
}

func spotOf(n *jsonNode) Spot {
	if n == nil {
		return Spot{}
	}
	return Spot{n.Line, n.Pointer()}
}

// jsonError names the line of b in which decoding it went wrong, where err tells.
func jsonError(b []byte, err error) error {
	if err == nil {
		return nil
	}
	var (
		syntax *json.SyntaxError
		kind   *json.UnmarshalTypeError
	)
	switch {
	case errors.As(err, &syntax):
		return &lineError{lineOf(b, syntax.Offset-1), syntax.Error(), err}
	case errors.As(err, &kind):
		return &lineError{lineOf(b, kind.Offset-1), JSONReason(err), err}
	}
	return err
}

// JSONReason says why a value could not be decoded, without a name of Go's.
func JSONReason(err error) string {
	var kind *json.UnmarshalTypeError
	if !errors.As(err, &kind) {
		return strings.TrimPrefix(err.Error(), "json: ")
	}
	return fmt.Sprintf("%s is a JSON %s, where %s belongs", cmp.Or(kind.Field, "the document"), kind.Value,
		jsonName(kind.Type))
}

// jsonName is what a Go type is called in JSON, for people who write recordings by hand.
func jsonName(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Slice, reflect.Array:
		return "an array"
	case reflect.Map, reflect.Struct:
		return "an object"
	case reflect.Bool:
		return "true or false"
	case reflect.String:
		return "a string"
	case reflect.Pointer:
		return jsonName(t.Elem())
	}
	return "a number"
}

// lineOf returns the number of the line in which the byte at offset lies.
func lineOf(b []byte, offset int64) int {
	offset = min(max(offset, 0), int64(len(b)))
	return 1 + bytes.Count(b[:offset], []byte("\n"))
}

// lineError is an error with its place; its text is plainer than that of what it wraps.
type lineError struct {
	line int
	text string
	err  error
}

func (e *lineError) Error() string {
	return fmt.Sprintf("line %d: %s", e.line, strings.TrimPrefix(e.text, "json: "))
}

func (e *lineError) Unwrap() error { return e.err }
