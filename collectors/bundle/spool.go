package bundle

import (
	"errors"
	"fmt"
	"io"
	"os"
)

// A spool is the one temporary file of an archive, made when something has to be
// unpacked that cannot be read from the middle otherwise.
type spool struct {
	file *temporary
	end  int64
	left int64 // bytes it still takes
}

var errUnpacked = errors.New("it unpacks to more than doctor takes")

// take keeps what r gives, as far as it goes: cut is why that ended early, the
// fault of what is read, or of the most that is taken of it; err is the fault of
// this machine.
func (s *spool) take(r io.Reader, most int64) (kept *io.SectionReader, cut, err error) {
	if most = min(most, s.left); most == 0 {
		return &io.SectionReader{}, fmt.Errorf("%w, in all; give it to doctor by itself", errUnpacked), nil
	}
	if s.file == nil {
		if s.file, err = newTemporary(); err != nil {
			return &io.SectionReader{}, nil, noSpool(err)
		}
	}
	source := &remembering{r: io.LimitReader(r, most)}
	n, err := io.Copy(s.file, source)
	kept = io.NewSectionReader(s.file, s.end, n)
	s.end += n
	s.left -= n
	switch {
	case source.err != nil:
		return kept, source.err, nil
	case err != nil:
		return kept, nil, noSpool(err)
	case n < most:
		return kept, nil, nil
	}
	if more, _ := io.ReadFull(r, make([]byte, 1)); more > 0 {
		cut = fmt.Errorf("%w (%s)", errUnpacked, bytesText(most))
	}
	return kept, cut, nil
}

func noSpool(err error) error {
	return fmt.Errorf("it has to be unpacked into a temporary file, and there is no way to write it: %w", Bare(err))
}

func (s *spool) Close() error {
	if s.file == nil {
		return nil
	}
	return s.file.Close()
}

// remembering tells a failed read from a failed write, which io.Copy does not.
type remembering struct {
	r   io.Reader
	err error
}

func (m *remembering) Read(p []byte) (int, error) {
	n, err := m.r.Read(p)
	if err != nil && err != io.EOF {
		m.err = err
	}
	return n, err
}

// A temporary is a file that is gone when it is closed, and, where the system
// allows it, even if doctor is killed before.
type temporary struct {
	*os.File
	unlinked bool
}

func newTemporary() (*temporary, error) {
	f, err := os.CreateTemp("", "doctor-*.tar")
	if err != nil {
		return nil, err
	}
	return &temporary{File: f, unlinked: os.Remove(f.Name()) == nil}, nil // Windows keeps an open file
}

func (t *temporary) Close() error {
	err := t.File.Close()
	if !t.unlinked {
		err = errors.Join(err, os.Remove(t.Name()))
	}
	return err
}
