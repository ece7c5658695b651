package redact

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"strings"
)

// errBroken tells that a text is no JSON from some place on.
var errBroken = errors.New("no JSON from here on")

const (
	maxNesting = 1000
	// mostString bounds a string that is read as a whole. What a longer one holds, and all that follows
	// it, is read as text, whose rules know JSON in text.
	mostString = 1 << 20
)

var bom = []byte("\xef\xbb\xbf")

func (p *pass) isJSON(b []byte) bool {
	if strings.HasSuffix(p.path, ".json") {
		return true
	}
	b = bytes.TrimLeft(bytes.TrimPrefix(b, bom), " \t\r\n")
	return len(b) > 0 && (b[0] == '{' || b[0] == '[') && !strings.HasSuffix(p.path, ".gap")
}

// jsonText goes over JSON and copies it byte for byte, but for the strings that
// hold secrets. It holds no document, only the names around where it is.
type jsonText struct {
	*pass
	in    *input
	out   *bufio.Writer
	i     int // in in.b
	stack []frame
}

// frame is an object or array that is open.
type frame struct {
	array     bool
	wantKey   bool
	key       string // the last one
	kind      string // the object's, as Kubernetes has it
	parent    string // what the object itself is called
	name      string // what the object's value is called: {"name":"X","value":"Y"}
	last      string // element of the array
	method    string // that it calls
	program   string // that the object tells of, or the array's command line runs
	line      string // the command line, as far as it went
	exec      bool   // inside of a kubeconfig's command
	secret    bool   // the data of a Secret
	auths     bool   // the accounts of registries
	made      bool   // a resource of Terraform whose result is a password
	count     int
	looked    int64 // how far ahead no sibling was found
	noKind    int64 // how far ahead the object has no kind
	noProgram int64 // how far ahead it has no program
}

func (p *pass) json(out *bufio.Writer, in *input) error {
	l := &jsonText{pass: p, in: in, out: out}
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
func (l *jsonText) need(n int) error {
	if len(l.in.b)-l.i >= n || l.in.eof {
		l.offset = l.in.base + int64(l.i)
		return nil
	}
	if drop := l.i - l.context; drop > 0 {
		l.in.drop(drop)
		l.i -= drop
	}
	err := l.in.fill(max(l.window, l.i+n))
	l.offset = l.in.base + int64(l.i)
	return err
}

func (l *jsonText) top() *frame {
	if len(l.stack) == 0 {
		return nil
	}
	return &l.stack[len(l.stack)-1]
}

// next copies one token of JSON with the blanks before it.
func (l *jsonText) next() error {
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

func (l *jsonText) push(array bool) {
	f := frame{array: array, wantKey: !array}
	if top := l.top(); top != nil {
		f.exec = top.exec || !top.array && strings.EqualFold(top.key, "exec")
		f.auths = top.auths || !top.array && top.key == "auths"
		if !top.array {
			f.parent = top.key
		}
		if array {
			f.key = top.key
			if f.program = l.programOf(top); strings.HasSuffix(top.method, "_api_key") {
				f.key = "api_key"
			}
		} else if !top.array && (top.key == "data" || top.key == "stringData") {
			f.secret = l.isSecretObject(top)
		}
	}
	l.stack = append(l.stack, f)
}

// isSecretObject tells whether the object whose data begins here is a Secret;
// its kind may stand behind.
func (l *jsonText) isSecretObject(top *frame) bool {
	kind := top.kind
	if kind == "" {
		kind = l.sibling(&top.noKind, "kind")
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
// None is how far ahead there is none.
func (l *jsonText) sibling(none *int64, names ...string) (text string) {
	here := l.in.base + int64(l.i)
	if here >= *none {
		if text = l.lookAhead(names); text == "" {
			*none = here + int64(l.ahead)/2
		}
	}
	return text
}

func (l *jsonText) lookAhead(names []string) string {
	b := l.in.b[l.i:min(len(l.in.b), l.i+l.ahead)]
	depth := 0
	for i := 0; i < len(b); {
		switch c := b[i]; c {
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth < 0 {
				return ""
			}
		case '"':
			end, ok := stringEnd(b, i+1)
			if !ok {
				return ""
			}
			if depth == 0 {
				key := string(b[i+1 : end])
				colon := run(b, end+1, blankByte|lineByte)
				for _, name := range names {
					if strings.EqualFold(key, name) && byteAt(b, colon) == ':' {
						at := run(b, colon+1, blankByte|lineByte)
						if byteAt(b, at) == '"' {
							if stop, ok := stringEnd(b, at+1); ok {
								return string(b[at+1 : stop])
							}
						}
					}
				}
			}
			i = end
		}
		i++
	}
	return ""
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
func (l *jsonText) scalar() error {
	b := l.in.b
	end := runWith(b, l.i, "-+.")
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
	if kind, ok := l.known.kindOf(text); ok {
		return l.replace(kind, text, false)
	}
	_, err := l.out.Write(text)
	return err
}

func (l *jsonText) replace(kind string, value []byte, learn bool) error {
	token := l.pass.token(kind, value)
	if learn {
		l.note(kind, value)
	}
	l.count(kind)
	_, err := l.out.WriteString(`"` + token + `"`)
	return err
}

// count tells of a replacement.
func (l *jsonText) count(kind string) {
	l.counts[kind]++
	if l.found != nil && !besideToken(l.in.b, l.i, l.i) {
		l.found(kind, l.offset)
	}
}

// str deals with one string, a key or a value.
func (l *jsonText) str() error {
	end, ended := stringEnd(l.in.b, l.i+1)
	for !ended && !l.in.eof && len(l.in.b)-l.i < mostString {
		if err := l.need(max(l.window-l.context, 2*(len(l.in.b)-l.i))); err != nil {
			return err
		}
		end, ended = stringEnd(l.in.b, l.i+1)
	}
	if !ended {
		return errBroken
	}
	if next := run(l.in.b, end+1, blankByte|lineByte); next < len(l.in.b) &&
		(strings.IndexByte(",:}]", l.in.b[next]) < 0) == (len(l.stack) > 0) {
		return errBroken // before a string is written that goes on behind its quote, or that is a key of no object
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
	clean := plain
	if kind == "" {
		clean = l.inner(plain)
	}
	if top != nil {
		l.remember(top, plain)
	}
	if kind != "" {
		return l.replace(kind, plain, !faint || standsOut(plain) || looksRandom(plain))
	}
	return l.writeString(raw, plain, clean)
}

// remember keeps what later strings of the object or array are judged by.
func (l *jsonText) remember(top *frame, plain []byte) {
	text := string(plain[:min(len(plain), 512)])
	if top.array {
		top.argue(text)
		top.last = text
		return
	}
	if programKeys[top.key] {
		if program := programName(text); program != "" {
			top.program = program
		}
	}
	switch strings.ToLower(top.key) {
	case "kind":
		top.kind = text
	case "method":
		top.method = text
	case "name", "key", "field", "variable", "parameterkey", "outputkey":
		top.name = text
	}
}
