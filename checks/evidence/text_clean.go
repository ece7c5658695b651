package evidence

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Clean returns s as it may be shown: on one line, without control characters, escape sequences of
// terminals, marks that turn the direction of writing, or anything else that cannot be seen. Names
// and log lines are written by whoever got hold of the node.
func Clean(s string) string {
	if isClean(s) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	endless := false // a string sequence had no end, so no later one has
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		if n := escapeLength(s[i:], r, size, &endless); n > 0 {
			i += n
			continue
		}
		i += size
		switch {
		case r == '\r' && strings.HasPrefix(s[i:], "\n"):
		case r == '\t', r == '\n', r == '\r', unicode.Is(unicode.Z, r):
			b.WriteByte(' ')
		case unicode.IsPrint(r):
			b.WriteRune(r)
		}
	}
	return b.String()
}

func isClean(s string) bool {
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' {
			return false
		}
	}
	return true
}

// escapeLength measures the escape sequence that s begins with, r being its
// first character; 0 means that there is none. Of one without an end only the
// introducer goes: what follows may be the very text to show.
func escapeLength(s string, r rune, size int, endless *bool) int {
	at, kind := size, r-0x40 // a C1 control is ESC and a letter in one
	if r == 0x1b {
		if len(s) < 2 {
			return 1
		}
		at, kind = 2, rune(s[1])
	} else if r < 0x80 || r > 0x9f {
		return 0
	}
	switch kind {
	case '[':
		end := at
		for end < len(s) && s[end] >= 0x20 && s[end] <= 0x3f {
			end++
		}
		if end < len(s) && s[end] >= 0x40 && s[end] <= 0x7e {
			return end + 1
		}
		return at
	case ']', 'P', 'X', '^', '_':
		if *endless {
			return at
		}
		if n := stringEnd(s[at:]); n > 0 {
			return at + n
		}
		*endless = true
		return at
	}
	if r != 0x1b {
		return size
	}
	end := 1
	for end < len(s) && s[end] >= 0x20 && s[end] <= 0x2f {
		end++
	}
	if end < len(s) && s[end] >= 0x30 && s[end] <= 0x7e {
		return end + 1
	}
	return 1
}

// stringEnd returns the length up to and with the end of a string sequence: BEL,
// ESC \ or its C1 form.
func stringEnd(s string) int {
	for i := range len(s) {
		switch {
		case s[i] == 0x07:
			return i + 1
		case s[i] == 0x1b && i+1 < len(s) && s[i+1] == '\\', s[i] == 0xc2 && i+1 < len(s) &&
			s[i+1] == 0x9c:
			return i + 2
		}
	}
	return 0
}
