package redact

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"io"
	"sync"
	"unicode/utf16"
)

// errFound ends a search at its first find.
var errFound = errors.New("found")

// Search looks in what is to leave the node for what is left: a value that was
// seen, in any place and encoding, or a text that Copy would have replaced. Nil
// means that there is nothing.
func (r *Redactor) Search(src io.Reader, path string) (*Leak, error) {
	w := &watch{encoded: r.encodedValues()}
	p := r.newPass(path)
	p.unnamed = true
	p.found = func(kind string, at int64) { w.note(kind, at) }
	err := p.run(bufio.NewWriter(io.Discard), io.TeeReader(src, w))
	w.search()
	if w.leak != nil {
		return w.leak, nil
	}
	return nil, err
}

// SearchSeen looks for the values that were seen, and not for shapes: for logs,
// of which every line passed the rules when it was written.
func (r *Redactor) SearchSeen(src io.Reader) (*Leak, error) {
	w := &watch{encoded: r.encodedValues()}
	_, err := io.CopyBuffer(struct{ io.Writer }{w}, src, make([]byte, windowSize/2))
	w.search()
	if w.leak != nil {
		return w.leak, nil
	}
	return nil, err
}

// Overflowed tells that more secrets were seen than SearchSeen looks for. Search
// knows the rest by their shape.
func (r *Redactor) Overflowed() bool {
	r.known.mu.RLock()
	defer r.known.mu.RUnlock()
	return r.known.more
}

// Seen is how many values were seen that SearchSeen looks for.
func (r *Redactor) Seen() int {
	r.known.mu.RLock()
	defer r.known.mu.RUnlock()
	return len(r.known.values)
}

// watch looks for encoded values in what is read.
type watch struct {
	encoded *known
	held    []byte
	base    int64
	leak    *Leak
}

func (w *watch) note(kind string, at int64) {
	if w.leak == nil || at < w.leak.Offset {
		w.leak = &Leak{Kind: kind, Offset: at}
	}
}

const maxVariant = 8 << 10

// Write takes what is read. It ends the reading when something was found.
func (w *watch) Write(b []byte) (int, error) {
	w.held = append(w.held, b...)
	if len(w.held) >= windowSize {
		w.search()
		n := copy(w.held, w.held[len(w.held)-maxVariant:])
		w.base += int64(len(w.held) - n)
		w.held = w.held[:n]
	}
	if w.leak != nil {
		return len(b), errFound
	}
	return len(b), nil
}

func (w *watch) search() {
	w.encoded.each(w.held, 0, func(v *knownValue, start, _ int) {
		if !inToken(w.held, start) {
			w.note(v.kind, w.base+int64(start))
		}
	})
}

// variants of the known values, kept until there are more values.
type variants struct {
	sync.Mutex
	of    int
	index *known
}

func (r *Redactor) encodedValues() *known {
	r.variants.Lock()
	defer r.variants.Unlock()
	r.known.mu.RLock()
	values := r.known.values
	r.known.mu.RUnlock()
	if r.variants.index == nil || r.variants.of != len(values) {
		k := &known{limit: 1 << 20}
		for _, v := range values {
			k.put(v)
			if v.spelling {
				continue
			}
			for _, text := range encodings([]byte(v.text)) {
				k.put(knownValue{text: string(text), whole: true, kind: v.kind, token: v.token,
					strong: true})
			}
		}
		r.variants.index, r.variants.of = k, len(values)
	}
	return r.variants.index
}

// encodings are the ways in which a value may be hidden, besides its spellings.
// One that is known by its beginning only is looked for by that.
func encodings(v []byte) [][]byte {
	wide := make([]byte, 0, 2*len(v))
	for _, u := range utf16.Encode([]rune(string(v))) {
		wide = append(wide, byte(u), byte(u>>8))
	}
	list := [][]byte{
		[]byte(hex.EncodeToString(v)), bytes.ToUpper([]byte(hex.EncodeToString(v))),
		[]byte(hex.EncodeToString(wide)), bytes.ToUpper([]byte(hex.EncodeToString(wide))),
		wide,
	}
	for shift := range 3 {
		list = append(list, aligned(base64.RawStdEncoding, v, shift), aligned(base64.RawURLEncoding,
			v, shift), aligned(base64.RawStdEncoding, wide, shift))
	}
	return list
}

// aligned is what base64 makes of a value that stands shift bytes behind a
// multiple of three: the letters that only the value decides on.
func aligned(e *base64.Encoding, v []byte, shift int) []byte {
	padded := append(make([]byte, shift, shift+len(v)), v...)
	text := e.EncodeToString(padded)
	return []byte(text[(shift*8+5)/6 : len(padded)*8/6])
}
