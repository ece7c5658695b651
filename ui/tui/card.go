package tui

import (
	"doctor/checks"
	"doctor/ui"
)

// A cause is a card: the fault, the sentence that says what was found, the
// evidence that proves it and the first thing to do, each in one line. Where
// there is less room, the last go first, the evidence before the fix.

// A cardPart is what one line of a card says.
type cardPart int

const (
	cardMessage cardPart = iota
	cardFix
	cardProof
)

// maxCard is all lines of a card.
const maxCard = 4

// cardOf says how many lines a card has, and whether a blank line parts them,
// where so many causes, and as many lines of errors, leave at least a third of the list to the
// checks.
func cardOf(causes, errors int, l layout) (lines int, apart bool) {
	least := 1
	if l.height >= tallFrom {
		least = 2
	}
	if errors > 0 {
		errors++ // the blank line before them
	}
	each := (l.listLines()*2/3 - 2 - errors) / max(causes, 1)
	switch {
	case l.height < tallFrom:
		return max(min(each, 2), least), false
	case each > maxCard:
		return maxCard, true
	case each == maxCard:
		return maxCard - 1, true
	}
	return max(each, least), false
}

// cardRows are the lines below the fault's title.
func cardRows(res *checks.Result, index, lines int, say voice) []row {
	parts := []cardPart{cardMessage, cardFix}
	if lines >= maxCard {
		parts = []cardPart{cardMessage, cardProof, cardFix}
	}
	var rows []row
	for _, part := range parts {
		if len(rows) < lines-1 && say.cardText(res, part) != "" {
			rows = append(rows, row{kind: rowCard, index: index, part: part})
		}
	}
	return rows
}

func (say voice) cardText(res *checks.Result, part cardPart) string {
	switch {
	case part == cardFix:
		return say.Say(res.Fix.InOneLine())
	case len(res.Findings) == 0:
		return ""
	case part == cardMessage:
		return say.sentence(res.Findings[0])
	}
	for _, b := range res.Findings[0].Because {
		return ui.Where(b.Place()) + "  " + b.Text
	}
	return ""
}

// cardLine draws one line of a card.
func cardLine(res *checks.Result, part cardPart, say voice) line {
	l := line{{"  ", plain}}
	if part == cardFix {
		l = append(l, span{say.T("fix") + " ", faint})
		if s := res.Fix.First(); s != nil && s.Command != "" { // it stands for the fix
			l = append(l, span{"> ", accent})
		}
	}
	text := span{show(say.cardText(res, part), say.ascii), plain}
	if part == cardProof {
		text.ink = faint
	}
	return append(l, text)
}
