package redact

import (
	"bytes"
	"strings"
)

// members takes the values of an object of secrets, whose first key is at i: "tokens": {"agent": "VALUE"}.
func (s *scan) members(f field, i int) bool {
	x := lexer{s, f.b[:min(len(f.b), i+layerAhead)], i}
	for n := range mostColumns {
		name, ok := x.key(":=")
		if !ok || isOneOf(x.b, skipBlanks(x.b, x.i), "{[") {
			return n > 0
		}
		if v := x.value(plainStops); v.quoted && v.whole() && isOfGroup(f.text(), f.trust, name, v.in(x.b)) {
			s.take(v, f.kind)
		}
		x.separator(",;")
		x.i = skipMore(x.b, x.i)
	}
	return true
}

// isGroup tells whether a name is that of several: tokens, passwords, secrets, credentials.
func isGroup(name []byte) bool { return bytes.HasSuffix(bytes.ToLower(name), []byte("s")) }

// isOfGroup judges the value of a member of an object that has the name of a group.
func isOfGroup(group []byte, t trust, name, v []byte) bool {
	lower := strings.ToLower(string(name))
	if !isGroup(group) {
		return false
	} else if _, own := judgeName(name); own > noSecret || strings.HasSuffix(lower, "id") || strings.HasSuffix(lower, "name") || isPlaceholder(v) || isPlainValue(v) ||
		len(bytes.Trim(v, digits+"TZ:-.+")) == 0 { // a time
		return false
	}
	return t == strong && fitsPassword(v) || t >= medium && isGUID(v) || looksChosen(v) || len(v) >= leastWord && isGenerated(v)
}
