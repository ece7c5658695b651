package lang

import (
	"fmt"
	"hash/crc32"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"doctor/checks"
	"doctor/checks/errcode"
	"doctor/checks/evidence"
	"doctor/checks/faults"
)

// missing is how many sentences have no Chinese yet. It may only shrink: raise
// it for nothing but a merge, and translate what came in soon.
const missing = 0

func TestEverySentenceHasItsChinese(t *testing.T) {
	c := Of("zh", faults.Catalogue())
	var lacks []string
	need := func(ok bool, where, text string) {
		if !ok {
			lacks = append(lacks, where+": "+text)
		}
	}
	for _, check := range faults.Catalogue().All() {
		e := c.checks[check.ID]
		if of := check.TitleOf.Format; of != "" {
			need(c.phrases[of] != "", check.ID, of)
			need(c.phrases[check.HealthyOf.Format] != "", check.ID, check.HealthyOf.Format)
			need(c.phrases[check.DocOf.Format] != "", check.ID, check.DocOf.Format)
			for _, step := range check.Fix.Steps {
				need(step.TextOf.Format == "" || c.phrases[step.TextOf.Format] != "", check.ID,
					step.TextOf.Format)
			}
		} else {
			need(e.Title != "", check.ID, check.Title)
			need(e.Doc != "", check.ID, check.Doc)
			need(e.Healthy != "" || check.Healthy == "", check.ID, check.Healthy)
		}
		for _, n := range check.FAQ {
			need(c.FAQ(n) != "", check.ID, fmt.Sprintf("entry %d of the FAQ", n))
		}
		for _, s := range check.Signs {
			need(s.Says == "" || c.phrases[s.Says] != "", check.ID, s.Says)
		}
	}
	for _, e := range faults.Catalogue().Effects() {
		need(c.words[e.Name] != "", e.ID, e.Name)
	}
	for _, code := range errcode.All() {
		need(c.phrases[code.Meaning] != "", code.Symbol, code.Meaning)
	}
	evidence.EachCode(func(code evidence.Code, text string, _ bool) {
		need(c.gaps[code] != "", string(code), text)
	})
	sources := parse(t, checkFolders...)
	for _, f := range formats(t, sources) {
		need(c.phrases[f.text] != "", f.where, f.text)
	}
	for _, s := range append(sources, parse(t, gapFolders...)...) {
		for _, p := range s.phrases() {
			need(c.phrases[p.text] != "", p.where, p.text)
		}
	}
	for _, w := range words(t) {
		need(c.words[w.text] != "", w.where, w.text)
	}
	if len(lacks) > missing {
		t.Errorf("%d sentences have no Chinese, and %d may lack it; add them to the files in zh:\n%s", len(lacks), missing, strings.Join(lacks, "\n"))
	}
	if len(lacks) < missing {
		t.Errorf("only %d sentences lack their Chinese by now: lower the constant `missing`",
			len(lacks))
	}
}

// gapFolders hold what the checks do not say themselves: why evidence is missing, and why a line is
// worth a look.
var gapFolders = []string{"../../checks/evidence", "../../collectors", "../../collectors/node",
	"../../collectors/cluster", "../../collectors/onnode", "../../collectors/probe",
	"../../collectors/pack"}

// cobras are sentences of the help that the flag library says.
var cobras = []string{"Generate the autocompletion script for the specified shell",
	"Help about any command"}

// TestNothingIsTranslatedThatNobodySays: a sentence that was reworded leaves its
// old translation behind, and its new wording without one.
func TestNothingIsTranslatedThatNobodySays(t *testing.T) {
	c := Of("zh", faults.Catalogue())
	for id := range c.checks {
		if faults.Catalogue().ByID(id) == nil {
			t.Errorf("there is no check %s", id)
		}
	}
	known := map[evidence.Code]bool{}
	evidence.EachCode(func(code evidence.Code, _ string, _ bool) { known[code] = true })
	for code := range c.gaps {
		if !known[code] {
			t.Errorf("there is no gap %s", code)
		}
	}
	texts := everyText(t)
	for english := range c.phrases {
		if !texts.hold(english) && !slices.Contains(cobras, english) &&
			!slices.ContainsFunc(errcode.All(), func(code errcode.Code) bool {
				return code.Meaning == english
			}) {
			t.Errorf("nothing says %q", english)
		}
	}
	used := map[string]bool{}
	for _, e := range faults.Catalogue().Effects() {
		used[e.Name] = true
	}
	for _, w := range words(t) {
		used[w.text] = true
	}
	for english := range c.words {
		if !used[english] && !texts.hold(english) && !strings.HasSuffix(english, ": %s") {
			t.Errorf("the interface does not say %q", english)
		}
	}
}

// TestTheEnglishIsStillTheOneThatWasTranslated: a documentation that was
// rewritten has an old translation, which reads well and is wrong.
func TestTheEnglishIsStillTheOneThatWasTranslated(t *testing.T) {
	for id, e := range Of("zh", faults.Catalogue()).checks {
		if k := faults.Catalogue().ByID(id); k != nil && e.Of != checksum(k) {
			t.Errorf("%s: the English changed since it was translated: read title, healthy and doc again, then write of = %q", id, checksum(k))
		}
	}
}

// checksum is of the English that goes by a check's id.
func checksum(k *checks.Check) string {
	return fmt.Sprintf("%08x",
		crc32.ChecksumIEEE([]byte(strings.Join([]string{k.Title, k.Healthy, k.Doc}, "\x00"))))
}

var placeholder = regexp.MustCompile(`\{[a-zA-Z]+\}`)

// TestTranslationsHoldWhatTheEnglishHolds: the same holes of the same kinds,
// the same placeholders, as many paragraphs, and Chinese.
func TestTranslationsHoldWhatTheEnglishHolds(t *testing.T) {
	c := Of("zh", faults.Catalogue())
	for id, e := range c.checks {
		check := faults.Catalogue().ByID(id)
		if check == nil {
			continue
		}
		for english, said := range map[string]string{check.Title: e.Title, check.Healthy: e.Healthy,
			check.Doc: e.Doc} {
			a, b := placeholder.FindAllString(english, -1), placeholder.FindAllString(said, -1)
			slices.Sort(a)
			slices.Sort(b)
			if !slices.Equal(slices.Compact(a), slices.Compact(b)) {
				t.Errorf("%s: the placeholders are %v, and in Chinese %v: %s", id, a, b, said)
			}
			if english != "" && said != "" && !chineseIn(said) {
				t.Errorf("%s: no Chinese in %q", id, said)
			}
		}
		if a, b := strings.Count(check.Doc, "\n\n"), strings.Count(e.Doc, "\n\n"); a != b {
			t.Errorf("%s: the documentation has %d paragraphs, and in Chinese %d", id, a+1, b+1)
		}
	}
	evidence.EachCode(func(code evidence.Code, text string, _ bool) {
		if a, b := verbs(text), verbs(c.gaps[code]); !maps.Equal(a, b) {
			t.Errorf("%s has the verbs %v, and its Chinese %v: %q", code, a, b, c.gaps[code])
		}
	})
	for _, table := range []map[string]string{c.phrases, c.words} {
		for english, said := range table {
			if a, b := verbs(english), verbs(said); !maps.Equal(a, b) {
				t.Errorf("%q has the verbs %v, and its Chinese %v: %q", english, a, b, said)
			}
		}
	}
}

// verbs maps the number of each argument to how it is printed.
func verbs(text string) map[int]string {
	found := map[int]string{}
	for _, h := range evidence.Holes(text) {
		found[h.Arg] = h.Verb
	}
	return found
}

func chineseIn(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool { return unicode.Is(unicode.Han, r) })
}
