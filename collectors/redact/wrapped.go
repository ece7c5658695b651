package redact

import (
	"slices"
	"strings"
)

// skipEmphasis passes what ends a bold text: ** of Markdown, </b> of a page.
func skipEmphasis(b []byte, i int) int {
	if hasFold(b, i, "</") {
		return skipTag(b, i)
	}
	end := i
	for end < len(b) && end-i < 2 && b[end] == '*' {
		end++
	}
	if end < len(b) && end > i && (isBlank(b[end]) || b[end] == ':') {
		return end
	}
	return i
}

// skipType passes the type between the name of a variable and its operator, and what a program
// adds where it asks once more: Password (again): …
func skipType(b []byte, i int) int {
	if word := foldAt(b, i, "(again)", "(confirm)", "(repeat)", "(retype)", "(verify)"); word != "" {
		return skipBlanks(b, i+len(word))
	}
	end := runWith(b[:min(len(b), i+16)], i, "[]*_:&")
	at := skipBlanks(b, end)
	if at == end || byteAt(b, at) != '=' && !hasFold(b, at, ":=") {
		return i
	}
	switch strings.ToLower(strings.Trim(string(b[i:end]), "[]*&")) {
	case "string", "str", "std::string", "byte", "char", "const", "text", "varchar", "any":
		return at
	}
	return i
}

// wrappers are calls around a text that is a secret, and not the name of one.
var wrappers = strings.Fields("sensitive some enc string str just ok secretstring text securestring")

// skipWrapper passes what programs write around a value: Sensitive('…'), Some("…"), ENC(…), {AES}…, <<"…">>,
// (string) (len=14) "…", string(12) "…".
func skipWrapper(b []byte, i int) int {
	if hasFold(b, i, `<<"`) {
		return i + len("<<")
	}
	if dump := "(string) (len="; hasFold(b, i, dump) {
		if end := run(b, i+len(dump), hexByte); hasFold(b, end, `) "`) {
			return end + len(") ")
		}
	}
	if byteAt(b, i) == '{' { // {cipher}, {SSHA512}, {xor}
		end := run(b, i+1, nameByte)
		if end > i+2 && byteAt(b, end) == '}' && run(b, end+1, base64Byte)-end > 8 {
			return end + 1
		}
		return i
	}
	end := run(b, i, wordByte)
	if end == i || end+2 >= len(b) || b[end] != '(' || !slices.Contains(wrappers, strings.ToLower(string(b[i:end]))) {
		return i
	}
	if skipQuote(b, end+1) > end+1 || run(b, end+1, base64Byte)-end > 12 {
		return end + 1
	}
	return i
}

// skipVerbatim passes the sign of a text without escapes: @"…", r"…".
func skipVerbatim(b []byte, i int) int {
	i = skipWrapper(b, i)
	if i+1 < len(b) && strings.IndexByte("@rbfuLN", b[i]) >= 0 && (b[i+1] == '"' || b[i+1] == '\'') {
		return i + 1
	}
	return i
}

// skipYAMLTag passes !!binary and &anchor.
func skipYAMLTag(b []byte, i int) int {
	name := i + len(foldAt(b, i, "!!", "&"))
	if end := run(b, name, wordByte); name > i && end > name && isBlank(byteAt(b, end)) && b[skipBlanks(b, end)-1] != '/' {
		return skipBlanks(b, end)
	}
	return i
}
