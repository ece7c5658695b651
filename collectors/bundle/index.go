package bundle

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
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

// A tally is what a source and the archives inside it hold together.
type tally struct {
	lim     limits
	used    used
	refused []Refusal
	unnamed int // refused beyond maxRefusals
}

// used is what the limits bound. It is taken back where an archive inside is given up.
type used struct {
	entries  int   // seen or made: refused ones and implied folders count too
	names    int   // bytes of the paths kept
	declared int64 // bytes of the files kept
}

// An index takes the entries of one source and keeps those that can be trusted.
type index struct {
	*tally
	spool  *unpacking
	name   string // for faults of the source itself
	place  string // what the source is called: "archive" or "folder"
	within string // the path of the archive in the tree; "" for the source that was handed over
	level  int    // archives around it
	root   *node
	before int // what was refused before this source
	seen   int // entries of this source alone
	files  int
	nested int // archives in it
}

var errTooMany = errors.New("too many entries")

// add files one entry. Its error means that the source as a whole is too big; an
// entry that is merely bad is noted as refused.
func (x *index) add(e entry) error {
	x.seen++
	if err := x.count(); err != nil {
		return err
	}
	if e.refuse != "" {
		x.refuse(e.name, e.refuse)
		return nil
	}
	path, named, reason := cleanName(e.name)
	e.folder = e.folder || named
	packed := !e.folder && isArchiveName(path)
	switch {
	case reason != "":
	case x.within != "" && len(x.within)+1+len(path) > maxPath:
		reason = fmt.Sprintf("its path is longer than %d bytes", maxPath)
	case x.within != "" && strings.Count(x.within, "/")+1+strings.Count(path, "/") > maxDepth:
		reason = fmt.Sprintf("it lies more than %d folders deep", maxDepth)
	case packed && x.level == maxLevels:
		reason = fmt.Sprintf("an archive inside of more than %d others is not opened", maxLevels)
	case !e.folder && !packed && x.claims() && e.size > x.lim.declared-x.used.declared:
		reason = fmt.Sprintf("it declares %s, and the %s may hold %s in all", bytesText(e.size),
			x.place, bytesText(x.lim.declared))
	default:
		var err error
		if reason, err = x.put(path, e, packed); err != nil {
			return err
		}
	}
	if reason != "" {
		x.refuse(e.name, reason)
	}
	return nil
}

// put puts one entry where its clean path says, and makes the folders above.
func (x *index) put(path string, e entry, packed bool) (reason string, err error) {
	if path == "." {
		return "", nil
	}
	if x.used.names += len(path); x.used.names > maxNames {
		return "", fmt.Errorf("%w: their names alone take more than %s", errTooMany,
			bytesText(maxNames))
	}
	at := x.root
	for part, rest, more := strings.Cut(path, "/"); ; part, rest, more = strings.Cut(rest, "/") {
		key := sameName(part)
		next := at.children[key]
		last := !more
		switch {
		case next == nil && last && !e.folder:
			at.children[key] = x.file(part, e, packed)
			return "", nil
		case next == nil:
			next = &node{name: part, children: map[string]*node{}}
			at.children[key] = next
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
		case next.name != part:
			return "a second entry of this name, which came before it as " + printable(next.name) +
				"; the first is kept", nil
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

// file makes the node of a file, or of an archive that stays out of sight until it
// is opened. What an archive declares is no claim on the tree: it is bounded when
// it is unpacked.
func (x *index) file(name string, e entry, packed bool) *node {
	n := &node{name: name, size: e.size, at: e.at, modified: e.modified}
	if packed {
		x.nested++
		n.sight = closed
		return n
	}
	x.files++
	if x.claims() {
		x.used.declared += e.size
	}
	return n
}

// claims tells that the sizes are only said; what lies in a folder has them.
func (x *index) claims() bool { return x.place == "archive" }

func (x *index) count() error {
	if x.used.entries++; x.used.entries > x.lim.entries {
		return fmt.Errorf("%w: it holds more than %d", errTooMany, x.lim.entries)
	}
	return nil
}

func (x *index) refuse(name, reason string) {
	if x.within != "" {
		name = x.within + "/" + name
	}
	x.tally.refuse(name, reason)
}

func (t *tally) refuse(name, reason string) {
	if len(t.refused) >= maxRefusals {
		t.unnamed++
		return
	}
	t.refused = append(t.refused, Refusal{Name: printable(name), Reason: reason})
}

// refuseWhole notes a fault of the source itself, ahead of those of its entries,
// where no bound drops it.
func (x *index) refuseWhole(reason string) {
	x.refused = slices.Concat(x.refused[:x.before],
		[]Refusal{{Name: printable(x.name), Reason: reason}}, x.refused[x.before:])
}

// nothing is the error for an archive of which no file could be kept, else nil:
// an empty tree would only say later, and less clearly, that something is wrong.
func (x *index) nothing() error {
	refused := x.refused[x.before:]
	switch {
	case x.files+x.nested > 0:
		return nil
	case len(refused) == 0:
		return errors.New("it contains no file: request it again")
	}
	return fmt.Errorf("it contains no file that doctor can read; the first of %d left out is %s: %s",
		len(refused)+x.unnamed, refused[0].Name, refused[0].Reason)
}

// whole is the error for a source that cannot be indexed, with what to do about
// one that is over the limits.
func whole(err error) error {
	if !errors.Is(err, errTooMany) {
		return Bare(err)
	}
	return fmt.Errorf("%w; give doctor the recording of one node", err)
}

// Bare is an error of package os without the path, which is as hostile as any
// name, or one of a temporary file that nobody asked for.
func Bare(err error) error {
	if pathError, ok := errors.AsType[*fs.PathError](err); ok {
		return pathError.Err
	}
	if linkError, ok := errors.AsType[*os.LinkError](err); ok {
		return linkError.Err
	}
	return err
}

// A plainError says in its own words what a library's error means.
type plainError struct {
	text string
	err  error
}

func (e plainError) Error() string { return e.text }
func (e plainError) Unwrap() error { return e.err }

// CannotRead is the error for a file or folder of that name that the system does not open.
func CannotRead(name string, err error) error {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return plainError{"there is no file or folder " + name + "; check the path", err}
	case errors.Is(err, fs.ErrPermission):
		return plainError{name + " cannot be read: access denied; run doctor as a user who may " +
			"read it", err}
	}
	return fmt.Errorf("%s cannot be read: %w", name, Bare(err))
}

func reasonOf(err error) string { return printable(Bare(err).Error()) }

var archiveNames = []string{".zip", ".tar", ".tar.gz", ".tgz", ".tar.xz", ".txz", ".tar.zst", ".tzst",
	".tar.bz2", ".tbz2"}

func isArchiveName(path string) bool {
	lower := strings.ToLower(path)
	return slices.ContainsFunc(archiveNames, func(end string) bool { return strings.HasSuffix(lower, end) })
}
