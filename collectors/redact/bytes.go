package redact

import (
	"strings"
)

// Classes of bytes. What a value may hold depends on where it stands.
const (
	wordByte   = 1 << iota // letters, digits, _ and all that is not ASCII
	nameByte               // of a key or flag
	base64Byte             // of either alphabet
	tokenByte              // of a bearer token (RFC 6750)
	hexByte
	blankByte // within a line
	lineByte  // the end of a line
	madeByte  // of a value that a generator made
)

var classOf = func() (t [256]uint8) {
	for i := range t {
		c := byte(i)
		switch {
		case isAlnum(c):
			t[i] = wordByte | nameByte | base64Byte | tokenByte | madeByte
			if isDigit(c) || c|0x20 >= 'a' && c|0x20 <= 'f' {
				t[i] |= hexByte
			}
		case c >= 0x80:
			t[i] = wordByte
		}
	}
	for _, c := range []byte("_-.$") {
		t[c] |= nameByte
	}
	t['_'] |= wordByte
	for _, c := range []byte("+/=-_") {
		t[c] |= base64Byte
	}
	for _, c := range []byte("-._~+/=") {
		t[c] |= tokenByte
	}
	for _, c := range []byte("_-.+/=") {
		t[c] |= madeByte
	}
	t[' '], t['\t'] = blankByte, blankByte
	t['\n'], t['\r'] = lineByte, lineByte
	return t
}()

func isDigit(c byte) bool { return c-'0' < 10 }
func isLower(c byte) bool { return c-'a' < 26 }
func isUpper(c byte) bool { return c-'A' < 26 }
func isAlnum(c byte) bool { return isDigit(c) || (c|0x20)-'a' < 26 }
func isWord(c byte) bool  { return classOf[c]&wordByte != 0 }
func isBlank(c byte) bool { return classOf[c]&blankByte != 0 }
func isLine(c byte) bool  { return classOf[c]&lineByte != 0 }

// run returns where the bytes of a class end that begin at i.
func run(b []byte, i int, class uint8) int {
	for i < len(b) && classOf[b[i]]&class != 0 {
		i++
	}
	return i
}

// runBack returns where the bytes of a class begin that end before i.
func runBack(b []byte, i int, class uint8) int {
	for i > 0 && classOf[b[i-1]]&class != 0 {
		i--
	}
	return i
}

// byteAt is the byte at i, and 0 where there is none.
func byteAt(b []byte, i int) byte {
	if i < 0 || i >= len(b) {
		return 0
	}
	return b[i]
}

// among tells whether a byte is one of some signs.
func among(c byte, signs string) bool { return strings.IndexByte(signs, c) >= 0 }

// isOneOf tells whether one of some signs stands at i.
func isOneOf(b []byte, i int, signs string) bool {
	return i >= 0 && i < len(b) && among(b[i], signs)
}

// wordEnds tells whether a word could not go on there.
func wordEnds(b []byte, i int) bool { return i >= len(b) || !isWord(b[i]) }

// hasFold tells whether b holds text, which is in lower case, at i.
func hasFold(b []byte, i int, text string) bool {
	if i < 0 || i+len(text) > len(b) {
		return false
	}
	for k := range len(text) {
		c := b[i+k]
		if isUpper(c) {
			c |= 0x20
		}
		if c != text[k] {
			return false
		}
	}
	return true
}

// foldAt is the first of some texts that b holds at i, and nothing without one.
func foldAt(b []byte, i int, texts ...string) string {
	for _, text := range texts {
		if hasFold(b, i, text) {
			return text
		}
	}
	return ""
}

// lineBack is where the line of i begins, and no more than n bytes before i.
func lineBack(b []byte, i, n int) int {
	lowest := max(0, i-n)
	return lowest + lineStart(b[lowest:], i-lowest)
}

// lineStart and lineEnd bound the line of i within b.
func lineStart(b []byte, i int) int {
	for i > 0 && !isLine(b[i-1]) {
		i--
	}
	return i
}

func lineEnd(b []byte, i int) int {
	for i < len(b) && !isLine(b[i]) {
		i++
	}
	return i
}

func lastFold(b []byte, text string) int {
	for i := len(b) - len(text); i >= 0; i-- {
		if hasFold(b, i, text) {
			return i
		}
	}
	return -1
}

func indexFold(b []byte, text string) int {
	for i := 0; i+len(text) <= len(b); i++ {
		if hasFold(b, i, text) {
			return i
		}
	}
	return -1
}

func containsFold(b []byte, text string) bool { return indexFold(b, text) >= 0 }

// runWith passes letters, digits and some signs.
func runWith(b []byte, i int, signs string) int {
	for i < len(b) && (isAlnum(b[i]) || among(b[i], signs)) {
		i++
	}
	return i
}

// skipOf passes bytes that are among some signs, and n of them at most.
func skipOf(b []byte, i, n int, signs string) int {
	for last := min(len(b), i+n); i < last && among(b[i], signs); i++ {
	}
	return i
}

// backOf passes such bytes before i.
func backOf(b []byte, i, n int, signs string) int {
	for lowest := max(0, i-n); i > lowest && among(b[i-1], signs); i-- {
	}
	return i
}

// upTo finds the first of some signs, and looks at n bytes at most.
func upTo(b []byte, i, n int, signs string) int {
	for last := min(len(b), i+n); i < last && !among(b[i], signs); i++ {
	}
	return i
}

// runOf finds the end of a run, or how far it surely reaches.
func runOf(class uint8) func(b []byte, i int) (int, bool) {
	return func(b []byte, i int) (int, bool) {
		end := run(b, i, class)
		return end, end < len(b)
	}
}

// upToSigns finds the end of what some signs end, or how far it surely reaches.
func upToSigns(signs string) func(b []byte, i int) (int, bool) {
	return func(b []byte, i int) (int, bool) {
		end := upTo(b, i, len(b), signs)
		return end, end < len(b)
	}
}

// setOf is the set of the words in a text.
func setOf(text string) map[string]bool {
	m := map[string]bool{}
	for word := range strings.FieldsSeq(text) {
		m[word] = true
	}
	return m
}
