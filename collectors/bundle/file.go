package bundle

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
)

var errNoFolder = errors.New("not a folder")

// A file streams one entry, and stops at the limit whatever the entry declares.
type file struct {
	node    *node
	path    string
	content io.ReadCloser
	limit   int64
	read    int64
	err     error // sticky
}

func (f *file) Stat() (fs.FileInfo, error) { return f.node, nil }
func (f *file) Close() error               { return f.content.Close() }

func (f *file) tooLarge() error {
	return fmt.Errorf("it is larger than %s, the most that doctor reads of one file",
		bytesText(f.limit))
}

func (f *file) Read(p []byte) (int, error) {
	if f.err != nil {
		return 0, f.err
	}
	n, err := f.content.Read(p)
	if f.read += int64(n); f.read > f.limit {
		n -= int(f.read - f.limit)
		err = f.tooLarge()
	}
	if err != nil && err != io.EOF {
		err = &fs.PathError{Op: "read", Path: f.path, Err: err}
	}
	f.err = err
	return n, err
}

// A placed file can be read from the middle as well: a log of a folder is paged
// through at its place.
type placed struct {
	*file
	at io.ReaderAt
}

func (p placed) ReadAt(b []byte, off int64) (int, error) {
	if room := p.limit - off; int64(len(b)) > room {
		n, err := p.at.ReadAt(b[:max(room, 0)], off)
		if err == nil {
			err = p.tooLarge()
		}
		return n, err
	}
	return p.at.ReadAt(b, off)
}
