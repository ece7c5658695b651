package redact

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// longText deals with a string that is longer than the window.
func (l *lexer) longText() error {
	top := l.top()
	head := l.in.b[l.i+1 : l.i+1+min(1024, l.window/4)]
	r := &stringReader{l: l}
	l.i++
	if top != nil && top.wantKey {
		top.key = ""
	} else if kind, _ := l.judgeString(head); kind != "" {
		return l.swallowString(r, kind)
	}
	if err := l.out.WriteByte('"'); err != nil {
		return err
	}
	inner := l.within()
	inner.unnamed = l.unnamed
	w := &escaper{out: l.out}
	in := &input{src: &unescaper{src: bufio.NewReader(r), style: &w.style},
		b: make([]byte, 0, inner.window)}
	out := bufio.NewWriter(w)
	if err := inner.stream(out, in, 0); err != nil {
		return err
	}
	if err := out.Flush(); err != nil {
		return err
	}
	return l.closeString(r)
}

func (l *lexer) swallowString(r *stringReader, kind string) error {
	s := &scan{pass: l.pass}
	s.engulf(0, kind, nil)
	if _, err := io.Copy(s.swallow.hash, r); err != nil {
		return err
	}
	token := sealed(kind, s.swallow.hash)
	if l.plain {
		token = tokenStart + kind + ">"
	}
	l.counts[kind]++
	if l.found != nil {
		l.found(kind, l.offset)
	}
	if _, err := l.out.WriteString(`"` + token); err != nil {
		return err
	}
	return l.closeString(r)
}

// closeString writes the quote behind a long string; a file that ends in it is
// cut there.
func (l *lexer) closeString(r *stringReader) error {
	if !r.closed {
		return nil
	}
	l.i++
	return l.out.WriteByte('"')
}

// stringReader reads a string of JSON as it is written, up to its last quote.
type stringReader struct {
	l       *lexer
	escaped bool
	closed  bool
}

func (r *stringReader) Read(p []byte) (int, error) {
	if r.closed {
		return 0, io.EOF
	}
	if err := r.l.need(1); err != nil {
		return 0, err
	}
	b := r.l.in.b[r.l.i:]
	if len(b) == 0 {
		return 0, io.EOF
	}
	n := 0
	for n < len(b) && n < len(p) {
		c := b[n]
		if c == '"' && !r.escaped {
			r.closed = true
			break
		}
		r.escaped = c == '\\' && !r.escaped
		n++
	}
	copy(p, b[:n])
	r.l.i += n
	if n == 0 {
		return 0, io.EOF
	}
	return n, nil
}

// style is how a string of JSON writes what may be written in two ways, so that
// what is not changed is written as it was.
type style struct {
	html  bool // < as an escape
	slash bool // \/
	ascii bool // é as an escape
}

// unescaper gives the text of a string of JSON.
type unescaper struct {
	src   *bufio.Reader
	style *style
	held  []byte
}

func (u *unescaper) Read(p []byte) (int, error) {
	n := 0
	for n < len(p) {
		if len(u.held) > 0 {
			k := copy(p[n:], u.held)
			u.held = u.held[k:]
			n += k
			continue
		}
		c, err := u.src.ReadByte()
		if err != nil {
			if n > 0 {
				err = nil
			}
			return n, err
		}
		if c != '\\' {
			p[n] = c
			n++
			continue
		}
		u.held = u.escape()
	}
	return n, nil
}

// escape reads what follows a backslash.
func (u *unescaper) escape() []byte {
	c, err := u.src.ReadByte()
	if err != nil {
		return []byte(`\`)
	}
	switch c {
	case 'n':
		return []byte("\n")
	case 'r':
		return []byte("\r")
	case 't':
		return []byte("\t")
	case 'b':
		return []byte("\b")
	case 'f':
		return []byte("\f")
	case '/':
		u.style.slash = true
	case 'u':
		return u.unicode()
	}
	return []byte{c}
}

func (u *unescaper) unicode() []byte {
	r, ok := u.hex(0)
	if !ok {
		return []byte("u")
	}
	u.src.Discard(4)
	if utf16.IsSurrogate(r) {
		if mark, _ := u.src.Peek(2); string(mark) == `\u` {
			if low, ok := u.hex(2); ok {
				if both := utf16.DecodeRune(r, low); both != utf8.RuneError {
					r = both
					u.src.Discard(6)
				}
			}
		}
	}
	switch {
	case strings.ContainsRune("<>&", r):
		u.style.html = true
	case r >= 0x80:
		u.style.ascii = true
	}
	return utf8.AppendRune(nil, r)
}

// hex looks at four digits.
func (u *unescaper) hex(from int) (rune, bool) {
	digits, _ := u.src.Peek(from + 4)
	if len(digits) < from+4 {
		return 0, false
	}
	n, err := strconv.ParseUint(string(digits[from:]), 16, 16)
	return rune(n), err == nil
}

// escaper writes text into a string of JSON.
type escaper struct {
	out   *bufio.Writer
	style style
}

func (e *escaper) Write(p []byte) (int, error) {
	for i := 0; i < len(p); {
		c := p[i]
		switch {
		case c == '"' || c == '\\' || c == '/' && e.style.slash:
			e.out.WriteByte('\\')
			e.out.WriteByte(c)
		case c >= ' ' && c < 0x80 && !(e.style.html && (c == '<' || c == '>' || c == '&')):
			e.out.WriteByte(c)
		case c >= 0x80 && !e.style.ascii:
			e.out.WriteByte(c)
		case c >= 0x80:
			r, n := utf8.DecodeRune(p[i:])
			if r == utf8.RuneError {
				e.out.WriteByte(c)
				break
			}
			for _, u := range utf16.Encode([]rune{r}) {
				fmt.Fprintf(e.out, `\u%04x`, u)
			}
			i += n - 1
		default:
			if k := strings.IndexByte("\n\r\t\b\f", c); k >= 0 {
				e.out.WriteByte('\\')
				e.out.WriteByte("nrtbf"[k])
			} else {
				fmt.Fprintf(e.out, `\u%04x`, c)
			}
		}
		i++
	}
	return len(p), nil // an error of a bufio.Writer stays
}
