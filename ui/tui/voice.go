package tui

import (
	"slices"
	"strings"

	"doctor/checks"
	"doctor/ui"
	"doctor/ui/lang"
)

// A voice is how the screen says everything: in which language, and with which
// letters. What stands in the catalogue is looked up where it is drawn; the
// nil catalogue is English.
type voice struct {
	*lang.Catalogue
	ascii bool
}

// newVoice: Chinese has no letters in ASCII, and so is not spoken there.
func newVoice(opt Options) voice {
	if opt.ASCII {
		return voice{ascii: true}
	}
	return voice{Catalogue: opt.Lang}
}

func (say voice) style() ui.Style { return ui.Style{ASCII: say.ascii, Lang: say.Catalogue} }

// padded fills a word with spaces to a width in cells.
func padded(s string, w int) string { return s + strings.Repeat(" ", max(w-width(s), 0)) }

// statusWidth is the room for the word of a verdict, and two spaces.
func (say voice) statusWidth() int {
	list := append(slices.Clone(checks.Statuses), StatusReading, StatusWaiting)
	return widest(list, say.Status) + 2
}

// groupName is the width of the longest category.
func (say voice) groupName() int { return widest(checks.Categories, say.Category) }

func widest[T any](list []T, text func(T) string) int {
	n := 0
	for _, s := range list {
		n = max(n, width(text(s)))
	}
	return n
}
