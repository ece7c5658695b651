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
	var mu sync.Mutex
	type opened struct {
		fsys fs.FS
		err  error
	}
	drives := map[string]opened{}
	return func(letter string) (fs.FS, error) {
		mu.Lock()
		defer mu.Unlock()
		d, ok := drives[letter]
		if !ok {
			d.fsys, d.err = v(letter)
			if links, is := d.fsys.(fs.ReadLinkFS); is {
				d.fsys = &remembered{ReadLinkFS: links, seen: map[string]looked{}}
			}
			drives[letter] = d
		}
		return d.fsys, d.err
	}
}

type remembered struct {
	fs.ReadLinkFS
	mu   sync.Mutex
	seen map[string]looked
}

type looked struct {
	info fs.FileInfo
	err  error
}

func (r *remembered) Stat(name string) (fs.FileInfo, error) { return fs.Stat(r.ReadLinkFS, name) }

func (r *remembered) Lstat(name string) (fs.FileInfo, error) {
	key := strings.ToLower(name)
	r.mu.Lock()
	defer r.mu.Unlock()
	l, ok := r.seen[key]
	if !ok {
		l.info, l.err = r.ReadLinkFS.Lstat(name)
		r.seen[key] = l
	}
	return l.info, l.err
}
