package lang

import (
	"cmp"
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"doctor/checks/evidence"
)

// Phrase says a text that doctor has in a table, such as the name of a collector
// or the meaning of a code. One that the catalogue does not hold stays as it is.
func (c *Catalogue) Phrase(english string) string {
	if c == nil {
		return english
	}
	return cmp.Or(c.phrases[english], english)
}

// Say says a phrase, and the phrases in it.
func (c *Catalogue) Say(p evidence.Phrase) string {
	if c == nil {
		return p.String()
	}
	if len(p.Args) == 0 {
		return c.Phrase(p.Format)
	}
	return c.fill(c.Phrase(p.Format), p.Args)
}

// fill is Sprintf for a text of the language.
func (c *Catalogue) fill(format string, args []any) string {
	return weave(format, func(h evidence.Hole) string {
		if h.Arg >= len(args) {
			return ""
		}
		return c.arg(args[h.Arg], h.Verb)
	})
}

// arg says what stands in a hole. A string is from outside, or the same in
// every language.
func (c *Catalogue) arg(arg any, verb string) string {
	switch arg := arg.(type) {
	case evidence.Phrase:
		return c.Say(arg)
	case evidence.List:
		return c.list(arg)
	case evidence.Ready:
		return string(arg)
	case error:
		var fault *evidence.SyntaxFault
		if errors.As(arg, &fault) {
			return c.syntax(fault)
		}
	}
	return fmt.Sprintf("%"+verb, arg)
}

// syntax says why a JSON file of the node does not parse.
func (c *Catalogue) syntax(f *evidence.SyntaxFault) string {
	if f.Comment {
		return c.Say(
			evidence.Phrasef("line %d: JSON allows no comments; delete this one and its marker",
				f.Line))
	}
	return c.Say(evidence.Phrasef("line %d: %s", f.Line, evidence.Phrasef(f.Err.Error())))
}

// joints are what checks put between the items of a list.
var joints = map[string]string{", ": "、", " or ": " 或 ", " and ": " 和 "}

// list says the items of a list, and what stands between them.
func (c *Catalogue) list(l evidence.List) string {
	items := make([]string, len(l.Items))
	for i, item := range l.Items {
		items[i] = c.arg(item, "v")
	}
	return strings.Join(items, cmp.Or(joints[l.Joint], l.Joint))
}

// weave puts into each hole of a text what in says for it.
func weave(text string, in func(evidence.Hole) string) string {
	var said string
	at := 0
	for _, h := range evidence.Holes(text) {
		said = join(said, evidence.Literal(text[at:h.Start]))
		said = join(said, in(h))
		at = h.End
	}
	return join(said, evidence.Literal(text[at:]))
}

// join drops the space between Chinese and Chinese: it parts Chinese from Latin
// letters only.
func join(a, b string) string {
	left, right := strings.TrimSuffix(a, " "), strings.TrimPrefix(b, " ")
	last, _ := utf8.DecodeLastRuneInString(left)
	first, _ := utf8.DecodeRuneInString(right)
	if left != "" && right != "" && wide(last) && wide(first) {
		return left + right
	}
	return a + b
}

// wide tells Chinese characters and their punctuation.
func wide(r rune) bool {
	return unicode.Is(unicode.Han, r) || r > 0x3000 && r < 0x3040 || r > 0xff00 && r < 0xff60
}
