package redact

import (
	"bytes"
	"strings"
)

// programs take a password in a flag whose name does not say so.
var programs = []struct {
	name, with string // the word that must follow, or none
	// a flag ends in + when its value follows without a blank, in : when a user stands before it
	flags string
}{
	{"psexec", "", "-p"}, {"pskill", "", "-p"}, {"pslist", "", "-p"}, {"psservice", "", "-p"},
	{"psinfo", "", "-p"},
	{"mysql", "", "-p+"}, {"mariadb", "", "-p+"}, {"sshpass", "", "-p -p+"}, {"plink", "", "-pw"},
	{"pscp", "", "-pw"},
	{"docker", "login", "-p -p+"}, {"podman", "login", "-p -p+ --creds:"},
	{"nerdctl", "login", "-p -p+"}, {"helm", "login", "-p -p+"}, {"oras", "", "-p"},
	{"skopeo", "", "--creds: --src-creds: --dest-creds:"},
	{"crictl", "", "--creds: -creds:"}, {"ctr.exe", "", "--user: -u:"},
	{"ctr image", "", "--user: -u:"}, {"ctr -n", "", "--user: -u:"},
	{"curl", "", "-u: --user: -U: --proxy-user:"},
	{"net use ", "", "netuse"}, {"net.exe use ", "", "netuse"}, {"net user ", "", "net"},
	{"net1 user ", "", "net"}, {"net.exe user ", "", "net"},
	{"schtasks", "", "/rp /p"}, {"sqlcmd", "", "-P -P+"}, {"osql", "", "-P -P+"},
	{"redis-cli", "", "-a"}, {"winrs", "", "-p:+ /p:+ -password:+"}, {"wmic", "", "/password:+"},
	{"7z.exe", "", "-p+"}, {"7za.exe", "", "-p+"}, {"7z a -", "", "-p+"}, {"7z x -", "", "-p+"},
	{"certutil", "", "-p"}, {"netdom", "", "/pd:+ /po:+ /passwordd:+ /passwordo:+"},
	{"mongo", "", "-p"}, {"ldapsearch", "", "-w"}, {"ldapmodify", "", "-w"},
	{"smbclient", "", "-U%"}, {"signtool", "", "/p -p"}, {"az login", "", "-p"},
	{"oc login", "", "-p"}, {"objectname", "", "object"}, {"cmdkey", "", "/pass:+ /p:+"},
	{"autologon", "", "last"}, {"dsmod", "", "-pwd"},
	{"winrm id", "", "-p:+ /p:+ -password:+"}, {"rasdial", "", "last"},
	{"ktpass", "", "/pass -pass +pass"},
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
			line := b[:lineEnd(b[:min(len(b), end+s.back/4)], end)]
			if p.name == s.dull.program && end < s.dull.command {
				return
			}
			s.dull.program, s.dull.command = p.name, len(line)
			if strings.HasPrefix(p.flags, "net") {
				s.dull.command, line = 0, line[:min(len(line), end+256)]
			}
			if p.with == "" || indexFold(line[end:], p.with) >= 0 {
				s.commandLine(b, line, end, p.flags)
			}
			return
		}
	}
}

// commandLine looks at the words behind a program's name.
func (s *scan) commandLine(b, line []byte, i int, flags string) {
	if !isBlank(b[i-1]) {
		i = run(b, i, wordByte|nameByte) // .exe, 64
	}
	i = skipQuote(b, i)
	positions := words(s, line, i)
	switch flags {
	case "net", "netuse":
		s.netPassword(line, positions, flags == "netuse")
		return
	case "object", "last": // nssm set NAME ObjectName USER PASSWORD
		if flags == "object" && len(positions) >= 2 && len(positions) <= 4 &&
			s.isAccount(positions[0]) {
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
			case strings.HasSuffix(flag, "+") &&
				strings.HasPrefix(flag, strings.TrimSuffix(flag, "+")) && len(text) > len(flag)-1 &&
				equalFlag(text[:len(flag)-1], flag[:len(flag)-1]):
				if flag == "-p+" && strings.HasPrefix(text, "-port") || flag == "-p+" &&
					strings.HasPrefix(text, "-pa") && len(text) > 9 {
					continue
				}
				s.takePassword(value{start: w.start + len(flag) - 1, end: w.end, quote: w.quote,
					quoted: w.quoted})
			case equalFlag(text, name) && n+1 < len(positions):
				s.takeArgument(line, positions[n+1], pair)
			case pair && len(text) > len(name) && text[len(name)] == '=' &&
				equalFlag(text[:len(name)], name):
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
	return v.end > v.start && (bytes.ContainsAny(text, `\@`) || !bytes.ContainsAny(text, "=:")) &&
		!isPlaceholder(text) && !hasFold(text, 0, "localsystem")
}

// netPassword: net use X: \\host\share PASSWORD /user:U, net user NAME PASSWORD /add.
func (s *scan) netPassword(line []byte, list []value, share bool) {
	plain := 0
	for n, w := range list {
		text := line[w.start:w.end]
		if len(text) == 0 || text[0] == '/' || text[0] == '-' {
			continue
		}
		if len(text) == 2 && text[1] == ':' || bytes.HasPrefix(text, []byte(`\\`)) ||
			string(text) == "*" {
			continue
		}
		if plain++; plain == 1 && !share {
			continue // the user's name
		}
		if commandGoesOn(line, list, n) {
			s.takePassword(w)
		}
		return
	}
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
		for i < len(line) && (isBlank(line[i]) || line[i] == ',' || line[i] == '[' ||
			line[i] == ']') {
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
	i := skipBlanks(b, end)
	user := i
	for i < len(b) && !isBlank(b[i]) && !isLine(b[i]) {
		i++
	}
	at := skipSpaceLines(b, i)
	if i > user && hasFold(b, at, "password") && at+8 < len(b) && isBlank(b[at+8]) &&
		(bytes.Contains(s.b[max(0, start-300):start], []byte("machine ")) ||
			bytes.Contains(s.b[max(0, start-300):start], []byte("default "))) {
		s.takePassword(s.value(b, skipBlanks(b, at+8), " \t\r\n"))
	}
}
