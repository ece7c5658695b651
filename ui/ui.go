// Package ui draws a finished report for people and for machines.
//
// A writer takes an io.Writer and the report, and adds no judgement of its own:
// the verdicts, their order and the exit status were settled before it was
// called. Whatever a report carries came out of somebody's evidence, so every
// writer cleans it again before it is drawn.
package ui

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"unicode/utf16"

	"doctor/checks"
	"doctor/checks/packed"
	"doctor/ui/lang"
)

// Style is how text is drawn. The zero Style is colourless UTF-8 of 100 columns.
type Style struct {
	Width  int // columns; 0 stands for 100
	Colour bool
	ASCII  bool            // only bytes below 0x80
	Quiet  bool            // the format text holds causes and fixes only
	Lang   *lang.Catalogue // of what is for people; nil is English, and so is ASCII
}

// lang is the language that can be drawn: Chinese has no letters in ASCII.
func (style Style) lang() *lang.Catalogue {
	if style.ASCII {
		return nil
	}
	return style.Lang
}

// The widths between which lines are laid out: narrower is the terminal's to
// wrap, wider is hard to read.
const (
	defaultWidth = 100
	minWidth     = 40
	maxWidth     = 160
)

func (style Style) columns() int {
	if style.Width == 0 {
		return defaultWidth
	}
	return min(max(style.Width, minWidth), maxWidth)
}

var writers = map[string]func(io.Writer, checks.Report, Style) error{
	"text":     writeText,
	"wide":     writeWide,
	"json":     func(w io.Writer, r checks.Report, _ Style) error { return encode(w, r) },
	"junit":    func(w io.Writer, r checks.Report, _ Style) error { return writeJUnit(w, r) },
	"markdown": writeMarkdown,
	"html": func(w io.Writer, r checks.Report, style Style) error {
		return (&htmlPage{Catalogue: style.lang(), style: style}).write(w, r)
	},
	"openreports": func(w io.Writer, r checks.Report, _ Style) error { return writeOpenReport(w, r) },
	sarifFormat:   func(w io.Writer, r checks.Report, _ Style) error { return writeSARIF(w, r) },
}

// Formats lists the formats that Write knows, without those of LintFormats alone.
func Formats() []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(writers)), func(f string) bool { return f == sarifFormat })
}

// Write draws the report in the format. It writes once, so that a writer that
// fails half-way leaves nothing behind that looks like a whole report.
func Write(w io.Writer, format string, r checks.Report, style Style) error {
	write := writers[format]
	if write == nil {
		return fmt.Errorf("there is no format %q; the formats are %s", Plain(format, true),
			strings.Join(Formats(), ", "))
	}
	// JSON and HTML escape what is not ASCII and so lose nothing
	spelt := style.ASCII && format != "json" && format != "html" && format != sarifFormat
	return write(w, plainly(r, spelt), style)
}

// schemas has the schemas of this package; `make docs` writes it.
//
//go:embed schemas.zip.bz2
var schemas []byte

var schemaFiles = packed.Files(schemas, ".")

// Schema is the JSON Schema of the report, doctor.report/v1.
var Schema = packed.Text(schemaFiles, "report.schema.json")

// encode writes one indented document in ASCII: no code page between here and
// the reader can spoil it. <, > and & stay themselves, for commands are full of them.
func encode(w io.Writer, v any) error {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return fmt.Errorf("encoding the report: %w", err)
	}
	_, err := w.Write(asciiJSON(b.String()))
	return err
}

// asciiJSON escapes what is not ASCII, and what a terminal takes for a backspace.
func asciiJSON(doc string) []byte {
	out := make([]byte, 0, len(doc))
	for _, r := range doc {
		if r < 0x7f {
			out = append(out, byte(r))
			continue
		}
		for _, unit := range utf16.AppendRune(nil, r) {
			out = fmt.Appendf(out, `\u%04x`, unit)
		}
	}
	return out
}
