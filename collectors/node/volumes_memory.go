package node

import (
	"context"
	"errors"
	"io/fs"
	"strings"
	"sync"

	"doctor/checks/evidence"
	"doctor/collectors"
)

// onVolumes is a collector that reads the node's drives, and ends early enough to record what it has.
func onVolumes(v volumes, read func(context.Context, volumes, evidence.Snapshot,
	*collectors.Record) error) func(context.Context, *collectors.Record) error {
	return func(ctx context.Context, r *collectors.Record) error {
		s, err := r.Snapshot()
		if err != nil {
			return err
		}
		ctx, cancel := collectors.BeforeDeadline(ctx, margin)
		defer cancel()
		v := remembering(v)
		if _, err := v.stat(`C:\`); errors.Is(err, errors.ErrUnsupported) {
			return err
		}
		return read(ctx, v, s, r)
	}
}

// remembering asks once what a drive is, and once of each name whether it is
// there and a link: the hundreds of paths that one reading looks for share the
// folders on their way. It is made for one reading and forgotten with it.
func remembering(v volumes) volumes {
	return once(func(letter string) (fs.FS, error) {
		fsys, err := v(letter)
		if links, is := fsys.(fs.ReadLinkFS); is {
			fsys = &remembered{links, once(links.Lstat)}
		}
		return fsys, err
	})
}

type remembered struct {
	fs.ReadLinkFS
	lstat func(name string) (fs.FileInfo, error)
}

func (r *remembered) Stat(name string) (fs.FileInfo, error)  { return fs.Stat(r.ReadLinkFS, name) }
func (r *remembered) Lstat(name string) (fs.FileInfo, error) { return r.lstat(name) }

// once asks for each name once, whatever its case.
func once[T any](ask func(name string) (T, error)) func(name string) (T, error) {
	var mu sync.Mutex
	seen := map[string]func() (T, error){}
	return func(name string) (T, error) {
		key := strings.ToLower(name)
		mu.Lock()
		defer mu.Unlock()
		if seen[key] == nil {
			seen[key] = sync.OnceValues(func() (T, error) { return ask(name) })
		}
		return seen[key]()
	}
}
