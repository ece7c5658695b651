package redact_test

import (
	"math/rand/v2"
	"regexp/syntax"
	"strings"
	"unicode"
)

// A walk writes a text that a regular expression matches. Where a repetition has no upper bound, or a
// high one, few are written: real texts have one space there, not fifty.
type walk struct {
	rnd   *rand.Rand
	group int // the group that is cut out, or 0
	found string
	out   strings.Builder
}

// exampleOf returns a text for the expression, and what its group holds in it.
func exampleOf(pattern string, group int, rnd *rand.Rand) (text, inGroup string, err error) {
	re, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return "", "", err
	}
	w := &walk{rnd: rnd, group: group}
	w.write(re)
	return w.out.String(), w.found, nil
}

func (w *walk) write(re *syntax.Regexp) {
	switch re.Op {
	case syntax.OpLiteral:
		w.out.WriteString(w.literal(re))
	case syntax.OpCharClass:
		w.out.WriteRune(w.runeOf(re.Rune))
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		w.out.WriteByte("abcdefghijklmnopqrstuvwxyz0123456789 "[w.rnd.IntN(37)])
	case syntax.OpCapture:
		before := w.out.Len()
		w.write(re.Sub[0])
		if re.Cap == w.group && w.found == "" {
			w.found = w.out.String()[before:]
		}
	case syntax.OpConcat:
		for _, sub := range re.Sub {
			w.write(sub)
		}
	case syntax.OpAlternate:
		w.write(re.Sub[w.rnd.IntN(len(re.Sub))])
	case syntax.OpQuest:
		w.repeat(re, 0, 1)
	case syntax.OpStar:
		w.repeat(re, 0, -1)
	case syntax.OpPlus:
		w.repeat(re, 1, -1)
	case syntax.OpRepeat:
		w.repeat(re, re.Min, re.Max)
	}
}

// literal writes a word that may have any case in one of those in which people write it.
func (w *walk) literal(re *syntax.Regexp) string {
	word := string(re.Rune)
	if re.Flags&syntax.FoldCase == 0 {
		return word
	}
	switch w.rnd.IntN(4) {
	case 0:
		return strings.ToUpper(word)
	case 1:
		return strings.ToUpper(word[:1]) + strings.ToLower(word[1:])
	default:
		return strings.ToLower(word)
	}
}

func (w *walk) repeat(re *syntax.Regexp, least, most int) {
	if few := max(least+2, least*5/4); most < 0 || most > few {
		most = few
	}
	for range least + w.rnd.IntN(most-least+1) {
		w.write(re.Sub[0])
	}
}

// runeOf picks a character of a class: a visible one if it has one, and of those a letter or a digit
// rather than a sign, because a class such as [^"] would else give texts that nobody writes.
func (w *walk) runeOf(ranges []rune) rune {
	var common, visible, all []rune
	for i := 0; i < len(ranges); i += 2 {
		for r := ranges[i]; r <= min(ranges[i+1], unicode.MaxASCII); r++ {
			all = append(all, r)
			if r > ' ' && r < 0x7f {
				visible = append(visible, r)
			}
			if unicode.IsLetter(r) || unicode.IsDigit(r) {
				common = append(common, r)
			}
		}
	}
	switch {
	case len(common) > 0 && (len(common) == len(visible) || w.rnd.IntN(12) > 0):
		return common[w.rnd.IntN(len(common))]
	case len(visible) > 0:
		return visible[w.rnd.IntN(len(visible))]
	case len(all) > 0:
		for _, r := range all {
			if r == ' ' {
				return r
			}
		}
		return all[w.rnd.IntN(len(all))]
	}
	return ranges[0]
}
