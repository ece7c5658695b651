package errcode

import (
	_ "embed" // the table
	"strings"
	"sync"
)

//go:embed messages.tsv
var messageTable string

// A message is what Windows says for a code: in English, and in its other languages in the order of
// the table's columns, empty where the table has none.
type message struct {
	english string
	others  []string
}

var messages = sync.OnceValue(func() []message {
	var list []message
	for line := range strings.Lines(messageTable) {
		if !strings.HasPrefix(line, "#") {
			fields := strings.Split(strings.TrimRight(line, "\r\n"), "\t")
			list = append(list, message{fields[0], fields[1:]})
		}
	}
	return list
})

// Languages is the number of Windows' other languages.
func Languages() int { return len(messages()[0].others) }

// Translated is a text with Windows' messages in the language of that number. It is the same text
// where it has none that is known in it.
func Translated(text string, language int) string {
	for _, m := range messages() {
		if other := m.others[language]; other != "" {
			text = strings.ReplaceAll(text, m.english, other)
		}
	}
	return text
}

var toEnglish = sync.OnceValue(func() *strings.Replacer {
	var pairs []string
	for _, m := range messages() {
		for _, other := range m.others {
			if other != "" {
				pairs = append(pairs, other, m.english)
			}
		}
	}
	return strings.NewReplacer(pairs...)
})

// English is a text with Windows' messages in English, whatever language they are in.
func English(text string) string { return toEnglish().Replace(text) }
