package redact

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"unicode/utf8"
)

// errBroken tells that a text is no JSON from some place on.
var errBroken = errors.New("no JSON from here on")

const maxNesting = 1000

var bom = []byte("\xef\xbb\xbf")

func (p *pass) isJSON(b []byte) bool {
	if strings.HasSuffix(p.path, ".json") {
		return true
	}
	b = bytes.TrimLeft(bytes.TrimPrefix(b, bom), " \t\r\n")
	return len(b) > 0 && (b[0] == '{' || b[0] == '[') && !strings.HasSuffix(p.path, ".gap")
}

// lexer goes over JSON and copies it byte for byte, but for the strings that
// hold secrets. It holds no document, only the names around where it is.
type lexer struct {
	*pass
	in    *input
	out   *bufio.Writer
	i     int // in in.b
	stack []frame
}

// frame is an object or array that is open.
type frame struct {
	array   bool
	wantKey bool
	key     string // the last one
	kind    string // the object's, as Kubernetes has it
	name    string // what the object's value is called: {"name":"X","value":"Y"}
	last    string // element of the array
	flags   string // that take a password in this command line
	exec    bool   // inside of a kubeconfig's command
	secret  bool   // the data of a Secret
	auths   bool   // the accounts of registries
	count   int
}

func (p *pass) json(out *bufio.Writer, in *input) error {
	l := &lexer{pass: p, in: in, out: out}
	if bytes.HasPrefix(in.b, bom) {
		out.Write(bom)
		l.i = len(bom)
	}
	for {
		if err := l.need(p.ahead); err != nil {
			return err
		}
		if l.i >= len(in.b) {
			return nil
		}
		err := l.next()
		if err == errBroken {
			return p.stream(out, in, l.i)
		}
		if err != nil {
			return err
		}
	}
}

// need makes n bytes visible from here on, where the file has so many.
func (l *lexer) need(n int) error {
	if len(l.in.b)-l.i >= n || l.in.eof {
		l.offset = l.in.base + int64(l.i)
		return nil
	}
	if drop := l.i - context; drop > 0 {
		l.in.drop(drop)
		l.i -= drop
	}
	err := l.in.fill(max(l.window, l.i+n))
	l.offset = l.in.base + int64(l.i)
	return err
}

func (l *lexer) top() *frame {
	if len(l.stack) == 0 {
		return nil
	}
	return &l.stack[len(l.stack)-1]
}

// next copies one token of JSON with the blanks before it.
func (l *lexer) next() error {
	b := l.in.b
	start := l.i
	i := run(b, start, blankByte|lineByte)
	if i > start {
		l.i = i
		_, err := l.out.Write(b[start:i])
		return err
	}
	top := l.top()
	switch c := b[i]; c {
	case '{', '[':
		if len(l.stack) >= maxNesting || top != nil && top.wantKey {
			return errBroken
		}
		l.push(c == '[')
	case '}', ']':
		if top == nil || top.array != (c == ']') {
			return errBroken
		}
		l.stack = l.stack[:len(l.stack)-1]
	case ',':
		if top == nil {
			return errBroken
		}
		top.wantKey = !top.array
		top.count++
	case ':':
		if top == nil || top.array || !top.wantKey {
			return errBroken
		}
		top.wantKey = false
	case '"':
		return l.str()
	default:
		return l.scalar()
	}
	l.i++
	return l.out.WriteByte(b[i])
}

func (l *lexer) push(array bool) {
	f := frame{array: array, wantKey: !array}
	if top := l.top(); top != nil {
		f.exec = top.exec || !top.array && strings.EqualFold(top.key, "exec")
		f.auths = top.auths || !top.array && top.key == "auths"
		if array {
			f.key = top.key
		} else if !top.array && (top.key == "data" || top.key == "stringData") {
			f.secret = l.isSecretObject(top)
		}
	}
	l.stack = append(l.stack, f)
}

// isSecretObject tells whether the object whose data begins here is a Secret;
// its kind may stand behind.
func (l *lexer) isSecretObject(top *frame) bool {
	kind := top.kind
	if kind == "" {
		kind, _ = l.sibling("kind")
	}
	if kind == "" {
		for _, f := range l.stack {
			if f.kind == "SecretList" {
				return true
			}
		}
	}
	return kind == "Secret"
}

// sibling looks ahead for the text of a key of the object that is open. Where
// the next token opens an object, that one is passed over.
func (l *lexer) sibling(names ...string) (string, bool) {
	b := l.in.b[l.i:min(len(l.in.b), l.i+l.ahead)]
	depth := 0
	for i := 0; i < len(b); {
		switch c := b[i]; c {
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth < 0 {
				return "", true
			}
		case '"':
			end, ok := stringEnd(b, i+1)
			if !ok {
				return "", false
			}
			if depth == 0 {
				key := string(b[i+1 : end])
				colon := run(b, end+1, blankByte|lineByte)
				for _, name := range names {
					if strings.EqualFold(key, name) && colon < len(b) && b[colon] == ':' {
						at := run(b, colon+1, blankByte|lineByte)
						if at < len(b) && b[at] == '"' {
							if stop, ok := stringEnd(b, at+1); ok {
								return string(b[at+1 : stop]), true
							}
						}
					}
				}
			}
			i = end
		}
		i++
	}
	return "", false
}

func stringEnd(b []byte, i int) (int, bool) {
	for i < len(b) {
		switch b[i] {
		case '"':
			return i, true
		case '\\':
			i++
		}
		i++
	}
	return len(b), false
}

// scalar copies a number, true, false or null; a number may be a password.
func (l *lexer) scalar() error {
	b := l.in.b
	end := l.i
	for end < len(b) && (isAlnum(b[end]) || b[end] == '-' || b[end] == '+' || b[end] == '.') {
		end++
	}
	text := b[l.i:end]
	top := l.top()
	if len(text) == 0 || len(text) > 4096 || !json.Valid(text) || top != nil && top.wantKey {
		return errBroken
	}
	l.i = end
	if top != nil && !top.array && len(text) >= 4 && isDigit(text[0]) {
		if kind, t := judgeName([]byte(top.key)); t == strong {
			return l.replace(kind, text, false)
		}
	}
	_, err := l.out.Write(text)
	return err
}

func (l *lexer) replace(kind string, value []byte, learn bool) error {
	token := l.pass.token(kind, value)
	if learn {
		l.known.add(kind, token, value)
	}
	l.counts[kind]++
	if l.found != nil {
		l.found(kind, l.offset)
	}
	_, err := l.out.WriteString(`"` + token + `"`)
	return err
}

// str deals with one string, a key or a value.
func (l *lexer) str() error {
	end, ended := stringEnd(l.in.b, l.i+1)
	for !ended && !l.in.eof && len(l.in.b)-l.i < l.window-context {
		if err := l.need(l.window - context); err != nil {
			return err
		}
		end, ended = stringEnd(l.in.b, l.i+1)
	}
	if !ended {
		if l.in.eof {
			return errBroken
		}
		return l.longText()
	}
	raw := l.in.b[l.i+1 : end]
	plain, ok := unquoteJSON(raw)
	if !ok {
		return errBroken
	}
	l.i = end + 1
	top := l.top()
	if top != nil && top.wantKey {
		top.key = string(plain[:min(len(plain), 512)])
		return l.writeString(raw, plain, l.clean(plain))
	}
	kind, faint := l.judgeString(plain)
	if top != nil {
		l.remember(top, plain)
	}
	if kind != "" {
		return l.replace(kind, plain, !faint || standsOut(plain) || looksRandom(plain))
	}
	return l.writeString(raw, plain, l.inner(plain))
}

// remember keeps what later strings of the object or array are judged by.
func (l *lexer) remember(top *frame, plain []byte) {
	text := string(plain[:min(len(plain), 512)])
	if top.array {
		if top.count == 0 {
			top.flags = flagsOf(text)
		}
		top.last = text
		return
	}
	switch strings.ToLower(top.key) {
	case "kind":
		top.kind = text
	case "name", "key", "field", "variable":
		top.name = text
	}
}

// flagsOf returns the flags with which a program takes a password.
func flagsOf(program string) string {
	program = strings.ToLower(program[strings.LastIndexAny(program, `/\`)+1:])
	for _, p := range programs {
		if strings.HasPrefix(program, p.name) {
			return p.flags
		}
	}
	return ""
}

// writeString writes a string as it was, or what became of it.
func (l *lexer) writeString(raw, before, after []byte) error {
	if l.names != nil && !l.unnamed {
		after = l.names.Append(nil, after)
	}
	if !bytes.Equal(before, after) {
		_, err := l.out.Write(quoteJSON(after))
		return err
	}
	l.out.WriteByte('"')
	l.out.Write(raw)
	return l.out.WriteByte('"')
}

// judgeString tells of which kind a string is by what stands around it.
func (l *lexer) judgeString(plain []byte) (kind string, faint bool) {
	top := l.top()
	if top == nil || isPlaceholder(plain) {
		return "", false
	}
	if top.array {
		return l.judgeElement(top, plain), false
	}
	if kind, t := judgeName([]byte(top.key)); isSecret([]byte(top.key), plain, t, false) && !isNested(plain) {
		return kind, false
	}
	switch {
	case top.secret && top.key != "ca.crt" && top.key != "namespace" && top.key != "tls.crt":
		return "secret", true
	case top.auths && top.key == "auth":
		return "registry-auth", false
	case strings.EqualFold(top.key, "value"):
		name := top.name
		if name == "" {
			name, _ = l.sibling("name", "key")
		}
		if kind, t := judgeName([]byte(name)); isSecret([]byte(name), plain, t, false) {
			return kind, false
		}
		if top.exec && !isHarmless(plain) {
			return "kubeconfig", true
		}
	}
	return "", false
}

func isNested(plain []byte) bool {
	plain = bytes.TrimSpace(plain)
	return len(plain) > 1 && (plain[0] == '{' && plain[len(plain)-1] == '}' || plain[0] == '[' && plain[len(plain)-1] == ']') && json.Valid(plain)
}

// judgeElement judges an argument by the flag before it, and other elements by
// the name of their array.
func (l *lexer) judgeElement(top *frame, plain []byte) string {
	last := []byte(top.last)
	if len(last) > 1 && (last[0] == '-' || last[0] == '/') && len(plain) > 0 && plain[0] != '-' {
		if kind, t := judgeName(last); isSecret(last, plain, t, false) {
			return kind
		}
		for flag := range strings.FieldsSeq(top.flags) {
			if name := strings.TrimRight(flag, "+:%"); equalFlag(top.last, name) && !isPath(plain) {
				return "password"
			}
		}
	}
	if kind, t := judgeName([]byte(top.key)); t >= medium && !isBareSecret([]byte(top.key)) && isSecret([]byte(top.key), plain, t, false) && !bytes.HasPrefix(plain, []byte("-")) {
		return kind
	}
	return ""
}

// inner redacts what stands in a string: a document, an argument with its
// value, or text.
func (l *lexer) inner(plain []byte) []byte {
	if top := l.top(); top != nil && top.array {
		if out, ok := l.argument(plain); ok {
			return out
		}
	}
	if len(plain) > 8 && l.depth < maxDepth && isNested(plain) {
		var out bytes.Buffer
		w := bufio.NewWriter(&out)
		inner := l.within()
		if inner.json(w, &input{src: bytes.NewReader(nil), b: bytes.Clone(plain), eof: true}) == nil && w.Flush() == nil {
			return out.Bytes()
		}
	}
	return l.clean(plain)
}

// argument takes the value of NAME=VALUE and --name=value, whatever it holds.
func (l *lexer) argument(plain []byte) ([]byte, bool) {
	i := bytes.IndexAny(plain, "=:")
	if i <= 0 || i > maxName {
		return nil, false
	}
	name := bytes.TrimLeft(plain[:i], "/")
	if run(name, 0, nameByte) != len(name) || plain[i] == ':' && plain[0] != '/' && plain[0] != '-' {
		return nil, false
	}
	kind, t := judgeName(name)
	value := plain[i+1:]
	if !isSecret(name, value, t, false) || bytes.Contains(value, []byte(";")) && bytes.IndexByte(value, '=') > 0 {
		return nil, false
	}
	token := l.pass.token(kind, value)
	l.known.add(kind, token, value)
	l.counts[kind]++
	if l.found != nil {
		l.found(kind, l.offset)
	}
	return append(bytes.Clone(plain[:i+1]), token...), true
}

// clean redacts a text, and returns it as it is where nothing in it can be one.
func (p *pass) clean(plain []byte) []byte {
	if len(plain) < 6 || !p.suspicious(plain) {
		return plain
	}
	return p.text(plain)
}

// suspicious tells whether a text holds a trigger or a known value.
func (p *pass) suspicious(b []byte) bool {
	if bytes.ContainsAny(b, "@~") || bytes.Contains(b, []byte("==")) {
		return true
	}
	hit := bytes.IndexByte(b, '.') >= 0 && len(b) >= 23
	triggers.Each(b, func(_, _, _ int) { hit = true })
	if !hit {
		p.known.each(b, 0, func(*knownValue, int, int) { hit = true })
	}
	return hit
}

// longText deals with a string that is longer than the window.
func (l *lexer) longText() error {
	top := l.top()
	head, _ := unquoteJSON(l.in.b[l.i+1 : l.i+1+1024])
	if head == nil {
		head = l.in.b[l.i+1 : l.i+1+1024]
	}
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
	in := &input{src: r, b: make([]byte, 0, inner.window)}
	if err := inner.stream(l.out, in, 0); err != nil {
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

// unquoteJSON undoes the escapes of a string of JSON; ok is false when it is none.
func unquoteJSON(raw []byte) (plain []byte, ok bool) {
	i := bytes.IndexByte(raw, '\\')
	for _, c := range raw {
		if c < ' ' && i >= 0 {
			return nil, false
		}
	}
	if i < 0 {
		return raw, true
	}
	if !utf8.Valid(raw) {
		return nil, false
	}
	quoted := make([]byte, 0, len(raw)+2)
	quoted = append(append(append(quoted, '"'), raw...), '"')
	var s string
	if json.Unmarshal(quoted, &s) != nil {
		return nil, false
	}
	return []byte(s), true
}

func quoteJSON(plain []byte) []byte {
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	e.Encode(string(plain)) // a string is always encoded
	return bytes.TrimRight(out.Bytes(), "\n")
}
