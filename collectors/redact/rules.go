package redact

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"doctor/checks/evidence/finder"
	"doctor/checks/sorted"
)

// A rule looks at the text around a trigger, b[start:end], and adds the spans
// that are secret. It replaces nothing before its trigger by more than s.back,
// and looks at no more than b.
type rule func(s *scan, b []byte, start, end int)

type hit struct {
	start, end int
	rule       rule
	layer      bool // the rule decodes what is around it
}

// shortest is the length of the shortest trigger, by which the finder jumps:
// shorter words are told with what follows them, or by a sign near them.
const shortest = 6

// rules are the triggers of each rule, split by "|". Where a text ends in "…",
// all that may follow a name stand behind it, and where in "·", any letter or digit. Names, issuers and programs have
// tables of their own.
var rules = []struct {
	rule  rule
	texts string
}{
	{(*scan).nameRule,
		`token…|creds…|pass1: |pass2: |pwd1: |pwd2: |/pass:|--pass…| --pw | --pwd | -pwd |<pwd>·|<auth>|<pass>|<pass |<token>|_pass…|_pwd property|_pwd"…|_pwd\n |_pwd\n·|_pwd\r\n|_pwd,v|_pwd',|.pass</|.pwd</|;pwd;·|,pwd,·|;pass;·|,pass,·|_pwd\"|-pwd ·|_pwd ·|-pwd "|-pwd '|bindpw |_pass  |pwd   |_pw   |pass> |_pwd> |l2tppsk|-wifikey |tls-psk |--psk…|-tsig |--auth |--auth=|clave_·|senha_·|haslo_·|heslo_·|senha é|senha e |senha '|senha "|clave '|clave "|clave es`},
	{(*scan).nameRule, "senha `|clave `"},
	{func(s *scan, b []byte, start, end int) { s.wordRule(b, start, end, "password") }, "paßwort|pa\xdfwort"}, // also in Windows-1252
	{(*scan).spacedRule, `pass word"|pass word:|pass word=`},
	{func(s *scan, b []byte, start, end int) { // -computer-pass VALUE, set SMBPass VALUE
		if from, _ := s.nameAround(b, start, end); b[from] == '-' || strings.HasPrefix(wordBefore(b, from), "set") {
			s.nameRule(b, start, end)
		}
	}, `pass ·|pass "|pass '`},
	{(*scan).nameRule,
		`"pass">|_key",|_key"}|_key" |_key,v|_key, |_key\n |_key\n·|_key\r\n|_key\"|_key',|_key" |_key re|_key>·|"pass",|'pass',|"auth",| pass "| pwd "| pass '| pwd '|"pwd",|'pwd',|"pwd" |'pwd' |"pass" |'pass' |"pword"|'pword'|"key" v|'_auth'|"_auth"|pat" v|pwd", v|pass", v|/pwd(·| _auth |pwd" /|pass" /|.pw" v|.pw' v|pwd" v|pass" v| pwd as|pass_wo|pass-wo|sqlpw"|dbpw",|heslo ·`},
	{func(s *scan, b []byte, start, end int) { s.nameRule(b, start+indexFold(s.b[start:end], "p"), end) },
		`id/pw…|id/pw/|id/pw(|id pw |id/pwd…|/(pw)·|&pwd)…|id(pw)…|pwd of |pwd is |pass - |pwd - |pwd, "|pass, "|pwd ,"|n/pass |r/pass |e/pass |pass ,"|pword ,"|name: pwd…|name: pass…|name: pw\n|name: "pwd|name: "pass|:pass ·|:pwd ·|:pword `},
	{func(s *scan, b []byte, start, end int) { s.nameRule(b, start+len("name: "), end) }, `name: key…`},
	{func(s *scan, b []byte, start, end int) { // New-ItemProperty -Name DbPwd -PropertyType String -Value VALUE
		from, _ := s.nameAround(b, start, end)
		if before := bytes.ToLower(bytes.TrimRight(s.b[max(0, from-8):from], ` '"\`)); bytes.HasSuffix(before, []byte("-name")) || bytes.HasSuffix(before, []byte("/v")) {
			s.nameRule(b, start, end)
		}
	}, `pwd -·|pwd' -|pwd" -|pwd /·|pass -·|pass' -|pass" -|pass /·|_pw -·|_pw /·`},
	{(*scan).codeRule, `?code=|&code=| code=`},
	{(*scan).headerRule, `authorization|cookie:|cookie"|cookie\|cookie2|cookie',`},
	{(*scan).bearerRule, `bearer`},
	{(*scan).basicRule, `basic `},
	{(*scan).plainRule, `auth plain |authenticate plain |auth xoauth2 |authenticate xoauth2 `},
	{func(s *scan, b []byte, start, end int) { s.bearerRule(b, start, end-1) }, `oauth `},
	{(*scan).apiKeyMethodRule, `login_with_api_key`},
	{(*scan).pemRule, `-----begin`},
	{(*scan).pemTailRule, `-----end `},
	{func(s *scan, b []byte, _, end int) { // of ipsec.secrets
		if v := s.value(b, skipBlanks(b, end), " \t\r\n\"'"); v.quoted || hasFold(b, end-len("psk "), "psk ") && !moreWords(b, v.end) && bytes.ContainsAny(v.in(b), lowers) && fitsWord(v.in(b)) {
			s.takePassword(v)
		}
	}, `: psk |: eap |: xauth |: ntlm `},
	{func(s *scan, b []byte, start, _ int) { // USER/VALUE@(DESCRIPTION=… of Oracle
		from := lineBack(b, start, layerBack)
		from += bytes.LastIndexAny(b[from:start], " \t\"'=") + 1
		s.slashPassword(b[:start], []value{{start: from, end: start}})
	}, `@(description`},
	{func(s *scan, b []byte, _, end int) { // the hash of a password, behind that of none as LM has it
		if last := run(b, end, hexByte); last == end+32 {
			s.add(end, last, "password-hash", b[end:last])
		}
	}, `aad3b435b51404ee:`},
	{func(s *scan, b []byte, _, end int) { // of mimikatz
		if i := skipBlanks(b, skipOf(b, end, 16, " :")); isSignedHex(b[i:run(b, i, hexByte)]) {
			s.add(i, run(b, i, hexByte), "hash", b[i:run(b, i, hexByte)])
		}
	}, `* sha1  |* dpapi  `},
	{func(s *scan, b []byte, _, end int) { s.takePassword(s.value(b, end, " \t\r\n\"'")) }, `variablevalue=|::add-mask::|task.setsecret]|super user authentication token: |is generated for root@localhost: `}, // of GitHub Actions
	{func(s *scan, b []byte, _, end int) { s.setVariable(b, end, "variable=", "]") }, `task.setvariable `},
	{func(s *scan, b []byte, _, end int) { s.setVariable(b, end, "name=", "::") }, `::set-output |::set-env |::save-state `},
	{(*scan).resultRule, `"random_password"`},
	{(*scan).serverRule, "tacacs server |radius server "},
	{(*scan).sectionRule, "[passwords]|[credentials]"},
	{(*scan).plainLoginRule, `plainloginmodule`},
	{func(s *scan, b []byte, start, _ int) { s.plainLoginRule(b, start, start) }, `user_admin="`},
	{func(s *scan, b []byte, _, end int) {
		if v := s.value(b, end, " \t\r\n\"'"); !isPlainValue(v.in(b)) { // a port that docker publishes
			s.takePassword(v)
		}
	}, `.pfx" -p |.pfx' -p |.pfx -p `},
	{func(s *scan, b []byte, _, end int) { s.takePassword(s.value(b, end, "<\r\n")) }, `<secretbytes>`}, // of Jenkins
	{(*scan).plainTextRule, `<plaintext>`},
	{(*scan).sshRule, `---- begin ssh2 encrypted private`},
	{(*scan).ppkRule, `private-lines:|private-mac:`},
	{(*scan).keyRule,
		`b3blbnnzac1rzxktdje|ibadanbgkqhkig9w0baq|ibaakcaqea|ibaakcayea|ibaakcageaa|ibaakcagea|ibaakbgq|agembmgbyqgsm49|agembagbyqgsm49|ibadatbgcqgkjopq|mc4caqawbqydk2v|mhccaqeei|mighageambmgbyqgsm49ageg|mig2ageambagbyqgsm49ageg`},
	{(*scan).jwtRule, `eyjhbgci|eyj0exai|eyjlbmmi|eyjrawqi|eyjqd2si|eyjqa3ui|eyjjdhki|zxlkagjhy2`},
	{(*scan).secureStringRule, `securestring`},
	{(*scan).credentialRule,
		`credential(|credential (|passwordcredentials(|credentials.basic(|.login(|staticcredentials(|staticcredentialsprovider(|awscredentials(|awssessioncredentials(|jwt.verify(|jwt.sign(|jwt.encode(|createhmac(|networkcredential]::new(|pscredential]::new(|setbasicauth(|basicauth(|simple_bind_s(|simple_bind(|ldap_bind(|opendsobject(|pdo->__construct(|new pdo(|x509certificate2(|passwordauthentication(|httpbasicauth(|directoryentry(|getconnection(`},
	{argument(0, 0), `azurekeycredential(|hmacshakeyfor(|bearer_auth(|symmetricsecuritykey(`},
	{argument(1, 1), `passwordauthenticationmethod(|.authenticate(|authenticateasync(|passwordauthenticationtoken(|ntlmauth(|validatecredentials(|basic_auth(|basic_auth '|basic_auth "|withcluster(|.basic(|.userpassword(|keywithpassphrase(|cpy(pass|cpy(pwd`},
	{argument(0, 1), `changepassword "|changepassword("`},
	{argument(2, 2), `mysqli_connect(|mysql_connect(|new mysqli(|logonuser(|logonuserw(|logonusera(|processwithlogonw(|plainauth(|createcredential(`},
	{argument(4, 4), `mapnetworkdrive(`},
	{(*scan).secretCallRule, `getbytes(|frombase64string(|secret.decrypt(|secret.fromstring(`},
	{(*scan).usingRule, ` using `},
	{(*scan).pipeRule, `password-stdin|passwd --stdin|kinit |runas /|--with-token|--stdin|devops login|docker secret create|keystore.bat add|keystore add| base64`},
	{func(s *scan, b []byte, _, end int) { // echo VALUE | sudo -H -S
		for word := range bytes.FieldsSeq(b[end-1 : lineEnd(b[:min(len(b), end+maxName)], end)]) {
			if word[0] != '-' {
				return
			} else if bytes.ContainsRune(word, 'S') {
				s.pipeRule(b, end-1, end)
			}
		}
	}, ` sudo -`},
	{(*scan).chpasswdRule, `chpasswd`},
	{(*scan).blobRule,
		`01000000d08c9ddf|76492d1116743f0423413b16050a5345|aqaaancmnd8bf|01,00,00,00,d0,8c,9d,df|01-00-00-00-d0-8c-9d-df|0xd0,0x8c,0x9d,0xdf`},
	{(*scan).hashRule, `:{sha}|:{ssha}|pbkdf2_sha|scram-sha-1$|scram-sha-256$|scram-sha-512$`},
	{(*scan).kerberosRule, `aes256|aes128|rc4_hmac|rc4-hmac|rc4hmac|arcfour|keylength|aes key|rc4 key|des key`},
	{partialRule, `stdout p |stderr p `},
	{(*scan).encodedCommandRule,
		`-encod|/encod| -enc |"-enc"|"-enc\|"-enc | /enc |powershell|pwsh.e|pwsh -|pwsh",|pwsh" |pwsh\"`},
	{(*scan).literalRule, `from-literal`},
	{(*scan).generatorRule, `secretgenerator:`},
	{(*scan).execRule, "exec: |exec:\n|exec:\r"},
	{(*scan).dataRule, "data: |data:\n|data:\r|data:{|data\":|data\\\":|data\" :|data\\\\\""},
	{(*scan).passRule, `\npass |f pass |quote pass |] pass |  pass |: pass |- pass |* pass |> pass |> auth |: auth |  auth |] auth |"auth |'auth `},
	{(*scan).passRule, "\nauth\n|\nauth\r\n|nauth\\"},
	{(*scan).answerRule, `334 ugfzc3dvcmq6`},
	{(*scan).monitorRule, `"auth" `},
	{(*scan).lapsRule, `,"p":"`},
	{func(s *scan, b []byte, start, end int) { // users of exporters of Prometheus, each with a password or its hash
		from, _ := s.nameAround(b, start, end)
		if indent, first := s.beginsLine(from); first && isLineAt(b, skipBlanks(b, end)) && !hasFold(b, skipBlanks(b, nextPayload(b, lineEnd(b, end))), "-") {
			s.secretLines(b, lineEnd(b, end), indent)
		}
	}, `auth_users:|authusers:|auth-users:`},
	{(*scan).volumeRule, `secrets:<key|secrets:{key|secrets: <key|secrets: {key`},
	{(*scan).rsaRule, `<modulus>`},
	{func(s *scan, b []byte, start, _ int) { s.layer(start, printables) }, `quoted-printable`},
	{func(s *scan, b []byte, _, end int) {
		if strings.HasSuffix(s.path, "curlrc") { // user = "USER:VALUE"
			s.takeAccount(s.value(b, end, "\r\n"))
		}
	}, `user = `},
	{(*scan).csvTokenRule, `"system:|,system:`},
	{(*scan).communityRule, `validcommunities`},
	{(*scan).insertRule, `values (|values(`},
	{(*scan).shownRule, `jsonpath|kv get -field|vault read -field|secretstring --output text|consul keygen|serf keygen|keyring generate|openssl rand -|wg genkey|secrets versions access`},
	{(*scan).askedRule, `assword:"`},
	{(*scan).accountRule, `cannot convert the "|--user |--user=|--user "|--user '|--user="|--creds |--creds=|--credentials |--basic-auth |--basic-auth=|--userpass |--auth-user |login=|_maps = static:|_maps=static:|]:587 |]:587\t|]:465 |]:465\t`},
	{func(s *scan, b []byte, start, end int) { s.accountRule(b, start, end-1) }, ` -u "·| -u '·`},
	{(*scan).keyNameRule, `hmac-sha256:|hmac-sha384:|hmac-sha512:|hmac-sha1:|hmac-md5:`},
	{(*scan).newValueRule, `new value: `},
	{(*scan).partRule, `form-data; name="`},
	{(*scan).loginRule, ` login `},
	{(*scan).pgpassRule, `:5432:|:6432:`},
	{(*scan).netrcRule, " login |\nlogin |\tlogin "},
	{(*scan).webhookRule,
		`hooks.slack.com/services/|hooks.slack.com/workflows/|hooks.slack.com/triggers/|hooks.zapier.com/hooks/catch/|webhook.office.com/webhookb2/|discord.com/api/webhooks/|discordapp.com/api/webhooks/|outlook.office.com/webhook/|api.telegram.org/bot|softlayer.com/soap/v3/|softlayer.com/soap/v3.1/|thingsboard.cloud/api/v1/|/v3/import/|/hooks/|/webhook/|/login?t=`},
}

// follows are the bytes behind a name that matter.
const follows = "=:\"\\' \t<>[],);\r\nsdvib*0123456789-_.\x1b&%|\xef"

var (
	triggerRules []rule
	triggers     *finder.Finder
	longest      int
)

func init() {
	var texts []string
	seen := map[string]bool{}
	add := func(r rule, text string) {
		if len(text) < shortest {
			panic("the trigger " + text + " is too short: match it together with what follows it")
		}
		texts = append(texts, text)
		triggerRules = append(triggerRules, r)
		longest = max(longest, len(text))
	}
	once := func(r rule, text string) {
		if !seen[text] {
			seen[text] = true
			add(r, text)
		}
	}
	lines := strings.NewReplacer(`\n`, "\n", `\r`, "\r", `\t`, "\t")
	for _, row := range rules {
		for text := range strings.SplitSeq(row.texts, "|") {
			behind := ""
			stem, open := strings.CutSuffix(text, "…")
			if open {
				behind = follows
			} else if stem, open = strings.CutSuffix(text, "·"); open {
				behind = lowers + digits
			} else {
				add(row.rule, lines.Replace(text))
			}
			for i := range len(behind) {
				add(row.rule, lines.Replace(stem)+behind[i:i+1])
			}
		}
	}
	for _, row := range wordNames {
		r := func(s *scan, b []byte, start, end int) { s.wordRule(b, start, end, row.kind) }
		for word := range strings.SplitSeq(row.words, "|") {
			first, rest := utf8.DecodeRuneInString(word)
			for _, text := range []string{word, string(unicode.ToUpper(first)) + word[rest:], strings.ToUpper(word), strings.ToUpperSpecial(unicode.TurkishCase, word)} {
				once(r, lowerASCII(text))
				once(r, lowerASCII(strings.ReplaceAll(text, " ", "_")))
			}
		}
	}
	for _, text := range nameTexts() {
		if strings.Contains(text, " ") {
			once((*scan).spacedRule, text)
		} else {
			once((*scan).nameRule, text)
		}
	}
	for text, name := range commandTexts() {
		add(func(s *scan, b []byte, start, _ int) { s.commandRule(b, start, start+len(name), name) }, text)
	}
	for word, list := range namedIssuers {
		if len(word) >= shortest {
			once((*scan).namedRule, word)
		} else if len(word) == shortest-1 && slices.ContainsFunc(list, func(x issuer) bool { return x.bare }) {
			once((*scan).namedRule, word+" ")
		}
	}
	for text := range prefixIssuers {
		if len(text) >= shortest {
			add((*scan).issuerRule, text)
		}
	}
	triggers = finder.New(slices.Clip(texts))
}

// nameTexts are the names as they may be written, but for those that hold another
// trigger, and the short ones, which are told by a sign.
func nameTexts() (texts []string) {
	bases := []string{"passwor", "passwd", "passphrase", "secret", "credential"}
	texts = append(texts, bases...)
	for _, row := range names {
		for word := range strings.FieldsSeq(row.words) {
			joined := strings.ReplaceAll(word, "-", "")
			i := strings.LastIndexByte(word, '-')
			if i > strings.IndexByte(word, '-') {
				texts = append(texts, word[:i]+" "+word[i+1:]) // pre-shared key
			}
			if i > 0 && slices.ContainsFunc(bases, func(b string) bool { return strings.Contains(word[:i], b) }) {
				texts = append(texts, strings.ReplaceAll(word, "-", " ")) // secret key, of which the first word says nothing
			}
			if len(joined) < shortest || strings.Contains(joined, "token") ||
				slices.ContainsFunc(bases, func(b string) bool { return strings.Contains(joined, b) }) {
				continue
			}
			texts = append(texts, joined)
			for _, sep := range []string{"-", "_", " "} {
				if strings.Contains(word, "-") && len(word) >= shortest {
					texts = append(texts, strings.ReplaceAll(word, "-", sep))
				}
			}
		}
	}
	return texts
}

func lowerASCII(text string) string {
	return strings.Map(func(c rune) rune {
		if c >= 'A' && c <= 'Z' {
			return c | 0x20
		}
		return c
	}, text)
}

// limit is where the triggers end that have all that follows them in the window.
func (s *scan) limit() int {
	if s.eof {
		return len(s.b)
	}
	return len(s.b) - s.ahead
}

// leastBeside is the text that is worth a second processor.
const leastBeside = 32 << 10

// search finds the triggers up to limit.
func (s *scan) search(limit int) {
	from := s.at
	s.hits = s.hits[:0]
	signs := s
	var wait sync.WaitGroup
	if limit-from >= leastBeside {
		signs = &scan{pass: s.pass, b: s.b, hits: s.spareHits}
		wait.Go(func() { signs.signs(from, limit) })
	}
	triggers.Each(s.b[from:min(len(s.b), limit+longest)], func(text, start, end int) {
		if from+start < limit {
			s.hits = append(s.hits, hit{from + start, from + end, triggerRules[text], false})
		}
	})
	s.encodings(from, limit)
	if signs == s {
		s.signs(from, limit)
		return
	}
	wait.Wait()
	s.hits, s.spareHits = append(s.hits, signs.hits...), signs.hits[:0]
}

// rules deals with the triggers that have all that follows them in the window.
func (s *scan) rules() {
	limit := s.limit()
	if limit <= s.at {
		return
	}
	s.search(limit)
	sorted.By(s.hits, func(a, b hit) int { return cmp.Compare(a.start, b.start) })
	for _, h := range s.hits {
		if n := len(s.spans); n > 0 && s.spans[n-1].start < h.start && h.start < s.spans[n-1].end ||
			inToken(s.b, h.start) {
			continue // it is taken as a whole
		}
		if h.rule(s, s.see(h.start), h.start, h.end); s.swallow != nil {
			return
		}
	}
	s.at = limit
}
