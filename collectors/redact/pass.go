package redact

import (
	"bufio"
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"errors"
	"hash"
	"io"
	"path"
	"strings"

	"doctor/checks/sorted"
)

const (
	windowSize = 256 << 10
	ahead      = 32 << 10 // bytes that a rule may look at behind its trigger
	back       = 4 << 10  // bytes before a trigger that a rule may still replace
	context    = 4 << 10  // bytes that were written and may still be looked at
)

// A pass goes over one file.
type pass struct {
	*Redactor
	path    string // in lower case, with slashes
	prose   bool   // a log, in which sentences stand
	unnamed bool   // names are not masked
	counts  Counts
	recent  *[maxDepth + 1]recent       // lines of logs in objects, for each depth of documents
	found   func(kind string, at int64) // hears of each replacement; Search
	depth   int                         // of documents inside of documents
	// bytes of values that were looked at, more than once where they held triggers
	work   *int64
	offset int64 // in the file, of what is looked at

	window, ahead, back, context int // as the constants; tests take smaller ones

	// bytes of values that any file may make it look at again; spareWork, or less in tests
	spare int64
}

func (r *Redactor) newPass(name string) *pass {
	name = strings.ToLower(strings.ReplaceAll(name, `\`, "/"))
	ext := path.Ext(name)
	return &pass{Redactor: r, path: name, counts: Counts{}, recent: &[maxDepth + 1]recent{}, work: new(int64), window: windowSize,
		ahead: ahead, back: back, context: context, spare: spareWork,
		prose: name == "" || ext == ".log" || ext == ".gap" || ext == ".txt" || ext == ".out" ||
			ext == ".err" || strings.HasPrefix(name, "logs/")}
}

// within makes a pass over a document that stands inside of another one.
func (p *pass) within() *pass {
	inner := *p
	inner.depth++
	inner.found = nil
	inner.unnamed = true
	inner.window, inner.ahead, inner.back, inner.context = windowSize, ahead, back, context
	if p.found != nil {
		inner.found = func(kind string, _ int64) { p.found(kind, p.offset) }
	}
	return &inner
}

const maxDepth = 6

// run streams the file from src to out.
func (p *pass) run(out *bufio.Writer, src io.Reader) error {
	in := &input{src: src}
	if err := in.fill(p.window); err != nil {
		return err
	}
	switch {
	case p.isSecretFile():
		return p.windows(out, in, &scan{pass: p}, (*scan).lines)
	case p.isJSON(in.b):
		return p.json(out, in)
	}
	return p.stream(out, in, 0)
}

// stream redacts text. The first done bytes of the window were written before.
func (p *pass) stream(out *bufio.Writer, in *input, done int) error {
	return p.windows(out, in, &scan{pass: p, done: done, at: max(0, done-p.back)}, (*scan).advance)
}

// windows lets a way of redacting go over the file.
func (p *pass) windows(out *bufio.Writer, in *input, s *scan, advance func(*scan, *bufio.Writer) error) error {
	for {
		if err := in.fill(p.window); err != nil {
			return err
		}
		s.b, s.eof, p.offset = in.b, in.eof, in.base
		if err := advance(s, out); err != nil {
			return err
		}
		if *p.work > p.most(in.base+int64(len(in.b))) {
			return errMazy
		}
		if s.eof && s.done == len(s.b) {
			return s.flushNames(out)
		}
		if n := s.done - s.context; n > 0 {
			in.drop(n)
			s.shift(n)
		}
	}
}

// errMazy is for a text that was made to be slow: each of its values holds names
// of others. Of logs and configuration less than twice their size is looked at.
var errMazy = errors.New(
	"it is made of names of secrets, each in the value of the other, and would take too long; leave this file out")

const spareWork = 64 << 20

func (p *pass) most(read int64) int64 { return p.spare + 64*read }

// text redacts what is held in memory as a whole.
func (p *pass) text(b []byte) []byte {
	return p.textBehind(b, 0)
}

// textBehind redacts and returns what stands behind the first done bytes.
func (p *pass) textBehind(b []byte, done int) []byte {
	s := &scan{pass: p.within(), b: b, done: done, eof: true}
	s.rules()
	for i := range s.spans {
		s.spans[i].start = max(s.spans[i].start, min(done, s.spans[i].end))
	}
	if s.mark(len(b)); len(s.spans) == 0 && s.swallow == nil {
		return b[done:]
	}
	s.looked = 0
	var out bytes.Buffer
	w := bufio.NewWriterSize(&out, min(len(b)+maxToken, 64<<10))
	s.advance(w) // a buffer takes everything
	w.Flush()
	return out.Bytes()
}

// advance redacts what the window holds, as far as can be told.
func (s *scan) advance(out *bufio.Writer) error {
	for {
		if s.swallow == nil {
			s.rules()
		}
		if s.swallow == nil {
			break
		}
		more, err := s.absorb(out)
		if more || err != nil {
			return err
		}
	}
	if s.eof {
		return s.write(out, len(s.b))
	}
	return s.write(out, s.at-s.back)
}

// absorb lets go of a value that is longer than the window, and tells whether
// it goes on. Its token is written when its end was seen.
func (s *scan) absorb(out *bufio.Writer) (more bool, err error) {
	w := s.swallow
	if err := s.write(out, w.start); err != nil {
		return false, err
	}
	w.start = 0
	from := max(s.done, w.from)
	end, ended := w.end(s.b, from)
	if s.eof && !ended {
		end, ended = len(s.b), true
	}
	w.hash.Write(s.b[from:end])
	w.from, s.done, s.looked, s.at = end, end, end, end
	s.spans = s.spans[:0]
	if !ended {
		return true, nil
	}
	s.swallow = nil
	token := sealed(w.kind, w.hash)
	if s.plain {
		token = tokenStart + w.kind + ">"
	}
	s.counts[w.kind]++
	if s.found != nil {
		s.found(w.kind, s.offset+int64(end))
	}
	return false, s.plainly(out, []byte(token))
}

// engulf begins to swallow a value that starts at start.
func (s *scan) engulf(start int, kind string, end func(b []byte, i int) (int, bool)) {
	if s.swallow == nil {
		s.swallow = &swallow{hash: hmac.New(sha256.New, s.key), kind: kind, start: start,
			from: start, end: end}
	}
}

// span is a stretch of the window that a token replaces.
type span struct {
	start, end int
	kind       string
	token      string
	known      bool // it was seen elsewhere, and no rule is needed to tell
}

// scan is the state of one text on its way through the window.
type scan struct {
	*pass
	b         []byte
	done      int // bytes of b that are written
	at        int // triggers before are dealt with
	looked    int // known values that end before are dealt with
	eof       bool
	spans     []span
	hits      []hit
	spareHits []hit // room for those of a search
	dull      dull
	named     int // the end of the name that was judged last
	swallow   *swallow
	masked    []byte // waits for the end of its line
}

// dull remembers what was looked at in vain, so that a text full of triggers
// is not looked at again for each of them.
type dull struct {
	value   int             // the end of a value that was none
	at      int             // the last @ of no URL
	base64  int             // the end of base64 that was decoded
	layer   [layerKinds]int // the ends of what was decoded
	framed  int             // the end of lines that were read without what they stand between
	heading int             // the end of a table's heading
	columns int             // the end of a table that was read
	command int             // the end of the line that was searched for a program's flags
	program string
}

func (d *dull) shift(n int) {
	for _, end := range []*int{&d.value, &d.at, &d.base64, &d.framed, &d.heading, &d.columns, &d.command} {
		*end -= n
	}
	for i := range d.layer {
		d.layer[i] -= n
	}
}

// swallow is a value that goes on behind the window.
type swallow struct {
	hash hash.Hash
	kind string
	// of the value; what stands before is still to be written
	start int
	from  int                               // where it goes on
	end   func(b []byte, i int) (int, bool) // where it ends, or how far it surely reaches
}

// see bounds what a rule may look at from i on, so that what it does never
// depends on where the window's edge lies.
func (s *scan) see(i int) []byte { return s.b[:min(len(s.b), i+s.ahead)] }

func (s *scan) shift(n int) {
	s.done -= n
	s.at = max(0, s.at-n)
	s.looked = max(0, s.looked-n)
	s.named -= n
	s.dull.shift(n)
	for i := range s.spans {
		s.spans[i].start -= n
		s.spans[i].end -= n
	}
	if s.swallow != nil {
		s.swallow.from -= n
		s.swallow.start = max(0, s.swallow.start-n)
	}
}

// add replaces b[start:end], which is a secret, or holds the one in value.
func (s *scan) add(start, end int, kind string, value []byte) {
	if start < 0 || end <= start || onlyTokens(s.b[start:end]) {
		return
	}
	s.spans = append(s.spans, span{start, end, kind, s.note(kind, value), false})
}

// addFaint replaces a value without looking for it elsewhere.
func (s *scan) addFaint(start, end int, kind string, value []byte) {
	if start < end && !onlyTokens(s.b[start:end]) {
		s.spans = append(s.spans, span{start, end, kind, s.token(kind, value), false})
	}
}

// mark adds the known values up to a place.
func (s *scan) mark(upTo int) {
	if upTo <= s.looked {
		return
	}
	b := s.b[:min(len(s.b), upTo+knownHead)]
	s.known.each(b, max(0, s.looked-knownHead), func(v *knownValue, start, end int) {
		if start >= s.done && start < upTo && !inToken(s.b, start) {
			s.spans = append(s.spans, span{start, end, v.kind, v.token, true})
		}
	})
	s.looked = upTo
}

// settle sorts the spans and joins those that overlap; the outer one stays.
func (s *scan) settle() {
	sorted.By(s.spans, func(a, b span) int {
		if a.start != b.start {
			return a.start - b.start
		}
		return b.end - a.end
	})
	kept := s.spans[:0]
	for _, x := range s.spans {
		if n := len(kept); n > 0 && x.start < kept[n-1].end {
			kept[n-1].end = max(kept[n-1].end, x.end)
			continue
		}
		kept = append(kept, x)
	}
	s.spans = kept
}

// write hands out the window up to a place.
func (s *scan) write(out *bufio.Writer, upTo int) error {
	upTo = min(upTo, len(s.b))
	if upTo <= s.done {
		return nil
	}
	s.mark(upTo)
	s.settle()
	n := 0
	for ; n < len(s.spans); n++ {
		x := s.spans[n]
		if x.start >= upTo {
			break
		}
		if x.end <= s.done {
			continue
		}
		if x.start >= s.done {
			if err := s.plainly(out, s.b[s.done:x.start]); err != nil {
				return err
			}
			s.counts[x.kind]++
			if s.found != nil && (x.known || !besideToken(s.b, x.start, x.end)) {
				s.found(x.kind, s.offset+int64(x.start))
			}
			if err := s.plainly(out, []byte(x.token)); err != nil {
				return err
			}
		}
		s.done = min(x.end, len(s.b))
	}
	s.spans = s.spans[:copy(s.spans, s.spans[n:])]
	if s.done < upTo {
		err := s.plainly(out, s.b[s.done:upTo])
		s.done = upTo
		return err
	}
	return nil
}

const maxMasked = 64 << 10

// plainly writes what holds no secret, with its names masked.
func (s *scan) plainly(out *bufio.Writer, b []byte) error {
	if s.names == nil || s.unnamed {
		_, err := out.Write(b)
		return err
	}
	s.masked = append(s.masked, b...)
	if len(s.masked) < maxMasked {
		return nil
	}
	n := bytes.LastIndexByte(s.masked, '\n') + 1
	if n == 0 {
		n = bytes.LastIndexAny(s.masked, " \t,;|") + 1
	}
	if n == 0 {
		n = len(s.masked)
	}
	_, err := out.Write(s.names.Append(nil, s.masked[:n]))
	s.masked = s.masked[:copy(s.masked, s.masked[n:])]
	return err
}

func (s *scan) flushNames(out *bufio.Writer) error {
	if len(s.masked) == 0 {
		return nil
	}
	_, err := out.Write(s.names.Append(nil, s.masked))
	return err
}
