package redact

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"io"
	"path"
	"slices"
	"strings"
	"unicode/utf16"

	"doctor/checks/evidence"
)

// secretFiles hold one secret each, or one in each line, and nothing else.
var secretFiles = setOf(`token node-token agent-token server-token cluster-token join-token bootstrap-token
	known_tokens.csv tokens.csv token.csv passwd password node-password .pgpass client-secret client_secret`)

// isSecretFile tells of files whose whole content is secret.
func (p *pass) isSecretFile() bool {
	dir, base := path.Split(p.path)
	if dir == "" || strings.HasPrefix(p.path, "logs/") {
		return false
	}
	base = strings.TrimSuffix(base, ".txt")
	return secretFiles[base] || strings.HasSuffix(base, ".token") || strings.HasSuffix(base, ".jwt")
}

// lines replaces the lines that are whole, and begins to swallow one that is
// longer than the window.
func (s *scan) lines(out *bufio.Writer) error {
	for s.done < len(s.b) {
		if s.swallow != nil {
			if more, err := s.absorb(out); more || err != nil {
				return err
			}
			continue
		}
		i := skipSpaceLines(s.b, s.done)
		end := lineEnd(s.b, i)
		if end == len(s.b) && !s.eof {
			if s.done <= s.context && len(s.b) >= s.window {
				s.engulf(i, "token", upToSigns("\r\n"))
				continue
			}
			return nil
		}
		if text := bytes.TrimRight(s.b[i:end], " \t"); len(text) > 0 && !isPlaceholder(text) {
			s.add(i, i+len(text), "token", text)
			if first, _, ok := bytes.Cut(text, []byte(",")); ok {
				s.learn("token", first)
			}
		}
		s.looked = len(s.b) // known values are part of what is replaced
		if err := s.write(out, end); err != nil {
			return err
		}
		if end == len(s.b) {
			return nil
		}
	}
	return nil
}

// input is a window over a file. b[:done] was dealt with and is kept as context.
type input struct {
	src  io.Reader
	b    []byte
	base int64 // of b[0] in the file
	eof  bool
}

// firstRead holds most files of a node; what is longer doubles it.
const firstRead = 8 << 10

// fill reads until b holds n bytes or the file ends.
func (in *input) fill(n int) error {
	room := n - len(in.b)
	if text, ok := in.src.(interface{ Len() int }); ok {
		room = min(room, text.Len()+1) // the byte behind it shows the end
	}
	for empty := 0; len(in.b) < n && !in.eof; {
		if len(in.b) == cap(in.b) { // a small file takes no whole window
			in.b = slices.Grow(in.b, max(1, min(room, n-len(in.b), max(len(in.b), firstRead))))
		}
		m, err := in.src.Read(in.b[len(in.b):min(n, cap(in.b))])
		in.b = in.b[:len(in.b)+m]
		if err == io.EOF {
			in.eof = true
		} else if err != nil {
			return err
		}
		if m > 0 {
			empty = 0
		} else if empty++; empty > 100 {
			return io.ErrNoProgress
		}
	}
	return nil
}

// drop forgets the first n bytes.
func (in *input) drop(n int) {
	in.b = in.b[:copy(in.b, in.b[n:])]
	in.base += int64(n)
}

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
