package signs

import (
	"strings"

	"doctor/checks/evidence"
	"doctor/checks/evidence/finder"
)

// needles are the texts to search for. Of a sign whose line must hold several
// texts the rarest is searched for.
type needles struct {
	list    []evidence.Sign // of the checks, then those of the texts that end one of them
	wanted  int             // how many of them are of the checks
	signs   [][]int         // text → the signs that it stands for
	longest int
	finder  *finder.Finder
}

func newNeedles(list []evidence.Sign) *needles {
	n := &needles{list: withEnds(list), wanted: len(list)}
	index := map[string]int{}
	var texts []string
	for i, sign := range n.list {
		text := needle(sign)
		if len(text) < finder.MinText {
			continue
		}
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
	n.finder = finder.New(texts)
	return n
}

// needle is the text of a sign that stands in the fewest lines, short ones
// aside: they would keep the search for all others from jumping.
func needle(sign evidence.Sign) string {
	best, rarest := "", -1
	for _, text := range append([]string{sign.Text}, sign.Also...) {
		text = strings.Map(smallASCII, text)
		rare := 0
		for _, c := range []byte(text) {
			rare += finder.MostCommon - finder.Commonness(c)
		}
		if short := len(text) < finder.GoodText; short {
			rare = 0
		}
		if rare > rarest || rare == rarest && len(text) > len(best) {
			best, rarest = text, rare
		}
	}
	return best
}

// smallASCII is a letter as the finder sees it: it folds those of ASCII alone.
func smallASCII(r rune) rune {
	if 'A' <= r && r <= 'Z' {
		return r - 'A' + 'a'
	}
	return r
}
