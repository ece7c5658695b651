package spoken

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxSentence bounds what is read aloud before the user could ask for it.
const maxSentence = 300

// sentence is the first sentence of a text, with its full stop.
func sentence(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	for i := 0; i < len(text); i++ {
		if text[i] == '.' && strings.HasPrefix(text[i+1:], " ") &&
			endsSentence(text[:i], text[i+2:]) {
			text = text[:i]
			break
		}
	}
	if len(text) > maxSentence {
		return strings.ToValidUTF8(text[:maxSentence], "") + " (cut)."
	}
	if text == "" || strings.HasSuffix(text, ".") || strings.HasSuffix(text, "。") {
		return text
	}
	return text + "."
}

// endsSentence tells a full stop from that of an abbreviation: what follows is a
// capital, and what stands before is a word of more than one letter.
func endsSentence(before, after string) bool {
	next, _ := utf8.DecodeRuneInString(after)
	word := before[strings.LastIndexByte(before, ' ')+1:]
	return !unicode.IsLower(next) && utf8.RuneCountInString(word) > 1 &&
		!strings.HasSuffix(word, "e.g") && !strings.HasSuffix(word, "i.e")
}

// sentence is the first sentence of a text, with its full stop.
func (t *teller) sentence(text string) string {
	if t.lang == nil {
		return sentence(text)
	}
	text = strings.Join(strings.Fields(text), " ")
	if head, _, ends := strings.Cut(text, "。"); ends {
		text = head + "。"
	}
	if r := []rune(text); len(r) > maxSentence {
		return t.lang.T("%s (cut).", string(r[:maxSentence]))
	}
	return t.lang.T("%s.", strings.TrimRight(text, ".。"))
}

func (t *teller) count(n int, noun string) string { return t.lang.Count(n, noun) }

func (t *teller) size(n int64) string {
	switch {
	case n < 1<<10:
		return t.count(int(n), "byte")
	case n < 1<<20:
		return t.lang.T("%s kibibytes", fmt.Sprintf("%.1f", float64(n)/(1<<10)))
	}
	return t.lang.T("%s mebibytes", fmt.Sprintf("%.1f", float64(n)/(1<<20)))
}
