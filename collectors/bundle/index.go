package bundle

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// An entry is what a source says about one of its members.
type entry struct {
	name     string // as the source spells it
	folder   bool
	size, at int64
	modified time.Time
	refuse   string // the source's own reason to leave it out
}

// An index takes the entries of a source and keeps those that can be trusted.
type index struct {
	lim      limits
	place    string // what the source is called: "archive" or "folder"
	root     *node
	files    int
	entries  int   // seen or made: refused ones and implied folders count too
	names    int   // bytes of the paths kept
	declared int64 // bytes of the files kept
	refused  []Refusal
	unnamed  int // refused beyond maxRefusals
}

func newIndex(place string, lim limits) *index {
	return &index{lim: lim, place: place, root: &node{name: ".", children: map[string]*node{}}}
}

var errTooMany = errors.New("too many entries")

// add files one entry. Its error means that the source as a whole is too big; an
// entry that is merely bad is noted as refused.
func (x *index) add(e entry) error {
	if err := x.count(); err != nil {
		return err
	}
	if e.refuse != "" {
		x.refuse(e.name, e.refuse)
		return nil
	}
	path, named, reason := cleanName(e.name)
	e.folder = e.folder || named
	switch {
	case reason != "":
	case !e.folder && isArchiveName(path):
		reason = "an archive inside the " + x.place + " is not opened; give it to doctor by itself"
	case !e.folder && e.size > x.lim.declared-x.declared:
		reason = fmt.Sprintf("it declares %s, and the %s may hold %s in all", bytesText(e.size), x.place, bytesText(x.lim.declared))
	default:
		var err error
		if reason, err = x.put(path, e); err != nil {
			return err
		}
	}
	if reason != "" {
		x.refuse(e.name, reason)
	}
	return nil
}

// put puts one entry where its clean path says, and makes the folders above.
func (x *index) put(path string, e entry) (reason string, err error) {
	if path == "." {
		return "", nil
	}
	if x.names += len(path); x.names > maxNames {
		return "", fmt.Errorf("%w: their names alone take more than %s", errTooMany, bytesText(maxNames))
	}
	at := x.root
	for part, rest, more := strings.Cut(path, "/"); ; part, rest, more = strings.Cut(rest, "/") {
		next := at.children[part]
		last := !more
		switch {
		case next == nil && last && !e.folder:
			at.children[part] = &node{name: part, size: e.size, at: e.at, modified: e.modified}
			x.files++
			x.declared += e.size
			return "", nil
		case next == nil:
			next = &node{name: part, children: map[string]*node{}}
			at.children[part] = next
			if !last { // implied by the path, so not counted yet
				if err := x.count(); err != nil {
					return "", err
				}
			}
		case next.IsDir() && last && !e.folder:
			return "it is a file, and a folder of this name came before it", nil
		case next.IsDir():
		case !last || e.folder:
			return "it needs a folder where a file of that name came before it", nil
		default:
			return "a second entry of this name; the first is kept", nil
		}
		if last {
			next.modified = e.modified
			return "", nil
		}
		at = next
	}
}

func (x *index) count() error {
	if x.entries++; x.entries > x.lim.entries {
		return fmt.Errorf("%w: it holds more than %d", errTooMany, x.lim.entries)
	}
	return nil
}

func (x *index) refuse(name, reason string) {
	if len(x.refused) == maxRefusals {
		x.unnamed++
		return
	}
	x.refused = append(x.refused, Refusal{Name: printable(name), Reason: reason})
}

// refuseWhole notes a fault of the archive itself, ahead of those of its entries,
// where no bound drops it.
func (x *index) refuseWhole(name, reason string) {
	x.refused = slices.Insert(x.refused, 0, Refusal{Name: filepath.Base(name), Reason: reason})
}

// archive ends the indexing.
func (x *index) archive(open func(*node) (io.ReadCloser, error), closeSource func() error) *Archive {
	if x.unnamed > 0 {
		x.refused = append(x.refused, Refusal{Name: "(more)", Reason: fmt.Sprintf("%d further entries were left out", x.unnamed)})
	}
	return &Archive{
		tree:    &tree{root: x.root, limit: x.lim.entry, open: open},
		refused: x.refused,
		close:   closeSource,
	}
}

// nothing is the error for an archive of which no file could be kept, else nil:
// an empty tree would only say later, and less clearly, that something is wrong.
func (x *index) nothing(name string) error {
	switch {
	case x.files > 0:
		return nil
	case len(x.refused) == 0:
		return fmt.Errorf("%s holds no file: ask for it again", name)
	}
	first := x.refused[0]
	return fmt.Errorf("%s holds no file that doctor can read; the first of %d left out is %s: %s",
		name, len(x.refused)+x.unnamed, first.Name, first.Reason)
}

// whole is the error for a source that cannot be indexed, with what to do about
// one that is over the limits.
func whole(name string, err error) error {
	if !errors.Is(err, errTooMany) {
		return fmt.Errorf("%s: %w", name, bare(err))
	}
	return fmt.Errorf("%s: %w; give doctor the recording of one node", name, err)
}

func isArchiveName(path string) bool {
	lower := strings.ToLower(path)
	return strings.HasSuffix(lower, ".zip") || strings.HasSuffix(lower, ".tar.gz") || strings.HasSuffix(lower, ".tgz")
}
