package redact

import (
	"bytes"
	"slices"
	"strings"
)

// placeholders stand where a secret would; in lower case.
var placeholders = setOf(`true false null nil none ~ yes no on off undefined masked (masked) redacted [redacted] (redacted) <redacted> <masked> <none>
		specialize oobesystem windowspe generalize auditsystem audituser offlineservicing refresh_token id_token access_token client_credentials authorization_code
		clear todo tbd fixme changeme changeit foobared fake dummy x-oauth-basic notused unused placeholder example ])
		if range func new make struct{ struct{} interface{ interface{} await async lambda pass: string str strings int integer bool boolean float number object array write read inherit plaintext cleartext
		value jwt opaque undef omitted data+omitted <nil> (null) (none) hidden (hidden) <hidden> unset n/a <unset> <omitted> required requis requise obligatoire erforderlich requerido requerida obligatorio optional msi system.security.securestring enabled disabled {} [] map[] sensitive (sensitive)`)

// isPlaceholder tells of a value that nothing is given away by it.
func isPlaceholder(v []byte) bool {
	v = bytes.TrimSpace(v)
	return len(v) == 0 || onlyTokens(v) ||
		len(v) <= 32 && placeholders[strings.ToLower(string(bytes.TrimRight(v, ",;")))] ||
		isMetavariable(v) || isTemplate(v) || isFilledIn(v) || isFilling(v) || isMarked(v) || isJoined(v)
}

// isJoined tells of code between two texts, of which the end and the beginning were taken for the quotes of one: " . $password . ".
func isJoined(v []byte) bool {
	if len(v) < 3 || v[0] != v[len(v)-1] || !among(v[0], ".+&") {
		return false
	}
	inner := bytes.Trim(v, " .+&")
	_, t := judgeName(inner)
	return t > noSecret && isIdentifier(inner) || len(inner) > 1 && inner[0] == '$' && isExpression(inner)
}

// isFilling takes ***, xxxx-xxxx and ----, and what is masked but for its ends: ********abcd.
func isFilling(v []byte) bool {
	v = bytes.TrimLeft(v, ":")
	if i := len(v) / 2; isOneOf(v, i, "*xX") {
		if n := bytes.Count(v, v[i:i+1]); n >= 8 && 2*n > len(v) && len(v)-n <= 8 {
			return true
		}
	}
	if len(v) > 0 && sameByte(v) && !isAlnum(v[0]) || isGUID(v) && sameByte(bytes.ReplaceAll(v, []byte("-"), nil)) { // also the empty GUID
		return true
	}
	return len(v) >= 3 && len(bytes.Trim(v, "xX-_*.#")) == 0 || len(v) > 8 && (bytes.HasSuffix(v, []byte("xxxx")) || bytes.HasSuffix(v, []byte("XXXX"))) // ya29.xxxx
}

// isMarked takes a name between the signs that say that something stands in its place:
// $NAME, %NAME%, !PASSWORD!, @NAME@, <name>, [NAME], ***removed***.
func isMarked(v []byte) bool {
	last := v[len(v)-1]
	if inner := bytes.Trim(v, "*"); len(inner)+6 <= len(v) && v[0] == '*' && last == '*' && len(bytes.Trim(inner, lowers+uppers)) == 0 {
		return true
	}
	inner := func() []byte { return []byte(withoutJoints.Replace(string(v[1 : len(v)-1]))) }
	switch v[0] {
	case '$':
		return isVariable(v)
	case '%':
		return len(v) > 2 && last == '%' && isIdentifier(inner()) || allDigits(v[1:]) || hasFold(v, 0, "%~")
	case '@':
		return bytes.HasPrefix(v, []byte("@@")) && bytes.HasSuffix(v, []byte("@@")) || len(v) > 2 && last == '@' && isIdentifier(inner()) ||
			isIdentifier(v[1:]) && !bytes.ContainsAny(v, digits) // a splatted variable
	case '<':
		name, closed := bytes.CutSuffix(bytes.TrimRight(v[1:], "])},;"), []byte(">")) // [-Credential <PSCredential>]
		name = bytes.ReplaceAll([]byte(withoutJoints.Replace(string(name))), []byte("[]"), nil)
		return (closed || !bytes.ContainsAny(name, digits)) && len(v) <= 64 &&
			run(name, 0, nameByte|blankByte) == len(name)
	case '!': // cmd's delayed expansion; a password may stand between such signs, too
		_, t := judgeName(inner())
		return len(v) > 2 && last == '!' && isIdentifier(inner()) && t > noSecret
	case '{': // of an f-string, which may be cut before its bracket
		name := bytes.TrimRight(v[1:], "}'\"")
		return len(name) > 1 && isIdentifier(name) && !bytes.ContainsAny(name, digits)
	case '[':
		return last == ']' && len(v) <= 64 && run(inner(), 0, wordByte|blankByte) == len(inner())
	}
	return false
}

// withoutJoints drops what joins two names of which one stands in a place, and the bars of a model's tokens: [user:password], <Key/Email ID>, <|end|>.
var withoutJoints = strings.NewReplacer("/", "", ":", "", "|", "")

// templates begin what is replaced before it is used.
var templates = []string{"{{", "${", "$(", "%(", "#{", "<%", "{%", "<your", "your-", "your_", "your ",
	"(?i)", "{0}", "urn:", "select ", "!ref", "!sub", "!getatt", "!vault", "[your", "insert_", "insert-", "replace-", "replace_", "<insert",
	"ref+", "vault:", "arn:", "op://", "secretref", "keyvault", "@microsoft.keyvault", "changeme",
	"change-me", "change_me",
	// tags of Go, nsswitch.conf, regular expressions, PowerShell's empty lists
	"json:\"", "protobuf:\"", "env:\"", "yaml:\"", "bytes,", "varint,", "files ", ".*", "@(", "@{", "\\${", "+ ", "` + ", "' + ", "\" + "}

// isTemplate takes ${{ secrets.X }}, {0}, %s and the like, also where a value was
// cut at a blank in it.
func isTemplate(v []byte) bool {
	if foldAt(v, 0, templates...) != "" {
		return true
	}
	switch v[0] {
	case '[': // []string, [reference(…)] of a template of Azure
		call := run(v, 1, wordByte)
		return hasFold(v, 0, "[]") && isIdentifier(v[2:]) || call > 2 && hasFold(v, call, "(") && v[len(v)-1] == ']'
	case '(': // ([pscustomobject]@{
		end := run(v, min(2, len(v)), nameByte)
		return hasFold(v, 0, "([") && byteAt(v, end) == ']'
	case '%':
		return len(v) >= 2 && isLower(v[1]) && (len(v) == 2 || v[2] == '"')
	case '{':
		v = bytes.ReplaceAll(v, []byte("}{"), nil) // {BOLD}{NAME}
		return v[len(v)-1] == '}' && (run(v, 1, nameByte|blankByte) == len(v)-1 && !isGUID(v) && !slices.ContainsFunc(bytes.Fields(v[1:len(v)-1]), func(w []byte) bool { return len(w) >= leastWorded && isMade(w) }) ||
			hasFold(v, 1, "#") && run(v, 2, nameByte) == len(v)-1) // an anchor of Markdown
	}
	return false
}

// isFilledIn takes a name with a variable in it: member-${cluster}-token, $1-kubeconfig, key-<DATE>.
func isFilledIn(v []byte) bool {
	for _, signs := range []string{"${}", "$()", "<>"} {
		from := bytes.IndexByte(v, signs[len(signs)-2])
		end := bytes.IndexByte(v, signs[len(signs)-1])
		if from < 0 || end < from+2 || signs[0] == '$' && (from == 0 || v[from-1] != '$') ||
			signs[0] == '<' && bytes.ContainsAny(v[from:end], lowers) && !bytes.HasPrefix(v[end+1:], []byte("/")) && !isOneOf(v, from-1, ":") {
			continue
		}
		rest := slices.Concat(bytes.ReplaceAll(v[:from], []byte(":"), nil), bytes.TrimLeft(v[end+1:], "/")) // user:${PASSWORD}
		if run(rest, 0, nameByte) == len(rest) && !bytes.ContainsAny(rest, digits) {
			return true
		}
	}
	i := run(v, 1, hexByte)
	return v[0] == '$' && i > 1 && byteAt(v, i) == '-' && allDigits(v[1:i])
}

var metaWords = setOf(`TOKEN PASSWORD SECRET KEY USERNAME PASS VALUE YOUR MY THE NAME ID HASH USER CLIENT ACCESS STRING
		BASE64 HERE GEN AWS AZURE DB API LOGIN DATABASE ADMIN ROOT SERVER SERVICE ACCOUNT`)

// isMetavariable takes TOKEN, YOUR-PASSWORD and the like of usage texts.
func isMetavariable(v []byte) bool {
	v = bytes.TrimRight(v, "])}")
	if len(v) > 32 || run(v, 0, wordByte) == 0 ||
		bytes.ContainsAny(v, "abcdefghijklmnopqrstuvwxyz0123456789") {
		return false
	}
	if isConstantOf(v) {
		return true
	}
	for _, word := range bytes.FieldsFunc(v, func(c rune) bool { return c == '-' || c == '_' }) {
		if !metaWords[string(word)] { // and ADMINPASSWORDHASH
			return len(word) >= 8 && len(word) == len(v) && containsAny(word, []string{"PASSWORD", "SECRET", "TOKEN"})
		}
	}
	return true
}

// isConstantOf tells of a constant that says what would stand in its place: LINE_CHANNEL_SECRET.
func isConstantOf(v []byte) bool {
	i := bytes.LastIndexByte(v, '_')
	if i <= 0 {
		return false
	}
	switch string(v[i+1:]) {
	case "SECRET", "TOKEN", "PASSWORD", "KEY":
		return bytes.IndexByte(v[:i], '_') > 0 // and no SUPER_SECRET
	case "NAME", "ID", "USERNAME", "URL":
		return true
	}
	return false
}

// isVariable takes $env:X, ${X}, $(X) and $X.
func isVariable(v []byte) bool {
	if len(v) < 2 {
		return false
	}
	switch last := v[len(v)-1]; v[1] {
	case '{':
		return last == '}' && bytes.IndexByte(v, '}') == len(v)-1
	case '(':
		return last == ')'
	}
	name := bytes.TrimRight(v[1:], "{),;")
	if allDigits(name) {
		return true // of a script's arguments
	}
	if i := bytes.IndexAny(name, "[-"); i > 0 && isIdentifier(name[:i]) && !mixed(name[:i]) {
		return name[i] == '[' || i+1 == len(name) || bytes.HasPrefix(name[i:], []byte("->"))
	}
	if i := bytes.IndexByte(name, ':'); i > 0 && isIdentifier(name[:i]) {
		return isIdentifier(name[i+1:])
	}
	return isIdentifier(bytes.ReplaceAll(bytes.ReplaceAll(name, []byte("."), nil), []byte("$"), nil)) && (!mixed(name) || isConstantOf(name))
}
