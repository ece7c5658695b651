package session

import (
	"archive/zip"
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/faults"
	"doctor/checks/signs"
	"doctor/collectors/outfile"
	"doctor/collectors/pack"
)

// A Recorder keeps the last readings of a node on disk, each with what the logs got since the one
// before, and writes them into a bundle when something happens: the minutes before, and those after.
// What it keeps has no secrets, and only its owner and Administrators can read it. It goes on where
// an earlier one of the same folder ended.
type Recorder struct {
	Folder  string        // of the bundles; the readings are in its folder ring
	Keep    time.Duration // how long a reading is kept
	After   time.Duration // how long a bundle waits for what follows
	Bundles int           // at most
	Until   func(Change) bool
	Options Options // of the bundles
	Tell    func(string)

	last    [sha256.Size]byte
	logs    map[string]logMark
	newest  string // the file of the last reading
	written int
	due     time.Time // when the bundle is to be written; zero for none
	because string
}

// Bounds of what is kept.
const (
	mostFrames   = 500
	mostRing     = 256 << 20                 // bytes
	frameStamp   = "20060102T150405.000000Z" // two readings may be kept in one millisecond
	framePrefix  = "reading-"
	historyRoot  = "history/"
	mostInBundle = 60 // readings; the oldest of more are left out
)

// Start makes the folders, and takes up what an earlier recorder of the folder left: its bundles, one
// that it did not come to, and its last reading, whose verdicts it returns.
func (r *Recorder) Start() (earlier checks.Report, err error) {
	if err := outfile.Folder(r.ring()); err != nil {
		return earlier, fmt.Errorf("%w; name another folder with --bundle", err)
	}
	old, err := filepath.Glob(filepath.Join(r.Folder, "doctor-*.zip"))
	if err != nil {
		return earlier, err
	}
	r.written = len(old)
	if because, err := os.ReadFile(r.trigger()); err == nil {
		r.due, r.because = time.Now().Add(r.After), evidence.Clip(string(because), 100)
	}
	if err := r.prune(); err != nil {
		return earlier, err
	}
	list, err := r.frames()
	if err != nil || len(list) == 0 {
		return earlier, err
	}
	last := list[len(list)-1]
	if earlier, err = r.judge(last); err != nil {
		r.Tell(fmt.Sprintf("%s cannot be read: %v", filepath.Base(last), err))
	}
	return earlier, nil
}

func (r *Recorder) judge(frame string) (checks.Report, error) {
	z, err := zip.OpenReader(frame)
	if err != nil {
		return checks.Report{}, err
	}
	defer z.Close()
	s, err := evidence.Load(z)
	if err != nil {
		return checks.Report{}, err
	}
	all := faults.Catalogue()
	return checks.Diagnose(signs.Recorded(s, all.Signs(), nil), all, checks.Source{},
		r.Options.Program), nil
}

func (r *Recorder) ring() string { return filepath.Join(r.Folder, "ring") }

// trigger is the file that says what a bundle that is due is for.
func (r *Recorder) trigger() string { return filepath.Join(r.ring(), "trigger") }

// Record keeps a reading if the node's state is not as it was, and writes the bundle that is due.
func (r *Recorder) Record(ctx context.Context, l *Live, report checks.Report, full bool, changes []Change) error {
	if err := r.keep(l, full); err != nil {
		return err
	}
	for _, c := range changes {
		if c.turnedBad() && r.due.IsZero() && r.Until(c) {
			if r.written >= r.Bundles {
				r.Tell(fmt.Sprintf("%s: no bundle is written: there are %d in %s", c.ID, r.written, r.Folder))
				continue
			}
			r.due, r.because = time.Now().Add(r.After), c.ID
			if err := outfile.Write(r.trigger(), []byte(c.ID), outfile.Options{Force: true}); err != nil {
				return err
			}
		}
	}
	if r.due.IsZero() || time.Now().Before(r.due) || !full {
		return nil
	}
	r.due = time.Time{}
	return errors.Join(r.bundle(ctx, l), os.Remove(r.trigger()))
}

// Due tells whether a bundle waits for a whole reading.
func (r *Recorder) Due() bool { return !r.due.IsZero() && !time.Now().Before(r.due) }

// volatile is what changes without meaning anything.
var volatile = []string{"meta.json", "processes.json", "memory.json", "disks.json", "signs.json", "errors.json",
	"events.json", "api/events.json", "ports.json"}

func (r *Recorder) keep(l *Live, full bool) error {
	tree, paths, err := l.Frame()
	if err != nil {
		return err
	}
	state, contents := sha256.New(), make([][]byte, len(paths))
	for i, path := range paths {
		content, err := fs.ReadFile(tree, path)
		if err != nil {
			continue // a file that is read where it lies, and gone
		}
		contents[i] = content
		if !slices.Contains(volatile, path) && !strings.HasPrefix(path, "probes/") {
			fmt.Fprintf(state, "%s %d\n", path, len(content))
			state.Write(content)
		}
	}
	sum := [sha256.Size]byte(state.Sum(nil))
	if sum == r.last && !full {
		return r.prune()
	}
	kept := map[string][]byte{}
	for i, path := range paths {
		if contents[i] == nil {
			continue
		}
		// A file may have been read before the one whose names show what in it is secret.
		if kept[path], err = l.secrets.Content(contents[i], path); err != nil {
			delete(kept, path)
			r.Tell(fmt.Sprintf("%s is left out of a reading: %v", path, err))
		}
	}
	if full {
		lines := r.newLines(tree, l.secrets.Content)
		maps.Copy(kept, lines)
		if kept[evidence.LogRecords.Path()], err = withExcerpts(kept[evidence.LogRecords.Path()], lines); err != nil {
			return err
		}
	}
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, path := range slices.Sorted(maps.Keys(kept)) {
		f, err := w.Create(path)
		if err != nil {
			return err
		}
		if _, err := f.Write(kept[path]); err != nil {
			return err
		}
	}
	if err := w.Close(); err != nil {
		return err
	}
	name := filepath.Join(r.ring(), framePrefix+time.Now().UTC().Format(frameStamp)+".zip")
	if err := outfile.Write(name, b.Bytes(), outfile.Options{Force: true}); err != nil {
		return err
	}
	r.last, r.newest = sum, name
	return r.prune()
}

// frames lists the readings that are kept, the oldest first.
func (r *Recorder) frames() ([]string, error) {
	list, err := filepath.Glob(filepath.Join(r.ring(), framePrefix+"*.zip"))
	slices.Sort(list)
	return list, err
}

func frameTime(name string) (time.Time, error) {
	stamp := strings.TrimSuffix(strings.TrimPrefix(filepath.Base(name), framePrefix), ".zip")
	return time.Parse(frameStamp, stamp)
}

// prune forgets what is older than is kept, and the oldest of too much.
func (r *Recorder) prune() error {
	list, err := r.frames()
	if err != nil {
		return err
	}
	var total int64
	for i := len(list) - 1; i >= 0; i-- {
		info, err := os.Stat(list[i])
		if err != nil {
			continue
		}
		total += info.Size()
		at, err := frameTime(list[i])
		if err != nil || time.Since(at) > r.Keep+r.After || len(list)-i > mostFrames || total > mostRing {
			if err := os.Remove(list[i]); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
		}
	}
	return nil
}

// bundle writes the reading with those before it: each is a recording of its own in the zip, which
// `doctor FILE` opens as several recordings of one node.
func (r *Recorder) bundle(ctx context.Context, l *Live) error {
	s, err := evidence.Load(l.tree.FS())
	if err != nil {
		return err
	}
	src := Source{Snapshot: s, Origin: l.origin, secrets: l.secrets, unsearched: unanswered(l.readings)}
	b := NewBundling(ctx, src, Packing{MaxSize: DefaultMaxSize}, r.Options)
	list, err := r.frames()
	if err != nil {
		return err
	}
	list = slices.DeleteFunc(list, func(name string) bool {
		return name == r.newest // is this reading, which was a whole one
	})
	list = list[max(0, len(list)-mostInBundle):]
	for _, name := range list {
		documents, err := frameDocuments(name)
		if err != nil {
			r.Tell(fmt.Sprintf("%s is left out: %v", filepath.Base(name), err))
			continue
		}
		b.history = append(b.history, documents...)
	}
	name := filepath.Join(r.Folder, b.DefaultName())
	result, err := b.Write(ctx, name)
	if err != nil {
		return err
	}
	r.written++
	r.Tell(fmt.Sprintf("%s: wrote %s (%s, %d earlier readings)", r.because, name, evidence.SizeText(result.Size), len(list)))
	return nil
}

// maxFrame bounds one file of a reading.
const maxFrame = 64 << 20

// frameDocuments are the files of a reading as documents of a bundle.
func frameDocuments(name string) (list []pack.Document, err error) {
	content, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	z, err := zip.NewReader(bytes.NewReader(content), int64(len(content)))
	if err != nil {
		return nil, err
	}
	root := historyRoot + strings.TrimSuffix(strings.TrimPrefix(filepath.Base(name), framePrefix), ".zip") + "/"
	for _, f := range z.File {
		if !fs.ValidPath(f.Name) || f.UncompressedSize64 > maxFrame {
			continue
		}
		list = append(list, pack.Document{Name: root + f.Name, Write: func(w io.Writer) error {
			from, err := f.Open()
			if err != nil {
				return err
			}
			defer from.Close()
			_, err = io.Copy(w, io.LimitReader(from, maxFrame))
			return err
		}})
	}
	return list, nil
}
