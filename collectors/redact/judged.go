package redact

import (
	"bytes"
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
	case t == noSecret, len(j.text) == 1, isPlaceholder(j.text), j.isRedacted(), j.isTied(), j.hasPassed(), j.isFile(),
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
	return !prose || looksRandom(j.text) || isTangled(j.text) || isGrouped(j.text)
}

// isRedacted tells that its secret is gone; a token's digits are no sign of another.
func (j judged) isRedacted() bool {
	return j.trust != strong && bytes.Contains(j.text, []byte(tokenStart))
}

// isTied takes behind a weak name a BGP community, what code makes, and words as code ties them.
func (j judged) isTied() bool {
	v := j.text
	if j.trust > loose {
		return false
	}
	return containsAny(v, []string{"$(", "$.", "%s"}) || hasExpansion(v) || hasVariable(v) || isSnake(v) || isTag(v) ||
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
	return isPath(v) && (j.trust != strong || string(j.name) == "PWD" && v[0] == '/' || len(v) > 2 && (v[1] == ':' || !mixed(v)))
}

// breaksProse tells of a value that no sentence goes on with.
func (j judged) breaksProse() bool {
	v := j.text
	return bytes.Count(v, []byte(" ")) < 2 && !isSentence(v) &&
		(looksRandom(v) || hardWord(bytes.TrimRight(v, "!?")) || isShuffled(v) || isTangled(v) || isGrouped(v))
}

// namesObject takes the name of a Secret of Kubernetes.
func (j judged) namesObject() bool {
	return isBareSecret(j.name) && isObjectName(j.text) &&
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
	random := looksRandom(v) && !isDotted(v) && len(v) >= 12 && bytes.IndexByte(v, ' ') < 0
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
