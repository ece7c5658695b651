package signs

import (
	"sync"

	"doctor/checks/errcode"
	"doctor/checks/evidence"
	"doctor/checks/evidence/finder"
)

// needles are the texts to search for. Of a sign whose line must hold several
// texts the rarest is searched for, of those that are the same in every language.
type needles struct {
	list    []evidence.Sign // of the checks, then those of the texts that end one of them
	wanted  int             // how many of them are of the checks
	signs   [][]int         // text → the signs that it stands for
	whole   []bool          // sign → whether each of its texts is all of it
	longest int
	finder  *finder.Finder
	sources sync.Map // source → signs, without those that do not look in it
}

func newNeedles(list []evidence.Sign) *needles {
	n := &needles{list: withEnds(list), wanted: len(list)}
	index := map[string]int{}
	var texts []string
	for i, sign := range n.list {
		list, whole := needlesOf(sign)
		n.whole = append(n.whole, whole)
		for _, text := range list {
			at, ok := index[text]
			if !ok {
				at = len(texts)
				index[text] = at
				texts = append(texts, text)
				n.signs = append(n.signs, nil)
				n.longest = max(n.longest, len(text))
			}
			n.signs[at] = append(n.signs[at], i)
		}
	}
	n.finder = finder.New(texts)
	return n
}

// signsOf are the signs of each text that look in a source.
func (n *needles) signsOf(source string) [][]int {
	if known, ok := n.sources.Load(source); ok {
		return known.([][]int)
	}
	here := make([][]int, len(n.signs))
	for text, list := range n.signs {
		for _, i := range list {
			if n.list[i].LooksIn(source) {
				here[text] = append(here[text], i)
			}
		}
	}
	n.sources.Store(source, here)
	return here
}

// needlesOf is the text of a sign that stands in the fewest lines, or all that may stand for it
// where Windows prints it in its own language; whole tells whether the line needs no second look.
func needlesOf(sign evidence.Sign) (list []string, whole bool) {
	texts := append([]string{sign.Text}, sign.Also...)
	single := len(sign.Also)+len(sign.Not) == 0
	if ofStack(sign) { // the other lines of the stack are read from this one on
		texts = texts[:1]
	}
	var fixed []string
	for _, text := range texts {
		before, localized := errcode.Localized(text)
		if !localized {
			before = text
		}
		if len(before) >= finder.GoodText {
			fixed = append(fixed, before)
		}
	}
	if len(fixed) > 0 {
		return []string{rarest(fixed)}, single && fixed[0] == sign.Text
	}
	text := rarest(texts)
	if len(text) < finder.MinText {
		return nil, false
	}
	list = []string{text}
	for _, spelling := range errcode.Spellings(text) {
		if len(spelling) >= finder.GoodText {
			list = append(list, finder.Lower(spelling))
		}
	}
	before, _ := errcode.Localized(sign.Text)
	return list, single && before == ""
}

// rarest is the text that stands in the fewest lines, short ones aside: they
// would keep the search for all others from jumping.
func rarest(texts []string) string {
	best, most := "", -1
	for _, text := range texts {
		text = finder.Lower(text)
		rare := 0
		for _, c := range []byte(text) {
			rare += finder.MostCommon - finder.Commonness(c)
		}
		if len(text) < finder.GoodText {
			rare = 0
		}
		if rare > most || rare == most && len(text) > len(best) {
			best, most = text, rare
		}
	}
	return best
}
