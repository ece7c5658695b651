package redact

import (
	"bytes"
	"strings"
)

// secureStringRule takes the texts that are made into a SecureString.
func (s *scan) secureStringRule(start, end int) {
	b := s.see(start)
	if !hasFold(b, start-10, "convertto-") {
		return
	}
	if i := bytes.LastIndexByte(b[lineStart(b, start):start], '|'); i >= 0 {
		i += lineStart(b, start)
		if from := lineStart(b, start); true {
			if q := lastQuoted(b[from:i]); q.end > q.start {
				s.takePassword(value{start: from + q.start, end: from + q.end, quoted: true, quote: q.quote})
			}
		}
	}
	line := b[:lineEnd(b, end)]
	for i := skipBlanks(line, end); i < len(line); i = skipBlanks(line, i) {
		if line[i] == '-' {
			i = run(line, i+1, wordByte)
			if i < len(line) && line[i] == ':' {
				i++
			}
			continue
		}
		if line[i] == '(' || line[i] == '|' || line[i] == ';' || line[i] == ')' || line[i] == '}' {
			return
		}
		v := s.value(b, i, plainStops)
		if v.end > v.start {
			s.takePassword(v)
		}
		return
	}
}

// takePassword takes a value that can be nothing else.
func (s *scan) takePassword(v value) {
	if v.open {
		s.take(v, "password")
	} else if text := s.b[v.start:v.end]; !isPlaceholder(text) && !isPath(text) {
		s.take(v, "password")
	}
}

// lastQuoted is the text in quotes at the end of a line.
func lastQuoted(b []byte) value {
	b = bytes.TrimRight(b, " \t)")
	if len(b) < 2 {
		return value{}
	}
	q := b[len(b)-1]
	if q != '"' && q != '\'' {
		return value{}
	}
	i := bytes.LastIndexByte(b[:len(b)-1], q)
	if i < 0 {
		return value{}
	}
	return value{start: i + 1, end: len(b) - 1, quote: q}
}

// credentialRule takes NetworkCredential("user", "password").
func (s *scan) credentialRule(start, end int) {
	b := s.see(start)
	user := s.value(b, skipBlanks(b, end), plainStops)
	i := skipBlanks(b, skipQuote(b, user.end))
	if i < len(b) && b[i] == ',' {
		if i = skipBlanks(b, i+1); i < len(b) && skipQuote(b, i) > i {
			s.takePassword(s.value(b, i, plainStops))
		}
	}
}

// blobRule takes what DPAPI sealed, in hexadecimal digits or base64. It may be
// opened on the machine, or with a key of the domain.
func (s *scan) blobRule(start, end int) {
	b := s.see(start)
	class := uint8(hexByte)
	if b[start]|0x20 == 'a' {
		class = base64Byte
	}
	from := start
	if hasFold(b, start, "0xd0") {
		from = max(0, start-20)
		from += max(0, bytes.Index(b[from:start], []byte("0x01")))
	}
	rest := func(b []byte, i int) (int, bool) {
		for i < len(b) {
			c := b[i]
			switch {
			case classOf[c]&class != 0, class == hexByte && (c == ',' || c == '-' || c == 'x'):
				i++
			case isLine(c) || isBlank(c) || c == '\\':
				next := skipSpace(b, i)
				for next < len(b) && b[next] == '\\' {
					next = skipSpace(b, next+1)
				}
				if next >= len(b) {
					return i, false
				}
				if stop := run(b, next, class); stop-next < 16 && !(stop-next == 2 && stop < len(b) && b[stop] == ',') {
					return i, true
				}
				i = next
			default:
				return i, true
			}
		}
		return i, false
	}
	last, ended := rest(b, start)
	if !ended && s.cut(b) {
		s.engulf(from, "dpapi", rest)
		return
	}
	if last-from >= 32 {
		s.add(from, last, "dpapi", b[from:last])
	}
}

// hashRule takes the hashes of htpasswd and passwd.
func (s *scan) hashRule(start, end int) {
	b := s.see(start)
	from := start
	if b[start] == ':' {
		from++
	}
	i := end
	for i < len(b) && (isAlnum(b[i]) || strings.IndexByte("./$+=,", b[i]) >= 0) {
		i++
	}
	if i-end >= 16 {
		s.add(from, i, "password-hash", b[from:i])
	}
}

// kerberosRule takes keys under the names of their ciphers.
func (s *scan) kerberosRule(start, end int) {
	b := s.see(start)
	i := end
	for i < len(b) && i < end+24 && (isAlnum(b[i]) || b[i] == '-' || b[i] == '_') {
		i++
	}
	at := skipBlanks(b, skipQuote(b, i))
	if at >= len(b) || b[at] != ':' && b[at] != '=' {
		return
	}
	at = skipQuote(b, skipBlanks(b, at+1))
	if stop := run(b, at, hexByte); stop-at >= 32 && wordEnds(b, stop) {
		s.add(at, stop, "kerberos-key", b[at:stop])
	}
}

// encodedCommandRule drops the argument of powershell -EncodedCommand whole.
func (s *scan) encodedCommandRule(start, end int) {
	b := s.see(start)
	line := b[:min(lineEnd(b, start), start+s.back/2)]
	i := start
	if b[start]|0x20 == 'p' {
		i = -1
		for _, flag := range []string{" -e ", " -ec ", " /e ", " /ec ", "\"-e\"", "\"-ec\"", "\"-e\\\"", " -en "} {
			if at := indexFold(line[end:], flag); at >= 0 {
				i = end + at + 1
				break
			}
		}
		if i < 0 {
			return
		}
	}
	i = run(b, i+1, wordByte)
	i = skipQuote(b, i)
	at := skipSpace(b, i)
	if at < len(b) && (b[at] == ',' || b[at] == ':') {
		at = skipSpace(b, at+1)
	}
	at = skipQuote(b, at)
	stop := run(b, at, base64Byte)
	if stop == len(b) && s.cut(b) && stop-at > 256 {
		s.engulf(at, "encoded-command", func(b []byte, i int) (int, bool) { n := run(b, i, base64Byte); return n, n < len(b) })
		return
	}
	if text := b[at:stop]; stop-at >= 8 && text[0] != '-' && len(text)%4 == 0 && isUTF16(text) {
		s.addFaint(at, stop, "encoded-command", text)
		if plain, err := decode64(text); err == nil && s.depth < maxDepth {
			s.within().text(narrow(plain)) // for the values in it
		}
	}
}

func isUTF16(text []byte) bool {
	plain, err := decode64(text)
	if err != nil || len(plain) < 4 {
		return false
	}
	zeros := 0
	for i := 1; i < len(plain); i += 2 {
		if plain[i] == 0 {
			zeros++
		}
	}
	return zeros*4 >= len(plain)
}

func narrow(b []byte) []byte {
	out := make([]byte, 0, len(b)/2)
	for i := 0; i+1 < len(b); i += 2 {
		if b[i+1] == 0 {
			out = append(out, b[i])
		} else {
			out = append(out, '?')
		}
	}
	return out
}

// programs take a password in a flag whose name does not say so.
var programs = []struct {
	name, with string // the word that must follow, or none
	flags      string // a flag ends in + when its value follows without a blank, in : when a user stands before it
}{
	{"psexec", "", "-p"}, {"pskill", "", "-p"}, {"pslist", "", "-p"}, {"psservice", "", "-p"}, {"psinfo", "", "-p"},
	{"mysql", "", "-p+"}, {"mariadb", "", "-p+"}, {"sshpass", "", "-p -p+"}, {"plink", "", "-pw"}, {"pscp", "", "-pw"},
	{"docker", "login", "-p -p+"}, {"podman", "login", "-p -p+ --creds:"}, {"nerdctl", "login", "-p -p+"}, {"helm", "login", "-p -p+"}, {"oras", "", "-p"}, {"skopeo", "", "--creds: --src-creds: --dest-creds:"},
	{"crictl", "", "--creds: -creds:"}, {"ctr.exe", "", "--user: -u:"}, {"ctr image", "", "--user: -u:"}, {"ctr -n", "", "--user: -u:"}, {"curl", "", "-u: --user: -U: --proxy-user:"},
	{"net use", "", "net"}, {"net.exe use", "", "net"}, {"net user", "", "net"}, {"net1 user", "", "net"}, {"net.exe user", "", "net"},
	{"schtasks", "", "/rp /p"}, {"sqlcmd", "", "-P -P+"}, {"osql", "", "-P -P+"}, {"redis-cli", "", "-a"}, {"winrs", "", "-p:+ /p:+ -password:+"}, {"wmic", "", "/password:+"},
	{"7z.exe", "", "-p+"}, {"7z a", "", "-p+"}, {"7z x", "", "-p+"}, {"certutil", "", "-p"}, {"netdom", "", "/pd:+ /po:+ /passwordd:+ /passwordo:+"}, {"mongo", "", "-p"}, {"ldapsearch", "", "-w"}, {"ldapmodify", "", "-w"},
	{"smbclient", "", "-U%"}, {"signtool", "", "/p -p"}, {"az login", "", "-p"}, {"oc login", "", "-p"}, {"objectname", "", "object"}, {"cmdkey", "", "/pass:+ /p:+"}, {"autologon", "", "last"}, {"dsmod", "", "-pwd"},
	{"djoin", "", "/p"}, {"importpfx", "", "-p"},
}

func programTexts() []string {
	var list []string
	for _, p := range programs {
		list = append(list, p.name)
	}
	return list
}

func (s *scan) programRule(start, end int) {
	b := s.see(start)
	if start > 0 && isAlnum(b[start-1]) {
		return
	}
	for _, p := range programs {
		if len(p.name) == end-start && hasFold(b, start, p.name) {
			line := b[:min(lineEnd(b, end), end+s.back)]
			if p.with == "" || indexFold(line[end:], p.with) >= 0 {
				s.commandLine(b, line, end, p.flags)
			}
			return
		}
	}
}

// commandLine looks at the words behind a program's name.
func (s *scan) commandLine(b, line []byte, i int, flags string) {
	i = run(b, i, wordByte|nameByte) // .exe, 64
	i = skipQuote(b, i)
	positions := words(s, line, i)
	switch flags {
	case "net":
		s.netPassword(line, positions)
		return
	case "object", "last": // nssm set NAME ObjectName USER PASSWORD
		if flags == "object" && len(positions) >= 2 && len(positions) <= 4 && s.isAccount(positions[0]) {
			s.takePassword(positions[1])
		}
		if flags == "last" && len(positions) == 3 {
			s.takePassword(positions[2])
		}
		return
	}
	for n, w := range positions {
		text := string(line[w.start:w.end])
		for flag := range strings.FieldsSeq(flags) {
			name := strings.TrimRight(flag, "+:%")
			pair := strings.HasSuffix(flag, ":") && !strings.HasSuffix(flag, ":+")
			switch {
			case strings.HasSuffix(flag, "+") && strings.HasPrefix(flag, strings.TrimSuffix(flag, "+")) && len(text) > len(flag)-1 && equalFlag(text[:len(flag)-1], flag[:len(flag)-1]):
				if flag == "-p+" && strings.HasPrefix(text, "-port") || flag == "-p+" && strings.HasPrefix(text, "-pa") && len(text) > 9 {
					continue
				}
				s.takePassword(value{start: w.start + len(flag) - 1, end: w.end, quote: w.quote, quoted: w.quoted})
			case equalFlag(text, name) && n+1 < len(positions):
				s.takeArgument(line, positions[n+1], pair)
			case pair && len(text) > len(name) && text[len(name)] == '=' && equalFlag(text[:len(name)], name):
				s.takeArgument(line, value{start: w.start + len(name) + 1, end: w.end}, true)
			case strings.HasSuffix(flag, "%") && equalFlag(text, name) && n+1 < len(positions):
				next := positions[n+1]
				if at := bytes.IndexByte(line[next.start:next.end], '%'); at > 0 {
					s.takePassword(value{start: next.start + at + 1, end: next.end})
				}
			}
		}
	}
}

// equalFlag holds letters apart where one is -p and another -P, and not behind a slash.
func equalFlag(text, flag string) bool {
	return text == flag || flag[0] == '/' && strings.EqualFold(text, flag)
}

// takeArgument takes a flag's value, or what stands behind the user in it.
func (s *scan) takeArgument(line []byte, v value, pair bool) {
	text := line[v.start:v.end]
	if pair {
		colon := bytes.IndexByte(text, ':')
		if colon < 0 {
			return
		}
		v.start += colon + 1
	} else if len(text) > 0 && !v.quoted && (text[0] == '-' || text[0] == '/' && isFlagLike(text)) {
		return
	}
	if v.end > v.start {
		s.takePassword(v)
	}
}

func isFlagLike(text []byte) bool { return len(text) < 8 && run(text, 1, wordByte) == len(text) }

func (s *scan) isAccount(v value) bool {
	text := s.b[v.start:v.end]
	return v.end > v.start && (bytes.ContainsAny(text, `\@`) || !bytes.ContainsAny(text, "=:")) && !isPlaceholder(text) && !hasFold(text, 0, "localsystem")
}

// netPassword: net use X: \\host\share PASSWORD /user:U, net user NAME PASSWORD /add.
func (s *scan) netPassword(line []byte, list []value) {
	plain := 0
	for n, w := range list {
		text := line[w.start:w.end]
		if len(text) == 0 || text[0] == '/' || text[0] == '-' {
			continue
		}
		if len(text) == 2 && text[1] == ':' || bytes.HasPrefix(text, []byte(`\\`)) || string(text) == "*" {
			continue
		}
		if plain++; plain == 1 && (n == 0 || len(list) > 1) && !afterShare(line, list, n) {
			continue // the user's name
		}
		if plain > 2 || !commandGoesOn(line, list, n) {
			return
		}
		s.takePassword(w)
		return
	}
}

func afterShare(line []byte, list []value, n int) bool {
	return n > 0 && bytes.HasPrefix(line[list[n-1].start:list[n-1].end], []byte(`\\`))
}

// commandGoesOn tells a command from a sentence: after the password comes a
// switch or nothing.
func commandGoesOn(line []byte, list []value, n int) bool {
	return n+1 >= len(list) || list[n+1].end > list[n+1].start && line[list[n+1].start] == '/'
}

// words splits a command line.
func words(s *scan, line []byte, i int) []value {
	var list []value
	for i < len(line) && len(list) < 64 {
		for i < len(line) && (isBlank(line[i]) || line[i] == ',' || line[i] == '[' || line[i] == ']') {
			i++
		}
		if i >= len(line) {
			break
		}
		v := s.value(line, i, " \t\r\n|;\"")
		v.open = false
		if v.end < v.start || v.end == i && !v.quoted {
			break
		}
		list = append(list, v)
		i = max(skipQuote(line, v.end), i+1)
		if !v.quoted && v.end < len(line) && line[v.end] == '"' {
			i = v.end
			if end, ok := closing(line, i+1, '"', 0); ok {
				i = end + 1
			}
		}
		if i < len(line) && (line[i] == '|' || line[i] == ';') {
			break
		}
	}
	return list
}

// literalRule: kubectl create secret … --from-literal=NAME=VALUE.
func (s *scan) literalRule(start, end int) {
	b := s.see(start)
	if end >= len(b) || b[end] != '=' && !isBlank(b[end]) {
		return
	}
	i := skipQuote(b, skipBlanks(b, end+1))
	eq := i
	for eq < len(b) && classOf[b[eq]]&nameByte != 0 {
		eq++
	}
	if eq < len(b) && b[eq] == '=' {
		s.takePassword(s.value(b, eq+1, " \t\r\n\"'`"))
	}
}

// netrcRule: machine HOST login USER password VALUE.
func (s *scan) netrcRule(start, end int) {
	b := s.see(start)
	if !wordStarts(b, start) || end >= len(b) || !isBlank(b[end]) {
		return
	}
	i := skipBlanks(b, end)
	user := i
	for i < len(b) && !isBlank(b[i]) && !isLine(b[i]) {
		i++
	}
	at := skipSpaceLines(b, i)
	if i > user && hasFold(b, at, "password") && at+8 < len(b) && isBlank(b[at+8]) && (bytes.Contains(s.b[max(0, start-300):start], []byte("machine ")) || bytes.Contains(s.b[max(0, start-300):start], []byte("default "))) {
		s.takePassword(s.value(b, skipBlanks(b, at+8), " \t\r\n"))
	}
}
