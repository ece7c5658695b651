package redact

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
)

// Command lines: their words, and which of them are passwords.

// commandLine looks at the words of a command, and tells where a sign ends them behind which another command may stand.
func (s *scan) commandLine(line []byte, i int, flags string) int {
	if !isBlank(line[i-1]) && line[i-1] != ':' && line[i-1] != '=' {
		i = skipQuote(line, run(line, i, wordByte|nameByte)) // .exe, 64
	}
	list := words(s, line, i)
	s.givenBy(line, list, flags)
	if last := len(list) - 1; last >= 0 && isOneOf(line, list[last].end, ";|") {
		return list[last].end
	}
	return len(line)
}

// givenBy takes the words of a command that its flags say to be passwords.
func (s *scan) givenBy(line []byte, list []value, flags string) {
	for flag := range strings.FieldsSeq(flags) {
		if way := ways[flag]; way != nil {
			way(s, line, list)
			continue
		}
		for n, w := range list {
			if v, ok := flagValue(line, list, n, w, flag); ok {
				s.takePassword(v)
			}
		}
	}
}

// mostItem is how long an item of a numbered list may be, with the number of the next one.
const mostItem = 512

// numbered are the items of a list from that of i on, each behind its number: 8: --password (10 bytes) 9: VALUE (25 bytes),
// argv[8]=--password argv[9]=VALUE.
func (s *scan) numbered(b []byte, i, most int) (list []value) {
	lowest := max(0, i-nameReach)
	i = lowest + 1 + bytes.LastIndexAny(b[lowest:i], " \t\r\n\"'=")
	end := backOf(b, i, 6, "\"'\\ :=]).")
	from := backOf(b, end, 4, digits)
	number, err := strconv.Atoi(string(b[from:end]))
	sign := bytes.TrimRight(b[end:i], "\"'\\")
	word := bytes.TrimPrefix(b[runBack(b, backOf(b, from, 1, "[(# "), wordByte):from], []byte(" "))
	for next := 0; next >= 0 && err == nil && bytes.ContainsAny(sign, ":=]).") && len(list) < most; number++ {
		near := b[i:min(len(b), i+mostItem)]
		*s.work += int64(len(near))
		mark := fmt.Appendf(nil, "%s%d%s", word, number+1, sign)
		v := value{start: i, end: i + lineEnd(near, 0)}
		if next = bytes.Index(near, mark); isOneOf(near, next-1, " \t\r\n,\"'") {
			v.end = i + next
		} else {
			next = -1
		}
		if size := bytes.Index(v.in(b), []byte(" bytes)")); size > 0 {
			v.end = i + max(0, bytes.LastIndex(b[i:i+size], []byte(" (")))
		} else if i > 0 && among(b[i-1], "\"'") {
			v.quoted, v.quote, v.end = true, b[i-1], upTo(b[:v.end], i, mostItem, string(b[i-1]))
		}
		v.end = i + len(bytes.TrimRight(v.in(b), " \t\r\n,\\"))
		list = append(list, v)
		i = skipQuote(b, i+next+len(mark))
	}
	return list
}

// numberedForm: a flag whose value is the next item of a numbered list.
func (s *scan) numberedForm(f field) bool {
	var list []value
	if f.flag {
		list = s.numbered(f.b, f.from, 2)
	}
	if len(list) < 2 || list[0].end != f.to || isOption(f.b, list[1]) {
		return false
	}
	s.takeJudged(f, list[1], false)
	return true
}

// flagValue is the password that a word gives, or lets the next one give.
func flagValue(line []byte, list []value, n int, w value, flag string) (value, bool) {
	text := string(w.in(line))
	name := strings.TrimRight(flag, "+:%,@")
	next := value{}
	if n+2 < len(list) && string(list[n+1].in(line)) == "=" { // SECRET = 'VALUE'
		return list[n+2], strings.EqualFold(text+"=", name)
	} else if n+1 < len(list) {
		next = list[n+1]
	}
	switch strings.TrimPrefix(flag, name) {
	case "+", ":+":
		if strings.HasSuffix(flag, ":+") && !strings.HasSuffix(flag, "u:+") {
			name += ":"
		}
		return glued(line, w, text, name, strings.HasSuffix(flag, "u:+"))
	case ":":
		if len(text) > len(name) && text[len(name)] == '=' && equalFlag(text[:len(name)], name) {
			return behindColon(line, value{start: w.start + len(name) + 1, end: w.end}, ':')
		}
		if equalFlag(text, name) {
			return behindColon(line, next, ':')
		}
	case ":@": // user:password@host
		if v, ok := behindColon(line, next, ':'); ok && equalFlag(text, name) {
			v.end = max(v.start, v.start+bytes.LastIndexByte(v.in(line), '@'))
			return v, true
		}
	case ":,": // /login:user,password
		if v, ok := glued(line, w, text, name+":", false); ok {
			return behindColon(line, v, ',')
		}
	case "%", ",":
		if equalFlag(text, name) {
			return behindColon(line, next, flag[len(flag)-1])
		}
	default:
		if equalFlag(text, name) && !isOption(line, next) && !((proseWords[string(next.in(line))] || isListedName(next.in(line))) && !next.quoted) &&
			!isCmdlet(bytes.TrimLeft(next.in(line), "(")) {
			return sourced(line, next)
		}
	}
	return value{}, false
}

// isListedName tells of what a list of options calls the value of one: -P password, -Z new password.
func isListedName(text []byte) bool {
	name, ok := bytes.CutSuffix(text, []byte(","))
	_, t := judgeName(name)
	return ok && t > noSecret && isDictionaryWord(name)
}

// sourced passes pass: of openssl, and takes nothing that only tells where the password is.
func sourced(line []byte, v value) (value, bool) {
	text := v.in(line)
	if foldAt(text, 0, "env:", "file:", "fd:", "stdin") != "" {
		return value{}, false
	}
	if hasFold(text, 0, "pass:") {
		if v.start += len("pass:"); skipQuote(line, v.start) > v.start { // pass:"%PW%"
			v.start++
			v.end -= b2i(v.end > v.start && line[v.end-1] == line[v.start-1])
		}
	}
	return v, true
}

// glued is what stands behind a flag in its own word: -pSECRET.
func glued(line []byte, w value, text, name string, pair bool) (value, bool) {
	if len(text) <= len(name) || !equalFlag(text[:len(name)], name) ||
		name == "-p" && (strings.HasPrefix(text, "-port") || strings.HasPrefix(text, "-pa") &&
			len(text) > 9 && !mixed([]byte(text)) || text == "-pw" || strings.HasPrefix(text, "-pwd") || strings.HasPrefix(text, "-protocol") ||
			strings.HasPrefix(text, "-profile")) {
		return value{}, false
	}
	v := value{start: w.start + len(name), end: w.end, quote: w.quote, quoted: w.quoted}
	if isOneOf(line[:v.end], v.start, "\"'") {
		v.quoted, v.quote = true, line[v.start]
		if v.start++; v.end > v.start && line[v.end-1] == v.quote {
			v.end--
		}
	}
	if pair {
		return behindColon(line, v, ':')
	}
	return v, true
}

// behindColon is what stands behind the user.
func behindColon(line []byte, v value, sign byte) (value, bool) {
	i := bytes.IndexByte(v.in(line), sign)
	if i == 1 && sign == ':' && isPath(v.in(line)) { // a drive's
		i = 2 + bytes.IndexByte(line[v.start+2:v.end], sign)
		if i == 1 {
			return v, false
		}
	}
	user, word := v.in(line)[:max(0, i)], v.in(line)[i+1:]
	v.start += i + 1
	return v, i >= 0 && !(hasFold(user, 0, "user") && hasFold(word, 0, "pass") && isDictionaryWord(word)) // user:password of a document
}

// isOption tells of a word that is a flag and no password.
func isOption(line []byte, v value) bool {
	text := v.in(line)
	return !v.quoted && (byteAt(text, 0) == '-' || byteAt(text, 0) == '/' && len(text) < 8 &&
		run(text, 1, wordByte) == len(text))
}

// equalFlag holds letters apart where one is -p and another -P, and not behind a slash.
func equalFlag(text, flag string) bool {
	return text == flag || flag[0] == '/' && strings.EqualFold(text, flag)
}

// skipTag passes elements of XML between a program and its arguments.
func skipTag(line []byte, i int) int {
	for byteAt(line, i) == '<' && (byteAt(line, i+1) == '/' || isAlnum(byteAt(line, i+1))) && tokenAt(line[i:]) == 0 {
		end := bytes.IndexByte(line[i:min(len(line), i+64)], '>')
		if end < 0 {
			return i
		}
		i += end + 1
	}
	return i
}

// words splits a command line.
func words(s *scan, line []byte, i int) []value {
	var list []value
	for len(list) < 64 {
		if end := skipTag(line, i); !isBlank(byteAt(line, i-1)) || !isBlank(byteAt(line, end)) { // and no <password> of a document
			i = end
		}
		for i < len(line) && (among(line[i], " \t,[]\r\n") ||
			among(line[i], "\\^`") && isLineAt(line, skipBlanks(line, i+1))) {
			if isLine(line[i]) {
				if i = skipBlanks(line, nextPayload(line, i)); hasFold(line, i, "- ") { // an item of YAML
					i++
				}
			} else {
				i++
			}
		}
		if i >= len(line) {
			break
		}
		if len(list) > 0 && hasFold(list[len(list)-1].in(line), 0, "-argumentlist") { // of Start-Process
			i = skipQuote(line, i)
		}
		v := s.value(line, i, " \t\r\n|;\"")
		v.open = false
		if v.end == i && !v.quoted && line[i] == '\\' { // of a path: C:\n.cmd
			i++
			continue
		}
		if v.end < v.start || v.end == i && !v.quoted {
			break
		}
		if open := bytes.IndexByte(v.in(line), '\''); !v.quoted && open > 0 && line[v.start] == '-' { // -p'a b'
			if end, ok := closing(line, v.start+open+1, '\'', 0); ok && end >= v.end && line[end] == '\'' {
				v.end = end + 1
			}
		} else if !v.quoted && byteAt(line, v.end) == '"' { // -p"a b"
			if end, ok := closing(line, v.end+1, '"', 0); ok && v.end+1 < end && line[end] == '"' {
				v.end = end
			}
		}
		list = append(list, v)
		i = max(skipQuote(line, v.end), i+1)
	}
	return list
}

// accountPassword: nssm set NAME ObjectName USER PASSWORD.
func (s *scan) accountPassword(line []byte, list []value) {
	if len(list) < 2 || len(list) > 4 {
		return
	}
	user := line[list[0].start:list[0].end]
	set := containsFold(line[max(0, list[0].start-layerBack):list[0].start], "set")
	if (bytes.ContainsAny(user, `\@`) || set && !bytes.ContainsAny(user, "=:")) &&
		!isPlaceholder(user) && !hasFold(user, 0, "localsystem") && !hasFold(user, 0, "reg_") {
		s.takePassword(list[1])
	}
}

// plainWords are the words that are no flags.
func plainWords(line []byte, list []value) (plain []value) {
	for _, w := range list {
		if w.quoted || w.end > w.start && line[w.start] != '/' && line[w.start] != '-' {
			plain = append(plain, w)
		}
	}
	return plain
}

// plainWord takes the n-th word that is no flag, when it is random enough.
func (s *scan) plainWord(line []byte, list []value, n int) {
	for i, w := range list {
		if w.end <= w.start || isOption(line, w) {
			continue
		}
		if n--; n == 0 {
			alone := w.quoted || i == len(list)-1 && !(i > 0 && isOption(line, list[i-1])) // else it may be the option's
			if text := w.in(line); fitsWord(text) || isGUID(text) || alone && !isDictionaryWord(text) && !isPlainValue(text) {
				s.takePassword(w)
			}
			return
		}
	}
}

// slashPassword: sqlplus USER/PASSWORD@DB.
func (s *scan) slashPassword(line []byte, list []value) {
	for n, w := range list {
		text := w.in(line)
		slash := bytes.IndexByte(text, '/')
		if slash <= 0 || isOption(line, w) || isPath(text) || text[0] == '@' {
			continue
		}
		end := bytes.LastIndexByte(text, '@')
		if end < slash || hasFold(text, slash+1, `"`) {
			end = len(text)
		}
		s.takePassword(value{start: w.start + skipQuote(text, slash+1), end: w.start + end})
		if n+2 >= len(list) || !hasFold(line, list[n+1].start, "catalog ") { // of RMAN
			return
		}
	}
}

// netPassword: net use X: \\host\share PASSWORD /user:U, net user NAME PASSWORD /add.
func (s *scan) netPassword(line []byte, list []value, share bool) {
	plain, named := 0, !share
	for n, w := range list {
		text := w.in(line)
		if len(text) == 0 || among(text[0], "/-") || hasFold(text, 0, "2>") {
			continue
		}
		if len(text) == 2 && text[1] == ':' || bytes.HasPrefix(text, []byte(`\\`)) ||
			string(text) == "*" || bytes.Contains(text, []byte("://")) {
			named = true
			continue
		}
		if plain++; plain == 1 && !share {
			continue // the user's name
		}
		if named && commandGoesOn(line, list, n) {
			s.takePassword(w)
		}
		return
	}
}

// commandGoesOn tells a command from a sentence: after the password comes a
// switch or nothing.
func commandGoesOn(line []byte, list []value, n int) bool {
	return n+1 >= len(list) || isOneOf(line, list[n+1].start, "/&>|})")
}
