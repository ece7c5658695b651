package lang

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// A phrase is an English sentence with holes, and the same in the language. It
// finds what stands in the holes of a sentence that was filled in already, as
// gaps and reasons are when they leave a check.
type phrase struct {
	start   string // what a sentence must begin with
	longest string // and what it must hold: these two tell most of them apart at once
	weight  int    // how many letters are the phrase's own
	holes   []string
	pattern func() *regexp.Regexp
	said    string
}

// A hole is a verb of fmt, with the number of its argument or without, or a
// placeholder of a fix such as {node}.
var hole = regexp.MustCompile(`%(?:\[(\d+)\])?([+#]?(?:\.\d+)?[sdvqx])|\{[a-zA-Z]+\}`)

func newPhrase(english, said string) phrase {
	p := phrase{said: said, holes: names(english)}
	literals, verbs := hole.Split(english, -1), hole.FindAllString(english, -1)
	p.start = literal(literals[0])
	var b strings.Builder
	b.WriteString("(?s)^")
	for i, l := range literals {
		if i > 0 {
			b.WriteString(holds(verbs[i-1]))
		}
		l = literal(l)
		p.weight += len(l)
		if len(l) > len(p.longest) {
			p.longest = l
		}
		b.WriteString(regexp.QuoteMeta(l))
	}
	b.WriteString("$")
	p.pattern = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(b.String()) })
	return p
}

// holds is what may stand in a hole.
func holds(verb string) string {
	if strings.HasSuffix(verb, "d") {
		return `(-?\d+)`
	}
	return "(.*?)"
}

func literal(s string) string { return strings.ReplaceAll(s, "%%", "%") }

// names lists the holes of a text: a verb goes by the number of its argument.
func names(text string) []string {
	var list []string
	next := 1
	for _, m := range hole.FindAllStringSubmatch(text, -1) {
		switch {
		case m[0][0] == '{':
			list = append(list, m[0])
			continue
		case m[1] != "":
			next, _ = strconv.Atoi(m[1])
		}
		list = append(list, strconv.Itoa(next))
		next++
	}
	return list
}

// longerFirst has the phrase tried first that says more of its own.
func longerFirst(a, b phrase) int {
	return cmp.Or(b.weight-a.weight, strings.Compare(a.said, b.said))
}

// match says the text in the language where it is this phrase's; in says what
// stood in the holes.
func (p phrase) match(text string, in func(string) string) (string, bool) {
	if !strings.HasPrefix(text, p.start) || !strings.Contains(text, p.longest) {
		return "", false
	}
	found := p.pattern().FindStringSubmatch(text)
	if found == nil {
		return "", false
	}
	filled := map[string]string{}
	for i, name := range p.holes {
		filled[name] = in(found[i+1])
	}
	return weave(p.said, func(name, _ string) string { return filled[name] }), true
}

// fill is Sprintf in Chinese; in says what strings and errors tell.
func fill(format string, args []any, in func(string) string) string {
	return weave(format, func(name, verb string) string {
		at, _ := strconv.Atoi(name)
		if at < 1 || at > len(args) {
			return ""
		}
		switch arg := args[at-1].(type) {
		case string:
			if verb == "s" {
				return in(arg)
			}
		case error:
			return in(arg.Error())
		}
		return fmt.Sprintf("%"+verb, args[at-1])
	})
}

func same(s string) string { return s }

// weave puts into each hole of a text what in says for its name and verb.
func weave(text string, in func(name, verb string) string) string {
	var said string
	at := 0
	places, verbs := hole.FindAllStringIndex(text, -1), hole.FindAllStringSubmatch(text, -1)
	for i, name := range names(text) {
		said = join(said, literal(text[at:places[i][0]]))
		said = join(said, in(name, verbs[i][2]))
		at = places[i][1]
	}
	return join(said, literal(text[at:]))
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

// maxPhrase bounds what is searched: no sentence of a check is longer, and
// longer text is from evidence.
const maxPhrase = 1000

// maxDepth bounds how deep phrases stand within phrases.
const maxDepth = 5

// Phrase says a sentence that is already filled in. What it does not know stays
// as it is: it may well be a name or a line of a log.
func (c *Catalogue) Phrase(text string) string { return c.phrase(text, maxDepth) }

func (c *Catalogue) phrase(text string, depth int) string {
	if c == nil || depth == 0 || text == "" || len(text) > maxPhrase {
		return text
	}
	if said, ok := c.exact[text]; ok {
		return said
	}
	for _, p := range c.phrases {
		if said, ok := p.match(text, func(s string) string { return c.phrase(s, depth-1) }); ok {
			return said
		}
	}
	return c.list(text, depth)
}

// joints are what checks put between the items of a list.
var joints = [][2]string{{", ", "、"}, {" or ", " 或 "}, {" and ", " 和 "}}

// maxItems is more than any check lists.
const maxItems = 32

// list says a list that a check put together, such as of fields with a hint
// each. One of which nothing is known stays as it is.
func (c *Catalogue) list(text string, depth int) string {
	for i, joint := range joints {
		items := strings.Split(text, joint[0])
		if len(items) == 1 || len(items) > maxItems {
			continue
		}
		known := i > 0 && !slices.ContainsFunc(items, func(s string) bool { return s == "" || strings.Contains(s, " ") })
		for i, item := range items {
			items[i] = c.phrase(item, depth-1)
			known = known || items[i] != item
		}
		if known {
			return strings.Join(items, joint[1])
		}
	}
	return text
}
