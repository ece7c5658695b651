package bundle

import (
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
)

// openTarGzip unpacks a tar.gz once into a temporary file, since gzip cannot be
// read from the middle, and indexes the tar there. A gzip that is cut short, as
// by a broken upload, still gives what came before the cut.
func openTarGzip(name string, r io.ReaderAt, size int64, lim limits) (*Archive, error) {
	tmp, err := newTemporary()
	if err != nil {
		return nil, fmt.Errorf("%s has to be unpacked into a temporary file: %w", name, err)
	}
	a, err := indexGzip(name, io.NewSectionReader(r, 0, size), tmp, lim)
	if err != nil {
		tmp.Close()
		return nil, err
	}
	return a, nil
}

func indexGzip(name string, r io.Reader, tmp *temporary, lim limits) (*Archive, error) {
	unpacked, cut, err := unpack(tmp, r, lim.unpacked)
	if err != nil {
		return nil, fmt.Errorf("%s has to be unpacked into a temporary file, and there is no way to write it: %w", name, err)
	}
	x := newIndex("archive", lim)
	end, err := indexTar(x, tmp, unpacked)
	if err != nil {
		return nil, whole(name, err)
	}
	switch {
	case x.entries == 0 && cut != nil:
		return nil, fmt.Errorf("%s is cut short or is not a gzip: ask for it again (%w)", name, cut)
	case x.entries == 0 && end.err != nil:
		return nil, fmt.Errorf("%s unpacks to something other than a tar: give doctor the .tar.gz, .zip or folder of a node (%w)", name, end.err)
	case cut != nil:
		end.err = cut // it is why the tar ends early, if it does
		fallthrough
	case end.err != nil:
		x.refuseWhole(name, end.String())
	}
	if err := x.nothing(name); err != nil {
		return nil, err
	}
	return x.archive(sections(tmp), tmp.Close), nil
}

var errUnpacked = errors.New("it unpacks to more than doctor takes")

// unpack writes what r unpacks to. cut is why that ended early, the fault of the
// archive; err is the fault of this machine.
func unpack(w io.Writer, r io.Reader, limit int64) (n int64, cut, err error) {
	zr, err := gzip.NewReader(r)
	if err != nil {
		return 0, err, nil
	}
	source := &remembering{r: io.LimitReader(zr, limit)}
	n, err = io.Copy(w, source)
	switch {
	case source.err != nil:
		return n, source.err, nil
	case err != nil:
		return n, nil, err
	case n < limit:
		return n, nil, nil
	}
	if more, _ := io.ReadFull(zr, make([]byte, 1)); more > 0 {
		return n, fmt.Errorf("%w (%s)", errUnpacked, bytesText(limit)), nil
	}
	return n, nil, nil
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
