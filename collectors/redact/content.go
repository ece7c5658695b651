package redact

import (
	"bytes"
	"encoding/binary"
	"unicode/utf16"

	"doctor/checks/evidence"
)

// Content is a whole small file without its secrets, in the encoding that it
// came in. One without any is returned as it is.
func (r *Redactor) Content(content []byte, path string) ([]byte, error) {
	text := evidence.DecodeText(content)
	var clean bytes.Buffer
	clean.Grow(len(text))
	if _, err := r.Copy(&clean, bytes.NewReader(text), path); err != nil {
		return nil, err
	}
	if bytes.Equal(clean.Bytes(), text) {
		return content, nil
	}
	return encodeLike(content, clean.String()), nil
}

// encodeLike writes text in the encoding of the file that it came from: a mark
// in front that other programs stumble over is a finding, and stays.
func encodeLike(original []byte, text string) []byte {
	var order binary.AppendByteOrder
	switch {
	case bytes.HasPrefix(original, []byte("\xef\xbb\xbf")):
		return append([]byte("\xef\xbb\xbf"), text...)
	case bytes.HasPrefix(original, []byte("\xff\xfe")):
		order = binary.LittleEndian
	case bytes.HasPrefix(original, []byte("\xfe\xff")):
		order = binary.BigEndian
	default:
		return []byte(text)
	}
	b := bytes.Clone(original[:2])
	for _, unit := range utf16.Encode([]rune(text)) {
		b = order.AppendUint16(b, unit)
	}
	return b
}
