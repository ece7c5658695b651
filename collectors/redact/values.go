package redact

import (
	"bytes"
	"net/netip"
	"strings"
	"unicode/utf8"
)

// roots are what code calls the things that it takes values from.
var roots = setOf(`self this os process env var vars local data module config cfg conf opts
		options args params req request settings secrets steps github inputs needs matrix context ctx system
		values props state user session cls app flask django viper c p s r`)

// isCode takes what gives a value and is none: get_token(…), config.password,
// [Convert]::ToBase64String(…), os.environ["X"], db_password.
func isCode(b []byte, v value) bool {
	text := bytes.TrimRight(v.in(b), ",;")
	behind := byte('\n')
	if v.end < len(b) {
		behind = b[v.end]
	}
	if len(text) < 2 {
		return false
	}
	if isTypeOf(text) || isIndexed(text) || isCall(text) || isGoCall(text, v.end-v.start) || isChain(text) ||
		!v.quoted && hasFold(b, v.end, " + ") && isIdentifier(v.in(b)) || isGeneric(b, v.end) && isIdentifier(bytes.ReplaceAll(text, []byte("."), nil)) ||
		bytes.Contains(text, []byte("::")) && isSaid(text) && isIdentifier(bytes.ReplaceAll(bytes.ReplaceAll(text, []byte("::"), nil), []byte("."), nil)) {
		return true
	}
	if text = bytes.TrimRight(text, "{"); len(text) < 2 || isTwofold(text) {
		return len(text) >= 2
	}
	if text[0] == '*' || text[0] == '&' {
		return hasFold(text, 0, "*(*") || run(text, 1, nameByte) == len(text) && (bytes.IndexByte(text, '.') > 1 || // &value, *pointer.field
			isIdentifier(text[1:]) && !bytes.ContainsAny(text, digits))
	}
	if i := bytes.IndexByte(text, '('); i >= 3 && run(text, 0, nameByte|wordByte) == i &&
		!bytes.ContainsAny(text[:i], digits) {
		return i == len(text)-1 || among(behind, ")\"' \t,]")
	}
	if text[len(text)-1] == '[' {
		return run(text, 0, nameByte|wordByte) >= len(text)-1 || text[0] == '['
	}
	return isRooted(text) || isMember(text, behind) || isReference(text)
}

// isReference tells of what Terraform takes from a resource: azurerm_key_vault_secret.cert.id, aws_secret.db[0].id.
func isReference(text []byte) bool {
	kind, rest, _ := bytes.Cut(text, []byte("."))
	name, member, _ := bytes.Cut(rest, []byte("."))
	name, _, _ = bytes.Cut(name, []byte("["))
	return isSnake(kind) && isIdentifier(name) && len(bytes.Trim(member, lowers+"_.")) == 0 && len(member) > 0
}

// isTypeOf tells of a type of others: Option<Secret<String>>.
func isTypeOf(text []byte) bool {
	head, rest, ok := bytes.Cut(text, []byte("<"))
	rest = bytes.TrimRight(bytes.ReplaceAll(rest, []byte("<"), nil), ">")
	return ok && isTitled(head) && (isTitled(rest) || len(rest) <= 5 && isIdentifier(rest))
}

// isTwofold tells of password or self.opts.password, of Optional[str] = None and of str | None = None.
func isTwofold(text []byte) bool {
	for _, op := range []string{" or ", " + ", " = "} {
		head, tail, ok := bytes.Cut(text, []byte(op))
		if tail = bytes.TrimRight(tail, "("); ok && (op == " = " && (isIndexed(head) || bytes.Contains(head, []byte(" | "))) ||
			isIdentifier(head) && (isRooted(tail) || isMember(tail, ' ') || isCapital(head) && bytes.IndexByte(head, '_') > 0)) {
			return true
		}
	}
	return false
}

// isGeneric tells of the type of a call at i, or one of more types: table.Column<string>(…), Map<K, V>.
func isGeneric(b []byte, i int) bool {
	return byteAt(b, i) == '<' && foldAt(b, run(b, i+1, wordByte), ">(", ", ", "::") != ""
}

// isIndexed takes tokens[index], username[i+1:], config['x']['y'].
func isIndexed(text []byte) bool {
	i := bytes.IndexByte(text, '[')
	if i < 2 || !isIdentifier(text[:i]) || mixed(text[:i]) {
		return false
	}
	return len(bytes.Trim(bytes.Trim(text[i:], "[]:"), lowers+uppers+digits+"_[]+-'\"")) == 0
}

// isRooted takes what code takes values from: conf.Policy.K8sAuthToken.
func isRooted(text []byte) bool {
	root, _, ok := bytes.Cut(bytes.TrimLeft(text, "_"), []byte("."))
	return ok && len(root) > 2 && roots[strings.ToLower(string(root))] &&
		isIdentifier(bytes.ReplaceAll(text, []byte("."), nil))
}

// isMember takes the name of a variable of a secret, or the member of something that has one.
func isMember(text []byte, behind byte) bool {
	if run(text, 0, nameByte) != len(text) || mixed(text) {
		return false
	}
	i := bytes.LastIndexByte(text, '.')
	if i <= 0 || i == len(text)-1 {
		_, t := judgeName(text)
		return t >= medium && (bytes.IndexByte(text, '_') > 0 && isIdentifier(text) || isCamel(text))
	}
	root, _, _ := bytes.Cut(text, []byte("."))
	_, member := judgeName(text[i+1:])
	_, rooted := judgeName(root)
	if behind == ';' && (isTitled(text[:i]) || rooted > noSecret) && isTitled(text[i+1:]) {
		return true // IntPtr.Zero; secret.Value;
	}
	return isLower(text[0]) && isCapital(text[i+1:]) && bytes.IndexByte(text[i+1:], '_') > 0 || // screen.PASSWD_ADMIN_USER
		member >= medium || rooted > noSecret && (behind == ' ' || behind == ')' || behind == ',') ||
		roots[strings.ToLower(string(root))]
}

// isCall tells of a call or a type that begins with where it comes from: to.Ptr(x), a.B(c).D(),
// *creds.Passwords[0].Value, model.Key{Data:, func() string.
func isCall(text []byte) bool {
	text = bytes.TrimLeft(text, "*&")
	i := run(text, 0, nameByte|wordByte)
	if i < 3 || i == len(text) || !among(text[i], "({[") {
		return false
	}
	name := text[:i]
	return text[i] == '{' && (isCamelWords(name) && !isDigit(name[i-1]) || isIdentifier(name) && isUpper(name[0]) && !bytes.ContainsAny(name, digits) && i == len(text)-1) || bytes.IndexByte(name, '.') > 0 && !isDigit(name[0]) &&
		isIdentifier(bytes.ReplaceAll(name, []byte("."), nil)) && (!isGenerated(name) || isCall(text[i+1:]))
}

// isCamel tells of words written together, each but the first with a capital.
func isCamel(text []byte) bool {
	return isIdentifier(text) && isLower(text[0]) && bytes.ContainsAny(text[1:], uppers)
}

func isIdentifier(v []byte) bool {
	return len(v) > 0 && !isDigit(v[0]) && run(v, 0, wordByte) == len(v)
}

func sameByte(v []byte) bool { return len(v) == 0 || bytes.Count(v, v[:1]) == len(v) }

// isPath tells of the name of a file, of which no secret is made.
func isPath(v []byte) bool {
	if len(v) > 2 && isLower(v[0]|0x20) && v[1] == ':' && isOneOf(v, 2, `\/`) {
		return true
	}
	if start := foldAt(v, 0, "./", `.\`, "../", `..\`, "~/", "file:", `\\?\`, "/var/", "/etc/", "/run/", "/opt/", "/home/",
		"/usr/", "/tmp/", "/k/", "/root/", "/dev/", "/c/", "$env:", `\var\`, `\etc\`); start != "" && len(v) > len(start) {
		return true
	}
	if bytes.HasPrefix(v, []byte(`\\`)) && bytes.Count(v, []byte(`\`)) >= 3 {
		return true
	}
	if i := bytes.IndexAny(v, "#?"); i > 0 {
		v = v[:i]
	}
	return byteAt(v, 0) == '/' && bytes.Count(v, []byte("/")) >= 2 &&
		run(v, 0, nameByte|base64Byte) == len(v) && !mixed(v)
}

// isFileName tells of the name of a file, or of a pattern of them: secret_controller.go, protoc-*-win32.zip.
func isFileName(v []byte) bool {
	dot := bytes.LastIndexByte(v, '.')
	return bytes.ContainsAny(v, "_*") && dot > 0 && fileTypes[string(v[dot+1:])] && run(bytes.ReplaceAll(v, []byte("*"), nil), 0, nameByte) == len(v)-bytes.Count(v, []byte("*"))
}

var fileTypes = setOf("go py cs ps1 sh yaml yml json md txt zip gz tgz exe dll msi pem pfx p12 pk8 ppk jks crt cer")

// isPlainValue tells of a value that stands for something known that is no
// secret: a path, an address, a number, a duration.
func isPlainValue(v []byte) bool {
	return isPath(v) || foldAt(v, 0, "hklm", "hkey_", "registry::", "sha256:", "application/") != "" ||
		isSnapshot(v) || isAddress(v) || isNumber(v)
}

// isSnapshot tells of a layer as containerd names it: extract-918273645-Q3Zd, k8s.io/412/extract-…, k8s.io/41/sha256:….
func isSnapshot(v []byte) bool {
	space := len(foldAt(v, 0, "extract-", "k8s.io/", "moby/", "default/", "buildkit/"))
	number := skipOf(v, space, len(v), digits)
	return space > 0 && number > space && (v[space-1] == '-' || byteAt(v, number) == '/')
}

// isAddress tells of a URL, whose credentials are taken out on their own, and of an address of IP.
func isAddress(v []byte) bool {
	if i := bytes.Index(v[:min(len(v), 14)], []byte("://")); i > 0 {
		return true
	}
	_, noAddress := netip.ParseAddr(string(v))
	_, noPrefix := netip.ParsePrefix(string(v))
	_, noPort := netip.ParseAddrPort(string(v))
	return noAddress == nil || noPrefix == nil || noPort == nil
}

// isNumber tells of a number, a version, a short time in digits, and a duration.
func isNumber(v []byte) bool {
	rest := bytes.Trim(v, digits+".-:")
	return len(v) < 12 && len(rest) == 0 || len(v) < 8 && len(rest) == 1 && isOneOf(v, len(v)-1, "smhd%") ||
		hasFold(v, 0, "0x") && len(v) <= 10 && run(v, 2, hexByte) == len(v)
}

// mixed tells whether letters and digits, or upper and lower case within words,
// stand together as in something random.
func mixed(v []byte) bool {
	n := lettersOf(v)
	return n.digit > 0 && n.lower+n.upper > 0 || n.turns > 3 && len(v) < 8*n.turns
}

// classes are how many bytes of each class a value has, and how many capitals are behind small letters.
type classes struct{ lower, upper, digit, sign, turns int }

func lettersOf(v []byte) (n classes) {
	for i, c := range v {
		switch {
		case isLower(c):
			n.lower++
		case isUpper(c):
			n.upper++
			n.turns += b2i(i > 0 && isLower(v[i-1]))
		case isDigit(c):
			n.digit++
		default:
			n.sign++
		}
	}
	return n
}

// looksRandom tells of a value in prose, where anything may follow a name, that
// it is one.
func looksRandom(v []byte) bool {
	v = bytes.TrimRight(v, "!?\"').,;")
	if len(v) < 6 || v[len(v)-1] == ':' || bytes.HasPrefix(v, []byte("0x")) || isPlainValue(v) ||
		isObjectName(v) || isTypeName(v) || isSentence(v) || !bytes.ContainsAny(v, lowers+digits) {
		return false
	}
	call := bytes.IndexAny(v, "(\\")
	if isGUID(v) || call >= 0 && !hardWord(v) && !(call >= leastLoud && isMade(v[:call])) {
		return false
	}
	symbols := 0
	for _, c := range v {
		symbols += b2i(c < 0x80 && !isAlnum(c) && classOf[c]&nameByte == 0)
	}
	return mixed(v) || len(v) >= 24 && run(v, 0, base64Byte) == len(v) &&
		!bytes.ContainsRune(v, '-') && !isSnake(v) || symbols > 0 && len(v) >= 8 && run(v, 0, base64Byte) != len(v)
}

// isSentence tells of words, or of letters that are not ASCII.
func isSentence(v []byte) bool {
	blanks, wide := bytes.Count(v, []byte(" ")), 0
	for _, c := range v {
		wide += b2i(c >= 0x80)
	}
	return blanks > 2 || blanks == 2 && !bytes.ContainsAny(v, digits) || 2*wide > len(v)
}

// isObjectName takes names as Kubernetes gives them: kube-system/regcred,
// kube-api-access-x7k2p.
func isObjectName(v []byte) bool {
	parts := 0
	for i, c := range v {
		switch {
		case isOneOf(v, i, "-/.:"):
			if i == 0 || i == len(v)-1 {
				return false
			}
			parts++
		case !isLower(c) && !isDigit(c):
			return false
		}
	}
	if parts == 0 {
		return !mixed(v) && len(v) < 24
	}
	longest, odd := 0, 0
	for _, word := range bytes.FieldsFunc(v, func(c rune) bool { return strings.ContainsRune("-/.:", c) }) {
		if mixed(word) {
			longest = max(longest, len(word))
			odd++
		}
	}
	most := 10
	if bytes.Count(v, []byte("/")) == 1 && bytes.IndexByte(v, '-') > 0 { // a namespace and a name
		most = 16
	}
	return longest <= most && odd <= 3 && isLower(v[0])
}

// isTypeName takes v1.Secret, *rest.Config, core/v1.
func isTypeName(v []byte) bool {
	v = bytes.TrimLeft(v, "*&")
	if number := foldAt(v, 0, "uint", "int", "float"); number != "" && len(v) <= len("float64") && allDigits(v[len(number):]) {
		return true
	}
	return len(v) > 3 && len(v) < 64 && v[0] == 'v' && isDigit(v[1]) &&
		v[2] == '.'
}

func isGUID(v []byte) bool {
	v = bytes.Trim(v, "{}")
	if len(v) != 36 {
		return false
	}
	for i, c := range v {
		if dash := i == 8 || i == 13 || i == 18 || i == 23; dash != (c == '-') || !dash &&
			classOf[c]&hexByte == 0 {
			return false
		}
	}
	return true
}

// isSnake takes words as code ties them: kubernetes_analyze_secret.
func isSnake(v []byte) bool {
	return bytes.IndexByte(v, '_') > 0 && isIdentifier(v) && !bytes.ContainsAny(v, uppers) &&
		!bytes.ContainsAny(bytes.TrimPrefix(v, []byte("oauth2")), digits)
}

// isSecretURL tells of an address that lets whoever knows it in: https://…/services/VALUE.
func isSecretURL(v []byte) bool {
	last := v[bytes.LastIndexByte(v, '/')+1:]
	return len(last) >= 20 && run(last, 0, wordByte) == len(last) && isGenerated(last)
}

// hardWord takes what no sentence goes on with.
func hardWord(v []byte) bool { return len(v) >= 6 && bytes.ContainsAny(v, "!@#$%^&*?") }

func hasDigitRun(v []byte) bool {
	for i := 1; i < len(v); i++ {
		if isDigit(v[i]) && isDigit(v[i-1]) {
			return true
		}
	}
	return false
}

func isSignedHex(v []byte) bool { return len(v) >= 32 && len(v)%2 == 0 && run(v, 0, hexByte) == len(v) }

// isAuthPair takes the base64 of user:password.
func isAuthPair(v []byte) bool {
	if len(v) < 4 || run(v, 0, base64Byte) != len(v) {
		return false
	}
	plain, err := decode64(v)
	return err == nil && bytes.ContainsRune(plain, ':') && utf8.Valid(plain)
}
