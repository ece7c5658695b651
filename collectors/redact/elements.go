package redact

import (
	"bytes"
	"strings"
)

// Elements of XML and what names the value in them.

// elementForm: <Password>…</Password>, or the <Value> in it.
func (s *scan) elementForm(f field) bool {
	b := f.b
	if f.from == 0 || b[f.from-1] != '<' && (b[f.from-1] != ':' || byteAt(b, runBack(b, f.from-1, wordByte)-1) != '<') {
		return false
	}
	if bytes.ContainsRune(f.text(), ' ') { // <storage key> of a document
		return true
	}
	i := upTo(b, f.to, 512, "<>")
	quoted := byteAt(b, f.from-2) == '"' && byteAt(b, i+1) == '"' // value="<password>"
	value := indexFold(b[f.to:i], " value=")
	switch {
	case byteAt(b, i) != '>' || quoted:
	case value == 0: // <password value="VALUE"/>
		s.takeJudged(f, s.value(b[:i], f.to+len(" value="), plainStops), false)
	case b[i-1] != '/' && value < 0:
		s.elementText(f, i+1)
	}
	return true
}

// elementText takes the text of an element that begins at open.
func (s *scan) elementText(f field, open int) {
	b := f.b
	i := skipMore(b, open)
	end := upTo(b, i, len(b), "<")
	if end == len(b) {
		s.openElement(f, open, i)
		return
	}
	if cdata := "<![cdata["; hasFold(b, end, cdata) {
		i = end + len(cdata)
		if end = i + bytes.Index(b[i:], []byte("]]>")); end < i {
			return
		}
	}
	text := bytes.TrimSpace(b[i:end])
	if stop := lineEnd(b[:end], i); skipMore(b, stop) == end { // without what a log writes before the next line
		text = bytes.TrimSpace(b[i:stop])
	}
	if len(text) == 0 && tokenAt(b[end:]) == 0 {
		s.nested(f, end+1)
	} else if foldAt(b, end, "</", "]]>") != "" && // else a <token> is a placeholder in a sentence
		fits(f.kind, text) && isSecret(f.text(), text, f.trust, f.cell) && !(f.cell && bytes.IndexByte(text, ' ') >= 0) {
		start := i + bytes.Index(b[i:end], text)
		s.add(start, start+len(text), f.kind, text)
	}
}

// openElement takes the text of an element that ends in another record, or behind the window.
func (s *scan) openElement(f field, open, i int) {
	b := f.b
	text := bytes.TrimSpace(b[i:])
	if _, first := s.beginsLine(f.from - 1); !first && isBlank(byteAt(b, open)) { // program <password> HOST of a document
		return
	} else if s.cut(b) {
		if f.trust >= medium && len(text) > 0 && bytes.IndexByte(b[i:min(len(b), i+layerBack)], ' ') < 0 {
			s.engulf(i, f.kind, upToSigns("<"))
		}
	} else if len(text) < len(b[open:]) && !bytes.ContainsAny(text, " \n") && isSecret(f.text(), text, f.trust, false) {
		start := len(b) - len(bytes.TrimLeft(b[i:], " \t\r\n"))
		s.add(start, start+len(text), f.kind, text)
	}
}

// shownTags are around what a page says of a name.
var shownTags = setOf("td dd code pre kbd samp tt span b strong em i mark")

// nested takes the value in an element within the one that is named, or in the one
// that follows it: <Password><Value>…, <key>password</key><string>….
func (s *scan) nested(f field, name int) {
	b := f.b
	if colon := run(b, name, wordByte); byteAt(b, colon) == ':' {
		name = colon + 1
	}
	if end := tagEnd(b, name); end > 0 && (b[end-1] != '/' || hasFold(b, name, "property ")) {
		tag := strings.ToLower(string(b[name:run(b, name, wordByte)]))
		if shownTags[tag] {
			f.cell = true
			s.elementText(f, end+1)
			return
		}
		switch tag {
		case "value", "string", "val": // <Value ProtectInMemory="True">
			s.elementText(f, end+1)
			return
		case "property": // <Property name="x" default="VALUE"/> of Jetty
			if i := indexFold(b[name:end], " default="); i > 0 {
				s.takeJudged(f, s.value(b[:end], name+i+len(" default="), plainStops), false)
				return
			}
		}
		if containsFold(b[name:end], `="value"`) { // <Property Name="Value">VALUE of SSIS, <S N="Value">VALUE of PowerShell
			s.elementText(f, end+1)
			return
		}
	}
	for open, closing := range map[string]string{"!--": "-->", "plaintext>true<": "/plaintext>"} {
		if !hasFold(b, name, open) {
			continue
		} else if end := indexFold(b[name:min(len(b), name+layerBack)], closing); end > 0 {
			s.nested(f, skipSpace(b, name+end+len(closing))+1)
		}
		return
	}
	for n := 0; n < 8 && hasFold(b, name, "add "); n++ { // <apikeys><add key="…" value="…"/>
		end := tagEnd(b, name)
		if end < 0 {
			return
		}
		if i := indexFold(b[name:end], " value="); i >= 0 {
			s.takeJudged(f, s.value(b[:end], name+i+len(" value="), plainStops), false)
		}
		name = skipSpace(b, end+1) + 1
	}
}

// plainTextRule takes the value of an answer file of which the name is cut off: <Value>VALUE</Value><PlainText>.
func (s *scan) plainTextRule(_ []byte, start, _ int) {
	before := s.b[max(0, start-s.back):start]
	text, ok := bytes.CutSuffix(bytes.TrimRight(before, " \t\r\n"), []byte("</Value>"))
	if open := bytes.LastIndex(text, []byte("<Value>")); ok && open >= 0 {
		from := start - len(before) + open + len("<Value>")
		s.takePassword(value{start: from, end: start - len(before) + len(text)})
	}
}

// tagEnd is where the tag ends that i is in; a '>' in quotes ends none.
func tagEnd(b []byte, i int) int {
	var quote byte
	for last := min(len(b), i+layerBack); i < last; i++ {
		switch c := b[i]; {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case c == '>':
			return i
		}
	}
	return -1
}

// behindElement takes the value in the element behind one that holds the name: <th>API token</th><td>…,
// <argument>-secret</argument><argument>….
func (s *scan) behindElement(f field) {
	b := f.b
	end := upTo(b, f.to, layerBack, ">")
	next := skipMore(b, end+1)
	if hasFold(b, next, "</") { // <Key><string>NAME</string></Key><Value>
		next = skipMore(b, upTo(b, next, layerBack, ">")+1)
	}
	if byteAt(b, next) != '<' {
		return
	}
	if tag := b[f.to+len("</") : end+1]; f.flag && bytes.HasPrefix(b[next+1:], tag) {
		s.elementText(f, next+1+len(tag))
	} else {
		s.nested(f, next+1)
	}
}

// attributeForm: <setting name="Token"><value>…, <param name="password">…,
// <entry key="password">…, <key>password</key><value>….
func (s *scan) attributeForm(f field) bool {
	b := f.b
	cell := max(0, f.from-nameReach)
	cell += runBack(b[cell:], f.from-cell, wordByte|blankByte)
	if byteAt(b, cell-1) == '>' && hasFold(b, f.to, "</") {
		s.behindElement(f)
		return cell == f.from && f.behind() != ':' // <b>Token</b>: …
	}
	first := f.from
	if byteAt(b, first-1) == ':' { // key="AzureAd:AppKey"
		first = runBack(b, first-1, nameByte)
	}
	if first < 2 || !f.quoted || !isOneOf(b, first-1, `"'`) || b[first-2] != '=' {
		return false
	} else if hasFold(b, first-len(`for="`), "for=") { // of a label
		return true
	}
	i := f.after
	for i < len(b) && b[i] != '>' && (b[i] != '<' || tokenAt(b[i:]) > 0) && !isLine(b[i]) && i-f.after < layerBack {
		i += max(1, tokenAt(b[i:]))
	}
	i = min(i, len(b))
	at := max(indexFold(b[f.to:i], "value="), indexFold(b[f.to:i], "content=")) // <meta name="csrf-token" content="VALUE">
	if at > 0 && (isBlank(b[f.to+at-1]) || b[f.to+at-1] == ':') &&              // oe:value="…"
		!bytes.Contains(b[f.to:f.to+at], []byte("{")) && bytes.IndexByte(b[f.to:f.to+at], '=') != 0 {
		s.takeJudged(f, s.value(b, upTo(b, f.to+at, len(b), "=")+1, plainStops), false)
		return true
	}
	if byteAt(b, i) != '>' || b[i-1] == '/' || containsFold(b[f.to:i], " value=") {
		return false
	}
	s.elementText(f, i+1)
	return true
}
