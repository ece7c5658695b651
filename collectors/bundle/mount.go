package bundle

import (
	"errors"
	"fmt"
	"io"
	"os"
)

// Nested returns the archives in the tree that are not opened, by path: an entry
// that goes by the name of one, until it is mounted or found to be something else.
func (a *Archive) Nested() []string {
	var paths []string
	a.tree.root.eachClosed(a.tree.root.mount, "", func(path string, _ *mount) {
		paths = append(paths, path)
	})
	return paths
}

// Mount opens one of the archives that Nested names: from then on the tree shows
// it as a folder of the archive's own name, in its place. It tells whether that
// could be done; if not, Refused tells why.
func (a *Archive) Mount(path string) bool {
	n, from := a.tree.lookup(path)
	if n == nil || n.sight != closed {
		return false
	}
	n.sight = refused
	x := &index{tally: a.tally, spool: a.spool, name: path, place: "archive", within: path,
		level: from.level + 1, root: newRoot(), before: len(a.tally.refused)}
	t := *a.tally // as it was, should this come to nothing
	content, err := a.indexNested(x, n, from)
	if err != nil {
		if errors.Is(err, errTooMany) {
			a.tooBig++
		}
		*a.tally = t
		a.tally.refuse(path, err.Error())
		return false
	}
	n.children, n.mount, n.sight = x.root.children, &mount{open: content, place: x.place,
		level: x.level}, shown
	return true
}

func (a *Archive) indexNested(x *index, n *node, from *mount) (opener, error) {
	switch {
	case a.mounts == maxMounts:
		return nil, fmt.Errorf(
			"it is not opened, after %d other archives; extract it and pass it to doctor", maxMounts)
	case a.tooBig == maxTooBig:
		return nil, fmt.Errorf(
			"it is not opened, after %d other archives that are too big; extract it and pass it to doctor", maxTooBig)
	}
	a.mounts++
	packed, err := from.open(n)
	if err != nil {
		return nil, err
	}
	r, size, err := a.seekable(packed)
	switch {
	case err != nil:
		return nil, err
	case size == 0:
		return nil, errors.New("it is empty: request it again")
	}
	return x.archive(r, size)
}

// seekable makes an archive readable at any place: where it lies, if its source
// allows that, else from the temporary file.
func (a *Archive) seekable(packed io.ReadCloser) (io.ReaderAt, int64, error) {
	switch p := packed.(type) {
	case *os.File:
		a.closes = append(a.closes, p.Close)
		info, err := p.Stat()
		if err != nil {
			return nil, 0, Bare(err)
		}
		return p, info.Size(), nil
	case section:
		return p, p.Size(), nil
	}
	defer packed.Close()
	copied, cut, err := a.spool.take(packed, a.tally.lim.nested)
	if cut != nil {
		err = cut
	}
	return copied, copied.Size(), err
}

// A section is a file that lies in its source as it is.
type section struct{ *io.SectionReader }

func (section) Close() error { return nil }
