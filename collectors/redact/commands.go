package redact

import (
	"bytes"
	"strings"

	"doctor/checks/packed"
)

// A command takes a password in a flag whose name does not say so, or in a word
// of its own.
type command struct{ names, flags, with string }

var commandTable = packed.Text(tables, "commands.txt")

// commands are those of commands.txt, which says what its columns are.
var commands = func() (list []command) {
	for line := range strings.Lines(string(commandTable())) {
		if f := strings.Split(strings.ReplaceAll(strings.TrimSuffix(line, "\n"), `\n`, "\n")+"\t", "\t"); len(f) > 2 && f[0][0] != '#' {
			list = append(list, command{f[0], f[1], f[2]})
		}
	}
	return list
}()

// commandName is the program of a command, without what follows it.
func commandName(text string) string {
	word, _, _ := strings.Cut(text, " ")
	return strings.TrimSuffix(word, ".exe")
}

// behindShort are the bytes that may follow the name of a program that is too
// short to be a trigger by itself.
const (
	behindShort   = " .\"\\'d,6\r\n"
	behindShorter = "abcdefghijklmnopqrstuvwxyz0123456789-/\\\"'$<@*.%"
)

// commandTexts are the triggers of the commands, and the names that they tell.
func commandTexts() map[string]string {
	texts := map[string]string{}
	for _, c := range commands {
		for name := range strings.SplitSeq(c.names, "|") {
			switch {
			case len(name) >= shortest:
				texts[name] = name
			case len(name) == shortest-1 && isAlnum(name[len(name)-1]):
				for i := range len(behindShort) {
					texts[name+behindShort[i:i+1]] = name
				}
			default:
				spaced := strings.TrimRight(name, " ") + " "
				if strings.HasSuffix(name, "-") {
					spaced = name
				}
				texts[name+".exe"] = name
				for i := range len(behindShorter) {
					texts[spaced+behindShorter[i:i+1]] = name
				}
				for _, tail := range []string{`",`, `" `, `\"`, `' `, "  "} {
					texts[name+tail] = name
				}
			}
		}
	}
	for text := range texts {
		if len(text) < shortest {
			delete(texts, text)
		}
	}
	return texts
}

// commandRule looks at the words behind the name of a program.
func (s *scan) commandRule(b []byte, start, end int, name string) {
	if start > 0 && (isAlnum(b[start-1]) || b[start-1] == '_') && isAlnum(b[start]) || end > len(b) {
		return
	}
	for _, c := range commands {
		if !strings.Contains("|"+c.names+"|", "|"+name+"|") {
			continue
		}
		if list := s.numbered(b, start, mostColumns); len(list) > 1 {
			s.givenBy(b, list[1:], c.flags)
			return
		}
		near := b[:min(len(b), end+s.back/4)]
		line := near[:commandEnd(near, end)]
		for last := len(line); last < len(near) && strings.HasPrefix(name, "sp_") && !insideText(b, start) && isOneOf(near, runBack(near, last, blankByte)-1, ","); line = near[:last] { // SQL goes on behind a comma
			last = lineEnd(near, nextLine(near, last))
		}
		if from := payload(s.b[:start], lineBack(s.b, start, layerBack)); hasFold(s.b, skipBlanks(s.b, from), "- ") { // of YAML
			line = inColumnWith(near, line, skipBlanks(s.b, from)-from, "- ")
		} else if at := skipBlanks(s.b, from); isLineAt(near, run(near, end, nameByte)) { // as kubectl describes a container
			line = inColumnWith(near, line, at-from, "")
		} else if open := bytes.LastIndexByte(s.b[from:start], '['); open > bytes.LastIndexByte(s.b[from:start], ']') && skipQuote(s.b, from+open+1) == from+open+1 { // hook ([cmd /c x]) of an event
			if closed := bytes.IndexByte(line[end:], ']'); closed > 0 && !isWord(byteAt(line, end+closed+1)) {
				line = line[:end+closed]
			}
		}
		if name == s.dull.program && end < s.dull.command {
			return
		}
		if s.dull.program, s.dull.command = name, len(line); hasFold(b, run(b, end, wordByte|nameByte), `",`) {
			s.dull.command = 0 // the command may stand in another text of an object
		}
		if c.flags == "share" || c.flags == "user" {
			s.dull.command, line = 0, line[:min(len(line), end+256)]
		}
		if quote := upTo(line, end, len(line), `"`); quote > run(line, end, wordByte|nameByte)+1 && quote < len(line) && byteAt(b, start-1) == '"' {
			for quote < len(line) && isBlank(line[quote-1]) && isWord(byteAt(line, quote+1)) { // "net use X: \\\\h1\\s "VALUE" /user:ops"
				quote = upTo(line, min(len(line), upTo(line, quote+1, len(line), `"`)+1), len(line), `"`)
			}
			line = line[:quote] // the command is a text of another one
		}
		for _, mark := range []string{"]LOG]!>", "']", `"]`} { // a record of CMTrace, a list of words
			if i := bytes.Index(line[end:], []byte(mark)); i >= 0 && (mark[0] == ']' || strings.Contains(name, mark[:1])) {
				line = line[:end+i+len(mark)-1]
			}
		}
		if c.with == "" || containsFold(line[end:], c.with) {
			s.dull.command = min(s.dull.command, s.commandLine(line, end, c.flags))
		}
		return
	}
}

// inColumnWith is a command's line with the lines below that are indented as deep, each with the same mark.
func inColumnWith(near, line []byte, indent int, mark string) []byte {
	for item, last := range linesBehind(near, len(line)) {
		if at := skipBlanks(near, item); indent == 0 || at-item != indent || !hasFold(near, at, mark) {
			break
		}
		line = near[:last]
	}
	return line
}

// commandEnd is where a command's last line ends: others end in what continues
// them.
func commandEnd(b []byte, i int) int {
	for {
		i = lineEnd(b, i)
		if !isOneOf(b, runBack(b, i, blankByte)-1, "\\^`") || i >= len(b) {
			return i
		}
		i = nextLine(b, i)
	}
}

// ways find a password that is a word of its own.
var ways = map[string]func(s *scan, line []byte, list []value){
	"share": func(s *scan, line []byte, list []value) { s.netPassword(line, list, true) },
	"user":  func(s *scan, line []byte, list []value) { s.netPassword(line, list, false) },
	"net": func(s *scan, line []byte, list []value) { // net -ArgumentList 'use','Z:',…
		s.netPassword(line, list[min(1, len(list)):], len(list) > 0 && hasFold(line, list[0].start, "use'"))
	},
	"account": (*scan).accountPassword,
	"first":   func(s *scan, line []byte, list []value) { s.plainWord(line, list, 1) },
	"second":  func(s *scan, line []byte, list []value) { s.plainWord(line, list, 2) },
	"third": func(s *scan, line []byte, list []value) {
		said := func(w value) bool { return len(bytes.Trim(w.in(line), lowers)) == 0 } // autologon only works once
		if len(plainWords(line, list)) < 3 && len(list) > 0 && list[0].quoted {        // '"'.$name.' USER VALUE"'
			list = words(s, line[:list[0].end], list[0].start)
		}
		if list = plainWords(line, list); (len(list) == 3 || len(list) > 3 && isOneOf(line, list[3].start, ")\"'")) && !(said(list[0]) && said(list[1]) && said(list[2])) {
			s.takePassword(list[2])
		}
	},
	"quoted": func(s *scan, line []byte, list []value) { // encrypt_string 'VALUE' --name 'NAME' of Ansible
		for n, w := range list {
			if w.quoted && (n == 0 || !isOption(line, list[n-1])) {
				s.takePassword(w)
			}
		}
	},
	"keyed":   func(s *scan, line []byte, list []value) { s.keyedWord(line, list, false) },
	"keyword": func(s *scan, line []byte, list []value) { s.keyedWord(line, list, true) },
	"usm":     (*scan).usm,
	"snmp":    func(s *scan, line []byte, list []value) { s.usm(line, list[min(1, len(list)):]) }, // USER SHA PASSWORD AES PASSWORD
	"third1":  func(s *scan, line []byte, list []value) { s.plainWord(line, list, 3) },
	"last": func(s *scan, line []byte, list []value) {
		for len(list) > 0 && len(bytes.Trim(line[list[len(list)-1].start:list[len(list)-1].end], ")};,")) == 0 {
			list = list[:len(list)-1]
		}
		if len(list) < 2 {
			return
		}
		if last := list[len(list)-1]; last.quoted || !isDictionaryWord(bytes.TrimRight(line[last.start:last.end], ".)")) {
			s.takePassword(last)
		}
	},
	"account2": behindFlag("-u", 2), // USER PASSWORD
	"triple":   behindFlag("-b", 3), // USER DOMAIN PASSWORD
	"by": func(s *scan, line []byte, list []value) { // IDENTIFIED [WITH plugin] BY 'VALUE', and no version of a build
		if len(list) > 2 && (hasFold(line, list[1].start, "by ") || hasFold(line, list[1].start, "as ")) {
			list = list[2:]
		}
		if len(list) == 0 || list[0].quote == '`' { // which Markdown has around names
			return
		}
		text := line[list[0].start:list[0].end]
		before := bytes.ToLower(line[max(0, list[0].start-layerBack):list[0].start])
		if len(list) > 1 && bytes.EqualFold(text, []byte("values")) { // IDENTIFIED BY VALUES 'VALUE' of Oracle
			s.takePassword(list[1])
			return
		}
		ofUser := containsAny(before, []string{"create user ", "alter user ", "connect to "}) && (fitsPassword(text) || isGUID(text))
		if (list[0].quoted || ofUser) && (len(bytes.Trim(text, digits+".")) > 0 || bytes.Count(text, []byte(".")) < 2) {
			s.takePassword(list[0])
			if len(list) > 2 && bytes.EqualFold(list[1].in(line), []byte("replace")) {
				s.takePassword(list[2]) // the one before
			}
		}
	},
	"radius": func(s *scan, line []byte, list []value) { // USER PASSWORD SERVER PORT SECRET
		for n := 3; n+1 < len(list); n++ {
			if allDigits(list[n].in(line)) {
				s.plainWord(line, list[n+1:], 1)
				return
			}
		}
	},
	"comma": func(s *scan, line []byte, list []value) { s.pairWord(line, list, ',') }, // USER,PASSWORD
	"fourth": func(s *scan, _ []byte, list []value) { // mc alias set NAME URL KEY SECRET
		if len(list) > 3 {
			s.takePassword(list[3])
		}
	},
	"slash": (*scan).slashPassword,
	"connect": func(s *scan, line []byte, list []value) { // CONNECT USER/VALUE@DB of SQL*Plus, and no sentence
		if len(list) > 0 && len(list) < 4 {
			user, rest, _ := bytes.Cut(line[list[0].start:list[0].end], []byte("/"))
			if run(user, 0, nameByte|wordByte) == len(user) && (hasFold(rest, 0, `"`) || bytes.IndexByte(rest, '@') > 0) {
				s.slashPassword(line, list[:1])
			}
		}
	},
	"entry": func(s *scan, line []byte, list []value) { // user NAME VALUE of ftp, user NAME on >VALUE of Redis
		for n, w := range list {
			if text := w.in(line); len(text) > 1 && text[0] == '>' {
				s.takePassword(value{start: w.start + 1, end: w.end})
			} else if n == 1 && len(list) == 2 && fitsPassword(text) {
				s.takePassword(w)
			}
		}
	},
	"pair":     func(s *scan, line []byte, list []value) { s.pairWord(line, list, ':') },
	"lastpair": func(s *scan, line []byte, list []value) { s.pairWord(line, list[max(0, len(list)-1):], ':') },
	"htpasswd": func(s *scan, line []byte, list []value) {
		if len(list) > 2 && bytes.IndexByte(line[list[0].start:list[0].end], 'b') > 0 {
			s.takePassword(list[len(list)-1])
		}
	},
}

// pairWord takes USER:PASSWORD, USER:PASSWORD@HOST.
func (s *scan) pairWord(line []byte, list []value, sign byte) {
	if len(list) == 0 {
		return
	}
	if v, ok := behindColon(line, list[0], sign); ok && !hasFold(line, v.start, "//") {
		if at := bytes.LastIndexByte(v.in(line), '@'); at > 0 && sign == ':' {
			v.end = v.start + at
		}
		if text := v.in(line); fitsWord(text) || mixed(text) {
			s.takePassword(v)
		}
	}
}

// keyWord tells of the words of a router's line behind which its secret stands, and cipherWord of those that say how
// it is written there.
var (
	keyWord    = setOf("key password secret md5 key-string authentication text 2c cipher simple plaintext")
	cipherWord = setOf("ascii ascii-text hex local remote encrypted cipher clear plaintext enc sha256 sha512 scrypt level")
	accessWord = setOf("ro rw view address hostname authorization restricted unrestricted operator manager")
)

// keyedWord takes key 7 VALUE of a router, or VALUE alone where no word must come first.
func (s *scan) keyedWord(line []byte, list []value, needed bool) {
	list = behindKeyWord(line, list, needed)
	if len(list) == 0 || isNoKey(line, list[0]) {
		return
	}
	text, access := list[0].in(line), len(list) > 1 && (accessWord[strings.ToLower(string(list[1].in(line)))] || isAddress(bytes.Trim(list[1].in(line), "'\"")))
	alone := bytes.IndexByte(text, '-') > 0 && !isKeyName(line, list[0]) || len(text) >= minKnown && allDigits(text)
	if access || alone || fitsWord(text) || isAuthPair(text) || mixed(text) {
		s.takePassword(list[0])
	}
}

// behindKeyWord passes the words before a secret of a router.
func behindKeyWord(line []byte, list []value, needed bool) []value {
	for n := len(list) - 2; n >= 0; n-- {
		if keyWord[string(list[n].in(line))] && isBlank(byteAt(line, list[n].end)) {
			list, needed = list[n+1:], false
			break
		}
	}
	for len(list) > 1 && (list[0].end-list[0].start == 1 || cipherWord[strings.ToLower(string(list[0].in(line)))] || isKeyName(line, list[0])) {
		list = list[1:]
	}
	return list[:len(list)*b2i(!needed)]
}

// isKeyName tells of the name of a secret in place of one, and isNoKey of an option, a variable and words of a page.
func isKeyName(line []byte, w value) bool {
	_, t := judgeName(w.in(line))
	return t > noSecret && isLower(line[w.start]) && !w.quoted
}

func isNoKey(line []byte, w value) bool {
	text := w.in(line)
	return isOption(line, w) || byteAt(text, 0) == '$' && !w.quoted ||
		hasFold(text, 0, "key-chain") || bytes.HasSuffix(text, []byte("-id")) || len(bytes.TrimSpace(text)) < len(text)
}

// usm takes auth sha VALUE priv aes 128 VALUE of SNMP.
func (s *scan) usm(line []byte, list []value) {
	for _, w := range list {
		if text := w.in(line); !usmWord(text) && (w.quoted || fitsPassword(text) || mixed(text)) {
			s.takePassword(w)
		}
	}
}

// usmWord tells of a word of SNMP's user-based security that is none of its keys.
func usmWord(text []byte) bool {
	text = bytes.ToLower(text)
	return foldAt(text, 0, "sha", "md5", "aes", "des", "3des", "auth", "priv", "encrypted", "localized") != ""
}

// behindFlag takes the n-th word behind a flag.
func behindFlag(flag string, n int) func(s *scan, line []byte, list []value) {
	return func(s *scan, line []byte, list []value) {
		for i, w := range list[:max(0, len(list)-n)] {
			if string(w.in(line)) == flag && !isOption(line, list[i+n]) {
				s.takePassword(list[i+n])
			}
		}
	}
}

// literalRule: kubectl create secret … --from-literal=NAME=VALUE.
func (s *scan) literalRule(b []byte, start, end int) {
	before := s.b[max(0, start-layerBack):start]
	if hasFold(before, lastFold(before, "create ")+len("create "), "configmap") {
		return
	}
	x := lexer{s, b, end + 1}
	if name, ok := x.key("="); ok && !accountWords[strings.ToLower(string(name[1+bytes.LastIndexAny(name, "-_."):]))] {
		s.takePassword(s.value(b, x.i, " \t\r\n\"'`"))
	}
}

// netrcRule: machine HOST login USER password VALUE.
func (s *scan) netrcRule(b []byte, start, end int) {
	user := skipBlanks(b, end)
	i := upTo(b, user, len(b), " \t\r\n")
	at := skipSpaceLines(b, i)
	if i == user || !hasFold(b, at, "password") || !isBlank(byteAt(b, at+8)) {
		return
	}
	before := s.b[max(0, start-300) : start+1]
	if bytes.Contains(before, []byte("machine ")) || bytes.Contains(before, []byte("default ")) {
		s.takePassword(s.value(b, skipBlanks(b, at+8), " \t\r\n"))
	}
}

// pgpassRule takes the last part of a line of .pgpass: host:5432:database:user:VALUE.
func (s *scan) pgpassRule(b []byte, start, end int) {
	line := b[end:upTo(b, end, layerBack, " \t\r\n\"'\\")]
	parts := bytes.SplitN(line, []byte(":"), 3)
	if len(parts) == 3 && !bytes.ContainsAny(line, "/,") && (isLineAt(b, end+len(line)) || skipQuote(b, end+len(line)) > end+len(line)) {
		last := end + len(line)
		s.takePassword(value{start: last - len(parts[2]), end: last})
	}
}
