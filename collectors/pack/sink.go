package pack

import (
	"archive/zip"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"doctor/checks/evidence"
	"doctor/collectors/redact"
)

func (w *writer) makeJSON(name string, v any) error {
	return w.addMade(name, false, func(dst io.Writer) error { return writeJSON(dst, v) })
}

func writeJSON(dst io.Writer, v any) error {
	e := json.NewEncoder(dst)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	return e.Encode(v)
}

// addMade adds a file that is not read from the evidence. It is clean if it was made of what is in
// the bundle.
func (w *writer) addMade(name string, clean bool, write func(io.Writer) error) error {
	var b bytes.Buffer
	if err := write(&b); err != nil {
		return err
	}
	return w.add(entry{name: name, path: name, source: madeHere, size: int64(b.Len()), r: &b,
		made: clean})
}

// addFile adds a file of the evidence under a name.
func (w *writer) addFile(name, path string, it item) error {
	f, err := w.s.Open(path)
	if err != nil {
		return w.leave(leftOut(name, "%s", reason(err)))
	}
	defer f.Close()
	return w.add(entry{name: name, path: path, source: path, size: it.size, modified: it.modified,
		r: f, item: it})
}

// An entry is a file on its way into the bundle.
type entry struct {
	name, path, source string
	size               int64
	modified           time.Time
	r                  io.Reader
	made               bool // of redacted evidence
	item               item
}

// add is the sink: there is no other way into the bundle. An error that is not
// the disk's means that the file must not be in it.
func (w *writer) add(e entry) error {
	start := time.Now()
	read := int64(0)
	source := watched{w.ctx, e.r, func(n int64) {
		if read += n; e.source != madeHere {
			w.tell(0, n)
		}
	}}
	head := make([]byte, sniffed)
	n, err := io.ReadFull(source, head)
	head = head[:n]
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		if w.ctx.Err() != nil {
			return context.Cause(w.ctx)
		}
		return w.leave(leftOut(e.name, "it cannot be read: %s", reason(err)))
	}
	if why := binary(head); why.Format != "" {
		return w.leave(Left{Path: e.name, Why: why})
	}
	name := e.name
	if !e.made {
		name = w.o.Redactor.Text(name)
	}
	name = w.unique(name)
	modified := e.modified
	if modified.IsZero() {
		modified = w.s.Now()
	}
	to, err := w.zip.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Deflate,
		Modified: modified.UTC()})
	if err != nil {
		return err
	}
	if err := w.zip.Flush(); err != nil {
		return err
	}
	at := w.out.n
	kept := &digest{w: to, sum: sha256.New()}
	w.open = kept
	text := evidence.Text(io.MultiReader(bytes.NewReader(head), source))
	if e.size > 2*aheadSize {
		first, stop := readAhead(text)
		defer stop()
		text = first
	}
	var cut *cutter
	if sh, ok := w.shares[e.path]; ok && e.source != madeHere && !sh.all {
		cut = newCutter(text, e.item, sh, w.s.Now(), textSize(e.size, head))
		text = cut
	}
	if evidence.HasBOM(head) {
		io.WriteString(kept, "\ufeff") // a check asks for it: some programs refuse a file that has one
	}
	copy := w.o.Redactor.Copy
	if e.made {
		copy = w.o.Redactor.CopyMade
	}
	counts, err := copy(kept, text, e.path)
	switch {
	case w.ctx.Err() != nil:
		return context.Cause(w.ctx)
	case kept.err != nil:
		return kept.err
	case errors.Is(err, redact.ErrTooMany):
		return tooManySecrets(e.name)
	case err != nil:
		return &droppedError{e.path, evidence.Phrasef("it could not be read and redacted: %s",
			evidence.Clean(err.Error()))}
	}
	w.open = &digest{}
	w.stored = append(w.stored, stored{name, at, kept.n, modified})
	file := File{Path: name, Source: w.o.Redactor.Text(e.source), BytesRead: read,
		BytesKept: kept.n, SHA256: hex.EncodeToString(kept.sum.Sum(nil)), Redactions: counts,
		Millis: float64(time.Since(start).Microseconds()) / 1000}
	if e.source != madeHere && e.path != "meta.json" {
		file.item = e.path // a copy under another name goes with it
	}
	if cut != nil && cut.lines > 0 {
		file.Truncated, file.LeftOut = true, cut.cuts
		w.segments[e.path] = cut.segments
		w.records = append(w.records, evidence.LogRecord{Path: e.path, LeftOutLines: cut.lines,
			LeftOutBytes: cut.bytes})
	}
	if !file.Truncated && w.o.Masked == nil {
		w.whole[e.path] = true
	}
	w.manifest.Files = append(w.manifest.Files, file)
	return nil
}

// unique keeps two names apart that masking has made one.
func (w *writer) unique(name string) string {
	for candidate, n := name, 2; ; n++ {
		if key := strings.ToLower(candidate); !w.names[key] {
			w.names[key] = true
			return candidate
		}
		candidate = fmt.Sprintf("%s~%d", name, n)
	}
}
