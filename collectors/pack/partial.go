package pack

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"doctor/collectors/bundle"
)

// A partial is a bundle on its way: it lies beside its later name, so that
// getting the name is one step, and goes when that step is not taken.
type partial struct {
	*os.File
	final string
	named bool
}

// staleAfter is when a partial of a doctor that was killed is in nobody's use any more.
const staleAfter = time.Hour

func newPartial(final string) (*partial, error) {
	if info, err := os.Stat(final); err == nil && info.IsDir() {
		return nil, fmt.Errorf("%s is a folder; name a file in it", final)
	}
	pattern := filepath.Base(final) + ".*.partial"
	if stale, err := filepath.Glob(filepath.Join(filepath.Dir(final), pattern)); err == nil {
		for _, name := range stale {
			if info, err := os.Stat(name); err == nil && time.Since(info.ModTime()) > staleAfter {
				os.Remove(name)
			}
		}
	}
	f, err := os.CreateTemp(filepath.Dir(final), pattern)
	if err != nil {
		return nil, fmt.Errorf(
			"%s cannot be written: %w; name a file in a folder that takes it with -f", final,
			bundle.Bare(err))
	}
	return &partial{File: f, final: final}, nil
}

// name gives the bundle its name.
func (p *partial) name() error {
	err := errors.Join(p.Chmod(0o644), p.Close())
	if err == nil {
		err = os.Rename(p.Name(), p.final)
	}
	if err != nil {
		return fmt.Errorf("%s cannot be written: %w", p.final, bundle.Bare(err))
	}
	p.named = true
	return nil
}

func (p *partial) remove() {
	if !p.named {
		p.Close()
		os.Remove(p.Name())
	}
}

// explain turns an error of the disk into one that says what to do.
func (p *partial) explain(err error) error {
	var path *fs.PathError
	switch {
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, diskFull):
		return fmt.Errorf(
			"the disk of %s is full; nothing was left on it, write to another disk with -f",
			filepath.Dir(p.final))
	case errors.As(err, &path) && path.Path == p.Name():
		return fmt.Errorf("%s cannot be written: %w", p.final, path.Err)
	}
	return err
}
