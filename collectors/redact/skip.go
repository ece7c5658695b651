package redact

import (
	"bytes"
	"slices"
	"strings"
)

// skipBlanks passes blanks, and skipSpace line ends too, also escaped ones.
func skipBlanks(b []byte, i int) int { return run(b, i, blankByte) }

func skipSpace(b []byte, i int) int {
	for i < len(b) {
		switch {
		case isBlank(b[i]) || isLine(b[i]):
			i++
		case b[i] == '\\' && isOneOf(b, i+1, "nrt"):
			i += 2
		default:
			return i
		}
	}
	return i
}

// skipQuote passes a quote with the backslashes before it.
func skipQuote(b []byte, i int) int {
	j := i
	for byteAt(b, j) == '\\' {
		j++
	}
	if isOneOf(b, j, "\"'`") {
		return j + 1
	}
	return i
}

// skipEmphasis passes what ends a bold text: ** of Markdown, </b> of a page.
func skipEmphasis(b []byte, i int) int {
	if hasFold(b, i, "</") {
		return skipTag(b, i)
	}
	end := i
	for end-i < 2 && byteAt(b, end) == '*' {
		end++
	}
	if end > i && isOneOf(b, end, " \t:") {
		return end
	}
	return i
}

// skipType passes the type between the name of a variable and its operator, and what a program
// adds where it asks once more: Password (again): …
func skipType(b []byte, i int) int {
	if word := foldAt(b, i, "as string "); word != "" { // of Visual Basic
		return i + len(word)
	}
	if hasFold(b, i, "{ get;") { // a property of C#
		if end := bytes.Index(b[i:min(len(b), i+48)], []byte("} =")); end > 0 {
			return i + end + len("} ")
		}
	}
	if word := foldAt(b, i, "(again)", "(confirm)", "(repeat)", "(retype)", "(verify)"); word != "" {
		return skipBlanks(b, i+len(word))
	}
	end := runWith(b[:min(len(b), i+16)], i, "[]*_:&")
	at := skipBlanks(b, end)
	if at == end || byteAt(b, at) != '=' {
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
// (string) (len=14) "…".
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
	if byteAt(b, end) != '(' || !slices.Contains(wrappers, strings.ToLower(string(b[i:end]))) {
		return i
	}
	if skipQuote(b, end+1) > end+1 || run(b, end+1, base64Byte)-end > 12 {
		return end + 1
	}
	return i
}

// skipVerbatim passes the sign of a text whose escapes are others: @"…", r"…", $'…' of a shell.
func skipVerbatim(b []byte, i int) int {
	i = skipWrapper(b, i)
	if isOneOf(b, i, "@rbfuLN") && isOneOf(b, i+1, "\"'") || hasFold(b, i, "$'") && !isBlank(byteAt(b, i+2)) && upTo(b, i+2, maxName, "'\r\n") < lineEnd(b[:min(len(b), i+2+maxName)], i) {
		return i + 1
	}
	return i
}

// skipYAMLTag passes !!binary, &anchor and !tag of a program's own.
func skipYAMLTag(b []byte, i int) int {
	if end := skipOf(b, i+1, 40, lowers+"_<>:/"); byteAt(b, i) == '!' && end > i+1 && isBlank(byteAt(b, end)) && !moreWords(b, skipBlanks(b, end)) && !isLineAt(b, skipBlanks(b, end)) {
		return skipBlanks(b, end)
	}
	name := i + len(foldAt(b, i, "!!", "&"))
	if end := run(b, name, wordByte); name > i && end > name && isBlank(byteAt(b, end)) && b[skipBlanks(b, end)-1] != '/' {
		return skipBlanks(b, end)
	}
	return i
}

// An operator stands between a name and its value.
type operator struct {
	sign  byte // ':' or '='
	end   int
	equal bool // compares; only a value in quotes is one
}

// operators in the order in which they are looked for.
var operators = []struct {
	text string
	sign byte
}{
	{"===", '?'}, {"!==", '?'}, {"==", '?'}, {"!=", '?'}, {":::=", '='}, {"::=", '='}, {":=", '='},
	{"=>", '='}, {"+=", '='}, {"?=", '='}, {"||=", '='}, {"->", '='}, {"|=", '='}, {".=", '='},
	{"=~ ", '?'}, {"<- ", '='}, {":: ", ':'}, {"::", 0}, {":~", 0}, {"=", '='}, {":", ':'}, {"：", ':'}, {"＝", '='}, {"→", '='},
	{"＞", '='}, {"-eq ", '?'}, {"-ceq ", '?'}, {"-ne ", '?'}, {"-match ", '?'}, {"-like ", '?'},
	{"[]=", '='}, {"[] =", '='}, {"....", ':'}, {". . ", ':'}, {"│", ':'},
}

func operatorAt(b []byte, i int) (op operator, ok bool) {
	if byteAt(b, i) == '[' { // char password[25] =
		if end := run(b, i+1, wordByte); byteAt(b, end) == ']' {
			i = skipGap(b, end+1)
		}
	}
	for _, o := range operators {
		if hasFold(b, i, o.text) {
			if o.sign == '?' {
				return operator{'=', i + len(o.text), true}, true
			}
			end := i + len(o.text)
			if o.text == "<- " && skipQuote(b, end) == end { // of a channel of Go, and no text of R
				continue
			}
			if o.text[0] == '.' && o.sign == ':' { // to a value, or to a colon before it
				end = skipOf(b, end, len(b), ". ")
				end += b2i(hasFold(b, end, ":"))
			}
			return operator{o.sign, end, false}, o.sign != 0
		}
	}
	return operator{}, false
}

// skipStyle passes what colors a terminal: ESC [ 36 m.
func skipStyle(b []byte, i int) int {
	for hasFold(b, i, "\x1b[") {
		end := skipOf(b, i+2, len(b), digits+";")
		if !isOneOf(b, end, "mK") {
			return i
		}
		i = end + 1
	}
	return i
}

// wideSigns are the signs of Chinese and Japanese text and the quotes of print that
// stand where ASCII has one.
var wideSigns = []struct {
	text  string
	ascii byte
}{
	{"：", ':'}, {"＝", '='}, {"“", '"'}, {"”", '"'}, {"„", '"'}, {"「", '"'}, {"」", '"'},
	{"『", '"'}, {"』", '"'}, {"‘", '\''}, {"’", '\''}, {"«", '"'}, {"»", '"'}, {"　", ' '},
	{"\u00a0", ' '}, {"【", '['}, {"】", ']'}, {"（", '('}, {"）", ')'}, {"，", ','}, {"；", ';'},
	{"。", '.'}, {"、", ','}, {"＞", '>'}, {"→", '>'},
}

// wideAt tells for what a sign of more than a byte stands, and how long it is.
func wideAt(b []byte, i int) (ascii byte, n int) {
	if i >= len(b) || b[i] < 0x80 {
		return 0, 0
	}
	for _, w := range wideSigns {
		if len(b)-i >= len(w.text) && string(b[i:i+len(w.text)]) == w.text {
			return w.ascii, len(w.text)
		}
	}
	return 0, 0
}

// skipGap passes blanks of any width.
func skipGap(b []byte, i int) int {
	for {
		next := skipBlanks(b, i)
		if c, n := wideAt(b, next); c == ' ' {
			next += n
		}
		if next == i {
			return i
		}
		i = next
	}
}
