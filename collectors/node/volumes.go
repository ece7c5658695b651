package node

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

	"doctor/checks/evidence"
	"doctor/checks/sorted"
	"doctor/collectors"
)

// volumes opens the file system of one of the machine's own drives, by its
// letter. Names in it are Windows' own, with slashes, and found in any case.
type volumes func(letter string) (fs.FS, error)

// What is taken of one folder, and how many links are followed to one file.
const (
	maxEntries = 500
	maxLinks   = 8
)

var (
	errOtherVolume = errors.New(
		"leads to another volume or machine, where the doctor does not follow")
	errLinkLoop = errors.New("is a link that leads to itself")
	errNoFile   = errors.New("is no file")
	errTooLarge = errors.New("is too large to copy")
)

// Devices that answer to these names in every folder, and would wait for a key.
var device = regexp.MustCompile(
	`(?i)^(con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³]) *(\..*)?$`)

// volumeAt finds the drive and the name of a Windows path, and follows the links on
// the way as long as they stay on the drive.
func (v volumes) volumeAt(windowsPath string) (fs.FS, string, error) {
	clean := evidence.CleanWinPath(windowsPath)
	letter, rest, ok := strings.Cut(clean, `:\`)
	if !ok || len(letter) != 1 {
		return nil, "", fmt.Errorf("%s %w", clean, errOtherVolume)
	}
	name := path.Clean(strings.ReplaceAll(rest, `\`, "/"))
	if !fs.ValidPath(name) || strings.ContainsAny(name, `:*?"<>|`) ||
		slices.ContainsFunc(strings.Split(name, "/"), device.MatchString) {
		return nil, "", fmt.Errorf("%s %w", clean, errNoFile)
	}
	fsys, err := v(letter)
	if err != nil {
		return nil, "", err
	}
	links, ok := fsys.(fs.ReadLinkFS)
	for range maxLinks {
		if !ok || name == "." {
			return fsys, name, nil
		}
		next, isLink, err := follow(links, letter, name)
		if err != nil {
			return nil, "", err
		}
		if !isLink {
			return fsys, name, nil
		}
		name = next
	}
	return nil, "", fmt.Errorf("%s %w", clean, errLinkLoop)
}

// follow replaces the first link on the way to name, if there is one, by where it leads.
func follow(links fs.ReadLinkFS, letter, name string) (next string, isLink bool, err error) {
	for end := 0; end < len(name); {
		if next := strings.IndexByte(name[end+1:], '/'); next >= 0 {
			end += 1 + next
		} else {
			end = len(name)
		}
		info, err := links.Lstat(name[:end])
		if errors.Is(err, fs.ErrPermission) {
			continue // who may not look at a folder may still open what lies in it
		}
		if err != nil {
			return "", false, err
		}
		if info.Mode()&(fs.ModeSymlink|fs.ModeIrregular) == 0 {
			continue
		}
		target, err := links.ReadLink(name[:end])
		if err != nil {
			continue // another kind of reparse point, such as a deduplicated file
		}
		to, err := linkTarget(letter, path.Dir(name[:end]), target)
		if err != nil {
			return "", false, fmt.Errorf("%s %w", evidence.Clean(name[:end]), err)
		}
		return path.Clean(strings.TrimPrefix(to+name[end:], "/")), true, nil
	}
	return name, false, nil
}

func linkTarget(letter, folder, target string) (string, error) {
	t := strings.ReplaceAll(target, `\`, "/")
	bare := strings.TrimPrefix(strings.TrimPrefix(t, "/??/"), "//?/")
	switch {
	case len(bare) > 2 && bare[1:3] == ":/":
		if !strings.EqualFold(bare[:1], letter) {
			return "", errOtherVolume
		}
		t = bare[2:]
	case bare != t, strings.HasPrefix(t, "//"), len(t) > 1 && t[1] == ':':
		return "", errOtherVolume
	case !strings.HasPrefix(t, "/"):
		t = "/" + folder + "/" + t
	}
	return strings.TrimPrefix(path.Clean(t), "/"), nil
}

func (v volumes) stat(windowsPath string) (fs.FileInfo, error) {
	fsys, name, err := v.volumeAt(windowsPath)
	if err != nil {
		return nil, err
	}
	return fs.Stat(fsys, name)
}

// list gives what lies in a folder, in order of name, and tells whether that is all.
func (v volumes) list(folder string) (entries []fs.DirEntry, all bool, err error) {
	fsys, name, err := v.volumeAt(folder)
	if err != nil {
		return nil, false, err
	}
	f, err := fsys.Open(name)
	if err != nil {
		return nil, false, err
	}
	defer f.Close()
	dir, ok := f.(fs.ReadDirFile)
	if !ok {
		return nil, false, fmt.Errorf("%s is no folder", evidence.Clean(folder))
	}
	entries, err = dir.ReadDir(maxEntries + 1)
	if err != nil && err != io.EOF {
		return nil, false, err
	}
	all = len(entries) <= maxEntries
	entries = entries[:min(len(entries), maxEntries)]
	sorted.By(entries, func(a, b fs.DirEntry) int { return compareFold(a.Name(), b.Name()) })
	return entries, all, nil
}

// open opens a file, not a folder and not a device.
func (v volumes) open(windowsPath string) (fs.File, fs.FileInfo, error) {
	fsys, name, err := v.volumeAt(windowsPath)
	if err != nil {
		return nil, nil, err
	}
	f, err := fsys.Open(name)
	if err != nil {
		return nil, nil, err
	}
	info, err := f.Stat()
	if err == nil && info.Mode()&^fs.ModePerm&^fs.ModeIrregular != 0 {
		err = fmt.Errorf("%s %w", evidence.Clean(windowsPath), errNoFile)
	}
	if err != nil {
		f.Close()
		return nil, nil, err
	}
	return f, info, nil
}

// readVolume gives the content of a file of at most limit bytes.
func (v volumes) readVolume(windowsPath string, limit int64) ([]byte, fs.FileInfo, error) {
	f, info, err := v.open(windowsPath)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	if info.Size() > limit {
		return nil, info, errTooLarge
	}
	content, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err == nil && int64(len(content)) > limit {
		err = errTooLarge // it grows
	}
	return content, info, err
}

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
