package redact

import (
	"bytes"
	"slices"
	"strings"
)

// A judged value stands behind a name, which says how much it must look like a secret itself.
type judged struct {
	name, text []byte
	trust      trust
	prose      bool // anything may follow the name, as in the text of an error
}

// isSecret judges a value by its name's trust. Prose tells that anything may
// follow the name, as in the text of an error.
func isSecret(name, v []byte, t trust, prose bool) bool {
	j := judged{name, bytes.TrimSpace(v), t, prose}
	switch {
	case t == noSecret, len(j.text) == 1, t < strong && bytes.EqualFold(name, j.text), isPlaceholder(j.text), j.isTied(),
		t != strong && bytes.Contains(j.text, []byte(tokenStart)), // its secret is gone; a token's digits are no sign of another
		j.hasPassed(), j.isFile(),
		isProse(j.text), isOtherText(j.text), isClassPath(j.text):
		return false
	case t == strong:
		return (!prose || j.breaksProse()) && !isPlainURL(j.text)
	case isPlainValue(j.text), bytes.HasPrefix(j.text, []byte("system:")):
		return t == medium && isSecretURL(j.text)
	case j.namesObject():
		return false
	case t <= loose:
		return j.looksSecret()
	}
	return !prose || looksRandom(j.text) || isTangled(j.text) || isGrouped(j.text) || isPassphrase(j.text)
}

// isTied takes behind a weak name a BGP community, what code makes, and words as code ties them.
func (j judged) isTied() bool {
	v := j.text
	if j.trust > loose {
		return false
	}
	return containsAny(v, []string{"$(", "$.", "%s", "{{", ":NoSchedule", ":NoExecute", ":PreferNoSchedule"}) || hasExpansion(v) || hasVariable(v) || isSnake(v) || isTag(v) ||
		isCamelWords(v) && !bytes.ContainsAny(v, digits)
}

// hasPassed takes what passed and what failed of some tests, and a macro of AsciiDoc.
func (j judged) hasPassed() bool {
	v := j.text
	if len(j.name) != 4 || !hasFold(j.name, 0, "pass") {
		return false
	}
	capital := j.name[0] == 'P' && j.name[1] == 'A'
	return v[len(v)-1] == ':' || capital && !hardWord(v) && !hasDigitRun(v) && !isCoined(v, false) || isPlainValue(v) ||
		bytes.Contains(v, []byte("[["))
}

// isFile takes a path; a password may begin with a slash.
func (j judged) isFile() bool {
	v := j.text
	return string(j.name) == "PWD" && v[0] == '/' || isPath(v) && (j.trust != strong || len(v) > 2 && (v[1] == ':' || !mixed(v)))
}

// breaksProse tells of a value that no sentence goes on with.
func (j judged) breaksProse() bool {
	v := j.text
	return bytes.Count(v, []byte(" ")) < 2 && !isSentence(v) &&
		(looksRandom(v) || isGUID(v) || isPassphrase(v) || hardWord(bytes.TrimRight(v, "!?")) || isShuffled(v) || isTangled(v) || isGrouped(v))
}

// isPassphrase tells of three words or more that hyphens join, some with a capital as no header of HTTP has them all,
// and none of which is said of a secret.
func isPassphrase(v []byte) bool {
	words := strings.Split(strings.TrimRight(string(v), digits+"-"), "-")
	titled := 0
	for i, word := range words {
		if len(word) > 1 && isUpper(word[0]) {
			titled++
			words[i] = strings.ToLower(word[:1]) + word[1:]
		}
	}
	return len(words) >= 3 && titled < len(words) && !slices.ContainsFunc(words, func(word string) bool {
		return len(word) < 3 || strings.Trim(word, lowers) != "" || proseWords[word] || notOfSecrets[word] || objectWords[word] ||
			slices.ContainsFunc(looseTails, func(tail string) bool { return strings.HasPrefix(word, tail) })
	})
}

// objectWords are in the names of objects, of machines and of people's roles.
var objectWords = setOf(`tls ssl cert certs certificate certificates secret secrets credential credentials creds token tokens keys password passwd pull
			regcred docker admin root account accounts operator manager agent app apps application database redis mysql postgres mongodb kafka grafana prometheus
			kube kubernetes system default prod production staging dev test tests example sample internal external wildcard com net org local cluster namespace
			service services job controller deployment server client worker backend frontend web proxy gateway ingress storage bucket backup azure aws gcp cloud
			github gitlab oauth oidc ldap smtp snmp ssh http https basic bearer keystore issuer encryption session bootstrap shared common custom monitoring`)

// namesObject takes the name of a Secret of Kubernetes.
func (j judged) namesObject() bool {
	return isBareSecret(j.name) && isObjectName(j.text) && !isPassphrase(j.text) &&
		(bytes.ContainsAny(j.text, "-/") || !mixed(j.text))
}

// isGrouped takes the key of a product or of BitLocker: groups of capitals and digits, all of one length.
func isGrouped(v []byte) bool {
	groups := bytes.Split(v, []byte("-"))
	for _, g := range groups {
		if len(g) < 4 || len(g) != len(groups[0]) || !bytes.ContainsAny(v, digits) && !(len(g) == 5 && len(groups) == 5) ||
			len(bytes.Trim(g, uppers+digits)) > 0 {
			return false
		}
	}
	return len(groups) >= 4
}

// looksSecret tells of a value that needs no name.
func (j judged) looksSecret() bool {
	v := j.text
	key := isKeyOfService(j.name) && len(v) >= leastNamed && isMade(v)
	chosen := looksChosen(v) && hardWord(v) && !bytes.ContainsAny(v, "=&/ ")
	random := looksRandom(v) && !(bytes.IndexByte(v, '.') > 0 && !hasDigitRun(v)) && len(v) >= 12 && bytes.IndexByte(v, ' ') < 0
	return key || chosen || random || isAuthPair(v) || isShuffled(v) && !bytes.ContainsAny(v, ". ")
}

// hasExpansion tells of what a shell or a template puts in: ${NAME}, ${NAME:-x}.
func hasExpansion(v []byte) bool {
	i := bytes.Index(v, []byte("${"))
	if i < 0 {
		return false
	}
	end := run(v, i+2, nameByte)
	return end == len(v) || strings.IndexByte("}:?[", v[end]) >= 0
}

// Texts that scripts and documents hold where a secret would stand, and that no secret looks like.

// isProse tells of a sentence: When using the provider, the password to the server.
func isProse(v []byte) bool {
	words := strings.Fields(string(v))
	if n := spoken(words); len(words) >= 8 && (n >= 4 || n >= 2 && (isUpper(v[0]) || bytes.IndexByte(v, '%') > 0)) ||
		len(words) >= 3 && v[0] == '[' && v[len(v)-1] == ']' { // more than a passphrase, and [OPTIONAL - valid for 10.6 and below]
		return true
	}
	return isIdeographic(v) || isCaption(v, words)
}

// isCaption tells of a few words that a program shows: Save the &password, Confirmez le mot de passe :
func isCaption(v []byte, words []string) bool {
	mark := bytes.IndexByte(v, '&') // before the letter of the keyboard
	if n := len(words); n < 2 || n > 8 {
		return false
	} else if (mark == 0 || mark > 0 && v[mark-1] == ' ') && isLower(byteAt(v, mark+1)|0x20) && !bytes.ContainsAny(v, digits) {
		return true
	}
	text := bytes.TrimRight(v, " :.?!")
	if !isUpper(byteAt(text, 0)) || bytes.ContainsFunc(text, func(c rune) bool { return c < 0x80 && c != ' ' && !isLower(byte(c)|0x20) }) {
		return false
	} else if _, t := foreignName(text); t > noSecret {
		return true
	}
	n, ended := len(words), len(text) < len(v)
	return slices.ContainsFunc(words[(n-1)*b2i(spoken(words) == 0 && !ended):], func(word string) bool { // Application password, Password for the account
		kind, t := judgeName([]byte(word))
		return t == strong && kind == "password"
	})
}

// isIdeographic tells of a text most of which nobody types where a password is asked for: Chinese, Japanese, Korean.
func isIdeographic(v []byte) bool {
	wide := 0
	for _, c := range string(v) {
		wide += b2i(c >= 0x2e80)
	}
	return 6*wide > len(v)
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
	grok := bytes.Index(v, []byte("%{"))
	return hasFold(v, 0, "[^") || grok >= 0 && bytes.ContainsRune(v[grok:], '}') || bytes.IndexByte(v, ':') > 0 && bytes.HasSuffix(v, []byte("@@")) || isLinked(v) || hasFold(v, 0, "0x") && len(v) <= 11 && run(v, 2, hexByte) >= len(bytes.TrimRight(v, ",;")) ||
		containsAny(v, []string{"REDACTED", "](http", "([^", `(\w`, `(\S`, `(\d`, "(?:", "(?<", ".*)", "[^\\s"})
}

// isLinked tells of a text of Markdown with the name of its link: create][az-sshkey-create].
func isLinked(v []byte) bool {
	text, name, ok := bytes.Cut(v, []byte("]["))
	name = bytes.TrimRight(name, "].,;")
	return ok && len(text) >= 3 && len(name) >= 3 && run(name, 0, nameByte) == len(name) &&
		len(bytes.Trim(bytes.TrimLeft(text, "["), lowers+uppers+"- ")) == 0
}

// isOfPublicKey tells of a name that begins at i: public key, public key token, lookup key, and of /etc/passwd and checksum/secret.
func isOfPublicKey(b []byte, i int) bool {
	return hasFold(b, i-len("etc/"), "etc/passwd") || hasFold(b, i-len("checksum/"), "checksum/") || hasFold(b, i, "key") && !isWord(byteAt(b, i+len("key"))) && notOfSecrets[wordBefore(b, i)] || hasFold(b, i-len("public key "), "public key ") || hasFold(b, i-len("publisher key "), "publisher key ")
}

// isClassPath tells of the name of a class with that of its package: allauth.account.forms.UserTokenForm.
// A package of one word has no capital and no digit, which a generator's letters before a dot do have.
func isClassPath(v []byte) bool {
	last := bytes.LastIndexByte(v, '.') + 1
	of, class := v[:last], v[last:]
	switch bytes.Count(of, []byte(".")) {
	case 0:
		return false
	case 1:
		if !isLower(v[0]) || !isUpper(byteAt(class, 0)) || bytes.ContainsAny(of, uppers+digits) {
			return false
		}
	}
	return !isDigit(v[0]) && isCamelWords(class) && isIdentifier(bytes.ReplaceAll(v, []byte("."), nil)) &&
		!bytes.ContainsAny(class, digits) && !mixed(bytes.Trim(of, "."+digits)) && isSaid(class)
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
		plain := bytes.ReplaceAll(bytes.ReplaceAll(text, []byte("?."), []byte(".")), []byte("?["), []byte("["))
		end := run(plain, 0, nameByte)
		return isIdentifier(bytes.ReplaceAll(text[:i], []byte("."), nil)) && (end == len(plain) || strings.IndexByte("([,;)", plain[end]) >= 0)
	}
	i := bytes.IndexByte(text, '[')
	return i > 2 && isIdentifier(text[:i]) && hasFold(text, run(text, i+1, wordByte), "].")
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
	if len(v) < 6 || !isLower(v[0]|0x20) || !bytes.ContainsAny(v, "_-") && !isCamel(v) || isDigit(v[len(v)-1]) || !isIdentifier(bytes.ReplaceAll(v, []byte("-"), nil)) {
		return false
	}
	name, _ = joinWords(nil, name)
	v, _ = joinWords(nil, v)
	return bytes.HasSuffix(name, v)
}

// isNamedAfter tells of code that hands on what has a name of the same kind: c2.Token, opts.upload_s3_secret_key,
// jwt_token_valid. TestAgentToken may be a password.
func isNamedAfter(f field, v []byte) bool {
	v = bytes.TrimRight(v, ",;")
	path := bytes.IndexByte(v, '.') > 0
	if !path && bytes.IndexByte(v, '_') < 0 && !isCamel(v) && !(f.trust < strong && isCamelWords(v) && f.behind() != '=') ||
		!isIdentifier(bytes.ReplaceAll(v, []byte("."), nil)) || bytes.ContainsAny(v, digits) && (!path || hasDigitRun(v) || isDigit(v[len(v)-1])) {
		return false
	}
	word, last := joinWords(nil, f.text())
	word = word[min(max(0, last), len(word)):]
	at := indexFold(v, string(word))
	return len(word) >= 3 && (at == 0 || at > 0 && (isUpper(v[at]) || isOneOf(v, at-1, "_.")))
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
