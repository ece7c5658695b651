package redact

import (
	"bytes"
	"strings"
)

// A command takes a password in a flag whose name does not say so, or in a word
// of its own.
type command struct {
	names string // of the program, with the words that must follow; split by "|"
	with  string // a word that must be in the line, or none
	// -p takes the next word, -p+ the rest of the word, -u: what stands behind the
	// user's name, -U% what stands behind a percent sign. A word without a dash or
	// slash is a way of its own to find the password.
	flags string
}

var commands = []command{
	{"psexec|pskill|pslist|psservice|psinfo|psloglist|pssuspend|paexec|remcom", "", "-p /p -p+"},
	{"mysql|mariadb|mysqldump|mysqlimport|mysqlcheck", "", "-p+"},
	{"sshpass", "", "-p -p+"},
	{"plink|pscp|psftp|putty|klink|kitty.exe|winscp", "", "-pw -pw+ -password /password"},
	{"docker", "login", "-p -p+"}, {"nerdctl|helm", "login", "-p -p+"},
	{"podman", "login", "-p -p+ --creds:"}, {"buildah", "", "-p --creds:"}, {"oras", "", "-p"},
	{"skopeo", "", "--creds: --src-creds: --dest-creds:"},
	{"crictl", "", "--creds: -creds:"}, {"ctr.exe|ctr image|ctr -n", "", "--user: -u:"},
	{"curl", "", "-u: -u:+ --user: -U: --proxy-user: --pass -E:"}, {"wget", "", "--password"},
	{"invoke-curl", "", "-u:"},
	{"net use |net.exe use |net1 use |net1.exe use ", "", "share"},
	{"net user |net.exe user |net1 user |net1.exe user ", "", "user"},
	{"schtasks", "", "/rp /p -rp -p /rp:+ /p:+ -rp:+"}, {"at.exe", "", "/rp"},
	{"sqlcmd|osql|isql", "", "-P -P+ /P /P+"}, {"bcp.exe|bcp ", "", "-P -P+"},
	{"sqlplus|expdp |impdp |sqlldr", "", "slash"}, {"psql ", "", "-W"},
	{"redis-cli", "", "-a -a+ --pass"}, {"winrs", "", "-p:+ /p:+ -password:+ /password:+ -p /p"},
	{"wmic", "", "/password:+"}, {"tasklist|taskkill|systeminfo|driverquery|eventcreate|openfiles|getmac|typeperf", "", "/p"},
	{"7z.exe|7za.exe|7zr.exe|7z a |7z x |7z e |7za a |7za x |rar.exe|unrar|winrar|rar a |rar x ", "", "-p+ -hp+"},
	{"zip -|unzip ", "", "-P"}, {"certutil", "", "-p"},
	{"netdom", "", "/pd:+ /po:+ /passwordd:+ /passwordo:+ /ps:+"},
	{"mongo|mongod|mongosh|mongodump|mongorestore", "", "-p"},
	{"ldapsearch|ldapmodify|ldapadd|ldapdelete", "", "-w"}, {"ldifde|csvde", "", "triple"},
	{"smbclient|rpcclient", "", "-U%"}, {"signtool", "", "/p -p"},
	{"az login|oc login|az acr login", "", "-p --password"}, {"objectname", "", "account"},
	{"cmdkey", "", "/pass:+ /p:+ /pass"}, {"autologon|rasdial", "", "third"}, {"logman", "", "account2"}, {"bitsadmin", "/setcredentials", "last"},
	{"wevtutil", "", "/p:+ /password:+"}, {"ssh-keygen", "", "-N -P"}, {"choco apikey|choco source|choco setapikey", "", "-k -k=+ -p=+ -p --api-key"},
	{"jenkins-cli.jar", "", "-auth:"}, {"etcdctl", "", "--user: --username:"}, {"cloudflared", "", "third1"},
	{"az keyvault", "", "--value"}, {"mysqladmin", "", "-p+ password"}, {"dsmod|dsadd", "", "-pwd"},
	{"winrm id|winrm get|winrm inv|winrm enum", "", "-p:+ /p:+ -password:+ /password:+"},
	{"ktpass", "", "/pass -pass +pass"}, {"djoin", "", "/p"}, {"importpfx", "", "-p"},
	{"nuget push|nuget.exe push|nuget delete|dotnet nuget push", "", "second -k --api-key -apikey"},
	{"nuget setapikey|nuget.exe setapikey|setapikey ", "", "first"},
	{"keytool|jarsigner", "", "-storepass -keypass -srcstorepass -deststorepass"},
	{"openssl", "", "pass:+ -passin -passout -k -K -pass"}, {"msdeploy", "", "password=+"},
	{"runas", "", "/password:+"}, {"htpasswd", "", "htpasswd"}, {"ipmitool", "", "-P"},
	{"snmpwalk|snmpget", "", "-c -A -X"}, {"rundll32 keymgr", "", "/pass:+"}, {"vncpasswd", "", "first"},
	{"freerdp|xfreerdp|mstsc.exe", "", "/p:+ -p:+"}, {"evil-winrm", "", "-p"},
	{"setspn.exe", "", "/p"}, {"sc.exe config|sc config|sc create|sc.exe create", "", "password= password=+"},
	{"gpg ", "", "--passphrase"}, {"ansible", "", "ansible_password=+"}, {"rclone", "obscure", "second"},
	{"lftp ", "", "-u,"}, {"twine ", "", "-p"}, {"npm login|npm adduser", "", "-p"},
	{"consul ", "", "-token"}, {"vault login", "", "first -token"},
	{"ngrok authtoken|ngrok config add-authtoken", "", "first"}, {"chpasswd", "", "echoed"},
}

// commandName is the program of a command, without what follows it.
func commandName(text string) string {
	word, _, _ := strings.Cut(text, " ")
	return strings.TrimSuffix(word, ".exe")
}

// behindShort are the bytes that may follow the name of a program that is too
// short to be a trigger by itself.
const (
	behindShort   = " .\"\\'d,6"
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
func (s *scan) commandRule(start, end int, name string) {
	b := s.see(start)
	if start > 0 && isAlnum(b[start-1]) || end > len(b) {
		return
	}
	for _, c := range commands {
		if !listed(c.names, name) {
			continue
		}
		line := b[:commandEnd(b[:min(len(b), end+s.back/4)], end)]
		if name == s.dull.program && end < s.dull.command {
			return
		}
		s.dull.program, s.dull.command = name, len(line)
		if c.flags == "share" || c.flags == "user" {
			s.dull.command, line = 0, line[:min(len(line), end+256)]
		}
		if c.with == "" || indexFold(line[end:], c.with) >= 0 {
			s.commandLine(line, end, c.flags)
		}
		return
	}
}

func listed(names, name string) bool {
	for one := range strings.SplitSeq(names, "|") {
		if one == name {
			return true
		}
	}
	return false
}

// commandEnd is where a command's last line ends: others end in what continues
// them.
func commandEnd(b []byte, i int) int {
	for {
		i = lineEnd(b, i)
		last := i
		for last > 0 && isBlank(b[last-1]) {
			last--
		}
		if last == 0 || strings.IndexByte("\\^`", b[last-1]) < 0 || i >= len(b) {
			return i
		}
		i = nextLine(b, i)
	}
}

// ways find a password that is a word of its own.
var ways = map[string]func(s *scan, line []byte, list []value){
	"share":   func(s *scan, line []byte, list []value) { s.netPassword(line, list, true) },
	"user":    func(s *scan, line []byte, list []value) { s.netPassword(line, list, false) },
	"account": (*scan).accountPassword,
	"first":   func(s *scan, line []byte, list []value) { s.plainWord(line, list, 1) },
	"second":  func(s *scan, line []byte, list []value) { s.plainWord(line, list, 2) },
	"third": func(s *scan, line []byte, list []value) {
		if list = plainWords(line, list); len(list) == 3 {
			s.takePassword(list[2])
		}
	},
	"third1": func(s *scan, line []byte, list []value) { s.plainWord(line, list, 3) },
	"last": func(s *scan, _ []byte, list []value) {
		if len(list) > 1 {
			s.takePassword(list[len(list)-1])
		}
	},
	"account2": func(s *scan, line []byte, list []value) { // -u USER PASSWORD
		for n, w := range list {
			if string(line[w.start:w.end]) == "-u" && n+2 < len(list) && !isOption(line, list[n+2]) {
				s.takePassword(list[n+2])
			}
		}
	},
	"slash": (*scan).slashPassword,
	"triple": func(s *scan, line []byte, list []value) {
		for n, w := range list {
			if string(line[w.start:w.end]) == "-b" && n+3 < len(list) {
				s.takePassword(list[n+3])
			}
		}
	},
	"htpasswd": func(s *scan, line []byte, list []value) {
		if len(list) > 2 && bytes.IndexByte(line[list[0].start:list[0].end], 'b') > 0 {
			s.takePassword(list[len(list)-1])
		}
	},
}

func (s *scan) commandLine(line []byte, i int, flags string) {
	if !isBlank(line[i-1]) {
		i = run(line, i, wordByte|nameByte) // .exe, 64
	}
	i = skipQuote(line, i)
	list := words(s, line, i)
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

// flagValue is the password that a word gives, or lets the next one give.
func flagValue(line []byte, list []value, n int, w value, flag string) (value, bool) {
	text := string(line[w.start:w.end])
	name := strings.TrimRight(flag, "+:%,")
	next := value{}
	if n+1 < len(list) {
		next = list[n+1]
	}
	switch strings.TrimPrefix(flag, name) {
	case "+", ":+":
		if strings.HasSuffix(flag, ":+") && flag != "-u:+" {
			name += ":"
		}
		return glued(line, w, text, name, flag == "-u:+")
	case ":":
		if len(text) > len(name) && text[len(name)] == '=' && equalFlag(text[:len(name)], name) {
			return behindColon(line, value{start: w.start + len(name) + 1, end: w.end}, ':')
		}
		if equalFlag(text, name) {
			return behindColon(line, next, ':')
		}
	case "%", ",":
		if equalFlag(text, name) {
			return behindColon(line, next, flag[len(flag)-1])
		}
	default:
		if equalFlag(text, name) && next.end > next.start && !isOption(line, next) {
			return next, true
		}
	}
	return value{}, false
}

// glued is what stands behind a flag in its own word: -pSECRET.
func glued(line []byte, w value, text, name string, pair bool) (value, bool) {
	if len(text) <= len(name) || !equalFlag(text[:len(name)], name) ||
		name == "-p" && (strings.HasPrefix(text, "-port") || strings.HasPrefix(text, "-pa") &&
			len(text) > 9 || strings.HasPrefix(text, "-pw") || strings.HasPrefix(text, "-protocol") ||
			strings.HasPrefix(text, "-profile")) {
		return value{}, false
	}
	v := value{start: w.start + len(name), end: w.end, quote: w.quote, quoted: w.quoted}
	if v.start < v.end && (line[v.start] == '"' || line[v.start] == '\'') {
		v.start++
		v.quoted = true
	}
	if pair {
		return behindColon(line, v, ':')
	}
	return v, v.end > v.start
}

// behindColon is what stands behind the user.
func behindColon(line []byte, v value, sign byte) (value, bool) {
	i := bytes.IndexByte(line[v.start:v.end], sign)
	v.start += i + 1
	return v, i >= 0 && v.end > v.start
}

// isOption tells of a word that is a flag and no password.
func isOption(line []byte, v value) bool {
	text := line[v.start:v.end]
	return !v.quoted && (text[0] == '-' || text[0] == '/' && len(text) < 8 &&
		run(text, 1, wordByte) == len(text))
}

// equalFlag holds letters apart where one is -p and another -P, and not behind a slash.
func equalFlag(text, flag string) bool {
	return text == flag || flag[0] == '/' && strings.EqualFold(text, flag)
}

// accountPassword: nssm set NAME ObjectName USER PASSWORD.
func (s *scan) accountPassword(line []byte, list []value) {
	if len(list) < 2 || len(list) > 4 {
		return
	}
	user := line[list[0].start:list[0].end]
	if len(user) > 0 && (bytes.ContainsAny(user, `\@`) || !bytes.ContainsAny(user, "=:")) &&
		!isPlaceholder(user) && !hasFold(user, 0, "localsystem") {
		s.takePassword(list[1])
	}
}

// plainWords are the words that are no flags.
func plainWords(line []byte, list []value) (plain []value) {
	for _, w := range list {
		if w.end > w.start && line[w.start] != '/' && line[w.start] != '-' {
			plain = append(plain, w)
		}
	}
	return plain
}

// plainWord takes the n-th word that is no flag, when it is random enough.
func (s *scan) plainWord(line []byte, list []value, n int) {
	for _, w := range list {
		if w.end <= w.start || isOption(line, w) {
			continue
		}
		if n--; n == 0 {
			if text := line[w.start:w.end]; looksRandom(text) || isGUID(text) {
				s.takePassword(w)
			}
			return
		}
	}
}

// slashPassword: sqlplus USER/PASSWORD@DB.
func (s *scan) slashPassword(line []byte, list []value) {
	for _, w := range list {
		text := line[w.start:w.end]
		slash := bytes.IndexByte(text, '/')
		if slash <= 0 || isOption(line, w) || isPath(text) {
			continue
		}
		end := bytes.LastIndexByte(text, '@')
		if end < slash {
			end = len(text)
		}
		s.takePassword(value{start: w.start + slash + 1, end: w.start + end})
		return
	}
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
	return n+1 >= len(list) || list[n+1].end > list[n+1].start &&
		strings.IndexByte("/&>|", line[list[n+1].start]) >= 0
}

// words splits a command line.
func words(s *scan, line []byte, i int) []value {
	var list []value
	for i < len(line) && len(list) < 64 {
		for i < len(line) && (strings.IndexByte(" \t,[]\r\n", line[i]) >= 0 ||
			strings.IndexByte("\\^`", line[i]) >= 0 && isLineAt(line, skipBlanks(line, i+1))) {
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
		if !v.quoted && v.end < len(line) && line[v.end] == '"' { // -p"a b"
			if end, ok := closing(line, v.end+1, '"', 0); ok && v.end+1 < end && line[end] == '"' {
				v.end = end
			}
		}
		list = append(list, v)
		i = max(skipQuote(line, v.end), i+1)
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
	eq := run(b, i, nameByte)
	if eq < len(b) && b[eq] == '=' {
		s.takePassword(s.value(b, eq+1, " \t\r\n\"'`"))
	}
}

// netrcRule: machine HOST login USER password VALUE.
func (s *scan) netrcRule(start, end int) {
	b := s.see(start)
	user := skipBlanks(b, end)
	i := user
	for i < len(b) && !isBlank(b[i]) && !isLine(b[i]) {
		i++
	}
	at := skipSpaceLines(b, i)
	if i == user || !hasFold(b, at, "password") || at+8 >= len(b) || !isBlank(b[at+8]) {
		return
	}
	before := s.b[max(0, start-300):start]
	if bytes.Contains(before, []byte("machine ")) || bytes.Contains(before, []byte("default ")) {
		s.takePassword(s.value(b, skipBlanks(b, at+8), " \t\r\n"))
	}
}
