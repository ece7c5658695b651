package errcode

import (
	"strings"
	"testing"
)

func TestMessagesOfWindowsInEachLanguage(t *testing.T) {
	seen := map[string]string{}
	for _, m := range messages() {
		if len(m.others) != Languages() {
			t.Errorf("%s is there in %d languages, not in %d", m.english, len(m.others), Languages())
		}
		line := "open C:\\a: " + m.english + "."
		if got := English(line); got != line {
			t.Errorf("%s becomes %s", line, got)
		}
		for language, other := range m.others {
			if other == "" {
				continue
			}
			if english, twice := seen[other]; twice && english != m.english {
				t.Errorf("%s is %s and %s", other, m.english, english)
			}
			seen[other] = m.english
			translated := Translated(line, language)
			if translated == line || !strings.Contains(English(translated), m.english) {
				t.Errorf("%s becomes %s, and that %s", line, translated, English(translated))
			}
		}
	}
}
