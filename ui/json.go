package ui

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"unicode/utf16"

	_ "embed"

	"doctor/checks/packed"
)

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
