package ui

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"unicode/utf16"
	"unicode/utf8"

	_ "embed"

	"doctor/checks"
	"doctor/checks/packed"
)

// schemas has the schemas of this package; `make docs` writes it.
//
//go:embed schemas.zip.bz2
var schemas []byte

var schemaFiles = packed.Files(schemas, ".")

// Schema is the JSON Schema of the report, doctor.report/v1.
var Schema = packed.Text(schemaFiles, "report.schema.json")

func writeJSON(w io.Writer, r checks.Report) error { return encode(w, r) }

// encode writes one indented document in ASCII: no code page between here and
// the reader can spoil it.
func encode(w io.Writer, v any) error {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetIndent("", "  ")
	if err := e.Encode(v); err != nil {
		return fmt.Errorf("encoding the report: %w", err)
	}
	_, err := w.Write(asciiJSON(b.Bytes()))
	return err
}

// asciiJSON escapes what is not ASCII, and writes <, > and & as themselves:
// encoding/json hides them from web pages, and commands are full of them.
func asciiJSON(doc []byte) []byte {
	out := make([]byte, 0, len(doc))
	for i := 0; i < len(doc); {
		switch c := doc[i]; {
		case c == '\\' && i+1 < len(doc):
			n := 2
			if doc[i+1] == 'u' && i+6 <= len(doc) {
				n = 6
			}
			switch escape := string(doc[i : i+n]); escape {
			case `\u003c`:
				out = append(out, '<')
			case `\u003e`:
				out = append(out, '>')
			case `\u0026`:
				out = append(out, '&')
			default:
				out = append(out, escape...)
			}
			i += n
		case c < utf8.RuneSelf && c != 0x7f:
			out = append(out, c)
			i++
		default:
			r, size := utf8.DecodeRune(doc[i:])
			if high, low := utf16.EncodeRune(r); high != utf8.RuneError {
				out = fmt.Appendf(out, `\u%04x\u%04x`, high, low)
			} else {
				out = fmt.Appendf(out, `\u%04x`, r)
			}
			i += size
		}
	}
	return out
}
