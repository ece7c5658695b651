package evidence

import (
	"fmt"
	"strings"
)

// A Phrase is a sentence of doctor, or a part of one, as its English format and what fills it in.
// The two stay apart until the text is shown, so that another language can say it too. An argument
// may be a Phrase or a List itself; a string is a name or a text from outside, and stays as it is.
type Phrase struct {
	Format string // of the verbs of fmt; without arguments it is the text as it stands
	Args   []any
}

// Phrasef makes a Phrase.
//
//go:noinline
func Phrasef(format string, args ...any) Phrase { return Phrase{format, args} }

// String is the phrase in English.
func (p Phrase) String() string {
	if len(p.Args) == 0 {
		return p.Format
	}
	return fmt.Sprintf(p.Format, p.Args...)
}

// Error makes a Phrase an error, for a reason that is shown.
func (p Phrase) Error() string { return p.String() }

// A List is several things that a sentence names one after the other.
type List struct {
	Items []any // strings and Phrases
	Joint string
}

// Listed joins items by commas.
func Listed[T any](items []T) List { return Joined(items, ", ") }

// Joined joins items by one of the joints ", ", " and " and " or ".
func Joined[T any](items []T, joint string) List {
	l := List{Joint: joint}
	for _, item := range items {
		l.Items = append(l.Items, item)
	}
	return l
}

// String is the list in English.
func (l List) String() string {
	texts := make([]string, len(l.Items))
	for i, item := range l.Items {
		texts[i] = fmt.Sprint(item)
	}
	return strings.Join(texts, l.Joint)
}

// A Hole is where a format takes an argument.
type Hole struct {
	Start, End int
	Arg        int    // from 0
	Verb       string // without the percent sign and the number of the argument: "s", ".12s"
}

// Holes lists the verbs of a format in order. "%%" is none.
func Holes(format string) []Hole {
	var list []Hole
	next := 0
	for i := 0; i < len(format); i++ {
		if format[i] != '%' {
			continue
		}
		start, verb := i, i+1
		if number, rest, ok := strings.Cut(format[verb:], "]"); ok &&
			strings.HasPrefix(number, "[") {
			n := 0
			if _, err := fmt.Sscanf(number, "[%d", &n); err != nil || n < 1 {
				continue
			}
			next, verb = n-1, len(format)-len(rest)
		}
		end := verb
		for end < len(format) && strings.IndexByte("+#.0123456789", format[end]) >= 0 {
			end++
		}
		if end < len(format) && format[end] == '%' {
			i = end
			continue
		}
		if end == len(format) || strings.IndexByte("sdvqxfT", format[end]) < 0 {
			continue
		}
		list = append(list, Hole{start, end + 1, next, format[verb : end+1]})
		next, i = next+1, end
	}
	return list
}

// Literal is what a stretch of a format between its holes says.
func Literal(s string) string { return strings.ReplaceAll(s, "%%", "%") }

// Fill puts texts into the holes of a format. A hole without a text stays empty.
func Fill(format string, texts []string) string {
	var b strings.Builder
	at := 0
	for _, h := range Holes(format) {
		b.WriteString(Literal(format[at:h.Start]))
		if h.Arg < len(texts) {
			b.WriteString(texts[h.Arg])
		}
		at = h.End
	}
	b.WriteString(Literal(format[at:]))
	return b.String()
}

// texts formats each argument by the verb of its hole.
func texts(format string, args []any) []string {
	list := make([]string, len(args))
	for i, arg := range args {
		list[i] = fmt.Sprint(arg)
	}
	for _, h := range Holes(format) {
		if h.Arg < len(args) {
			list[h.Arg] = fmt.Sprintf("%"+h.Verb, args[h.Arg])
		}
	}
	return list
}
