// Package lang holds what doctor says in another language: one folder of
// catalogues for each, keyed by a check's id or by the English sentence itself.
// Whatever a catalogue does not hold is said in English, so that a missing
// translation costs a reader a sentence and never the answer.
package lang

import (
	"cmp"
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strconv"
	"sync"

	"github.com/pelletier/go-toml/v2"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/packed"
)

// archive has the folders of all languages; `make docs` writes it.
//
//go:embed languages.zip.bz2
var archive []byte

var folders = packed.Files(archive, ".")

// Languages lists the languages that --lang takes.
var Languages = []string{"en", "zh"}

// A Catalogue is one language. The nil Catalogue is English, and so every
// method answers on it.
type Catalogue struct {
	of     *checks.Catalogue // whose checks it translates
	checks map[string]entry
	words  map[string]string // the interface's own
	// formats of findings, gaps, reasons, fixes, and of what stands in them
	phrases map[string]string
	gaps    map[evidence.Code]string
	faq     map[string]string // entries of the documentation's FAQ, by number
}

// An entry is what the catalogue has on one check.
type entry struct {
	Title, Healthy, Doc string
	Of                  string            // the English that was translated, as a checksum
	Messages            map[string]string // what its findings and signs say
	Phrases             map[string]string // what its gaps, its reasons and its other fixes say
}

// A file is one file of a language's folder.
type file struct {
	Checks                   map[string]entry
	Words, Messages, Phrases map[string]string
	Gaps                     map[evidence.Code]string // by code
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
		c, err := readLanguage("zh", of)
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

func readLanguage(folder string, of *checks.Catalogue) (*Catalogue, error) {
	c := &Catalogue{of, map[string]entry{}, map[string]string{}, map[string]string{},
		map[evidence.Code]string{}, map[string]string{}}
	names, err := fs.ReadDir(folders, folder)
	if err != nil {
		return nil, err
	}
	for _, n := range names {
		var f file
		content, err := fs.ReadFile(folders, path.Join(folder, n.Name()))
		if err == nil {
			err = toml.Unmarshal(content, &f)
		}
		if err == nil {
			err = c.add(f)
		}
		if err != nil {
			return nil, fmt.Errorf("%s/%s: %w", folder, n.Name(), err)
		}
	}
	return c, nil
}

// add takes a file in. One English sentence has one translation: two would
// make the same fault read differently by where it was found.
func (c *Catalogue) add(f file) error {
	for id, e := range f.Checks {
		if _, twice := c.checks[id]; twice {
			return fmt.Errorf("%s is in two files", id)
		}
		c.checks[id] = e
		if err := said(c.phrases, e.Messages, e.Phrases); err != nil {
			return fmt.Errorf("%s: %w", id, err)
		}
	}
	maps.Copy(c.faq, f.FAQ)
	maps.Copy(c.gaps, f.Gaps)
	return errors.Join(said(c.words, f.Words), said(c.phrases, f.Messages, f.Phrases))
}

func said(all map[string]string, tables ...map[string]string) error {
	for _, table := range tables {
		for english, said := range table {
			if had, twice := all[english]; twice && had != said {
				return fmt.Errorf("%q is said in two ways", english)
			}
			all[english] = said
		}
	}
	return nil
}

// Word says a word or a sentence of the interface as it stands; the key is the
// English itself.
func (c *Catalogue) Word(english string) string {
	if c == nil {
		return english
	}
	return cmp.Or(c.words[english], english)
}

// T says a sentence of the interface and fills it in as Sprintf does.
func (c *Catalogue) T(english string, args ...any) string {
	if said := c.Word(english); said != english && len(args) > 0 {
		return c.fill(said, args)
	} else if len(args) == 0 {
		return said
	}
	return fmt.Sprintf(english, args...)
}

// Count says "1 check" or "3 checks"; the key is the noun in the singular.
func (c *Catalogue) Count(n int, noun string) string {
	switch {
	case c != nil && c.words["%d "+noun] != "":
		return c.fill(c.words["%d "+noun], []any{n})
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

// Check is the check with all that explain tells of it in the language.
func (c *Catalogue) Check(k *checks.Check) *checks.Check {
	if c == nil {
		return k
	}
	e, told := c.checks[k.ID], *k
	told.Title, told.Doc = cmp.Or(e.Title, k.Title), cmp.Or(e.Doc, k.Doc)
	told.Healthy = cmp.Or(e.Healthy, k.Healthy)
	if k.TitleOf.Format != "" {
		told.Title, told.Healthy, told.Doc = c.Say(k.TitleOf), c.Say(k.HealthyOf), c.Say(k.DocOf)
	}
	told.Signs = changed(k.Signs, func(s *checks.Sign) { s.Says = c.Phrase(s.Says) })
	return &told
}

// Fix is a fix of a report, with the node's own names in it.
func (c *Catalogue) Fix(f checks.Fix) checks.Fix {
	if c == nil {
		return f
	}
	f.Names = changed(f.Names, func(n *checks.Placeholder) {
		if !n.Known {
			n.Value = c.Phrase(n.Value)
		}
	})
	return f.With(func(p evidence.Phrase) string { return f.Named(c.Say(p)) })
}

// Message is the sentence of a finding.
func (c *Catalogue) Message(f checks.ReportFinding) string {
	if c == nil || f.Format == "" {
		return f.Message
	}
	return evidence.Shown(c.Say(evidence.Phrase{Format: f.Format, Args: f.Args}))
}

// Gap is why a piece of evidence is missing: its kind and its sentence.
func (c *Catalogue) Gap(g evidence.Gap) string {
	if c == nil || g.Kind == "" {
		return g.String()
	}
	return c.fill(cmp.Or(c.words[g.Kind+": %s"], g.Kind+": %s"), []any{c.GapSentence(g)})
}

// GapSentence is why a piece of evidence is missing, without the kind; "" of none.
func (c *Catalogue) GapSentence(g evidence.Gap) string {
	switch {
	case g.Kind == "":
		return ""
	case c == nil:
		return g.Reason()
	}
	p := g.Phrase()
	return c.fill(cmp.Or(c.gaps[g.Code], p.Format), p.Args)
}

// Report is the report with all that a reader is told in the language; ids,
// paths, evidence and commands stay what they are.
func (c *Catalogue) Report(r checks.Report) checks.Report {
	if c == nil {
		return r
	}
	r.Results = changed(r.Results, c.result)
	r.Gaps = changed(r.Gaps, func(g *checks.EvidenceGap) {
		if g.Gap.Kind != "" {
			g.Reason = evidence.Shown(c.Gap(g.Gap))
		}
	})
	return r
}

// changed is a copy of a list, each element of which was changed.
func changed[T any](list []T, change func(*T)) []T {
	list = slices.Clone(list)
	for i := range list {
		change(&list[i])
	}
	return list
}

func (c *Catalogue) result(r *checks.Result) {
	e := c.checks[r.ID]
	r.Title, r.Healthy = cmp.Or(e.Title, r.Title), cmp.Or(e.Healthy, r.Healthy)
	if k := c.of.ByID(r.ID); k != nil && k.TitleOf.Format != "" {
		r.Title, r.Healthy = c.Say(k.TitleOf), c.Say(k.HealthyOf)
	}
	r.Fix = c.Fix(r.Fix)
	if r.Missing.Kind != "" {
		r.Gap = evidence.Shown(c.Gap(r.Missing))
	}
	if r.Skipped.Format != "" {
		r.Reason = evidence.Shown(c.Say(r.Skipped))
	}
	r.Findings = changed(r.Findings, func(f *checks.ReportFinding) {
		f.Message = c.Message(*f)
		f.Codes = changed(f.Codes, func(d *checks.DecodedCode) { d.Meaning = c.Phrase(d.Meaning) })
	})
}
