package evidence

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	exactjson "sigs.k8s.io/json"
	"sigs.k8s.io/yaml"
)

// decodeYAML reads the mapping of one YAML or JSON document into a structure. Kubernetes matches the
// keys of its configurations exactly, so they are not folded here. JSON is recognized by its brace, as
// Kubernetes does, because YAML does not take the tabs that JSON may be indented with.
func decodeYAML[T any](b []byte) (*T, error) {
	b, _ = trimBOM(b)
	if len(b) > maxConfig {
		return nil, fmt.Errorf("%d bytes are too many for a configuration", len(b))
	}
	if len(bytes.TrimSpace(b)) == 0 {
		return nil, fmt.Errorf("line 1: the file is empty")
	}
	if err := CheckNesting(b); err != nil {
		return nil, err
	}
	document := bytes.TrimSpace(b)
	if !bytes.HasPrefix(document, []byte("{")) || !json.Valid(document) {
		if err := guard(func() (err error) {
			document, err = yaml.YAMLToJSON(b)
			return err
		}); err != nil {
			return nil, errors.New(strings.TrimPrefix(strings.TrimPrefix(err.Error(),
				"error converting YAML to JSON: "), "yaml: "))
		}
	}
	if !bytes.HasPrefix(document, []byte("{")) && !bytes.HasPrefix(document, []byte("null")) {
		return nil, fmt.Errorf("line 1: not a YAML mapping")
	}
	v := new(T)
	if err := exactjson.UnmarshalCaseSensitivePreserveInts(document, v); err != nil {
		return v, errors.New(strings.TrimPrefix(err.Error(), "json: "))
	}
	return v, nil
}

// guard turns a panic of a foreign parser into an error: a file must not be
// able to end the program.
func guard(parse func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("the file cannot be parsed: %v", r)
		}
	}()
	return parse()
}

// CheckNesting refuses what could send a recursive parser of YAML or TOML too
// deep: brackets in brackets, far indentation, rows of "- - -". The count of
// nested brackets can be led astray by quotes that span lines, so the number of
// all brackets is bounded as well; a real configuration has some hundreds.
func CheckNesting(b []byte) error {
	if bytes.Count(b, []byte("["))+bytes.Count(b, []byte("{")) > maxBrackets {
		return fmt.Errorf("more than %d brackets", maxBrackets)
	}
	depth := 0
	number := 0
	for line := range bytes.Lines(b) {
		number++
		indent := len(line) - len(bytes.TrimLeft(line, " \t"))
		markers := 0
		for rest := line[indent:]; len(rest) > 1 && bytes.IndexByte([]byte("-?:"), rest[0]) >= 0 &&
			(rest[1] == ' ' || rest[1] == '\t'); rest = bytes.TrimLeft(rest[1:], " \t") {
			markers++
		}
		depth = nesting(line, depth)
		if depth > maxNesting || indent > 2*maxNesting || markers > maxNesting {
			return fmt.Errorf("line %d: nested deeper than %d levels", number, maxNesting)
		}
	}
	return nil
}

// nesting returns how deep the brackets are at the end of the line. Quotes are
// followed within the line only: an apostrophe in plain text must not hide the
// brackets of all that follows, and too high a count merely refuses a file that
// no component would write.
func nesting(line []byte, depth int) int {
	var quote byte
	deepest := depth
	for i := 0; i < len(line); i++ {
		c := line[i]
		switch {
		case quote != 0:
			if c == '\\' && quote == '"' {
				i++
			} else if c == quote {
				quote = 0
			}
		case c == '#' && (i == 0 || line[i-1] == ' ' || line[i-1] == '\t'):
			i = len(line)
		case c == '"', c == '\'':
			if bytes.IndexByte(line[i+1:], c) >= 0 {
				quote = c
			}
		case c == '[', c == '{':
			depth++
			deepest = max(deepest, depth)
		case c == ']', c == '}':
			depth = max(depth-1, 0)
		}
	}
	if deepest > maxNesting {
		return deepest
	}
	return depth
}
