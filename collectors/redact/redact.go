// Package redact takes secrets out of everything that leaves a node. A secret
// is known by its surroundings (a key, a flag, a header), by its shape (a JWT, a
// private key) or because it was seen before; in its place stands a token that
// is the same for the same value wherever it stands, and says nothing of it.
package redact

import (
	"bufio"
	"bytes"
	"crypto/rand"
	"errors"
	"io"
	"maps"
)

// A Redactor replaces secrets and remembers them, so that what it has seen once
// is found wherever it stands afterwards. Several goroutines may use it at once.
type Redactor struct {
	key      []byte
	plain    bool
	names    Masker
	known    *known
	variants *variants
}

// Options of a Redactor.
type Options struct {
	Key []byte // keys the tokens; nil: random
	// tokens without digits, for reports, where the same evidence must give the same bytes
	Plain bool
	Names Masker // nil, or masks names in text that has been redacted
}

// A Masker appends text to dst with the names in it replaced. It gets whole
// lines where there are lines, and whole strings of JSON.
type Masker interface {
	Append(dst, text []byte) []byte
}

// Counts are the replacements of each kind.
type Counts map[string]int

// A Leak tells what kind of secret is left and where. It never holds the value.
type Leak struct {
	Kind   string
	Offset int64
}

// ErrTooMany is returned when more secrets were seen than are remembered.
var ErrTooMany = errors.New(
	"thousands of different secrets were seen, too many to look for in the rest; give doctor a recording without it")

// New returns a Redactor that knows no value yet.
func New(o Options) *Redactor {
	key := o.Key
	if key == nil {
		key = make([]byte, 32)
		rand.Read(key)
	}
	return &Redactor{key: key, plain: o.Plain, names: o.Names, known: &known{},
		variants: &variants{}}
}

// Masking is the same Redactor, with all that it has seen, where names are masked too.
func (r *Redactor) Masking(names Masker) *Redactor {
	masking := *r
	masking.names = names
	return &masking
}

// Text takes the secrets out of a short text: a line that a report cites, the
// name of a file.
func (r *Redactor) Text(s string) string {
	p := r.newPass("")
	out := p.text([]byte(s))
	if r.names != nil {
		out = r.names.Append(nil, out)
	}
	return string(out)
}

// Copy writes what src holds to dst without its secrets. Path is the file's in
// the evidence tree, by which JSON and files that are one secret are known.
// On an error what was written is not to be used: the file is to be left out.
func (r *Redactor) Copy(dst io.Writer, src io.Reader, path string) (Counts, error) {
	return r.copy(dst, src, r.newPass(path))
}

// CopyMade is Copy for a text that was made of redacted evidence: the names that
// it quotes are masked already, and the words around them are not a node's.
func (r *Redactor) CopyMade(dst io.Writer, src io.Reader, path string) (Counts, error) {
	p := r.newPass(path)
	p.unnamed = true
	return r.copy(dst, src, p)
}

func (r *Redactor) copy(dst io.Writer, src io.Reader, p *pass) (Counts, error) {
	size := 64 << 10
	if b, ok := dst.(*bytes.Buffer); ok {
		size = min(size, b.Available())
	}
	out := bufio.NewWriterSize(dst, size)
	err := p.run(out, src)
	if err == nil {
		err = out.Flush()
	}
	if err == nil && r.known.full() {
		err = ErrTooMany
	}
	return maps.Clone(p.counts), err
}

// Learn notes the secrets of src without writing anything.
func (r *Redactor) Learn(src io.Reader, path string) error {
	p := r.newPass(path)
	p.unnamed = true
	if err := p.run(bufio.NewWriter(io.Discard), src); err != nil {
		return err
	}
	if r.known.full() {
		return ErrTooMany
	}
	return nil
}
