package pager

import (
	"fmt"
	"io"
	"os"
)

// A spool keeps text that cannot be had from its source again: a little in
// memory, so that the first page needs no file, and the rest on disk. A copy of
// it reads what was there when it was made.
type spool struct {
	head []byte
	file *os.File
	end  int64 // bytes in file
}

// maxSpool is the most that is put on the disk of a node that may be short of it.
const (
	maxHead  = 1 << 20
	maxSpool = 4 << 30
)

func (s *spool) write(b []byte) error {
	if n := min(maxHead-len(s.head), len(b)); n > 0 {
		s.head = append(s.head, b[:n]...)
		b = b[n:]
	}
	if len(b) == 0 {
		return nil
	}
	if s.end+int64(len(b)) > maxSpool {
		return fmt.Errorf("only the first %d GiB of it are shown; unpack it and give doctor the folder", maxSpool>>30)
	}
	if s.file == nil {
		f, err := temporary()
		if err != nil {
			return fmt.Errorf("there is no way to write a temporary file for it: %w", err)
		}
		s.file = f
	}
	n, err := s.file.WriteAt(b, s.end)
	s.end += int64(n)
	return err
}

func (s *spool) readAt(p []byte, off int64) (int, error) {
	if off < int64(len(s.head)) {
		return copy(p, s.head[off:]), nil
	}
	if s.file == nil {
		return 0, io.EOF
	}
	return s.file.ReadAt(p, off-int64(len(s.head)))
}

func (s *spool) close() error {
	if s.file == nil {
		return nil
	}
	return s.file.Close()
}
