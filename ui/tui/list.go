package tui

import (
	"fmt"
	"slices"
	"strings"

	"doctor/checks"
	"doctor/ui"
)

// wordsFrom is the width from which a row has room for the verdict's word.
const wordsFrom = 64

// list draws the rows from top on in w cells and h lines.
func list(r *checks.Report, rows []row, top, cursor, w, h int, focused bool, say voice) []line {
	var lines []line
	words := summariesFit(r, rows, w, say)
	ascii := say.ascii
	for i := top; i < min(top+h, len(rows)); i++ {
		l := line{cursorMark(i == cursor, ascii)}
		if i == cursor && !focused {
			l[0].ink = faint
		} else if rows[i].below() && cardHead(rows, i) == cursor && focused {
			l = line{{ownText("│", ascii) + " ", accent}}
		}
		l = append(l, rowLine(r, rows[i], w-3, i == cursor, words, say)...)
		lines = append(lines, l)
	}
	return lines
}

// cardHead is the selectable row that a line of a card, or of errors, belongs to.
func cardHead(rows []row, i int) int {
	for i > 0 && rows[i].below() {
		i--
	}
	return i
}

func rowLine(r *checks.Report, rw row, w int, selected, words bool, say voice) line {
	ascii := say.ascii
	switch rw.kind {
	case rowHeading:
		return line{{rw.text, strong}}
	case rowNote:
		return line{{show(rw.text, ascii), faint}}.fit(w, ascii)
	case rowGroup:
		name := show(say.Category(rw.category), ascii)
		l := line{{fold(rw.open, ascii) + " ", faint}, {padded(name, say.groupName()) + "  ",
			strong}}
		return append(l, summary(r, rw.members, words, say)...).fit(w, ascii)
	case rowRest:
		l := line{{"  " + fold(rw.open, ascii) + " ", faint}}
		return append(l, summary(r, rw.members, true, say)...).fit(w, ascii)
	case rowUnknown:
		l := line{{"  " + fold(rw.open, ascii) + " ", faint},
			{symbol(checks.StatusUnknown, ascii) + " ", inkOf(checks.StatusUnknown)}}
		said := say.T("%d could not run: %s", len(rw.members), rw.unknown.Reason(say.Catalogue))
		return append(l, span{show(said, ascii), plain}).fit(w, ascii)
	case rowCause:
		count := line{{say.follow(rw.follow), faint}}
		if n := count.width(); n > 0 { // the title is cut before the number
			return apart(resultLine(&r.Results[rw.index], rw.was, "", 0, w-n-2, selected, say),
				count, w)
		}
		return resultLine(&r.Results[rw.index], rw.was, "", 0, w, selected, say)
	case rowCard:
		return cardLine(&r.Results[rw.index], rw.part, say).fit(w, ascii)
	case rowErrors:
		return line{{rw.text + " ", inkIf(selected)}, {"(u)", accent}}.fit(w, ascii)
	case rowError:
		return line{{"  ", plain}, {rw.lead, faint}, {rw.text, plain}}.fit(w, ascii)
	case rowCheck:
		return resultLine(&r.Results[rw.index], rw.was, say.origin(r, &r.Results[rw.index]), 2, w,
			selected, say)
	}
	return nil
}

func fold(open, ascii bool) string {
	if open {
		return ownText("▾", ascii)
	}
	return ownText("▸", ascii)
}

func (say voice) follow(n int) string {
	switch n {
	case 0:
		return ""
	case 1:
		return say.T("1 follows")
	}
	return say.T("%d follow", n)
}

// origin names the cause of a consequence.
func (say voice) origin(r *checks.Report, res *checks.Result) string {
	if !res.Status.Fault() {
		return ""
	}
	for _, c := range r.Causes {
		if slices.Contains(res.ExplainedBy, c.ID) {
			return say.T("from %s", c.ID)
		}
	}
	return ""
}

// resultLine is a verdict: symbol, word and title, and at the right end where
// it stands among the faults, or what it was before it changed. Narrow lists
// leave the word away; the star of a change stays.
func resultLine(res *checks.Result, was checks.Status, right string, indent, w int, selected bool,
	say voice) line {
	ascii := say.ascii
	l := line{{strings.Repeat(" ", indent), plain}, {symbol(res.Status, ascii), inkOf(res.Status)},
		{" ", plain}}
	if was != "" {
		l[2] = span{"*", accent}
		right = say.T("was %s", say.Status(was))
	}
	if w >= wordsFrom {
		l = append(l, span{padded(show(say.Status(res.Status), ascii), say.statusWidth()),
			inkOf(res.Status)})
	}
	title := span{show(ui.RowTitle(res), ascii), inkIf(selected)}
	if !selected && (res.Status == checks.StatusSkip || res.Status == StatusWaiting) {
		title.ink = faint
	}
	mark := line{{show(right, ascii), faint}}
	if was != "" { // the title is cut before it
		mark[0].ink = accent
		return apart(append(l, title).fit(w-mark.width()-2, ascii), mark, w).fit(w, ascii)
	}
	return apart(append(l, title), mark, w).fit(w, ascii)
}

// summary counts what is open and the verdicts: "5 open 2 fail 14 pass", or by
// symbol where words have no room.
func summary(r *checks.Report, members []int, words bool, say voice) line {
	count := map[checks.Status]int{}
	for _, i := range members {
		count[r.Results[i].Status]++
	}
	var l line
	add := func(n int, s checks.Status, said string, ink ink) {
		if n == 0 {
			return
		}
		if len(l) > 0 {
			l = append(l, span{" ", plain})
		}
		if !words {
			said = fmt.Sprintf("%s%d", symbol(s, say.ascii), n)
		}
		l = append(l, span{said, ink})
	}
	open := count[StatusWaiting] + count[StatusReading]
	add(open, StatusWaiting, say.T("%d open", open), accent)
	for _, s := range byWeight {
		ink := inkOf(s)
		if s == checks.StatusPass {
			ink = faint // what is well stays quiet here
		}
		add(count[s], s, say.T("%d %s", count[s], say.Status(s)), ink)
	}
	return l
}

// summariesFit says whether all groups can be summed up in words, so that they look alike.
func summariesFit(r *checks.Report, rows []row, w int, say voice) bool {
	for _, rw := range rows {
		if rw.kind == rowGroup && say.groupName()+7+summary(r, rw.members, true, say).width() > w {
			return false
		}
	}
	return true
}

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
