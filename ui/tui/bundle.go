package tui

import (
	"context"
	"sync"
	"time"

	"doctor/checks/evidence"
	"doctor/ui"
)

// A Bundler writes what the screen shows into a zip for a bug report. The screen
// knows no more of it than this: what reads and redacts is handed in.
type Bundler struct {
	Folder  string // where a name without a folder leads to
	Since   time.Duration
	MaxSize int64
	Name    func(evidence.Snapshot) string // what the zip is called where nobody says otherwise
	// Write makes the zip, or leaves nothing. It tells how far it is, one thing at a time.
	Write func(ctx context.Context, s evidence.Snapshot, path string,
		tell func(BundleProgress)) (BundleDone, error)
}

// BundleSearching is the phase before the zip is written: the logs are searched for signs of faults.
const BundleSearching = "searching"

// BundleProgress is how far a bundle is.
type BundleProgress struct {
	Phase        string // BundleSearching, writing, checking
	Files, Of    int
	Bytes, Total int64
	Left         time.Duration // until the phase is over; 0 where nobody can tell
}

// BundleDone is a bundle that got its name.
type BundleDone struct {
	Path     string
	Size     int64
	Files    int
	Redacted []Redacted // the most frequent kind first
	LeftOut  []ui.LeftOut
	Issue    string // the filled-in bug form
}

// Redacted is how many secrets of a kind were replaced.
type Redacted struct {
	Kind  string
	Count int
}

// attended is the bundler for a screen: what it is writing when the screen ends
// is stopped, and end returns when nothing of it is left on the disk.
func (b *Bundler) attended(ctx context.Context) (watched *Bundler, end func()) {
	if b == nil {
		return nil, func() {}
	}
	ctx, stop := context.WithCancel(ctx)
	var writing sync.RWMutex // held by each write, and for a moment by the end
	w := *b
	w.Write = func(own context.Context, s evidence.Snapshot, path string,
		tell func(BundleProgress)) (BundleDone, error) {
		writing.RLock()
		defer writing.RUnlock()
		if ctx.Err() != nil { // nothing begins once the end has begun
			return BundleDone{}, context.Canceled
		}
		own, cancel := context.WithCancel(own)
		defer cancel()
		defer context.AfterFunc(ctx, cancel)()
		return b.Write(own, s, path, tell)
	}
	return &w, func() {
		stop()
		writing.Lock() // when none is left
		defer writing.Unlock()
	}
}
