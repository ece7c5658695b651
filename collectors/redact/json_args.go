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

// isProgramKey tells of the names under which an object keeps its program.
func isProgramKey(key string) bool {
	switch key {
	case "name", "exe", "path", "executable", "binPath", "file", "fileName", "command", "program",
		"Name", "ExecutablePath", "ProcessName", "Path":
		return true
	}
	return false
}

// programOf tells which program the array that begins here has the arguments of.
func (l *lexer) programOf(top *frame) string {
	switch top.key {
	case "args", "argv", "arguments", "command", "cmd", "Args", "Arguments", "ArgumentList":
	default:
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

// argue takes note of an element of a command line.
func (f *frame) argue(text string) {
	if text == "" || text[0] == '-' || text[0] == '/' {
		return
	}
	if f.count < 4 && f.program == "" {
		f.program = programName(text)
		return
	}
	if f.program != "" && len(f.verbs) < 64 {
		f.verbs += " " + strings.ToLower(text) + " "
	}
	if !f.isNetVerb(text) && !isNetResource(text) {
		f.given++
	}
}

// flags are those of the array's program that take a password.
func (f *frame) flags() string {
	if f.program == "" {
		return ""
	}
	flags := ""
	for _, c := range commands {
		for name := range strings.SplitSeq(c.names, "|") {
			if commandName(name) == f.program && f.hasVerbs(name+" "+c.with) {
				flags += " " + c.flags
			}
		}
	}
	return flags
}

// hasVerbs tells whether the words behind a program's name stand in the array.
func (f *frame) hasVerbs(name string) bool {
	_, verbs, _ := strings.Cut(name, " ")
	for verb := range strings.FieldsSeq(verbs) {
		if verb[0] != '-' && len(verb) > 1 && !strings.Contains(f.verbs, " "+verb+" ") {
			return false
		}
	}
	return true
}

// takesPassword tells whether the element before is a flag whose value is a
// password: one of the program's, or -P of any with what can be nothing else.
func (f *frame) takesPassword(plain []byte) bool {
	if isPath(plain) || isPlaceholder(plain) {
		return false
	}
	for flag := range strings.FieldsSeq(f.flags()) {
		if equalFlag(f.last, flag) {
			return true
		}
	}
	return (f.last == "-p" || f.last == "-P") && isRandomWord(plain)
}

// isRandomWord takes what a generator makes of letters of both cases and digits.
func isRandomWord(v []byte) bool {
	return len(v) >= 12 && mixed(v) && looksRandom(v) && !bytes.ContainsAny(v, ":/\\=,@ ") &&
		bytes.ContainsAny(v, digits) && bytes.ContainsAny(v, uppers) && bytes.ContainsAny(v, lowers)
}

// programArgument takes the password of user:password behind a flag, and that of
// a flag that has it without a blank.
func (l *lexer) programArgument(top *frame, plain []byte) ([]byte, bool) {
	if len(plain) < 3 {
		return nil, false
	}
	cut := 0
	for flag := range strings.FieldsSeq(top.flags()) {
		name := strings.TrimRight(flag, "+:%")
		switch {
		case strings.HasSuffix(flag, "+"):
			name = flag[:len(flag)-1]
			if len(plain) > len(name) && equalFlag(string(plain[:len(name)]), name) &&
				!bytes.HasPrefix(plain, []byte("-port")) {
				cut = len(name)
			}
		case strings.HasSuffix(flag, ":") && plain[0] != '-' && equalFlag(top.last, name):
			cut = bytes.IndexByte(plain, ':') + 1
		case strings.HasSuffix(flag, ":") && len(plain) > len(name) && plain[len(name)] == '=' &&
			equalFlag(string(plain[:len(name)]), name):
			cut = bytes.IndexByte(plain, ':') + 1
		case strings.HasSuffix(flag, "%") && equalFlag(top.last, name):
			cut = bytes.IndexByte(plain, '%') + 1
		}
	}
	if cut == 0 && (bytes.HasPrefix(plain, []byte("/p:")) ||
		bytes.HasPrefix(plain, []byte("-p:"))) && isRandomWord(plain[3:]) {
		cut = 3
	}
	if cut == 0 || isPlaceholder(plain[cut:]) || isPath(plain[cut:]) {
		return nil, false
	}
	l.count("password")
	return append(bytes.Clone(l.clean(plain[:cut])), l.note("password", plain[cut:])...), true
}

func (f *frame) isNetVerb(text string) bool {
	text = strings.ToLower(text)
	return (f.program == "net" || f.program == "net1") && (text == "use" || text == "user")
}

// isNetResource takes what net use names besides a password: Z:, \\host\share, *.
func isNetResource(text string) bool {
	return text == "*" || strings.HasPrefix(text, `\\`) || strings.HasSuffix(text, ":")
}

// isNetPassword takes the password of net use and net user, which has no flag.
func (f *frame) isNetPassword(plain []byte) bool {
	text := string(plain[:min(len(plain), 512)])
	if f.program != "net" && f.program != "net1" || text == "" || text[0] == '/' ||
		f.isNetVerb(text) || isNetResource(text) || isPlaceholder(plain) {
		return false
	}
	switch {
	case strings.Contains(f.verbs, " use "):
		return f.given == 0
	case strings.Contains(f.verbs, " user "):
		return f.given == 1 // behind the user's name
	}
	return false
}
