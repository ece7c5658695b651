// Package lang holds what doctor says in another language: one folder of
// catalogues for each, keyed by a check's id or by the English sentence itself.
// Whatever a catalogue does not hold is said in English, so that a missing
// translation costs a reader a sentence and never the answer.
package lang

import (
	"embed"
	"fmt"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/pelletier/go-toml/v2"

	"doctor/checks"
	"doctor/checks/evidence"
)

//go:embed zh/*.toml
var folders embed.FS

// Languages lists the languages that --lang takes.
var Languages = []string{"en", "zh"}

// A Catalogue is one language. The nil Catalogue is English, and so every
// method answers on it.
type Catalogue struct {
	of       *checks.Catalogue // whose checks it translates
	checks   map[string]entry
	words    map[string]string // the interface's own
	messages map[string]string // formats of findings, whole
	phrases  []phrase          // sentences that are already filled in: gaps, reasons, what findings quote
	exact    map[string]string // those of them that have nothing to fill in
	faq      map[string]string // entries of the documentation's FAQ, by number
	fixes    map[string]fixed  // by the id of the check
}

// fixed is a check's fix, to be found again in a report with the node's names in it.
type fixed struct{ text, impact phrase }

// leastMessage is how many letters of its own tell a message from a line of a log.
const leastMessage = 20

// An entry is what the catalogue has on one check.
type entry struct {
	Title, Doc  string
	Fix, Impact string
	Of          string            // the English that was translated, as a checksum
	Messages    map[string]string // what its findings and signs say
	Phrases     map[string]string // what its gaps, its reasons and its other fixes say
}

// A file is one file of a language's folder.
type file struct {
	Checks                   map[string]entry
	Words, Messages, Phrases map[string]string
	FAQ                      map[string]string
}

// Of returns what is said of the checks in a language, or nil for English and
// for a language that doctor does not speak.
func Of(language string, of *checks.Catalogue) *Catalogue {
	if language != "zh" {
		return nil
	}
	opened.Lock()
	defer opened.Unlock()
	if opened.catalogues[of] == nil {
		c, err := read("zh", of)
		if err != nil {
			panic(err) // what is embedded was read by a test
		}
		opened.catalogues[of] = c
	}
	return opened.catalogues[of]
}

// opened keeps what was read: a language is some thousand sentences.
var opened = struct {
	sync.Mutex
	catalogues map[*checks.Catalogue]*Catalogue
}{catalogues: map[*checks.Catalogue]*Catalogue{}}

func read(folder string, of *checks.Catalogue) (*Catalogue, error) {
	c := &Catalogue{of, map[string]entry{}, map[string]string{}, map[string]string{}, nil, map[string]string{}, map[string]string{}, map[string]fixed{}}
	list, err := files(folder)
	if err != nil {
		return nil, err
	}
	for name, f := range list {
		if err := c.add(f); err != nil {
			return nil, fmt.Errorf("%s/%s: %w", folder, name, err)
		}
	}
	slices.SortFunc(c.phrases, longerFirst)
	return c, nil
}

// files are those of a language's folder, by name.
func files(folder string) (map[string]file, error) {
	names, err := folders.ReadDir(folder)
	if err != nil {
		return nil, err
	}
	list := map[string]file{}
	for _, n := range names {
		content, err := folders.ReadFile(path.Join(folder, n.Name()))
		if err != nil {
			return nil, err
		}
		var f file
		if err := toml.Unmarshal(content, &f); err != nil {
			return nil, fmt.Errorf("%s/%s: %w", folder, n.Name(), err)
		}
		list[n.Name()] = f
	}
	return list, nil
}

// add takes a file in. One English sentence has one translation: two would
// make the same fault read differently by where it was found.
func (c *Catalogue) add(f file) error {
	for id, e := range f.Checks {
		if _, twice := c.checks[id]; twice {
			return fmt.Errorf("%s stands in two files", id)
		}
		c.checks[id] = e
		if check := c.of.ByID(id); check != nil {
			c.fixes[id] = fixed{newPhrase(check.Fix.Text, e.Fix), newPhrase(check.Fix.Impact, e.Impact)}
		}
		if err := c.sentences(e.Messages, e.Phrases); err != nil {
			return fmt.Errorf("%s: %w", id, err)
		}
	}
	for english, said := range f.Words {
		if had, twice := c.words[english]; twice && had != said {
			return fmt.Errorf("%q is said in two ways", english)
		}
		c.words[english] = said
	}
	maps.Copy(c.faq, f.FAQ)
	return c.sentences(f.Messages, f.Phrases)
}

func (c *Catalogue) sentences(messages, phrases map[string]string) error {
	for english, said := range messages {
		if had, twice := c.messages[english]; twice && had != said {
			return fmt.Errorf("%q is said in two ways", english)
		}
		c.messages[english] = said
		if !strings.Contains(english, "%") { // a sign's sentence is quoted by other findings
			if err := c.whole(english, said); err != nil {
				return err
			}
		} else if p := newPhrase(english, said); p.weight >= leastMessage { // a report that was read from a file holds no formats
			c.phrases = append(c.phrases, p)
		}
	}
	for english, said := range phrases {
		if !strings.Contains(english, "%") {
			if err := c.whole(english, said); err != nil {
				return err
			}
			continue
		}
		c.phrases = append(c.phrases, newPhrase(english, said))
	}
	return nil
}

// whole takes in a sentence without holes.
func (c *Catalogue) whole(english, said string) error {
	if had, twice := c.exact[english]; twice && had != said {
		return fmt.Errorf("%q is said in two ways", english)
	}
	c.exact[english] = said
	return nil
}

// Word says a word or a sentence of the interface as it stands; the key is the
// English itself.
func (c *Catalogue) Word(english string) string {
	if c == nil {
		return english
	}
	return or(c.words[english], english)
}

// T says a sentence of the interface and fills it in as Sprintf does.
func (c *Catalogue) T(english string, args ...any) string {
	if said := c.Word(english); said != english && len(args) > 0 {
		return fill(said, args, same)
	} else if len(args) == 0 {
		return said
	}
	return fmt.Sprintf(english, args...)
}

// Count says "1 check" or "3 checks"; the key is the noun in the singular.
func (c *Catalogue) Count(n int, noun string) string {
	switch {
	case c != nil && c.words["%d "+noun] != "":
		return fill(c.words["%d "+noun], []any{n}, same)
	case n == 1:
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// Category is the name of a category of checks.
func (c *Catalogue) Category(of checks.Category) string { return c.Word(string(of)) }

// Status is the word for a verdict.
func (c *Catalogue) Status(s checks.Status) string { return c.Word(string(s)) }

// FAQ is the question of an entry of the troubleshooting FAQ, in the words of
// the documentation in the language; "" in English.
func (c *Catalogue) FAQ(entry int) string {
	if c == nil {
		return ""
	}
	return c.faq[strconv.Itoa(entry)]
}

func or(said, english string) string {
	if said == "" {
		return english
	}
	return said
}

// Check is the check with all that explain tells of it in the language.
func (c *Catalogue) Check(k *checks.Check) *checks.Check {
	if c == nil {
		return k
	}
	e, told := c.checks[k.ID], *k
	told.Title, told.Doc = or(e.Title, k.Title), or(e.Doc, k.Doc)
	told.Fix.Text, told.Fix.Impact = or(e.Fix, k.Fix.Text), or(e.Impact, k.Fix.Impact)
	told.Signs = slices.Clone(k.Signs)
	for i := range told.Signs {
		told.Signs[i].Says = c.Phrase(told.Signs[i].Says)
	}
	return &told
}

// Filled is a fix of a report, in which the node's own names are filled in.
func (c *Catalogue) Filled(id string, f checks.Fix) checks.Fix {
	if c == nil {
		return f
	}
	f.Text = c.refill(c.fixes[id].text, f.Text)
	f.Impact = c.refill(c.fixes[id].impact, f.Impact)
	return f
}

// refill puts what was filled into the English template into the other one. A
// text that is not of the template is a cure for one finding, and a phrase.
func (c *Catalogue) refill(template phrase, text string) string {
	if template.said != "" {
		if filled, ok := template.match(text, c.Phrase); ok {
			return filled
		}
	}
	return c.Phrase(text)
}

// Message is the sentence of a finding. One whose format is not known, such as
// that of a report which was read from a file, is looked up as it stands.
func (c *Catalogue) Message(f checks.ReportFinding) string {
	if c == nil {
		return f.Message
	}
	said, ok := c.messages[f.Format]
	if f.Format == "%s" && len(f.Args) == 1 {
		said, ok = f.Format, true
	}
	if !ok || f.Format == "" {
		return c.Phrase(f.Message)
	}
	return evidence.Shown(fill(said, f.Args, c.Phrase))
}

// Reason is why a check did not apply or could not tell. What stands before
// the colon of a gap is its kind.
func (c *Catalogue) Reason(text string) string {
	if c == nil {
		return text
	}
	kind := evidence.Gap(text).Kind()
	if word := c.words[kind+": %s"]; word != "" && kind != text {
		return fill(word, []any{evidence.Gap(text).Reason()}, c.Phrase)
	}
	return c.Phrase(text)
}

// Report is the report with all that a reader is told in the language; ids,
// paths, evidence and commands stay what they are.
func (c *Catalogue) Report(r checks.Report) checks.Report {
	if c == nil {
		return r
	}
	r.Results = slices.Clone(r.Results)
	for i := range r.Results {
		r.Results[i] = c.result(r.Results[i])
	}
	r.Gaps = slices.Clone(r.Gaps)
	for i := range r.Gaps {
		r.Gaps[i].Reason = c.Reason(r.Gaps[i].Reason)
	}
	return r
}

func (c *Catalogue) result(r checks.Result) checks.Result {
	r.Title, r.Fix = or(c.checks[r.ID].Title, r.Title), c.Filled(r.ID, r.Fix)
	r.Gap, r.Reason = c.Reason(r.Gap), c.Reason(r.Reason)
	r.Findings = slices.Clone(r.Findings)
	for i := range r.Findings {
		f := &r.Findings[i]
		f.Message = c.Message(*f)
		f.Codes = slices.Clone(f.Codes)
		for j := range f.Codes {
			f.Codes[j].Meaning = c.Phrase(f.Codes[j].Meaning)
		}
	}
	return r
}
