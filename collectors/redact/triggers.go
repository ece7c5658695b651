package redact

import (
	"bytes"
	"slices"
	"strings"

	"doctor/checks/evidence/finder"
)

// A rule looks at the text around a trigger, b[start:end], and adds the spans
// that are secret. It replaces nothing before its trigger by more than s.back,
// and looks at no more than s.see(start).
type rule func(s *scan, start, end int)

type hit struct {
	start, end int
	rule       rule
}

var (
	triggerRules []rule
	triggers     *finder.Finder
	longest      int
)

func init() {
	var texts []string
	for _, group := range []struct {
		rule  rule
		texts string
	}{
		{(*scan).nameRule, `passw passp passcode kennwort motdepasse _pass -pass pass: pass= pass" pass\ /pass pwd= pwd: pwd" pwd\ pwd' _pwd -pwd pwd> token secret credential creds jwt= jwt: jwt" _jwt
			apikey api-key api_key accesskey access-key access_key accountkey account-key account_key storagekey sharedkey shared-key shared_key sharedaccess privatekey private-key private_key
			keydata key-data key_data keymaterial certificate-key certificatekey encryptionkey decryptionkey validationkey signingkey masterkey sessionkey joinkey sshkey presharedkey primarykey secondarykey
			_key= _key: _key" _key' _key\ _key> -key= -key: productkey pfxdata pfxblob ntlm nthash lmhash sessionid plugininput managedpassword unicodepwd dockercfg dockerconfigjson
			auth" auth= auth: auth\ auth' auth> registryauth`},
		{(*scan).spacedNameRule, `|auth =|pwd =|key =|pass =`},
		{(*scan).headerRule, `authorization cookie: cookie" cookie\ cookie2`},
		{(*scan).bearerRule, `bearer`},
		{(*scan).pemRule, `-----begin`},
		{(*scan).sshRule, `---- begin ssh2`},
		{(*scan).ppkRule, `private-lines: private-mac:`},
		{(*scan).encodedRule, `ls0tls1crudj 0tls0tqkvhsu tls0tlujfr0lo yxbpvmvyc2lvb ewogicjhdxroc ewoiyxv0ahmi ewojimf1dghz eyjhdxrocyi6`},
		{(*scan).jwtRule, `.eyj eyjhbgci eyj0exai eyjlbmmi eyjrawqi`},
		{(*scan).awsRule, `akia asia`},
		{(*scan).signatureRule, `sig= signature=`},
		{(*scan).prefixRule, strings.Join(prefixTexts(), " ")},
		{(*scan).secureStringRule, `securestring`},
		{(*scan).credentialRule, `networkcredential( pscredential(`},
		{(*scan).blobRule, `01000000d08c9ddf aqaaancmnd8bf 01,00,00,00,d0,8c,9d,df 01-00-00-00-d0-8c-9d-df 0xd0,0x8c,0x9d,0xdf`},
		{(*scan).hashRule, `$2y$ $2a$ $2b$ $apr1$ {sha} {ssha} :$6$ :$5$ :$1$`},
		{(*scan).kerberosRule, `aes256 aes128 rc4_hmac rc4-hmac rc4hmac`},
		{(*scan).rancherRule, `::server: ::node:`},
		{(*scan).programRule, "|" + strings.Join(programTexts(), "|")},
		{(*scan).encodedCommandRule, `-enc /enc powershell pwsh`},
		{(*scan).literalRule, `from-literal`},
		{(*scan).execRule, `exec: exec" exec\`},
		{(*scan).dataRule, `data: data" data\`},
		{(*scan).netrcRule, `login`},
	} {
		list := strings.Fields(group.texts)
		if strings.HasPrefix(group.texts, "|") {
			list = strings.Split(group.texts[1:], "|")
		}
		if strings.HasPrefix(group.texts, "---- ") {
			list = []string{group.texts}
		}
		for _, text := range list {
			texts = append(texts, text)
			triggerRules = append(triggerRules, group.rule)
			longest = max(longest, len(text))
		}
	}
	triggers = finder.New(texts)
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
	var hits []hit
	from := s.at
	b := s.b[from:min(len(s.b), limit+longest)]
	triggers.Each(b, func(text, start, end int) {
		if from+start < limit {
			hits = append(hits, hit{from + start, from + end, triggerRules[text]})
		}
	})
	hits = s.signs(hits, from, limit)
	slices.SortStableFunc(hits, func(a, b hit) int { return a.start - b.start })
	for _, h := range hits {
		if h.rule(s, h.start, h.end); s.swallow != nil {
			return
		}
	}
	s.at = limit
}

// signs finds what no text betrays: the dot of a bootstrap token, the @ of a
// URL's user, the ~ of a client secret, the end of a storage account's key.
func (s *scan) signs(hits []hit, from, limit int) []hit {
	b := s.b[:limit]
	for i := from; ; i++ {
		n := bytes.IndexByte(b[i:], '.')
		if n < 0 {
			break
		}
		if i += n; i >= 6 && i+16 < len(s.b) && isAlnum(s.b[i+16]) && isAlnum(s.b[i+8]) && isAlnum(s.b[i-6]) && isAlnum(s.b[i+4]) && isAlnum(s.b[i+12]) {
			hits = append(hits, hit{i, i + 1, (*scan).bootstrapRule})
		}
	}
	for i := from; ; i++ {
		n := bytes.IndexByte(b[i:], '@')
		if n < 0 {
			break
		}
		i += n
		hits = append(hits, hit{i, i + 1, (*scan).urlRule})
	}
	for i := from; ; i++ {
		n := bytes.IndexByte(b[i:], '~')
		if n < 0 {
			break
		}
		if i += n; i >= 5 && s.b[i-1]|0x20 == 'q' {
			hits = append(hits, hit{i, i + 1, (*scan).azureRule})
		}
	}
	for i := from; ; i++ {
		n := bytes.Index(b[i:], []byte("=="))
		if n < 0 {
			break
		}
		if i += n; i >= 86 && isAlnum(s.b[i-1]) && classOf[s.b[i-40]]&base64Byte != 0 && classOf[s.b[i-86]]&base64Byte != 0 {
			hits = append(hits, hit{i, i + 2, (*scan).storageRule})
		}
	}
	return hits
}
