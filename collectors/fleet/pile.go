package fleet

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"

	"github.com/klauspost/compress/flate"
)

// A pile is the objects of one node, in the order in which they came. Most of it is compressed: a
// hundred thousand pods as text would be most of the memory.
type pile struct {
	tail   []byte // the last ones, as text; each ends with a zero byte, which JSON does not hold
	chunks [][]byte
}

// chunkSize is how much text is compressed at once.
const chunkSize = 16 << 10

func (p *pile) add(object json.RawMessage) error {
	p.tail = append(append(p.tail, object...), 0)
	if len(p.tail) < chunkSize {
		return nil
	}
	chunk, _, err := deflated(bytes.NewReader(p.tail))
	p.chunks = append(p.chunks, chunk)
	p.tail = p.tail[:0]
	return err
}

// each visits the objects in order.
func (p *pile) each(visit func(json.RawMessage) error) error {
	objects := func(text []byte) error {
		for len(text) > 0 {
			object, rest, _ := bytes.Cut(text, []byte{0})
			if err := visit(object); err != nil {
				return err
			}
			text = rest
		}
		return nil
	}
	for _, chunk := range p.chunks {
		text, err := io.ReadAll(flate.NewReader(bytes.NewReader(chunk)))
		if err != nil {
			return err
		}
		if err := objects(text); err != nil {
			return err
		}
	}
	return objects(p.tail)
}

// A change makes of an object what is written of it.
type change func(json.RawMessage) (json.RawMessage, error)

func unchanged(object json.RawMessage) (json.RawMessage, error) { return object, nil }

// listOf writes a List of the objects of piles, as the server would.
func listOf(as change, piles ...*pile) ([]byte, error) {
	var b bytes.Buffer
	b.WriteString(listHead)
	for _, p := range piles {
		if err := p.each(func(object json.RawMessage) error {
			object, err := as(object)
			if b.Len() > len(listHead) {
				b.WriteString(",\n")
			}
			b.Write(object)
			return err
		}); err != nil {
			return nil, err
		}
	}
	b.WriteString("]}")
	return b.Bytes(), nil
}

const listHead = `{"apiVersion":"v1","kind":"List","items":[`

// fullName is NAMESPACE/NAME without the spare memory of a large answer behind it.
func fullName(namespace, name string) string { return strings.Clone(namespace + "/" + name) }
