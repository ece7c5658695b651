package evidence

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Layout is the name and version of the tree's format, as meta.json states it.
const Layout = "evidence/v1"

// Bounds on what a hostile or broken tree may cost. They are above what a
// node of 250 pods records in a cluster of some thousand nodes.
const (
	maxPaths   = 200_000
	maxFile    = 64 << 20  // bytes of one structured file or configuration copy
	maxAll     = 192 << 20 // bytes of all of them together
	maxObjects = 450_000   // JSON objects in all of them together
)

// UnknownNode stands in Meta.Node where a recording does not say of which node it is.
const UnknownNode = "unknown"

// Meta is meta.json, the only file that every tree must hold.
type Meta struct {
	Layout string `json:"layout"` // evidence/v1
	Node   string `json:"node"`   // its name in the cluster, or the host's where that is not known

	// When the evidence was recorded: "now", for every check. Left out where nobody knows: no age
	// can be computed then.
	CollectedAt time.Time `json:"collectedAt,omitzero"`
	Source      string    `json:"source,omitempty"`   // live, cluster, collectlogs, …
	Doctor      string    `json:"doctor,omitempty"`   // the version that recorded it
	Elevated    *bool     `json:"elevated,omitempty"` // recorded with administrator rights
	// HostProcess, where the recorder ran in such a container; left out elsewhere.
	Container string `json:"container,omitempty"`
}

// A Snapshot is one loaded tree. It is read-only, cheap to copy and safe for
// concurrent use; the zero Snapshot knows nothing.
type Snapshot struct {
	*tree
	trace *Trace
}

type tree struct {
	fsys    fs.FS
	meta    Meta
	paths   map[string]string // lower-case path → path in fsys
	records map[string]FileRecord
	gaps    map[string]Gap // of gaps.json, by lower-case path
	hidden  []string
	signs   map[string][]SignMatch

	unsearched []UnsearchedLog
	errorLines []ErrorLine

	base   *tree           // of LoadSharing: what is decoded there is not decoded again …
	shared map[string]bool // … where the lower-case path is one of these

	mu      sync.Mutex
	bytes   int64
	objects int
	memo    map[any]func() any
}

// known is the tree, or an empty one for the zero Snapshot.
func (s Snapshot) known() *tree { return cmp.Or(s.tree, &noTree) }

var noTree tree

// ErrNotEvidence is what Load's error wraps for a tree without meta.json.
var ErrNotEvidence = errors.New("not an evidence tree")

// Load opens the evidence tree in fsys. Only meta.json is read here; the rest
// is decoded when a check first asks for it.
func Load(fsys fs.FS) (Snapshot, error) {
	t := &tree{fsys: fsys, paths: map[string]string{}, memo: map[any]func() any{}}
	if err := t.index(); err != nil {
		return Snapshot{}, err
	}
	s := Snapshot{tree: t}
	meta := Meta{}
	switch content, gap := t.readFile("meta.json"); {
	case gap.Kind == NotCollected:
		return Snapshot{},
			fmt.Errorf("%w: it has no meta.json; write one that holds {\"layout\":%q,\"node\":\"NAME\",\"collectedAt\":\"2026-01-31T10:00:00Z\"}", ErrNotEvidence, Layout)
	case gap.Kind != "":
		return Snapshot{}, fmt.Errorf("meta.json: %s", gap.Reason())
	default:
		if err := decodeJSON(content, &meta); err != nil {
			return Snapshot{}, fmt.Errorf("meta.json: %w", err)
		}
	}
	if meta.Layout != Layout {
		return Snapshot{}, fmt.Errorf("meta.json: layout is %q, and this doctor reads %q",
			Clean(meta.Layout), Layout)
	}
	meta.Node, meta.Source, meta.Doctor = Clean(meta.Node), Clean(meta.Source), Clean(meta.Doctor)
	t.meta, t.gaps = meta, t.gapIndex()
	t.records = fileRecords(s)
	return s, nil
}

// LoadSharing is Load for one of many trees that have files in common: those of base, apart from
// those that isOwn says are the tree's own. What is shared is decoded once, for all trees, and
// counted against the bounds of base.
func LoadSharing(fsys fs.FS, base Snapshot, isOwn func(path string) bool) (Snapshot, error) {
	s, err := Load(fsys)
	if err == nil && base.tree != nil {
		s.tree.base, s.tree.shared = base.tree, map[string]bool{}
		for key, path := range base.paths {
			if target := strings.TrimSuffix(path, ".gap"); !isOwn(target) && !isOwn(target+".gap") {
				s.tree.shared[strings.TrimSuffix(key, ".gap")] = true
			}
		}
	}
	return s, err
}

// shares tells whether the file at the path is one that base decodes.
func (t *tree) shares(path string) bool {
	return t != nil && t.base != nil && t.shared[strings.ToLower(path)] && !t.hides(path)
}

func (t *tree) index() error {
	count := 0
	return fs.WalkDir(t.fsys, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			if path == "." {
				return fmt.Errorf("reading the evidence tree: %w", err)
			}
			return nil // an unreadable folder is a gap of what lies in it
		}
		if d.IsDir() {
			return nil
		}
		if count++; count > maxPaths {
			return fmt.Errorf(
				"the tree holds more than %d files; give doctor the folder of one node", maxPaths)
		}
		if key := strings.ToLower(path); t.paths[key] == "" {
			t.paths[key] = path
		}
		return nil
	})
}

// Meta returns what meta.json says.
//
//go:noinline
func (s Snapshot) Meta() Meta { return s.known().meta }

// Now is the time at which the evidence was collected: the only clock a check has.
//
//go:noinline
func (s Snapshot) Now() time.Time { return s.Meta().CollectedAt }

// Elevated tells whether the recorder ran with administrator rights; unknown is false, false.
func (s Snapshot) Elevated() (elevated, known bool) {
	e := s.Meta().Elevated
	return e != nil && *e, e != nil
}

// Paths lists all files of the tree in order, gap files included.
func (s Snapshot) Paths() []string { return slices.Sorted(maps.Values(s.known().paths)) }

// Open opens a file of the tree as it is stored.
func (s Snapshot) Open(path string) (io.ReadCloser, error) {
	if stored, ok := s.stored(path); ok {
		return s.fsys.Open(stored)
	}
	return nil, fmt.Errorf("%s: %w", path, fs.ErrNotExist)
}

// Stat tells the size and the time of a file of the tree as it is stored.
func (s Snapshot) Stat(path string) (fs.FileInfo, error) {
	if stored, ok := s.stored(path); ok {
		return fs.Stat(s.fsys, stored)
	}
	return nil, fmt.Errorf("%s: %w", path, fs.ErrNotExist)
}

func (s Snapshot) stored(path string) (string, bool) {
	t := s.known()
	stored, ok := t.paths[strings.ToLower(path)]
	return stored, ok && !t.hides(path)
}

func (t *tree) hides(path string) bool {
	return slices.ContainsFunc(t.hidden, func(p string) bool { return matches(p, path) })
}

// Hide returns the snapshot as it would be had the needs' evidence never been
// collected, and no log been read.
func (s Snapshot) Hide(needs ...Need) Snapshot {
	t := s.withoutMemo()
	t.hidden = slices.Clone(s.hidden)
	for _, n := range needs {
		t.hidden = append(t.hidden, n.Paths()...)
	}
	return Snapshot{tree: t, trace: s.trace}
}

// withoutMemo is the same tree with nothing read yet, and no scan of its logs.
func (t *tree) withoutMemo() *tree {
	return &tree{fsys: t.fsys, meta: t.meta, paths: t.paths, records: t.records, gaps: t.gaps,
		hidden: t.hidden, base: t.base, shared: t.shared, memo: map[any]func() any{}}
}

// readFile returns the content of a structured file as UTF-8, or the gap that stands in its place.
func (t *tree) readFile(path string) ([]byte, Gap) {
	if t == nil || t.hides(path) {
		return nil, NotInRecording.Gap(path)
	}
	stored, ok := t.paths[strings.ToLower(path)]
	if !ok {
		if gapFile, ok := t.paths[strings.ToLower(path)+".gap"]; ok {
			content, err := ReadBounded(t.fsys, gapFile, 4<<10)
			if err != nil && !errors.Is(err, ErrTooLarge) {
				return nil, Reported.OfKind(Error, err)
			}
			return nil, t.recordedGap(path, string(DecodeText(content)))
		}
		return nil, NotInRecording.Gap(path)
	}
	content, err := ReadBounded(t.fsys, stored, maxFile)
	if err != nil {
		return nil, Reported.OfKind(Error, err)
	}
	t.mu.Lock()
	t.bytes += int64(len(content))
	over := t.bytes > maxAll
	t.mu.Unlock()
	if over {
		return nil, TreeTooLarge.Gap(strconv.Itoa(maxAll >> 20))
	}
	return DecodeText(content), Gap{}
}

// GapAt says why there is nothing at an evidence path; it is the zero Gap where
// there is something. A path that ends with a slash is a folder.
func (s Snapshot) GapAt(path string) Gap {
	if s.tree == nil {
		return NotInRecording.Gap(path)
	}
	if component, ok := strings.CutPrefix(path, "logs/"); ok && strings.HasSuffix(path, "/") {
		return Logs(strings.TrimSuffix(component, "/")).Gap(s)
	}
	if windows, ok := WindowsPath(strings.TrimSuffix(path, "/")); ok &&
		strings.HasPrefix(path, "files/") {
		if strings.HasSuffix(path, "/") {
			return Folder(windows).Gap(s)
		}
		return s.File(windows).Gap
	}
	_, gap := s.tree.readFile(path)
	return gap
}

// RestOf is the path of the gap of what a list does not hold, where only a part of it could be read.
func RestOf(path string) string { return strings.TrimSuffix(path, ".json") + "-rest" }

// PartOf is the path of what is known of a list that nobody read whole. The list itself stays a
// gap for every check but those that a part is enough for (WithParts).
func PartOf(path string) string { return strings.TrimSuffix(path, ".json") + partSuffix }

const partSuffix = "-part.json"

// WithParts returns the snapshot with what is known of these lists in the place of the lists.
func (s Snapshot) WithParts(lists ...Need) Snapshot {
	parts := map[string]string{}
	for _, n := range lists {
		for _, path := range n.Paths() {
			if part, ok := s.stored(PartOf(path)); ok && s.paths[path] == "" {
				parts[path] = part
			}
		}
	}
	if len(parts) == 0 {
		return s
	}
	t := Memo(s, fmt.Sprint("with parts ", parts), func(s Snapshot) *tree {
		t := s.Hide().tree
		t.paths = maps.Clone(s.paths)
		t.signs, t.unsearched, t.errorLines = s.signs, s.unsearched, s.errorLines
		maps.Copy(t.paths, parts)
		return t
	})
	return Snapshot{tree: t, trace: s.trace}
}

// placeOf is where a list is stored, which is elsewhere for a part of it.
func (t *tree) placeOf(path string) string {
	if stored := t.paths[strings.ToLower(path)]; strings.HasSuffix(stored, partSuffix) {
		return stored
	}
	return path
}

// Rest says why a list is a part of what there is; it is the zero Gap where it is the whole.
func (s Snapshot) Rest(path string) Gap {
	if s.known().placeOf(path) != path {
		whole := s.Hide().tree
		whole.paths = maps.Clone(s.paths)
		delete(whole.paths, strings.ToLower(path))
		_, gap := whole.readFile(path)
		return gap
	}
	if strings.HasPrefix(path, "api/") { // only what the server holds is read in part
		if g := s.GapAt(RestOf(path)); g.Code != NotInRecording {
			return g
		}
	}
	return Gap{}
}

// ErrTooLarge is wrapped by the error of ReadBounded for a file that is larger.
var ErrTooLarge = errors.New("too large")

// ReadBounded reads a file of up to limit bytes; of a larger one it returns the beginning and an
// error.
func ReadBounded(fsys fs.FS, path string, limit int64) ([]byte, error) {
	f, err := fsys.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	tooLarge := fmt.Errorf("%w: more than %d KiB", ErrTooLarge, limit>>10)
	var content bytes.Buffer
	if info, err := f.Stat(); err == nil && limit >= maxFile {
		if info.Size() > limit {
			return nil, tooLarge
		}
		content.Grow(int(info.Size()) + bytes.MinRead) // a size that lies is caught below
	}
	if _, err := content.ReadFrom(io.LimitReader(f, limit+1)); err != nil {
		return nil, err
	}
	if int64(content.Len()) > limit {
		return content.Bytes()[:limit], tooLarge
	}
	return content.Bytes(), nil
}

// Memo returns what make returned the first time it was asked for under key: how
// a value that many checks need is worked out once for a snapshot. Reads inside
// make are not traced; they belong to whoever declares the value as a Need. Where make panics, all
// that ask do: nobody gets a value that was not worked out.
func Memo[T any](s Snapshot, key any, make func(Snapshot) T) T {
	v, _ := s.once(key, func(s Snapshot) any { return make(s) }).(T)
	return v
}

func (s Snapshot) once(key any, make func(Snapshot) any) any {
	if s.tree == nil {
		return make(s)
	}
	s.mu.Lock()
	value := s.memo[key]
	if value == nil {
		value = sync.OnceValue(func() any { return make(Snapshot{tree: s.tree}) })
		s.memo[key] = value
	}
	s.mu.Unlock()
	return value()
}

// MemoOf is Memo for what follows from one kind alone: once for all nodes that share it.
func MemoOf[T, V any](s Snapshot, kind *Kind[V], key any, make func(V) T) T {
	if s.tree.shares(kind.path) {
		s = Snapshot{tree: s.base}
	}
	return Memo(s, key, func(s Snapshot) T { return make(kind.In(s)) })
}
