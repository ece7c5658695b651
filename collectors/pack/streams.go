package pack

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"hash"
	"io"

	"doctor/checks/evidence"
)

// watched reads as long as the user wants, and tells how much it read.
type watched struct {
	ctx  context.Context
	r    io.Reader
	tell func(n int64)
}

func (w watched) Read(p []byte) (int, error) {
	if w.ctx.Err() != nil {
		return 0, context.Cause(w.ctx)
	}
	n, err := w.r.Read(p)
	w.tell(int64(n))
	return n, err
}

// digest hands on, counts and sums up, and refuses what goes beyond the limit. It
// remembers its own error, which is the disk's and not the redaction's.
type digest struct {
	w     io.Writer
	sum   hash.Hash
	n     int64
	limit int64 // 0: none
	err   error
}

func (d *digest) Write(p []byte) (int, error) {
	if d.limit > 0 && d.n+int64(len(p)) > d.limit {
		return 0, errTooLarge
	}
	n, err := d.w.Write(p)
	d.sum.Write(p[:n])
	d.n += int64(n)
	d.err = err
	return n, err
}

// sniffed is how much of a file tells what it is.
const sniffed = 32 << 10

// magics begin files that hold no text, whatever their name.
var magics = []struct {
	magic string
	what  evidence.Phrase
}{
	{"MZ", program}, {"\x7fELF", program},
	{"PK\x03\x04", archive}, {"\x1f\x8b", archive}, {"MSCF", archive}, {"7z\xbc\xaf", archive},
	{"MDMP", memoryDump}, {"PAGEDU", memoryDump},
	{"ElfFile\x00", evidence.Phrasef("an event log")},
	{"regf", evidence.Phrasef("a registry hive")},
	{"SQLite format 3", evidence.Phrasef("a database")}, {"\x89PNG", evidence.Phrasef("a picture")},
	{"\xd4\xc3\xb2\xa1", packets}, {"\x0a\x0d\x0d\x0a", packets},
}

var (
	program    = evidence.Phrasef("a program")
	archive    = evidence.Phrasef("an archive")
	memoryDump = evidence.Phrasef("a memory dump")
	packets    = evidence.Phrasef("a packet capture")
)

// binary is why a file that begins so cannot be redacted, and no phrase where it can.
func binary(head []byte) evidence.Phrase {
	for _, m := range magics {
		if bytes.HasPrefix(head, []byte(m.magic)) {
			return evidence.Phrasef("it is %s, and cannot be redacted", m.what)
		}
	}
	if len(head) >= 2 && (head[0] == 0xff && head[1] == 0xfe || head[0] == 0xfe &&
		head[1] == 0xff) {
		return evidence.Phrase{} // says itself that it is UTF-16
	}
	zeros, controls, first := 0, 0, -1
	side := [2]int{}
	for i, c := range head {
		switch {
		case c == 0:
			if first < 0 {
				first = i
			}
			zeros++
			side[i%2]++
		case c < ' ' && c != '\n' && c != '\r' && c != '\t' && c != '\f' && c != 0x1b && c != '\b':
			controls++
		}
	}
	switch {
	case controls > len(head)/50+2:
		return evidence.Phrasef("it is binary, and cannot be redacted")
	case zeros == 0:
		return evidence.Phrase{}
	case zeros == max(side[0], side[1]) &&
		// UTF-16 without a mark, from some line on: they are on one side
		zeros > (len(head)-first)/4:
		return evidence.Phrase{}
	case bytes.Count(head,
		// a log that was open when the machine went down has a run of them
		[]byte{0, 0, 0, 0})*4 > zeros/2:
		return evidence.Phrase{}
	}
	return evidence.Phrasef("it is binary, and cannot be redacted")
}

// textSize is how long the text is of a file of that size.
func textSize(size int64, head []byte) int64 {
	if bytes.Count(head, []byte{0}) > len(head)/4 {
		return size / 2
	}
	return size
}

const aheadSize = 256 << 10

// readAhead reads while what was read before is being worked on: half of the time that a log takes is
// reading and decoding it. stop returns when nothing is read any more.
func readAhead(r io.Reader) (ahead io.Reader, stop func()) {
	from, to := io.Pipe()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		whole := bufio.NewWriterSize(to, aheadSize) // few and large pieces change hands
		_, err := io.Copy(whole, r)
		to.CloseWithError(cmp.Or(err, whole.Flush()))
	}()
	return bufio.NewReaderSize(from, aheadSize), func() {
		from.Close()
		<-ended
	}
}
