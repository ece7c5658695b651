package errcode

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"doctor/checks/packed"
)

var messageTable = packed.Text(tableFiles, "messages.tsv")

// A message is what Windows says of one of its errors in one of its languages, without the period.
type message struct {
	Code
	text, lower string
	english     string // as signs have it, in lower case
}

// messages lists what Windows says. The first message of a code is the English one.
var messages = sync.OnceValue(func() []message {
	var list []message
	for line := range strings.Lines(string(messageTable())) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		fields := strings.Split(strings.TrimSpace(line), "\t")
		if len(fields) != 3 {
			panic("errcode: messages.tsv: " + line)
		}
		code, text := Of(fields[0]), fields[2]
		english := strings.ToLower(text)
		if len(list) > 0 && list[len(list)-1].Code == code {
			english = list[len(list)-1].english
		}
		list = append(list, message{code, text, strings.ToLower(text), english})
		if straight := strings.ReplaceAll(text, "’", "'"); straight != text {
			list = append(list, message{code, straight, strings.ToLower(straight), english})
		}
	}
	return list
})

// Messages lists what Windows says in all languages, without the period.
func Messages() []string {
	var list []string
	for _, m := range messages() {
		list = append(list, m.text)
	}
	return list
}

// IsMessage tells whether a line is a message of Windows and nothing else.
func IsMessage(line string) bool {
	line = strings.TrimRight(strings.ToLower(strings.TrimSpace(line)), ".。 ")
	return slices.ContainsFunc(messages(), func(m message) bool { return m.lower == line })
}

// isEnglish tells whether the message is worded as signs word it.
func (m message) isEnglish() bool { return m.lower == m.english }

// foreignIn lists the messages in a text in lower case that are not worded as signs word them.
func foreignIn(lower string) []message {
	return slices.DeleteFunc(slices.Clone(messages()), func(m message) bool {
		return m.isEnglish() || !strings.Contains(lower, m.lower)
	})
}

// Shows tells whether a log line, which is in lower case, would have the text, were it printed by an
// English Windows: it has a message of Windows in another language, or the number alone.
func Shows(lower, text string) bool {
	p := partOf(text)
	if p.codes == nil || !strings.Contains(lower, p.before) {
		return false
	}
	return slices.ContainsFunc(p.others, func(other string) bool {
		return strings.Contains(lower, other)
	}) || slices.ContainsFunc(p.shorts, func(short string) bool { return announcedIn(lower, short) })
}

// announcedIn tells whether a text in lower case has a short number behind words that say what it is.
func announcedIn(lower, short string) bool {
	for from := 0; ; {
		at := strings.Index(lower[from:], short)
		if at < 0 {
			return false
		}
		at, from = from+at, from+at+len(short)
		if at == 0 || !strings.Contains(" #(:", lower[at-1:at]) {
			continue // most digits of a log are of longer numbers
		}
		words := lower[max(0, at-maxWords):min(from+1, len(lower))]
		if !strings.Contains(words, "err") && !strings.Contains(words, "(0x") && !strings.Contains(words, "exception (") {
			continue // in each form of announced one of them stands
		}
		if m := announced.FindStringSubmatch(words); m != nil && slices.Contains(m[1:], short) {
			return true
		}
	}
}

// maxWords are the words that announce a number: "Windows System Error code ".
const maxWords = 24

// A part of a message is told from a chance word by its length.
const (
	minPart  = 6  // all of a text, such as "denied"
	minStart = 12 // the end of a text
)

// Localized tells whether Windows prints the text, or its end, in its own language, and returns what
// stands before that.
func Localized(text string) (before string, is bool) {
	part := partOf(text)
	return part.before, part.codes != nil
}

// Spellings lists how else logs show a text of which all is a message of Windows: in other
// languages, and as a number that means something by itself.
func Spellings(text string) []string {
	var list []string
	for _, code := range partOf(text).codes {
		for _, m := range messages() {
			if m.Code == code && !m.isEnglish() {
				list = append(list, m.text)
			}
		}
		list = append(list, code.Forms()...)
		list = append(list, fmt.Sprint("winapi error #", code.Number))
	}
	return list
}

// Says tells whether the text has the message of the code, or a part of it.
func Says(text string, code Code) bool { return slices.Contains(partOf(text).codes, code) }

// A part says which errors' English messages a text has a part of, what stands before it, what shows
// the same: in another language or as a number, in lower case; and the numbers that are too short.
type part struct {
	before         string
	codes          []Code
	others, shorts []string
}

var parts sync.Map // by text: checks ask for the same few hundred

func partOf(text string) part {
	if p, ok := parts.Load(text); ok {
		return p.(part)
	}
	p := findPart(strings.ToLower(text))
	for _, m := range messages() {
		if slices.Contains(p.codes, m.Code) && !m.isEnglish() {
			p.others = append(p.others, p.before+m.lower)
		}
	}
	for _, code := range p.codes {
		for _, form := range code.Forms() {
			p.others = append(p.others, strings.ToLower(form))
		}
		p.shorts = append(p.shorts, code.String())
	}
	parts.Store(text, p)
	return p
}

func findPart(lower string) part {
	if len(lower) < minPart {
		return part{before: lower}
	}
	p := part{}
	for _, m := range messages() {
		// a word within a message, such as endpoint, says nothing of the error
		if m.isEnglish() && (strings.HasPrefix(m.english, lower) || strings.HasSuffix(m.english, lower)) {
			p.codes = append(p.codes, m.Code)
		}
	}
	if p.codes != nil {
		return p
	}
	p.before = lower
	for _, m := range messages() {
		if !m.isEnglish() {
			continue
		}
		before, _, ok := strings.Cut(lower, m.english)
		for n := len(m.english) - 1; !ok && n >= minStart; n-- {
			before, ok = strings.CutSuffix(lower, m.english[:n])
		}
		if ok {
			p.codes = append(p.codes, m.Code)
			p.before = p.before[:min(len(p.before), len(before))]
		}
	}
	return p
}
