package redact

import (
	"bytes"
	"strings"
)

// What logs write before a line: a time, a level, a stream, a place in the code.

const longestPrefix = 200

// levels are words that stand before the text of a line; in lower case.
var levels = setOf(`stdout stderr f p trace debug info warn warning error err fatal notice
		verbose inf wrn dbg ftl property(s property(c | > + // # ; :: * $`)

// payload is where the text of the line begins that begins at i, behind what a log,
// a terminal or another program wrote before it.
func payload(b []byte, i int) int {
	start := i
	for i < len(b) && i-start < longestPrefix {
		word := skipBlanks(b, i)
		end := upTo(b, word, 96, " \t\r\n")
		if end == word || !isBlank(byteAt(b, end)) || !isPrefixWord(b, word, end) {
			break
		}
		i = end + 1
	}
	return i
}

// isPrefixWord tells of one of the words before the text of a line.
func isPrefixWord(b []byte, start, end int) bool {
	word := bytes.Trim(b[start:end], "[]():,")
	if level, _, ok := bytes.Cut(word, []byte("[")); ok { // INFO[0001]
		word = level
	}
	if levels[strings.ToLower(string(word))] {
		return true
	}
	if b[end-1] == ']' && bytes.Contains(word, []byte(".go:")) {
		return true
	}
	if len(word) == 5 && among(word[0], "IWEF") && allDigits(word[1:]) {
		return true
	}
	return len(bytes.Trim(word, digits+"TZ:.,+-/")) == 0 && bytes.ContainsAny(word, digits)
}

// nextPayload passes the end of a line and what is written before the next.
func nextPayload(b []byte, i int) int { return payload(b, nextLine(b, i)) }

// skipFold passes blanks, and the end of a line that goes on behind a blank in the next one, as a header may.
func skipFold(b []byte, i int) int {
	i = skipGap(b, i)
	if next := nextPayload(b, i); isLine(byteAt(b, i)) && isBlank(byteAt(b, next)) {
		return skipBlanks(b, next)
	}
	return i
}

// beginsLine tells whether nothing but quotes and dashes of lists stand before
// a name in its line, and how far it is indented.
func (s *scan) beginsLine(i int) (indent int, first bool) {
	from := lineBack(s.b, i, 256)
	if i-from >= 256 {
		return 0, false
	}
	from = min(i, payload(s.b[:i], from))
	for at := from; at < i; at++ {
		if !among(s.b[at], " \t-\"'?$%") {
			return 0, false
		}
	}
	for i > from && (s.b[i-1] == '"' || s.b[i-1] == '\'') {
		i--
	}
	return i - from, true
}

// afterWord tells of a name that goes on a sentence, and is no key of a list.
func afterWord(b []byte, at int) bool {
	before := bytes.TrimRight(b[:at], " ")
	if len(before) == 0 || len(before) == at || !isAlnum(before[len(before)-1]) && !inToken(b, len(before)-1) {
		return false
	}
	from := lineBack(b, len(before), longestPrefix-(at-len(before)))
	return payload(b[:at], from) < len(before)
}

// moreWords tells whether other words follow in the line.
func moreWords(b []byte, i int) bool {
	line := bytes.TrimSpace(b[i:lineEnd(b, i)])
	return bytes.ContainsAny(line, " \t")
}
