package maskname

import (
	"unicode"
	"unicode/utf8"
)

// isAlnum tells ASCII letters and digits.
var isAlnum = func() (t [256]bool) {
	for c := range t {
		t[c] = c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z' && c < 0x80
	}
	return t
}()

// hexValue is above 15 for what is no hex digit.
var hexValue = func() (t [256]byte) {
	for c := range t {
		t[c] = 255
	}
	for i, c := range "0123456789abcdef" {
		t[c], t[unicode.ToUpper(c)] = byte(i), byte(i)
	}
	return t
}()

// folded lowers ASCII letters.
var folded = func() (t [256]byte) {
	for c := range t {
		t[c] = byte(c)
		if c >= 'A' && c <= 'Z' {
			t[c] |= 0x20
		}
	}
	return t
}()

func isDigit(c byte) bool  { return c >= '0' && c <= '9' }
func isLetter(c byte) bool { return isAlnum[c] && !isDigit(c) }

// continues tells whether a rune carries on a word in a script whose words are
// told apart by what stands between them. A Japanese or Chinese text has
// nothing between its words and the name of a host.
func continues(r rune) bool {
	return r >= utf8.RuneSelf && unicode.In(r, unicode.Latin, unicode.Greek, unicode.Cyrillic)
}

// startsWord tells whether a word may begin at the index.
func startsWord(t []byte, at int) bool {
	if at == 0 || t[at-1] < utf8.RuneSelf {
		return true // the caller knows about ASCII
	}
	r, _ := utf8.DecodeLastRune(t[:at])
	return !continues(r)
}

// endsWord tells whether a word may end before the index.
func endsWord(t []byte, at int) bool {
	if at >= len(t) {
		return true
	}
	if t[at] < utf8.RuneSelf {
		return !isAlnum[t[at]]
	}
	r, _ := utf8.DecodeRune(t[at:])
	return !continues(r)
}
