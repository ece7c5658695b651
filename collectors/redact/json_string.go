package redact

import (
	"bufio"
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"unicode/utf8"
)

// writeString writes a string as it was, or what became of it.
func (l *jsonText) writeString(raw, before, after []byte) error {
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
func (l *jsonText) judgeString(plain []byte) (kind string, faint bool) {
	top := l.top()
	if top == nil || isPlaceholder(plain) {
		return "", false
	}
	if top.array {
		return l.judgeElement(top, plain), false
	}
	top.made = top.made || top.key == "type" && string(plain) == "random_password"
	if kind, t := judgeName([]byte(top.key)); isSecret([]byte(top.key), plain, t, false) &&
		!isNested(plain) {
		return kind, false
	}
	if kind, t := judgeName([]byte(top.parent)); t > noSecret && (isOfGroup([]byte(top.parent), t, []byte(top.key), plain) ||
		slices.Contains(objectKeys, strings.ToLower(top.key)) && isSecret([]byte(top.parent), plain, t, false)) {
		return kind, false
	}
	switch {
	case top.secret && !publicEntries[top.key]:
		return "secret", true
	case top.auths && top.key == "auth":
		return "registry-auth", false
	case strings.EqualFold(top.key, "key"): // {"Jwt":{"Key":"x"}}
		name := []byte(top.parent + "Key")
		if kind, t := judgeName(name); t >= medium && isSecret(name, plain, weak, false) {
			return kind, false
		}
	case top.key == "result" && slices.ContainsFunc(l.stack, func(f frame) bool { return f.made }):
		return "password", false
	case slices.Contains(defaultKeys, strings.ToLower(top.key)), strings.HasPrefix(top.key, "inline"): // Envoy: inline_string
		name := top.name
		if name == "" {
			name = l.sibling(&top.looked, "name", "key", "parameterkey", "outputkey")
			top.name = name
		}
		if name == "" {
			name = top.parent
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
	return len(plain) > 1 && (plain[0] == '{' && plain[len(plain)-1] == '}' || plain[0] == '[' &&
		plain[len(plain)-1] == ']') && json.Valid(plain)
}

// judgeElement judges an argument by the flag before it, and other elements by
// the name of their array.
func (l *jsonText) judgeElement(top *frame, plain []byte) string {
	last := []byte(top.last)
	if isEncodedFlag(top.last) && isUTF16(plain) {
		return "encoded-command"
	}
	if isFlag(last) && len(plain) > 0 && plain[0] != '-' {
		if kind, t := judgeName(last); isSecret(last, plain, t, false) {
			return kind
		}
	}
	kind, t := judgeName([]byte(top.key))
	if t >= medium && !isBareSecret([]byte(top.key)) && isSecret([]byte(top.key), plain, t, false) &&
		!bytes.HasPrefix(plain, []byte("-")) {
		return kind
	}
	if t > noSecret && (looksChosen(plain) || len(plain) >= leastWord && isGenerated(plain)) {
		return kind // the tokens, the credentials
	}
	return ""
}

// isFlag takes -token, /pass and, as sc.exe has it, password= before its value.
func isFlag(text []byte) bool {
	if len(text) < 2 {
		return false
	}
	return text[0] == '-' || text[0] == '/' || text[len(text)-1] == '=' &&
		run(text, 0, nameByte) == len(text)-1
}

// isEncodedFlag takes -EncodedCommand in all the lengths that PowerShell does.
func isEncodedFlag(flag string) bool {
	flag = strings.ToLower(flag)
	return len(flag) > 1 && (flag[0] == '-' || flag[0] == '/') &&
		(flag[1:] == "ec" || strings.HasPrefix("encodedcommand", flag[1:]))
}

// inner redacts what stands in a string: a document, an argument with its
// value, or text.
func (l *jsonText) inner(plain []byte) []byte {
	top := l.top()
	if top != nil && isHeader(top.key) {
		return l.header(top.key, plain)
	} else if top != nil && top.key == "value" && isHeader(top.name) { // of an archive of HTTP
		return l.header(top.name, plain)
	}
	if top != nil && top.array {
		if out, ok := l.onLine(top, plain); ok {
			return out
		}
		if out, ok := l.argument(plain); ok {
			return out
		}
	}
	if len(plain) > 8 && l.depth < maxDepth && isNested(plain) {
		var out bytes.Buffer
		w := bufio.NewWriter(&out)
		inner := l.within()
		if inner.json(w, &input{src: bytes.NewReader(nil), b: bytes.Clone(plain),
			eof: true}) == nil && w.Flush() == nil {
			return out.Bytes()
		}
	}
	if top != nil && messageKeys[top.key] {
		return l.logLine(plain)
	}
	return l.clean(plain)
}

// messageKeys are those under which a runtime or a logger writes a line.
var messageKeys = setOf("log msg message Message MESSAGE")

// recent are the lines before one that a log wrote as an object of its own: a value may stand in one
// line and its name in the one before.
type recent struct {
	text  []byte
	lines int // for how many more lines the text matters
}

const (
	recentLines = 6
	recentBytes = 512
)

// logLine redacts a line behind those before it.
func (l *jsonText) logLine(plain []byte) []byte {
	r := &l.recent[l.depth]
	out := plain
	if len(r.text) == 0 {
		out = l.clean(plain)
	} else {
		out = l.textBehind(slices.Concat(r.text, plain), len(r.text))
	}
	switch {
	case l.suspicious(plain):
		r.lines = recentLines
	case r.lines > 0 && len(plain) > 0 && len(out) > 0 && onlyTokens(bytes.TrimSpace(out)):
		return out // the line belongs to a value that may go on
	default:
		r.lines--
	}
	if r.lines <= 0 || len(plain) > recentBytes {
		*r = recent{}
		return out
	}
	r.text = append(r.text, bytes.TrimRight(plain, "\r\n")...)
	r.text = append(r.text, '\n')
	if over := len(r.text) - recentBytes; over > 0 {
		r.text = r.text[:copy(r.text, r.text[nextLine(r.text, lineEnd(r.text, over)):])]
	}
	return out
}

// header redacts a string that is the value of a header.
func (l *jsonText) header(name string, plain []byte) []byte {
	inner := *l.pass
	inner.prose = true
	head := append([]byte(name), ": "...)
	return inner.textBehind(append(head, plain...), len(head))
}

var headerNames = setOf("authorization proxy-authorization cookie set-cookie")

func isHeader(key string) bool { return headerNames[strings.ToLower(key)] }

// argument takes the value of NAME=VALUE and --name=value, whatever it holds.
func (l *jsonText) argument(plain []byte) ([]byte, bool) {
	i := bytes.IndexAny(plain, "=:")
	if i <= 0 || i > maxName {
		return nil, false
	}
	name := bytes.TrimLeft(plain[:i], "/")
	if run(name, 0, nameByte) != len(name) || plain[i] == ':' && plain[0] != '/' &&
		plain[0] != '-' {
		return nil, false
	}
	kind, t := judgeName(name)
	value := plain[i+1:]
	if !isSecret(name, value, t, false) || bytes.Contains(value, []byte(";")) &&
		bytes.IndexByte(value, '=') > 0 {
		return nil, false
	}
	l.count(kind)
	return append(bytes.Clone(l.clean(plain[:i+1])), l.note(kind, value)...), true
}

// clean redacts a text, and returns it as it is where nothing in it can be one.
func (p *pass) clean(plain []byte) []byte {
	if len(plain) < 6 || !p.suspicious(plain) {
		return plain
	}
	inner := *p
	inner.prose = bytes.IndexByte(plain, '\n') < 0 // one line is a message, several are a document
	return inner.text(plain)
}

// suspicious tells whether a text holds a trigger or a known value.
func (p *pass) suspicious(b []byte) bool {
	s := scan{pass: p, b: b}
	s.signs(0, len(b))
	s.encodings(0, len(b))
	hit := len(s.hits) > 0
	triggers.Each(b, func(_, _, _ int) { hit = true })
	if !hit {
		p.known.each(b, 0, func(*knownValue, int, int) { hit = true })
	}
	return hit
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

// programName returns the name of a program that may take a password in a flag
// whose name does not say so: C:\tools\sqlcmd.exe is sqlcmd. Psexec64 is psexec.
func programName(text string) string {
	text = strings.Trim(text[strings.LastIndexAny(text, `/\`)+1:], `"`)
	if len(text) < 2 || len(text) > 20 {
		return ""
	}
	name := strings.TrimSuffix(strings.ToLower(text), ".exe")
	if !programNames[name] {
		name = strings.TrimRight(name, "0123456789")
	}
	if programNames[name] {
		return name
	}
	return ""
}

// programNames are the first words of the programs.
var programNames = func() map[string]bool {
	m := map[string]bool{}
	for _, c := range commands {
		for name := range strings.SplitSeq(c.names, "|") {
			m[commandName(name)] = true
		}
	}
	return m
}()

// programKeys are the names under which an object keeps its program, and argumentKeys those of what it is given.
var (
	programKeys  = setOf("name exe path executable binPath file fileName command program Name ExecutablePath ProcessName Path")
	argumentKeys = setOf("args argv arguments command cmd Args Arguments ArgumentList")
)

// programOf tells which program the array that begins here has the arguments of.
func (l *jsonText) programOf(top *frame) string {
	if !argumentKeys[top.key] {
		return ""
	}
	if top.program == "" && !top.array {
		return programName(l.sibling(&top.noProgram, "exe", "path", "binPath", "executable"))
	}
	return top.program
}

// mostLine bounds how much of a command line an element is judged by.
const mostLine = 400

// argue takes note of an element of a command line.
func (f *frame) argue(text string) {
	if f.count < 4 && f.program == "" && text != "" && text[0] != '-' && text[0] != '/' {
		f.program = programName(text)
	} else if f.program == "" {
		return
	}
	if strings.ContainsAny(text, " ;|") {
		text = `"` + text + `"`
	}
	f.line = f.line[max(0, len(f.line)-mostLine):] + " " + text
}

// onLine redacts an element as it stands behind its program and the elements before it.
func (l *jsonText) onLine(top *frame, plain []byte) ([]byte, bool) {
	if top.program == "" || len(plain) < 3 || bytes.ContainsRune(plain, '"') {
		if isFlag([]byte(top.last)) && strings.EqualFold(top.last, "-p") && isRandomWord(plain) {
			l.count("password")
			return []byte(l.note("password", plain)), true
		}
		return nil, false
	}
	head := top.line
	if head == "" || !strings.Contains(strings.ToLower(head), top.program) {
		head = top.program + head
	}
	quote := ""
	if bytes.ContainsAny(plain, " ;|") {
		quote = `"`
	}
	head += " " + quote
	inner := *l.pass
	inner.prose = true
	text := append(append([]byte(head), plain...), quote...)
	out := bytes.TrimSuffix(inner.textBehind(text, len(head)), []byte(quote))
	if bytes.Equal(out, plain) {
		return nil, false
	}
	return bytes.Clone(out), true
}

// isRandomWord takes what a generator makes of letters of both cases and digits.
func isRandomWord(v []byte) bool {
	return len(v) >= 12 && mixed(v) && looksRandom(v) && !bytes.ContainsAny(v, ":/\\=,@ ") &&
		bytes.ContainsAny(v, digits) && bytes.ContainsAny(v, uppers) && bytes.ContainsAny(v, lowers)
}
