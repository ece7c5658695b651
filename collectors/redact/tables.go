package redact

import (
	"bytes"
	"strings"
)

// Tables whose columns have names: in lines that are ruled with bars or dashes,
// and separated by commas, semicolons or tabs.

const (
	mostRows    = 200
	mostColumns = 64
	mostHeading = 1 << 10 // bytes of a heading behind a name
)

// tableForm takes the column that a name heads.
func (s *scan) tableForm(f field) bool {
	b := f.b
	if f.from < s.dull.columns && f.from > s.dull.heading {
		return false
	}
	lowest := max(0, f.from-min(layerBack, s.back/2))
	line := payload(b, lowest+lineStart(b[lowest:], f.from-lowest))
	if line == lowest && lowest > 0 && !isLine(b[lowest-1]) || line > f.from {
		return false
	}
	end := lineEnd(b[:min(len(b), f.to+mostHeading)], f.to)
	if !isLineAt(b, end) {
		return false
	}
	switch {
	case bytes.IndexByte(b[line:end], '|') >= 0:
		return s.separated(f, firstCell(b, line), end, '|')
	case s.isUnderlined(b, end):
		return s.ruled(f, line, nextPayload(b, end))
	case isSpacedHeading(b[line:end], f.trust == strong):
		return s.ruled(f, line, line)
	}
	for _, sep := range []byte(",;\t") {
		if isHeading(b[line:end], sep) {
			return s.separated(f, line, end, sep)
		}
	}
	return false
}

// isHeading tells of a line that holds the names of columns and nothing else. A command with a list
// is none: kubectl get configmap,secret -n shop.
func isHeading(line []byte, sep byte) bool {
	cells := bytes.Split(line, []byte{sep})
	if len(cells) < 2 || len(cells) > mostColumns {
		return false
	}
	for _, cell := range cells {
		cell = bytes.Trim(cell, "\" '\r")
		if len(cell) == 0 || len(cell) > 40 || run(cell, 0, nameByte|blankByte) != len(cell) ||
			isDigit(cell[0]) || switchWords[strings.ToLower(string(cell))] || bytes.Contains(cell, []byte(" -")) ||
			bytes.Count(cell, []byte(" ")) > 3 {
			return false
		}
	}
	return true
}

// switchWords are values, and no names of columns.
var switchWords = setOf("on off yes no true false")

// isSpacedHeading tells of names with two blanks or more between them: in capitals, as kubectl prints
// them, or three or more of one word each: ComputerName    Password    ExpirationTimestamp.
func isSpacedHeading(line []byte, words bool) bool {
	names, capitals := 0, true
	for cell := range bytes.SplitSeq(bytes.TrimRight(line, " \r"), []byte("  ")) {
		if cell = bytes.Trim(cell, " "); len(cell) == 0 {
			continue
		}
		capitals = capitals && !bytes.ContainsAny(cell, lowers+digits) && run(cell, 0, nameByte|blankByte) == len(cell)
		words = words && isIdentifier(cell) && isUpper(cell[0]) && !bytes.ContainsAny(cell, digits)
		names++
	}
	return capitals && names >= 2 || words && names >= 3
}

// isUnderlined tells whether the next line is made of dashes.
func (s *scan) isUnderlined(b []byte, i int) bool {
	line := nextPayload(b, i)
	end := lineEnd(b, line)
	return end-line >= 3 && bytes.IndexByte(b[line:end], '-') >= 0 &&
		len(bytes.Trim(b[line:end], "-=+ \t:|")) == 0
}

// cellInOrder is where the cell of a row begins that has as many cells before it as a heading,
// whose columns it does not meet; and -1 without one.
func cellInOrder(heading, row []byte) int {
	at := 0
	for ; ; at = run(row, at, blankByte) {
		gap := bytes.Index(heading, []byte("  "))
		if gap < 0 || at < 0 {
			return at
		}
		heading = bytes.TrimLeft(heading[gap:], " ")
		next := bytes.Index(row[at:], []byte("  "))
		if len(heading) == 0 || next < 0 {
			return -1
		}
		at += next
	}
}

// separated takes the cells of a name's column, or the cell beside it.
func (s *scan) separated(f field, line, end int, sep byte) bool {
	b := f.b
	if op, ok := operatorAt(b, f.at); ok && op.end > 0 {
		return false
	}
	column := columnOf(b[line:end], f.from-line, sep)
	heads := columnOf(b[line:end], end-line, sep)
	if sep == '|' && !s.isBareHeading(f, line, end, column) && (!s.isUnderlined(b, end) || isRow(b, line, end) || fitsPassword(cellAt(b, line, end, column+1, sep).in(b))) {
		return s.cellBeside(f, line, end, column)
	}
	found := false
	row := -1
	for next, i := range linesBehind(b, end) {
		if row++; sep == '|' {
			next = firstCell(b, next)
		}
		*s.work += int64(i - next)
		cell := cellAt(b, next, i, column, sep)
		if columnOf(b[next:i], i-next, sep) != heads || i == len(b) && s.cut(b) {
			if row > 0 || sep != '|' {
				break
			}
			continue
		}
		if text := bytes.Trim(cell.in(b), "-=: "); len(text) > 0 {
			s.takeJudged(f, cell, f.trust < strong)
			found = true
		}
		s.dull.heading, s.dull.columns = end, i
	}
	return found
}

// isBareHeading tells of a heading with no line below it: the cells beside the name are words, and the one below is none.
func (s *scan) isBareHeading(f field, line, end, column int) bool {
	b := f.b
	if !isHeading(bytes.Trim(b[line:end], "| "), '|') || !isDictionaryWord(cellAt(b, line, end, column+1, '|').in(b)) {
		return false
	}
	next := firstCell(b, nextPayload(b, end))
	last := lineEnd(b[:min(len(b), next+mostHeading)], next)
	return columnOf(b[line:end], end-line, '|') == columnOf(b[next:last], last-next, '|') && tellsAlone(f.trust, cellAt(b, next, last, column, '|').in(b))
}

// firstCell is the first cell of a row whose bars begin its line, of which payload took some for what a log writes: | 10.0.0.9 | ops |.
func firstCell(b []byte, i int) int {
	from := lineBack(b, i, longestPrefix)
	for isBlank(byteAt(b, i-1)) && byteAt(b, i-2) == '|' {
		bar := bytes.LastIndexByte(b[from:i-2], '|')
		if bar < 0 {
			break
		}
		i = skipBlanks(b, from+bar+1)
	}
	return i
}

// isRow tells of the last row of a table whose borders are drawn: what follows is its
// border, and no row.
func isRow(b []byte, line, end int) bool {
	border := nextPayload(b, end)
	below := nextPayload(b, lineEnd(b, border))
	return isBarred(b, line) && byteAt(b, border) == '+' && !isBarred(b, below)
}

// isBarred tells of a line that begins with a bar, even where that was taken for a log's prefix.
func isBarred(b []byte, line int) bool {
	i := skipBlanks(b, line)
	return byteAt(b, i) == '|' || line >= 2 && isBlank(b[line-1]) && b[line-2] == '|'
}

// cellBeside takes the value in the cell behind a name: | NAME | VALUE |.
func (s *scan) cellBeside(f field, line, end, column int) bool {
	cell := cellAt(f.b, line, end, column+1, '|')
	own := cellAt(f.b, line, end, column, '|')
	if cell.end == cell.start && isBarred(f.b, line) && byteAt(f.b, cell.start) == '|' && byteAt(f.b, cell.start-1) == '|' { // | NAME || VALUE of a wiki
		cell = cellAt(f.b, line, end, column+2, '|')
	}
	name := bytes.Trim(own.in(f.b), "*_` ")
	before, said := bytes.CutSuffix(name, f.text()) // Proxy password
	if cell.end <= cell.start || own.start > f.from || own.end < f.to ||
		own.end-own.start > f.to-f.from+2 && !(said && f.trust >= medium && (len(before) == 0 || isUpper(name[0]) && isIdentifier(bytes.TrimRight(before, " ")))) {
		return false
	}
	if note := cellAt(f.b, line, end, column+2, '|'); f.trust >= medium && note.end-note.start > 2 && f.b[note.start] == '`' && f.b[note.end-1] == '`' && bytes.Count(note.in(f.b), []byte("`")) == 2 { // | NAME | what it is | `VALUE` |
		if v := (value{start: note.start + 1, end: note.end - 1}); fitsWord(v.in(f.b)) && !isOneOf(f.b, v.start, "{[") && !isCode(f.b, v) {
			s.takeJudged(f, v, false)
			return true
		}
	}
	text := cell.in(f.b)
	if saysOfSetting(f, text) {
		return true // what a document says of a setting
	}
	s.takeJudged(f, cell, f.trust < strong || isDictionaryWord(text) || bytes.IndexByte(text, ' ') > 0)
	return true
}

// saysOfSetting tells of a cell that describes a setting, or names another one.
func saysOfSetting(f field, text []byte) bool {
	bare, spaced := bytes.Trim(text, "`\"'"), bytes.IndexByte(text, ' ') > 0
	_, t := judgeName(bare)
	return isPlaceholder(bare) || foldAt(text, 0, "**", "example:") != "" || isRepeated(f.text(), text) || isSnake(bare) && t >= medium ||
		spaced && (f.trust < strong || text[len(text)-1] == '.') || f.trust < strong && text[0] == '`' && isFileName(bare)
}

// columnOf counts the separators outside of quotes before a place.
func columnOf(line []byte, at int, sep byte) int {
	n, quoted := 0, false
	for _, c := range line[:at] {
		if c == '"' {
			quoted = !quoted
		} else if c == sep && !quoted {
			n++
		}
	}
	return n
}

// cellAt is the n-th cell of a row, without its quotes and blanks.
func cellAt(b []byte, line, end, n int, sep byte) value {
	i := line
	for ; n > 0 && i < end; i++ {
		if b[i] == '"' {
			if close := bytes.IndexByte(b[i+1:end], '"'); close >= 0 {
				i += close + 1
			}
		} else if b[i] == sep {
			n--
		}
	}
	i = skipBlanks(b[:end], i)
	if i < end && b[i] == '"' {
		close, _ := closing(b[:end], i+1, '"', 0)
		return value{start: i + 1, end: close, quoted: true, quote: '"'}
	}
	last := i
	for last < end && b[last] != sep {
		last++
	}
	return value{start: i, end: i + len(bytes.TrimRight(b[i:last], " \t\r"))}
}

// ruled takes what stands below a name whose column dashes underline; dashes is the
// heading's own line where there are none.
func (s *scan) ruled(f field, line, dashes int) bool {
	b := f.b
	column := f.from - line
	i := lineEnd(b, dashes)
	found := false
	if strings.EqualFold(string(f.text()), "name") || dashes+column >= i ||
		dashes != line && b[dashes+column] != '-' {
		return false
	}
	for next, i := range linesBehind(b, i) {
		if next+column >= i || i == len(b) && s.cut(b) {
			break
		}
		cell := value{start: next + column, end: next + column}
		if under := upTo(b, dashes+column, maxName, " \r\n") - dashes; dashes != line && b[cell.start] == ' ' { // a row out of line
			cell.start = skipOf(b[:i], cell.start, under-column, " ")
			cell.end = cell.start
		}
		if b[cell.start] == ' ' || cell.start > next && !isBlank(b[cell.start-1]) {
			if cell.start = cellInOrder(b[line:f.to], b[next:i]); cell.start < 0 || dashes != line {
				continue
			}
			cell.start += next
			cell.end = cell.start
		}
		for cell.end < i && !(b[cell.end] == ' ' && (cell.end+1 >= i || b[cell.end+1] == ' ')) {
			cell.end++
		}
		text := cell.in(b)
		s.takeJudged(f, cell, (f.trust < strong || isDictionaryWord(text)) && !isShuffled(text))
		found = true
	}
	return found
}
