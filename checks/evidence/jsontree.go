package evidence

import (
	"errors"
	"fmt"

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
