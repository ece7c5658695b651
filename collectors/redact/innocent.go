package redact

import (
	"bytes"
	"strings"
)

// Texts that scripts and documents hold where a secret would stand, and that no secret looks like.

// isProse tells of a sentence: When using the provider, the password to the server.
func isProse(v []byte) bool {
	words := strings.Fields(string(v))
	if len(words) >= 8 && (isUpper(v[0]) || bytes.IndexByte(v, '%') > 0) && spoken(words) >= 2 { // more than a passphrase
		return true
	}
	if n := len(words); n >= 2 && n <= 5 && isUpper(v[0]) && len(bytes.Trim(v, lowers+uppers+" ")) == 0 {
		if kind, t := judgeName([]byte(words[n-1])); t == strong && kind == "password" && isLower(words[n-1][0]|0x20) {
			return true // Application password
		}
	}
	return false
}

// spoken counts the words that only sentences have.
func spoken(words []string) (n int) {
	for _, word := range words {
		n += b2i(proseWords[strings.ToLower(strings.Trim(word, ".,:()"))])
	}
	return n
}

// wordBefore is the word before i, in lower case.
func wordBefore(b []byte, i int) string {
	end := runBack(b, i, blankByte)
	return strings.ToLower(string(b[runBack(b, end, wordByte):end]))
}

// isShown tells of a text that a script shows: Setting the password of the login '{0}'.
func isShown(line []byte) bool {
	words := strings.Fields(string(line))
	return len(words) > 3 && isUpper(line[0]) && isDictionaryWord([]byte(words[0])) && bytes.ContainsAny(line, "{'") &&
		spoken(words) > 0
}

// isOtherText tells of a regular expression, of a link of Markdown: "?([^";]+)"?, [text][name], of what
// another tool puts a secret in place of, @@SECRET:name:password@@, and of one that it took out.
func isOtherText(v []byte) bool {
	return bytes.IndexByte(v, ':') > 0 && bytes.HasSuffix(v, []byte("@@")) || isLinked(v) || containsAny(v, []string{"REDACTED", "([^", `(\w`, `(\S`, `(\d`, "(?:", "(?<", ".*)", "[^\\s"})
}

// isLinked tells of a text of Markdown with the name of its link: create][az-sshkey-create].
func isLinked(v []byte) bool {
	text, name, ok := bytes.Cut(v, []byte("]["))
	name = bytes.TrimRight(name, "].,;")
	return ok && len(text) >= 3 && len(name) >= 3 && run(name, 0, nameByte) == len(name) &&
		len(bytes.Trim(bytes.TrimLeft(text, "["), lowers+uppers+"- ")) == 0
}

// isOfPublicKey tells of a name that begins at i: public key, public key token, lookup key, and of /etc/passwd.
func isOfPublicKey(b []byte, i int) bool {
	return hasFold(b, i-len("etc/"), "etc/passwd") || hasFold(b, i, "key") && notOfSecrets[wordBefore(b, i)] || hasFold(b, i-len("public key "), "public key ")
}

// isClassPath tells of the name of a class with that of its package: allauth.account.forms.UserTokenForm.
func isClassPath(v []byte) bool {
	last := bytes.LastIndexByte(v, '.') + 1
	return bytes.Count(v, []byte(".")) >= 2-b2i(last > 0 && isLower(v[0])) && last < len(v) && !isDigit(v[0]) && isCamelWords(v[last:]) &&
		isIdentifier(bytes.ReplaceAll(v, []byte("."), nil)) && !bytes.ContainsAny(v[last:], digits) && !mixed(bytes.Trim(v[:last], "."+digits))
}

// isPlainURL tells of an address that lets nobody in: https://app.example.org/password/reset.
func isPlainURL(v []byte) bool {
	return (hasFold(v, 0, "https://") || hasFold(v, 0, "http://")) && !isSecretURL(v) && !bytes.ContainsAny(v, "@?#%")
}

// hasVariable tells of a text that a shell puts a variable's value in: @p_$loopIndex.
func hasVariable(v []byte) bool {
	i := bytes.IndexByte(v, '$') + 1
	return i > 0 && isCamel(v[i:run(v, i, wordByte)]) && !bytes.ContainsAny(v[i:], digits)
}

// isTag tells of the name of a channel, or of a person: #triage-team, gmsa-web$.
func isTag(v []byte) bool {
	return v[0] == '#' && len(v) > 1 && isObjectName(v[1:]) || bytes.HasSuffix(v, []byte("$")) && isObjectName(v[:len(v)-1])
}

// isGoCall tells of a type or a call that ends an element of a list: map[string]T, make(map[string]T),
// PI(&items[0]),. Whole is the length of the value with its comma.
func isGoCall(text []byte, whole int) bool {
	if hasFold(text, 0, "map[") || hasFold(text, 0, "[]byte") {
		return true
	}
	open := bytes.IndexByte(text, '(')
	return open >= 2 && text[len(text)-1] == ')' && isIdentifier(text[:open]) && !bytes.ContainsAny(text[:open], digits) &&
		(whole > len(text) || bytes.ContainsAny(text[open:], ".[&\""))
}

// isChain tells of what code reaches through others: fields[1].Descriptor(), entity.Secrets?.Select(s.
func isChain(text []byte) bool {
	if i := bytes.Index(text, []byte("?.")); i > 2 {
		plain := bytes.ReplaceAll(text, []byte("?."), []byte("."))
		end := run(plain, 0, nameByte)
		return isIdentifier(bytes.ReplaceAll(text[:i], []byte("."), nil)) && (end == len(plain) || strings.IndexByte("([,;)", plain[end]) >= 0)
	}
	i := bytes.IndexByte(text, '[')
	return i > 2 && isIdentifier(text[:i]) && hasFold(text, run(text, i+1, wordByte), "].")
}

// isJoined tells of a variable that code joins with a text: PathPrefix + "/token".
func isJoined(b []byte, v value) bool {
	return !v.quoted && hasFold(b, v.end, " + ") && isIdentifier(v.in(b))
}

// isVerbNoun tells of a command of PowerShell: Unprotect-String, Az.KeyVault\Get-AzKeyVaultSecret.
func isVerbNoun(v []byte) bool {
	verb, noun, ok := bytes.Cut(v[bytes.LastIndexByte(v, '\\')+1:], []byte("-"))
	return ok && len(verb) > 2 && len(noun) > 2 && isUpper(verb[0]) && isUpper(noun[0]) &&
		len(bytes.Trim(verb[1:], lowers)) == 0 && isIdentifier(noun)
}

// isRepeated tells of a value of several words that only says its name again: FieldSigningKey = "signing_key".
func isRepeated(name, v []byte) bool {
	v = bytes.Trim(v, "`,;")
	if len(v) < 6 || !isLower(v[0]|0x20) || !bytes.ContainsAny(v, "_-") && !isCamel(v) || !isIdentifier(bytes.ReplaceAll(v, []byte("-"), nil)) {
		return false
	}
	tied := func(c rune) rune {
		if c == '_' || c == '-' || c == '.' {
			return -1
		}
		return c | 0x20
	}
	return bytes.HasSuffix(bytes.Map(tied, name), bytes.Map(tied, v))
}

// insideText tells whether a quote is open before i in its line.
func insideText(b []byte, i int) bool {
	from := lineBack(b, i, layerBack)
	open := false
	for j := from; j < i; j++ {
		open = open != (b[j] == '"' && slashesBefore(b, from, j)%2 == 0)
	}
	return open
}
