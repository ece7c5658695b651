package redact

import (
	"cmp"
	"slices"
	"strings"

	"doctor/checks/evidence/finder"
	"doctor/checks/sorted"
)

// A rule looks at the text around a trigger, b[start:end], and adds the spans
// that are secret. It replaces nothing before its trigger by more than s.back,
// and looks at no more than s.see(start).
type rule func(s *scan, start, end int)

type hit struct {
	start, end int
	rule       rule
}

// shortest is the length of the shortest trigger, by which the finder jumps:
// shorter words are told with what follows them, or by a sign near them.
const shortest = 6

var (
	triggerRules []rule
	triggers     *finder.Finder
	longest      int
)

// triggerTexts are the triggers of each rule, split by "|". Where a text ends
// in "…", all that may follow a name or a program stand behind it.
var triggerTexts = []struct {
	rule  rule
	texts string
}{
	{(*scan).nameRule,
		`password|passwd|passphrase|passcode|passwort|kennwort|motdepasse|token…|secret|credential|creds…|/pass:| -pass |--pass…| --pw | --pwd | -pwd |token%3d|<pwd>x|<auth>|<pass>|<pass |<token>`},
	{(*scan).nameRule,
		`_pass…|_pwd"…|_pwd\n |_pwd\r\n|_pwd,v|_pwd',|_pwd\"|_key",|_key"}|_key" |_key,v|_key, |_key\n |_key\r\n|_key\"|_key',|_key" |_key re|_key>x`},
	{(*scan).nameRule,
		`apikey|api-key|api_key|accesskey|access-key|access_key|accountkey|account-key|account_key|storagekey|sharedkey|shared-key|shared_key|sharedaccess|privatekey|private-key|private_key|keydata|key-data|key_data|keymaterial`},
	{(*scan).nameRule,
		`certificate-key|certificatekey|encryptionkey|decryptionkey|validationkey|signingkey|masterkey|sessionkey|joinkey|sshkey|presharedkey|primarykey|secondarykey|productkey|instrumentationkey|workspacekey|subscriptionkey|functionkey|functions-key|licensekey|license-key|license_key|identityheader|identity-header|identity_header|snmpcommunity|snmp_community|communitystring|community_string|rocommunity|rwcommunity|l2tppsk| : psk |bindpw |pfxdata|pfxblob|nthash|lmhash|sessionid|plugininput|managedpassword|unicodepwd|dockercfg|dockerconfigjson|registryauth`},
	{(*scan).signatureRule, `sig%3d|sig%253d|signature%3d`},
	{(*scan).headerRule, `authorization|cookie:|cookie"|cookie\|cookie2`},
	{(*scan).bearerRule, `bearer`},
	{(*scan).pemRule, `-----begin`},
	{(*scan).sshRule, `---- begin ssh2`},
	{(*scan).ppkRule, `private-lines:|private-mac:`},
	{(*scan).encodedRule,
		`ls0tls1crudj|0tls0tqkvhsu|tls0tlujfr0lo|yxbpvmvyc2lvb|ewogicjhdxroc|ewoiyxv0ahmi|ewojimf1dghz|eyjhdxrocyi6`},
	{(*scan).jwtRule, `eyjhbgci|eyj0exai|eyjlbmmi|eyjrawqi`},
	{(*scan).secureStringRule, `securestring`},
	{(*scan).credentialRule, `networkcredential(|pscredential(`},
	{(*scan).blobRule,
		`01000000d08c9ddf|aqaaancmnd8bf|01,00,00,00,d0,8c,9d,df|01-00-00-00-d0-8c-9d-df|0xd0,0x8c,0x9d,0xdf`},
	{(*scan).hashRule, `:{sha}|:{ssha}`},
	{(*scan).kerberosRule, `aes256|aes128|rc4_hmac|rc4-hmac|rc4hmac`},
	{(*scan).rancherRule, `::server:|::node:`},
	{(*scan).encodedCommandRule,
		`-encod|/encod| -enc |"-enc"|"-enc\|"-enc | /enc |powershell|pwsh.e|pwsh -|pwsh",|pwsh" |pwsh\"`},
	{(*scan).literalRule, `from-literal`},
	{(*scan).execRule, "exec: |exec:\n|exec:\r"},
	{(*scan).dataRule, "data: |data:\n|data:\r|data:{|data\":|data\\\":|data\" :"},
	{(*scan).netrcRule, " login |\nlogin |\tlogin "},
}

// follows are the bytes behind a name that matter, and those behind a program.
const (
	follows      = "=:\"\\' \t>],);\r\nsdvi0123456789-_.\x1b"
	followsBlank = "abcdefghijklmnopqrstuvwxyz0123456789-/\\\"'$<@*.%"
)

func init() {
	var texts []string
	add := func(r rule, text string) {
		if len(text) < shortest {
			panic("the trigger " + text + " is too short: match it together with what follows it")
		}
		texts = append(texts, text)
		triggerRules = append(triggerRules, r)
		longest = max(longest, len(text))
	}
	for _, group := range triggerTexts {
		for text := range strings.SplitSeq(group.texts, "|") {
			stem, open := strings.CutSuffix(text, "…")
			if !open {
				add(group.rule, strings.NewReplacer(`\n`, "\n", `\r`, "\r").Replace(text))
				continue
			}
			for _, c := range []byte(follows) {
				add(group.rule, stem+string(c))
			}
		}
	}
	for _, name := range programTexts() {
		r := func(s *scan, start, _ int) { s.programRule(start, start+len(name)) }
		switch {
		case len(name) >= shortest:
			add(r, name)
		case len(name) == shortest-1:
			for _, c := range []byte(" .\"\\'d,6") {
				add(r, name+string(c))
			}
		default:
			add(r, name+".exe")
			for _, c := range []byte(followsBlank) {
				add(r, name+" "+string(c))
			}
			for _, tail := range []string{`",`, `" `, `\"`, `' `, "  "} {
				add(r, name+tail)
			}
		}
	}
	for _, p := range prefixes {
		switch text := strings.ToLower(p.text); {
		case len(text) >= shortest:
			add((*scan).prefixRule, text)
		case len(text) == shortest-1 && !strings.HasPrefix(text, "xox"):
			for _, c := range []byte("abcdefghijklmnopqrstuvwxyz0123456789") {
				add(func(s *scan, start, end int) { s.prefixRule(start, end-1) }, text+string(c))
			}
		}
	}
	for _, c := range []byte("bpaerso") {
		for d := range byte(10) {
			add(func(s *scan, start, _ int) {
				s.prefixRule(start, start+5)
			}, "xox"+string(c)+"-"+string('0'+d))
		}
	}
	triggers = finder.New(slices.Clip(texts))
}

// rules deals with the triggers that have all that follows them in the window.
func (s *scan) rules() {
	limit := len(s.b) - s.ahead
	if s.eof {
		limit = len(s.b)
	}
	if limit <= s.at {
		return
	}
	s.hits = s.hits[:0]
	from := s.at
	triggers.EachUnordered(s.b[from:min(len(s.b), limit+longest)], func(text, start, end int) {
		if from+start < limit {
			s.hits = append(s.hits, hit{from + start, from + end, triggerRules[text]})
		}
	})
	s.signs(from, limit)
	sorted.By(s.hits, func(a, b hit) int { return cmp.Compare(a.start, b.start) })
	for _, h := range s.hits {
		if n := len(s.spans); n > 0 && s.spans[n-1].start < h.start && h.start < s.spans[n-1].end ||
			inToken(s.b, h.start) {
			continue // it is taken as a whole
		}
		if h.rule(s, h.start, h.end); s.swallow != nil {
			return
		}
	}
	s.at = limit
}

// signBytes are those near which a secret may stand that no longer text betrays.
var signBytes = func() (t [256]bool) {
	for _, c := range []byte(".@~=:_$A") {
		t[c] = true
	}
	return t
}()

// signs finds what no text betrays: the dot of a bootstrap token, the @ of a
// URL's user, the ~ of a client secret, a short name before its colon.
func (s *scan) signs(from, limit int) {
	for i := from; i < limit; i++ {
		if signBytes[s.b[i]] {
			s.sign(i)
		}
	}
}

func (s *scan) sign(i int) {
	b := s.b
	add := func(start, end int, r rule) { s.hits = append(s.hits, hit{start, end, r}) }
	switch b[i] {
	case '.':
		switch {
		case i+3 < len(b) && b[i+1] == 'e' && b[i+2] == 'y' && b[i+3] == 'J':
			add(i, i+4, (*scan).jwtRule)
		case i >= 3 && (hasFold(b, i-3, "hvs") || hasFold(b, i-3, "hvb")):
			add(i-3, i+1, (*scan).prefixRule)
		case i >= 2 && b[i-1] == 'G' && b[i-2] == 'S':
			add(i-2, i+1, (*scan).prefixRule)
		case i >= 4 && hasFold(b, i-4, "ya29"):
			add(i-4, i+1, (*scan).prefixRule)
		case i >= 6 && i+16 < len(b) && isAlnum(b[i+16]) && isAlnum(b[i+8]) && isAlnum(b[i-6]) &&
			isAlnum(b[i+4]) && isAlnum(b[i+12]):
			add(i, i+1, (*scan).bootstrapRule)
		}
	case '@':
		add(i, i+1, (*scan).urlRule)
	case '~':
		if i >= 5 && b[i-1]|0x20 == 'q' && isDigit(b[i-2]) {
			add(i, i+1, (*scan).azureRule)
		}
	case '_':
		if i >= 3 && (hasFold(b, i-3, "npm") || hasFold(b, i-3, "glc") || b[i-2]|0x20 == 'h' &&
			b[i-3]|0x20 == 'g') {
			add(i-3, i+1, (*scan).prefixRule)
		} else if i >= 2 && hasFold(b, i-2, "hf") {
			add(i-2, i+1, (*scan).prefixRule)
		}
	case '$':
		for _, mark := range []string{"$2y$", "$2a$", "$2b$", "$apr1$", "$6$", "$5$", "$1$",
			"$y$"} {
			if hasFold(b, i, mark) && (len(mark) > 3 || i > 0 && b[i-1] == ':') {
				add(i, i+len(mark), (*scan).hashRule)
			}
		}
	case 'A':
		if i+3 < len(b) && b[i+2] == 'I' && b[i+3] == 'A' && (b[i+1] == 'K' || b[i+1] == 'S' ||
			b[i+1] == 'B') {
			add(i, i+4, (*scan).awsRule)
		} else if i+3 < len(b) && b[i+1] == 'K' && b[i+2] == 'C' && b[i+3] == 'p' {
			add(i, i+4, (*scan).prefixRule)
		}
	case '=', ':':
		s.assignment(i)
	}
}

// assignment looks for a short name before a colon or an equals sign.
func (s *scan) assignment(i int) {
	b := s.b
	if i == 0 || isDigit(b[i-1]) && b[i] == ':' {
		return
	}
	if b[i] == '=' && i+1 < len(b) && b[i+1] == '=' && i >= 86 && isAlnum(b[i-1]) &&
		classOf[b[i-40]]&base64Byte != 0 && classOf[b[i-86]]&base64Byte != 0 {
		s.hits = append(s.hits, hit{i, i + 2, (*scan).storageRule})
	}
	end := i
	for end > 0 && i-end < 8 && (isBlank(b[end-1]) || b[end-1] == '"' || b[end-1] == '\\' ||
		b[end-1] == '\'' || b[end-1] == ']') {
		end--
	}
	if end < 3 {
		return
	}
	switch b[end-1] | 0x20 {
	case 'g', 'e':
		if b[i] == '=' && end == i && (hasFold(b, end-3, "sig") || hasFold(b, end-9, "signature")) {
			s.hits = append(s.hits, hit{end - 3, i + 1, (*scan).signatureRule})
		}
	case 'd':
		s.shortName(end, "pwd")
	case 's':
		s.shortName(end, "pass")
		s.shortName(end, "creds")
	case 'h':
		s.shortName(end, "auth")
	case 't':
		s.shortName(end, "jwt")
	case 'y':
		s.shortName(end, "key")
	case 'w':
		s.shortName(end, "pw")
	case 'k':
		s.shortName(end, "psk")
	case 'm':
		s.shortName(end, "ntlm")
	}
}

// shortName takes a name that is told by the sign behind it.
func (s *scan) shortName(end int, name string) {
	if hasFold(s.b, end-len(name), name) {
		s.hits = append(s.hits, hit{end - len(name), end, (*scan).nameRule})
	}
}
