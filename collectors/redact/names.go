package redact

import (
	"bytes"
	"slices"
	"strings"
)

// How sure the name of a setting makes that its value is a secret.
type trust int

const (
	noSecret trust = iota
	weak           // the value must look like one too
	loose          // as weak, or in quotes
	medium         // unless the value is plainly something else
	strong         // unless it is a placeholder
)

// names are what settings that keep a secret are called, or what their names end
// with. A dash stands where words may be written together, with a dash, a blank
// or an underscore.
var names = []struct {
	kind  string
	trust trust
	words string
}{
	{"password", strong, `password passwords passwd passphrase pass-phrase passcode pwd pswd pass bind-pw pw
		pword pswrd psword psswd psswrd pssword paswd paswrd pasword passwrd passord passwod passowrd passwrod
		password-data password-value unicode-pwd user-pw admin-pw root-pw
		recovery-key recovery-password clave salasana parola db-pass user-pass mysql-pass
		pass4symmkey smtp-pass mail-pass ftp-pass ldap-pass bind-pass http-pass ssh-pass svc-pass auth-tok key-content
		key-pass cert-pass store-pass admin-pass auth-pass default-pass pass-hash pass-ntlm pass-ntlmv pass-nt pass-lm tls-psk l2tp-psk security-psk tls-psk-value
		psk-value bridge-psk ipsec-psk vpn-psk wifi-psk wlan-psk erlang-cookie password-encrypted credential-encrypted
		passw dbpw db-pw sqlpw ldappw certpw key-file-pass totp-seed otp-seed`},
	{"password", medium, `password-hash redis-auth rediscli-auth psk psw key-material secrete wifi-key wpa-key pass-word
		require-pass master-auth owner-authorization cloud-auth hash-salt password-text clear-text hmac-encoded encrypted-data`},
	{"password", strong, `passwort paswort kennwort passwoerter mot-de-passe mdp contrasena contrasenya
		clave-secreta senha palavra-passe parol parole haslo heslo wachtwoord losenord
		adgangskode kodeord sifre jelszo pasfhocal pasahitza contrasinal lozinka geslo kodikos contrasenia parola-chiave kata-sandi kata-laluan mat-khau slaptazodis parool
		senha-db senha-bd senha-banco contrasena-bd contrasena-db clave-bd clave-db`},
	{"gmsa", strong, `msds-managed-password plugin-input`},
	{"client-secret", strong, `client-secret client-secrets app-secret consumer-secret`},
	{"access-key", strong, `secret-access-key account-key`},
	{"access-key", medium, `secret-key access-key access-key-id storage-key shared-key pre-shared-key
		workspace-key subscription-key function-key functions-key host-key-value aws-key`},
	{"access-key", weak, `primary-key secondary-key`},
	{"sas", strong, `sas-token`},
	{"sas", medium, `shared-access-signature`},
	{"api-key", strong, `api-key api-keys prov-token`},
	{"api-key", medium, `app-key application-key integration-key pagerduty-service-key registration-key api-hash api-secret api-token api-pass`},
	{"token", strong, `unseal-key unseal-keys unseal-keys-hex unseal-keys-b soap-session`},
	{"token", weak, `pat sonar-login`},
	{"token", medium, `token tokens token-data token-value app-token access-token identity-header auth-key jeton saml-response saml-assertion session-token statuspage-token
		auth-code secret-id jenkins-crumb webhook-url webhook-uri cc-test-reporter-id`},
	{"jwt", medium, `id-token jwt`},
	{"bearer", medium, `bearer-token bearer`},
	{"bootstrap-token", weak, `token-id`},
	{"bootstrap-token", strong, `token-secret`},
	{"bootstrap-token", medium, `bootstrap-token`},
	{"registry-auth", strong, `identity-token registry-token`},
	{"registry-auth", weak, `registry-auth auth auths`},
	{"registry-auth", medium, `docker-config-json docker-cfg`},
	{"secret", medium, `secret sercret secert secrect scret sceret secret-value secret-data geheimnis segredo secreto`},
	{"secret", weak, `secrets`},
	{"credential", weak, `credential credentials creds cred zugangsdaten identifiants etcdctl-user`},
	{"private-key", strong, `client-key-data`},
	{"private-key", medium, `private-key private-key-id private-key-data key-data ssh-key`},
	{"private-key", weak, `certificate-key pfx pfx-data pfx-blob`},
	{"key", medium, `encryption-key decryption-key validation-key signing-key signature-key master-key
		session-key join-key secret-key-base instrumentation-key license-key machine-key jwt-key cipher-key
		crypto-key aes-key hmac-key account-token schluessel tsig authentication-key privacy-key priv-key`},
	{"key", weak, `key access-id key-id access private encrypt`},
	{"product-key", medium, `product-key activation-key activation-id`},
	{"basic-auth", medium, `basic-auth`},
	{"snmp-community", medium, `snmp-community community-string community-strings rocommunity rwcommunity`},
	{"snmp-community", weak, `community`},
	{"hash", weak, `ntlm-hash nt-hash lm-hash ntlm`},
	{"cookie", weak, `cookie cookies session-id sess-id`},
	{"kerberos-key", weak, `aes256-key aes128-key`},
}

// A wordName is a name in letters that are not ASCII, or of several words, which
// stands by itself. In lower case; its first letter or all of them may be capitals.
var wordNames = []struct{ kind, words string }{
	{"password", `密码|密碼|口令|密码为|パスワード|暗証番号|비밀번호|비번|패스워드|암호|пароль|паролем|mot de passe|phrase secrète|phrase de passe|contraseña|contrasenya|hasło|lösenord|şifre|heslo je|mật khẩu|a senha|sua senha|senha padrão|пароль по умолчанию|mot de passe par défaut|contraseña por defecto|contraseña predeterminada|das passwort|het wachtwoord|schlüsselinhalt|contenu de la clé|contenido de la clave|conteúdo da chave|содержимое ключа|关键内容|主要なコンテンツ|parola d'ordine|parola d'accesso|parola chiave|tajne hasło|lösenordet|passordet|adgangskoden|adgangskode|kodeord|kodeordet|jelszó|jelszava|κωδικός πρόσβασης|συνθηματικό|парола|лозинка|гасло|пароля|паролю|סיסמה|סיסמא|كلمة المرور|كلمة السر|رمز عبور|گذرواژه|รหัสผ่าน|slaptažodis|lykilorð|salasõna|kata sandi|kata laluan|contenuto chiave|nøgleindhold|nøkkelinnhold|nyckelinnehåll|avaimen sisältö|sleutelinhoud|zawartość klucza|obsah klíče|kulcstartalom|anahtar içeriği|conținut cheie|вміст ключа|κωδικός|κωδικό|κωδικος|parolă|पासवर्ड|कूटशब्द|পাসওয়ার্ড|fjalëkalimi|пароль доступа`},
	{"secret", `密钥|密鑰|私钥|私鑰|秘密|機密|シークレットキー|シークレット|アクセスキー|секрет|ключ доступа|schlüssel|geheimer schlüssel|clé secrète|clé d'accès|clé privée|clave secreta|clave de acceso|chave secreta|chave de acesso|chave privada|金鑰|秘密鍵|비밀키|비밀 키|액세스 키|секретный ключ|закрытый ключ|chiave segreta|chiave privata|chiave di accesso|tajny klucz|klucz prywatny|geheime sleutel|gizli anahtar`},
	{"token", `令牌|トークン|访问密钥|訪問金鑰|токен|jeton d'accès|le jeton|du jeton|unseal key 1|unseal key 2|unseal key 3|unseal key 4|unseal key 5|凭证|凭据|憑證|chave de api|clave de api|clé d'api|clé api|api-schlüssel|ключ api|api 密钥|api密钥|api 키|api키|apiキー|權杖|토큰|chiave api|clave api|klucz api|api-sleutel|api anahtarı`},
}

// An ending is one of the names as it is judged: without what separates words.
type ending struct {
	text, kind string
	trust      trust
	whole      bool // counts only where a word begins: authority, compass
}

// endings by their last two letters.
var endings = func() map[[2]byte][]ending {
	m := map[[2]byte][]ending{}
	for _, row := range names {
		for word := range strings.FieldsSeq(row.words) {
			text := strings.ReplaceAll(word, "-", "")
			k := [2]byte{text[len(text)-2], text[len(text)-1]}
			m[k] = append(m[k], ending{text, row.kind, row.trust, len(text) <= 5 &&
				text != "token" && text != "pwd"})
		}
	}
	return m
}()

// innocents are endings that look like the above and keep none.
var innocents = strings.Fields(`publickeytoken publickey cancellationtoken continuetoken nexttoken pagetoken
	tokenize pullsecret pullsecrets tlssecret existingsecret registrykey subkey hotkey parentkey foreignkey
	oldpwd changepassword lastpassword bypass compass multipass kubernetespass
	useauth noauth enableauth anonymousauth proxyauth parameterkey mapkey topologykey configkey annotationkey labelkey
	sortkey partitionkey cachekey primarykeyid hostkey knownkey objectkey shortkey accesskeyname sharedaccesskeyname
	retrievemanagedpassword fastcgipass uwsgipass scgipass grpcpass memcachedpass sshpass existingsecretkey expirepasswd expirepassword
	fullaccess readaccess changeaccess noaccess nopasswd enabletoken usetoken notoken numtokens newtokens maxtokens mintokens tokentokens inputtokens outputtokens totaltokens initialclustertoken updatepassword creationtoken startingtoken skiptoken deltatoken synctoken pagingtoken scrolltoken markertoken indexkey`)

const maxName = 96

// nameTails say how a value is written, and not what it is: tokenBase64, password_wo.
var nameTails = strings.Fields("base64 b64 _hex _raw _wo plaintext")

// judgeName tells what the value of a setting of this name keeps.
func judgeName(name []byte) (kind string, t trust) {
	for _, tail := range nameTails {
		if i := len(name) - len(tail); i > 2 && name[len(name)-1]|0x20 == tail[len(tail)-1] && hasFold(name, i, tail) {
			name = bytes.TrimRight(name[:i], "_-.")
		}
	}
	if i := bytes.IndexFunc(name, func(c rune) bool { return c >= 0x80 || c == ' ' }); i >= 0 {
		if kind, t = foreignName(name); t > noSecret || name[i] >= 0x80 || bytes.Count(name, []byte(" ")) > 3 { // a sentence that is translated
			return kind, t
		}
	}
	var buf [maxName]byte
	joined, start := joinWords(buf[:0], name)
	if len(joined) < 2 {
		return "", noSecret
	}
	var best ending
	for _, e := range endings[[2]byte{joined[len(joined)-2], joined[len(joined)-1]}] {
		n := len(joined) - len(e.text)
		if n < 0 || len(e.text) <= len(best.text) || string(joined[n:]) != e.text ||
			e.whole && n > 0 && start != n && !(e.text == "key" && isCapital(name)) && !(e.kind == "password" && isTitled(name[len(name)-min(len(name), len(e.text)):])) { // GITHUBKEY, DBPass
			continue
		}
		best = e
	}
	switch {
	case string(name) == "_auth": // of npm
		return "registry-auth", strong
	case best.text == "":
		return looseName(joined)
	case keepsNone(name, joined, best.text):
		return "", noSecret
	}
	return best.kind, best.trust
}

// keepsNone tells of names that end as those of secrets do: an error, the folder that a shell is in.
func keepsNone(name, joined []byte, end string) bool {
	switch string(joined) {
	case "hkey", "proxypass", "issecret", "gpasswd":
		return name[0] != '-'
	}
	return hasFold(name, 0, "$$") || hasFold(name, 0, "checksum/") || string(name) == "sshpass" || end == "keycontent" && bytes.ContainsRune(name, '_') || // key_content of fluent-bit
		bytes.HasPrefix(joined, []byte("err")) && (isCapital(name) || isUpper(name[3])) ||
		slices.ContainsFunc(innocents, func(text string) bool {
			return len(text) > len(end) && bytes.HasSuffix(joined, []byte(text))
		})
}

// foreignName judges the name of a setting in letters that are not ASCII.
func foreignName(name []byte) (kind string, t trust) {
	lower := strings.ToLower(string(name))
	for _, row := range wordNames {
		for word := range strings.SplitSeq(row.words, "|") {
			if strings.HasSuffix(lower, strings.ToLower(word)) {
				return row.kind, strong
			}
		}
	}
	return "", noSecret
}

// joinWords writes a name small and without what separates its words, and tells
// where the last word starts. Digits behind it number settings of one name.
func joinWords(joined, name []byte) (_ []byte, last int) {
	if len(name) > maxName {
		name = name[len(name)-maxName:]
	}
	last = -1
	for i, c := range name {
		switch {
		case isUpper(c):
			if i > 0 && isLower(name[i-1]) {
				last = len(joined)
			}
			joined = append(joined, c|0x20)
		case isLower(c) || isDigit(c):
			joined = append(joined, c)
		default:
			last = len(joined)
		}
	}
	joined = bytes.TrimSuffix(joined, []byte("string")) // of the type
	for len(joined) > 2 && isDigit(joined[len(joined)-1]) {
		joined = joined[:len(joined)-1]
	}
	return joined, last
}

// looseBases go before other words in the names of secrets: password_super_secure.
var looseBases = []string{"password", "passwd", "apikey", "secretkey", "privatekey", "accesskey",
	"clientsecret", "authtoken", "accesstoken", "dbpass", "passwor",
	// a name begins with them: CLAVE_ACCESO, and no ENCLAVE_MODE
	"^clave", "^senha", "^contrasen", "^motdepasse", "^kennwort", "^wachtwoord", "^haslo", "^heslo"}

// looseTails are the words behind them that make a name one of something else.
var looseTails = strings.Fields(`file path dir name length len size count age ttl type kind url uri policy rule
	expir valid timeout limit max min last set reset chang requir enabl disabl allow mode hint prompt field label
	column header format class provider manager store vault ref id index complex quality attempt retr fail error msg message
	invalid missing never encrypt decrypt hash algo check exist present needed input box form page link text auth
	support plugin handler server client config option util helper test func generat creat
	principal rotat updat delet remov get cache sync verif protect filter history sha256 sha512 checksum screen replication export writer reader stdin
	maps caption title tooltip placeholder archivo arquivo fichier datei ruta caminho chemin pfad longitud tamanho laenge tipo nombre nome
	richtlinie ablauf feld primari foran unic publi`)

// looseName judges a name in which other words follow that of a secret.
func looseName(joined []byte) (kind string, t trust) {
	for _, base := range looseBases {
		base, begins := strings.CutPrefix(base, "^")
		i := bytes.LastIndex(joined, []byte(base))
		if i < 0 || begins && i > 0 {
			continue
		}
		tail := joined[i+len(base):]
		tail = bytes.TrimPrefix(tail, []byte("s"))
		for _, word := range looseTails {
			if bytes.Contains(tail, []byte(word)) {
				return "", noSecret
			}
		}
		return "secret", loose
	}
	return "", noSecret
}

// isBareSecret tells of names that name an object as often as a value:
// secret="default/regcred".
func isBareSecret(name []byte) bool {
	name = bytes.TrimLeft(name, "-/$")
	if containsAny(bytes.ToLower(name), valueStems) {
		return false
	}
	return hasFold(name, 0, "tokens") && len(name) == 6 ||
		hasFold(name, len(name)-6, "secret") && !hasFold(name, len(name)-12, "clientsecret")
}

// valueStems are in the names of secrets whose value is the secret itself, and no object of Kubernetes.
var valueStems = strings.Fields("sharedsecret shared-secret shared_secret chapsecret chap-secret jwt cookie rpc hmac radius")
