// Package pager reads the lines of a text of any size by their numbers, in
// bounded memory, while it is still finding out how many there are.
//
// Whoever holds a File calls Step until it is done; pages and searches are
// served all the while, from as much as is known by then. Text is what
// evidence.Text makes of the bytes, so that a line has the number that a finding
// cites, whatever Windows wrote.
//
// As long as the decoded text is the source byte for byte, and the source can be
// read from the middle, nothing is copied. From the first difference on, or from
// the start where the source can only be streamed, the text is kept aside: a
// little in memory, the rest in a temporary file that nobody else sees.
package pager

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"doctor/checks/evidence"
	"doctor/checks/evidence/spool"
)

// chunk is how much is read in one go.
const chunk = 256 << 10

// A File is a text that is being indexed. Its methods may be called from several
// goroutines.
type File struct {
	src io.ReadCloser
	at  io.ReaderAt // src, where that can be read from the middle

	work   sync.Mutex // held by who reads on
	text   io.Reader  // src, decoded
	echo   *echo      // what src gave and text did not yet; nil once they differ
	buf    []byte
	closed atomic.Bool

	mu    sync.Mutex // guards what follows
	index index
	plain int64       // so many bytes of the text are those of src
	aside spool.Spool // the text from there on
	state State
}

// State is how far the reading has come.
type State struct {
	Lines int   // known so far; the last may still grow
	Read  int64 // bytes of the source that were read
	Size  int64 // of the source, as it says; 0 where it does not
	Done  bool
	Err   error // what ended the reading early
}

// Open begins to read src, which says that it has size bytes. It reads nothing yet.
func Open(src io.ReadCloser, size int64) *File {
	f := &File{src: src, index: newIndex(), buf: make([]byte, chunk),
		aside: spool.Spool{Memory: maxHead}, state: State{Size: max(size, 0)}}
	f.echo = &echo{r: src}
	if at, ok := src.(io.ReaderAt); ok {
		f.at = at
		f.echo.keep = true
	}
	f.text = evidence.Text(f.echo)
	return f
}

// Close gives everything back; what was kept aside is gone.
func (f *File) Close() error {
	f.closed.Store(true) // ends a Step within one chunk
	f.work.Lock()
	defer f.work.Unlock()
	f.mu.Lock()
	defer f.mu.Unlock()
	return errors.Join(f.src.Close(), f.aside.Close())
}

// State is how far the reading has come.
func (f *File) State() State {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.state
}

// Step reads on for about as long as is given, and at least one chunk.
func (f *File) Step(most time.Duration) State {
	f.work.Lock()
	defer f.work.Unlock()
	until := time.Now().Add(most)
	for !f.State().Done {
		if f.closed.Load() {
			return f.end(errors.New("it was closed"))
		}
		n, err := f.text.Read(f.buf)
		if took := f.take(f.buf[:n]); took != nil {
			return f.end(took)
		}
		switch {
		case err != nil:
			return f.end(ended(err))
		case !time.Now().Before(until): // a clock may stand still for 16 ms
			return f.State()
		}
	}
	return f.State()
}

func (f *File) end(err error) State {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.state.Done, f.state.Err = true, err
	f.buf, f.echo.kept = nil, nil
	return f.state
}

// take notes the next piece of the text, and puts it aside where it has to be.
func (f *File) take(b []byte) error {
	same := f.echo.keep && f.echo.gave(b)
	f.mu.Lock()
	defer f.mu.Unlock()
	if same {
		f.plain += int64(len(b))
	} else if err := f.putAside(b); err != nil {
		return err
	}
	f.index.add(b)
	f.state.Read, f.state.Lines = f.echo.read, f.index.lines()
	return nil
}

// maxSpool is the most that is put on the disk of a node that may be short of it.
const (
	maxHead  = 1 << 20
	maxSpool = 4 << 30
)

func (f *File) putAside(b []byte) error {
	if f.aside.Size()+int64(len(b)) > maxHead+maxSpool {
		return fmt.Errorf(
			"only the first %d GiB of it are shown; unpack it and give doctor the folder",
			maxSpool>>30)
	}
	if _, err := f.aside.Write(b); err != nil {
		return fmt.Errorf("there is no way to write a temporary file for it: %w", err)
	}
	return nil
}

// readAt reads the text, of which only what was taken is there.
func (f *File) readAt(p []byte, off int64) (int, error) {
	f.mu.Lock()
	plain, aside, end := f.plain, f.aside, f.index.end
	f.mu.Unlock()
	if off >= end {
		return 0, io.EOF
	}
	p = p[:min(int64(len(p)), end-off)]
	if off >= plain {
		return aside.ReadAt(p, off-plain)
	}
	p = p[:min(int64(len(p)), plain-off)]
	n, err := f.at.ReadAt(p, off)
	if n > 0 {
		err = nil
	}
	return n, err
}

// reader streams the text from off on.
func (f *File) reader(off int64) io.Reader { return &textFrom{f, off} }

type textFrom struct {
	f   *File
	off int64
}

func (t *textFrom) Read(p []byte) (int, error) {
	n, err := t.f.readAt(p, t.off)
	t.off += int64(n)
	return n, err
}

// An echo keeps what it read until the decoded text is known to be the same.
type echo struct {
	r    io.Reader
	read int64
	keep bool
	kept []byte
}

func (e *echo) Read(p []byte) (int, error) {
	n, err := e.r.Read(p)
	e.read += int64(n)
	if e.keep {
		e.kept = append(e.kept, p[:n]...)
	}
	return n, err
}

// gave tells whether b is what was read next. Once it is not, it never is again:
// the places no longer agree.
func (e *echo) gave(b []byte) bool {
	if !bytes.HasPrefix(e.kept, b) {
		e.keep, e.kept = false, nil
		return false
	}
	e.kept = e.kept[:copy(e.kept, e.kept[len(b):])]
	return true
}
