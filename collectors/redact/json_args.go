package redact

import (
	"bytes"
	"strings"
)

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
func (l *lexer) programOf(top *frame) string {
	if !argumentKeys[top.key] {
		return ""
	}
	if top.program == "" && !top.array {
		here := l.in.base + int64(l.i)
		if here < top.noProgram {
			return ""
		}
		text, _ := l.lookAhead([]string{"exe", "path", "binPath", "executable"})
		if text == "" {
			top.noProgram = here + int64(l.ahead)/2
		}
		return programName(text)
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
func (l *lexer) onLine(top *frame, plain []byte) ([]byte, bool) {
	if top.program == "" || len(plain) < 3 || bytes.IndexByte(plain, '"') >= 0 {
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
