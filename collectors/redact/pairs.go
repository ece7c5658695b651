package redact

// Names that stand in one setting and their values in another: name: NAME, value: x.

// pairForm: name: NAME beside value: x, in either order.
func (s *scan) pairForm(f field) bool {
	b := f.b
	i := skipMore(b, f.at)
	if i < len(b) && (b[i] == ',' || b[i] == ';') {
		if i = skipSpace(b, i+1); i > 0 && isLine(b[i-1]) || i < len(b) && !isLine(b[i]) {
			i = skipBlanks(b, payload(b, i))
		}
	}
	i = skipQuote(b, i)
	if hasFold(b, i, "value") {
		i = skipBlanks(b, skipQuote(b, i+5))
		if i < len(b) && (b[i] == ':' || b[i] == '=') {
			s.sibling(f, skipSpace(b, i+1))
		}
		return true
	}
	if before := b[max(0, f.from-len(`name": "`)):f.from]; f.quoted && f.behind() == ',' && lastFold(before, `name"`) >= 0 {
		s.valueIn(f, i) // {"name":"NAME","type":"x","value":"y"}
		return true
	}
	s.siblingBefore(f)
	return true
}

// sibling takes the value at i, which is named by a sibling.
func (s *scan) sibling(f field, i int) {
	b := f.b
	if i >= len(b) || b[i] == '{' || b[i] == '[' {
		return
	}
	if b[i] == '|' || b[i] == '>' {
		key := runBack(b, i, blankByte) - len("value:")
		if indent, first := s.beginsLine(max(0, key)); first && s.block(f, i, indent) {
			return
		}
	}
	stops := "\r\n"
	if f.quoted || s.prose {
		stops = plainStops
	}
	s.takeJudged(f, s.trimmed(s.value(b, i, stops), stops), false)
}

// siblingBefore looks for value: x right before name: NAME.
func (s *scan) siblingBefore(f field) {
	from := max(s.done, f.from-s.back/2)
	if from >= f.from {
		return
	}
	b := f.b
	key := lastFold(b[from:f.from], "value")
	if key < 0 {
		return
	}
	i := skipBlanks(b, skipQuote(b, from+key+len("value")))
	if i >= f.from || b[i] != ':' && b[i] != '=' {
		return
	}
	i = skipSpace(b, i+1)
	v := s.trimmed(s.value(b, i, "\r\n,"), "\r\n")
	if v.end > f.from {
		v = s.value(b, i, plainStops)
	}
	if v.end < f.from && !v.open && nameBehind(b, v.end, f.from) {
		s.takeJudged(f, v, false)
	}
}

// nameBehind tells whether name: or key: is all that stands between two places.
func nameBehind(b []byte, i, name int) bool {
	i = skipOf(b[:name], skipMore(b, skipQuote(b, i)), name, ",- \t")
	i = skipQuote(b, skipSpace(b, i))
	switch {
	case hasFold(b, i, "name"):
		i += len("name")
	case hasFold(b, i, "key"):
		i += len("key")
	default:
		return false
	}
	i = skipBlanks(b, skipQuote(b, i))
	if i >= name || b[i] != ':' && b[i] != '=' {
		return false
	}
	i = skipQuote(b, skipBlanks(b, i+1))
	for i < name && (classOf[b[i]]&nameByte != 0 || b[i] == ':') { // Twilio:AuthToken
		i++
	}
	return i == name
}
