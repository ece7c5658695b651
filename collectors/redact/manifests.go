package redact

import (
	"bytes"
	"slices"
)

// execRule: every value of the environment of a kubeconfig's command is secret,
// unless it is plainly harmless.
func (s *scan) execRule(b []byte, start, _ int) {
	indent, first := s.beginsLine(start)
	if !first {
		return
	}
	end := start + len("exec:")
	_, last, _ := deeper(b, lineEnd(b, end), indent)
	for i := end; i < last; {
		at := indexFold(b[i:last], "value:")
		if at < 0 {
			return
		}
		i += at + 6
		v := s.trimmed(s.value(b, skipBlanks(b, i), "\r\n}"), "\r\n}")
		if text := v.in(s.b); v.end > v.start && !isHarmless(text) {
			s.addFaintly(v, "kubeconfig")
		}
	}
}

// generatorRule takes what kustomize makes Secrets of: literals: [NAME=VALUE].
func (s *scan) generatorRule(b []byte, start, end int) {
	for line := range linesBehind(b, end) {
		item := skipBlanks(b, line)
		if item == line && !hasFold(b, item, "- ") {
			return // the next key of the file
		}
		name := skipQuote(b, skipBlanks(b, item+1))
		if eq := run(b, name, nameByte); eq > name && hasFold(b, eq, "=") && !hasFold(b, eq-len("name"), "name") {
			s.takePassword(s.trimmed(s.value(b, eq+1, "\r\n\"'"), "\r\n"))
		}
	}
}

// addFaintly replaces a value that no name betrayed, and looks for it elsewhere
// only when it is random enough to be nothing else.
func (s *scan) addFaintly(v value, kind string) {
	text := unescape(v.in(s.b), v.escapes, v.quote)
	if standsOut(text) || looksRandom(text) {
		s.add(v.start, v.end, kind, text)
		return
	}
	s.addFaint(v.start, v.end, kind, text)
}

// isHarmless takes what the environment of a command may hold and nobody hides.
func isHarmless(v []byte) bool {
	v = bytes.TrimSpace(v)
	if isPlainValue(v) || len(v) < 3 {
		return true
	}
	return isRegion(v) || foldAt(v, 0, "client.authentication.k8s.io", "iamauthenticator", "api-version", "azurepubliccloud",
		"azurechinacloud", "azureusgovernment", "regional", "legacy", "default", "production", "devicecode", "interactive",
		"spn", "ropc", "msi", "azurecli", "workloadidentity") != ""
}

// isRegion takes us-east-1, westeurope, europe-west4.
func isRegion(v []byte) bool {
	return len(v) < 16 && run(v, 0, nameByte) == len(v) &&
		isDigit(v[len(v)-1]) && isLower(v[0])
}

// dataRule: all values of a Secret are secret.
func (s *scan) dataRule(b []byte, start, end int) {
	from := start
	if hasFold(s.b, start-6, "string") {
		from -= 6
	}
	if from > 0 && (isWord(s.b[from-1]) || s.b[from-1] == '.' || s.b[from-1] == '-') {
		return
	}
	after := skipQuote(b, start+4)
	if byteAt(b, after) != ':' {
		return
	}
	at := skipBlanks(b, after+1)
	if byteAt(b, at) == '{' {
		s.flowData(b, from, at)
		return
	}
	if !isLineAt(b, at) {
		return
	}
	indent, first := s.beginsLine(from)
	if !first || from == start && !s.inSecret(b, from, at, indent) { // only a Secret has stringData
		return
	}
	s.secretLines(b, at, indent)
}

// publicEntries of a Secret are known to everybody.
var publicEntries = setOf("ca.crt namespace tls.crt")

// secretLines takes the values of the lines behind i that are indented deeper.
func (s *scan) secretLines(b []byte, i, indent int) {
	for _, last, _ := deeper(b, i, indent); i < last; {
		line := nextPayload(b, i)
		i = lineEnd(b, line)
		colon := bytes.IndexByte(b[line:i], ':')
		if colon < 0 {
			continue
		}
		v := skipBlanks(b, line+colon+1)
		n := field{b: b, from: skipBlanks(b, line), to: line + colon, kind: "secret", trust: strong}
		switch {
		case v >= i, publicEntries[string(bytes.Trim(n.text(), " \t\"'"))]:
		case isOneOf(b, v, "|>"):
			s.block(n, v, n.from-line)
			_, i, _ = deeper(b, i, n.from-line)
		default:
			if found := s.trimmed(s.value(b, v, "\r\n"),
				"\r\n"); !isPlaceholder(found.in(s.b)) {
				s.addFaintly(found, "secret")
			}
		}
	}
}

var secretWord = []byte("Secret")

// inSecret looks for kind: Secret beside data, before or behind it.
func (s *scan) inSecret(b []byte, from, to, indent int) bool {
	isKind := func(line []byte) bool {
		line = line[payload(line, 0):]
		body := bytes.TrimLeft(line, " \t-")
		return len(line)-len(body) == indent &&
			bytes.Equal(bytes.ReplaceAll(bytes.TrimRight(body, " \t\r\n"), []byte(`"`), nil),
				[]byte("kind: Secret"))
	}
	before := s.b[max(0, from-s.context):from]
	before = before[1+bytes.LastIndex(before, []byte("\n---")):]
	behind, _, _ := bytes.Cut(b[to:], []byte("\n---"))
	for _, part := range [][]byte{before, behind} {
		for line := range bytes.Lines(part) {
			if isKind(line) {
				return true
			}
		}
	}
	return false
}

// flowData deals with "data":{…} of a Secret in JSON that stands in a text.
func (s *scan) flowData(b []byte, from, open int) {
	if !bytes.Contains(b[open:], secretWord) && !bytes.Contains(s.b[max(0, from-512):from],
		secretWord) {
		return
	}
	depth, end := 0, -1
	for i := open; i < len(b); i++ {
		if b[i] == '{' {
			depth++
		} else if b[i] == '}' {
			if depth--; depth == 0 && end < 0 {
				end = i
			} else if depth < 0 {
				b = b[:i]
			}
		} else if b[i] == '\n' && end >= 0 {
			b = b[:i]
		}
	}
	if end < 0 || !hasSecretKind(b[end:]) && !hasSecretKind(s.b[max(0, from-512):from]) {
		return
	}
	for i := open + 1; i < end; {
		colon := bytes.IndexByte(b[i:end], ':')
		if colon < 0 {
			return
		}
		at := skipSpace(b, i+colon+1)
		v := s.value(b, at, plainStops)
		if byteAt(b, v.start) != '{' && !isPlaceholder(v.in(b)) {
			s.addFaintly(v, "secret")
		}
		i = max(v.end, i+colon+1)
	}
}

func hasSecretKind(b []byte) bool {
	return slices.ContainsFunc(bytes.Split(b, []byte("kind"))[1:], func(b []byte) bool {
		x := lexer{b: b, i: skipQuote(b, 0)}
		at := 0
		if x.separator(":") {
			at = skipQuote(b, skipBlanks(b, x.i))
		}
		return at > 0 && bytes.HasPrefix(b[at:], secretWord) && wordEnds(b, at+len(secretWord))
	})
}
