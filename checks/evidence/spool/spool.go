// Package spool keeps bytes that cannot be had from their source again: a little in memory, the
// rest in a temporary file that nobody else sees, and that is gone with the process, however that
// ends.
package spool

import (
	"io"
	"os"
)

// A Spool is written at its end and read anywhere. A copy of it reads what was there when it was
// made, while the original is written on.
type Spool struct {
	Memory int // bytes that are kept in memory, so that little text needs no file

	head []byte
	file *os.File
	end  int64 // bytes in file
}

// Size is how much was written.
func (s *Spool) Size() int64 { return int64(len(s.head)) + s.end }

// OnDisk tells whether there is a file.
func (s *Spool) OnDisk() bool { return s.file != nil }

// Write appends. Its error is that of the temporary file, which begins where Memory is full.
func (s *Spool) Write(b []byte) (int, error) {
	kept := max(0, min(s.Memory-len(s.head), len(b)))
	s.head = append(s.head, b[:kept]...)
	if kept == len(b) {
		return kept, nil
	}
	if s.file == nil {
		f, err := temporary()
		if err != nil {
			return kept, err
		}
		s.file = f
	}
	n, err := s.file.WriteAt(b[kept:], s.end)
	s.end += int64(n)
	return kept + n, err
}

// ReadAt is io.ReaderAt's.
func (s *Spool) ReadAt(p []byte, off int64) (n int, err error) {
	if head := int64(len(s.head)); off < head {
		n = copy(p, s.head[off:])
		off = 0
	} else {
		off -= head
	}
	if n == len(p) {
		return n, nil
	}
	if s.file == nil {
		return n, io.EOF
	}
	more, err := s.file.ReadAt(p[n:min(int64(len(p)), int64(n)+max(0, s.end-off))], off)
	if n += more; err == nil && n < len(p) {
		err = io.EOF
	}
	return n, err
}

// Close gives the file back.
func (s *Spool) Close() error {
	if s.file == nil {
		return nil
	}
	return s.file.Close()
}
