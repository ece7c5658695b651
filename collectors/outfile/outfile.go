// Package outfile writes a file that appears whole or not at all, that only its owner can read, and
// that never takes the place of an input, a device or a link. It replaces a file only when told to.
package outfile

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"doctor/collectors/bundle"
)

// Options say what may be replaced, and what must stay.
type Options struct {
	Force   bool       // replace a regular file of that name
	Inputs  []string   // files and folders that this run reads; they stay even with Force
	Streams []*os.File // the same for what is open already, such as standard input
}

// ErrRefused is wrapped by the error for a name under which nothing may be written.
var ErrRefused = errors.New("the output file is refused")

type refusal struct{ text string }

func (r refusal) Error() string        { return r.text }
func (r refusal) Is(target error) bool { return target == ErrRefused }

func refuse(format string, args ...any) error { return refusal{fmt.Sprintf(format, args...)} }

// Check tells whether a file may be written under the name. It changes nothing.
func Check(name string, o Options) error {
	if name == "" || os.IsPathSeparator(name[len(name)-1]) {
		return refuse("%q is not the name of a file; name a file to write", name)
	}
	info, err := os.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if !filepath.IsLocal(filepath.Base(name)) { // on Windows: CON, COM1 and the like
			return refuse("%s is the name of a device; name a regular file", name)
		}
		folder, err := os.Stat(filepath.Dir(name))
		if err == nil && !folder.IsDir() {
			err = fs.ErrNotExist
		}
		if err != nil {
			return cannotWrite(name, err)
		}
		return nil
	case err != nil:
		return cannotWrite(name, err)
	case info.IsDir():
		return refuse("%s is a folder; name a file in it", name)
	case o.isInput(name):
		return refuse("%s is an input of this run; name another file to write", name)
	case info.Mode()&fs.ModeSymlink != 0:
		return refuse("%s is a link, and doctor does not write through links; name a regular file",
			name)
	case !info.Mode().IsRegular():
		return refuse(
			"%s is a device, a pipe or a socket; name a regular file, or - for standard output",
			name)
	case !o.Force:
		return refuse("%s exists; name another file, or replace it with --force", name)
	}
	return nil
}

// isInput compares files and not names: a link or a hard link to an input is that input. A file
// in a folder that is read is an input too.
func (o Options) isInput(name string) bool {
	target, err := os.Stat(name)
	if err != nil {
		return false // a link to nothing, which is refused for being a link
	}
	for _, f := range o.Streams {
		if info, err := f.Stat(); err == nil && os.SameFile(target, info) {
			return true
		}
	}
	for _, input := range o.Inputs {
		info, err := os.Stat(input)
		switch {
		case err != nil: // whoever reads it says so
		case os.SameFile(target, info):
			return true
		case info.IsDir() && holds(input, target):
			return true
		}
	}
	return false
}

// holds tells whether the file is one of those in the folder.
func holds(folder string, file fs.FileInfo) bool {
	found := false
	filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return nil // what cannot be listed is not read either
		}
		if info, err := os.Stat(path); err == nil && os.SameFile(file, info) {
			found = true
			return filepath.SkipAll
		}
		return nil
	})
	return found
}

// A File is on its way: it is next to its later name, so that getting the name is one step, and
// goes when that step is not taken.
type File struct {
	*os.File
	final   string
	options Options
	named   bool
}

// staleAfter is when what a killed doctor left is no longer in use.
const staleAfter = time.Hour

const partialEnd = ".partial"

// Create begins a file of that name, readable by its owner only.
func Create(name string, o Options) (*File, error) {
	if err := Check(name, o); err != nil {
		return nil, err
	}
	removeStale(name)
	f, err := createPrivate(name + "." + rand.Text()[:8] + partialEnd)
	if err != nil {
		return nil, cannotWrite(name, err)
	}
	return &File{File: f, final: name, options: o}, nil
}

// removeStale removes what a doctor that was killed left of the file.
func removeStale(name string) {
	folder, start := filepath.Dir(name), filepath.Base(name)+"."
	entries, _ := os.ReadDir(folder)
	for _, e := range entries {
		info, err := e.Info()
		if err == nil && info.Mode().IsRegular() && strings.HasPrefix(e.Name(), start) &&
			strings.HasSuffix(e.Name(), partialEnd) && time.Since(info.ModTime()) > staleAfter {
			os.Remove(filepath.Join(folder, e.Name()))
		}
	}
}

// Commit gives the file its name. What took the name in the meantime is treated as in Create.
func (f *File) Commit() error {
	if err := f.File.Close(); err != nil {
		return cannotWrite(f.final, err)
	}
	if err := Check(f.final, f.options); err != nil {
		return err
	}
	rename := renameNew
	if f.options.Force {
		rename = os.Rename
	}
	switch err := rename(f.Name(), f.final); {
	case errors.Is(err, fs.ErrExist):
		return Check(f.final, f.options)
	case err != nil:
		return cannotWrite(f.final, err)
	}
	f.named = true
	return nil
}

// Discard removes what was written, unless it has its name.
func (f *File) Discard() {
	if !f.named {
		f.File.Close()
		os.Remove(f.Name())
	}
}

// Write puts the whole content under the name, or nothing.
func Write(name string, content []byte, o Options) error {
	f, err := Create(name, o)
	if err != nil {
		return err
	}
	defer f.Discard()
	if _, err := f.File.Write(content); err != nil {
		return cannotWrite(name, err)
	}
	return f.Commit()
}

// Folder makes a folder in which only its owner and Administrators can read and write, or makes one
// of what is there.
func Folder(name string) error {
	err := os.MkdirAll(name, 0o700)
	if err == nil {
		err = closeFolder(name)
	}
	if err != nil {
		return fmt.Errorf("folder %s cannot be made: %w", name, bundle.Bare(err))
	}
	return nil
}

func cannotWrite(name string, err error) error {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%s cannot be written: there is no folder %s", name, filepath.Dir(name))
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("%s cannot be written: access denied; name a file in another folder",
			name)
	}
	return fmt.Errorf("%s cannot be written: %w", name, bundle.Bare(err))
}

// privateRights is the protected access list of a file, in the language of Windows: all rights for
// the user with this SID and for Administrators, none that the folder hands down.
func privateRights(user string) string {
	return "D:P(A;;FA;;;BA)(A;;FA;;;" + user + ")"
}
