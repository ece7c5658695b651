package bundle

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"doctor/checks/sorted"
)

// openFolder indexes a folder through os.Root, so that no link in it, now or
// when a file is opened later, leads anywhere outside.
func openFolder(path string, lim limits) (*Archive, error) {
	root, err := os.OpenRoot(path)
	if err != nil {
		return nil, CannotRead(printable(path), err)
	}
	a := newArchive(lim)
	a.closes = append(a.closes, root.Close)
	stored, err := indexFolder(a.index("folder"), root)
	if err != nil {
		a.Close()
		return nil, fmt.Errorf("%s: %w", printable(path), whole(err))
	}
	content := func(n *node) (io.ReadCloser, error) {
		f, err := root.Open(stored[n.at])
		if err != nil {
			return nil, Bare(err) // the tree names the path itself
		}
		return f, nil
	}
	a.tree.root.mount = &mount{open: content, place: "folder"}
	return a, nil
}

// indexFolder returns the stored path of each file by its place. They differ from
// the clean ones where a Linux unzip left backslashes in names.
func indexFolder(x *index, root *os.Root) (stored []string, err error) {
	var dir string
	for todo := []string{"."}; len(todo) > 0; {
		dir, todo = todo[len(todo)-1], todo[:len(todo)-1]
		entries, err := readFolder(root, dir, x.lim.entries)
		switch {
		case errors.Is(err, errTooMany) || err != nil && dir == ".":
			return nil, err
		case err != nil:
			x.refuse(dir, "the folder cannot be listed: "+reasonOf(err))
			continue
		}
		for _, d := range entries {
			path := d.Name()
			if dir != "." {
				path = dir + "/" + d.Name()
			}
			e := describe(root, path, d)
			e.at = int64(len(stored))
			refusals := len(x.refused) + x.unnamed
			if err := x.add(e); err != nil {
				return nil, err
			}
			switch {
			case len(x.refused)+x.unnamed > refusals:
			case e.folder:
				todo = append(todo, path)
			default:
				stored = append(stored, path)
			}
		}
	}
	return stored, nil
}

// describe makes an entry of what lies at path. Links to files inside the folder
// are kept: kubelet's log folders are made of them.
func describe(root *os.Root, path string, d fs.DirEntry) entry {
	e := entry{name: path, folder: d.IsDir()}
	info, err := d.Info()
	if err == nil && d.Type() == fs.ModeSymlink {
		info, err = root.Stat(path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			e.refuse = "a link to nothing"
			return e
		case err != nil:
			e.refuse = "a link that is not followed: " + reasonOf(err)
			return e
		case info.IsDir():
			e.refuse = "a link to a folder is not followed; what lies there is read at its own place"
			return e
		}
	}
	switch {
	case err != nil:
		e.refuse = "it cannot be looked at: " + reasonOf(err)
	case !info.IsDir() && !info.Mode().IsRegular():
		e.refuse = "a device, pipe or socket is not read"
	default:
		e.modified = info.ModTime()
		if !e.folder {
			e.size = info.Size()
		}
	}
	return e
}

// readFolder lists a folder in order, in pages: a listing of millions must not be
// in memory before it is found to be too long.
func readFolder(root *os.Root, dir string, limit int) ([]fs.DirEntry, error) {
	f, err := root.Open(dir)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var entries []fs.DirEntry
	for {
		page, err := f.ReadDir(1024)
		entries = append(entries, page...)
		if len(entries) > limit {
			return nil, fmt.Errorf("%w: it holds more than %d", errTooMany, limit)
		}
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, err
		}
	}
	sorted.By(entries, func(a, b fs.DirEntry) int {
		return strings.Compare(a.Name(), b.Name())
	})
	return entries, nil
}
