package pager

import (
	"bytes"
	"io"

	"doctor/checks/evidence"
)

// Hits are the lines of a file that hold a text, counted from 1.
type Hits struct {
	Lines       int // how many
	First, Last int
}

// Scan counts the lines that hold a text, in any case, as Search finds them. It reads the source
// once from its start to its end, keeps no more than two chunks of it, and asks stop after each.
func Scan(src io.Reader, text string, stop func() bool) (Hits, error) {
	var hits Hits
	needle := foldAll(text)
	if len(needle) == 0 || len(needle) > chunk/2 {
		return hits, nil
	}
	runes, exact := !ascii(needle), caseless(text)
	r, buf, folded := evidence.Text(src), make([]byte, chunk), make([]byte, chunk)
	if exact {
		folded = buf
	}
	line, kept := 1, 0 // the line at the start of the buffer, and what is in it from before
	for {
		if stop() {
			return hits, errStopped
		}
		n, err := io.ReadFull(r, buf[kept:])
		n += kept
		if !exact {
			fold(folded, buf[:n], runes)
		}
		at := 0
		for {
			i := bytes.Index(folded[at:n], needle)
			if i < 0 {
				break
			}
			line += bytes.Count(folded[at:at+i], newline)
			at += i
			hits.add(line)
			end := bytes.IndexByte(folded[at:n], '\n')
			if end < 0 { // the line goes on in the next chunk
				at += len(needle)
				continue
			}
			at += end + 1
			line++
		}
		switch err {
		case nil:
		case io.EOF, io.ErrUnexpectedEOF:
			return hits, nil
		default:
			return hits, err
		}
		from := max(at, n-len(needle)+1) // what may begin in this chunk and end in the next
		line += bytes.Count(folded[at:from], newline)
		kept = copy(buf, buf[from:n])
	}
}

var newline = []byte{'\n'}

func (h *Hits) add(line int) {
	if h.Last == line {
		return
	}
	if h.Lines++; h.First == 0 {
		h.First = line
	}
	h.Last = line
}
