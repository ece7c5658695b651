package node

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	"doctor/checks/evidence"
	facts "doctor/checks/node"
	"doctor/checks/sorted"
	"doctor/collectors"
	"doctor/collectors/tree"
)

// What is copied of one file, and of all of them.
const (
	maxCopy   = 1 << 20
	maxCopies = 32 << 20
)

// The outcomes of files.json, and the detail of what is known to be there and
// not copied. Readers take "too-large" for that, whatever the size.
const (
	copied      = "copied"
	notCopied   = "too-large"
	byName      = "recorded by name and size only"
	holdsKey    = "holds a private key: " + byName
	emptyFolder = "a folder that contains no file"
)

// copies are the node's files as far as they were looked for.
type copies struct {
	ctx     context.Context
	volumes volumes
	keep    func(path string, f tree.File)
	left    int64 // of maxCopies
	records map[string]evidence.FileRecord
	texts   map[string]string // of what was copied, before anything was redacted
}

func newCopies(ctx context.Context, v volumes, keep func(string, tree.File)) *copies {
	return &copies{ctx: ctx, volumes: v, keep: keep, left: maxCopies,
		records: map[string]evidence.FileRecord{}, texts: map[string]string{}}
}

// readFiles is the collector "files".
func readFiles(o Options, v volumes) func(context.Context, *collectors.Record) error {
	return onVolumes(v, func(ctx context.Context, v volumes, s evidence.Snapshot,
		r *collectors.Record) error {
		c := newCopies(ctx, v, r.File)
		c.all(o, evidence.Services.In(s), evidence.Processes.In(s))
		r.JSON(evidence.FileIndex.Path(), c.list())
		return nil
	})
}

// all looks for everything: what the node's own programs name first, then what the checks ask for,
// then the layouts. Where the time or the room ends, the likeliest is there.
func (c *copies) all(o Options, services []evidence.Service, processes []evidence.Process) {
	for _, p := range runningPrograms(services, processes) {
		c.ofProgram(p)
	}
	for _, f := range o.Files {
		c.file(f)
	}
	for _, f := range knownFiles {
		c.file(f)
	}
	for _, f := range knownNames {
		c.name(f)
	}
	for _, dir := range slices.Concat(o.Folders, knownFolders, []string{facts.LeaseFolder}) {
		if !isProgramFolder(dir) {
			c.folder(dir, depthOf(dir))
		}
	}
	c.runtimes()
	for _, dir := range slices.Concat(o.Folders, programFolders) {
		if isProgramFolder(dir) {
			c.programs(dir)
		}
	}
}

func depthOf(folder string) int {
	if strings.EqualFold(evidence.CleanWinPath(folder), facts.LeaseFolder) {
		return 2
	}
	return 1
}

func isProgramFolder(dir string) bool {
	return facts.EqualsAny(evidence.CleanWinPath(dir), programFolders)
}

// list is files.json.
func (c *copies) list() []evidence.FileRecord {
	list := slices.AppendSeq([]evidence.FileRecord{}, maps.Values(c.records))
	sorted.By(list, func(a, b evidence.FileRecord) int { return compareFold(a.Path, b.Path) })
	return list
}

func (c *copies) record(p string, info fs.FileInfo, outcome, detail string) {
	r := evidence.FileRecord{Path: p, Outcome: outcome, Detail: detail}
	if info != nil && !info.IsDir() {
		r.Bytes = new(info.Size())
		r.ModifiedAt = evidence.Time{Time: info.ModTime().UTC().Truncate(time.Second)}
	}
	c.records[strings.ToLower(p)] = r
}

// recordError records why a file was not read. Where info is known, it is there:
// so is one that another program holds for itself.
func (c *copies) recordError(p string, info fs.FileInfo, err error) {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		c.record(p, nil, evidence.Absent, "")
	case errors.Is(err, fs.ErrPermission):
		c.record(p, info, evidence.Denied, "")
	case info != nil:
		c.record(p, info, notCopied, evidence.Clean(err.Error())+": "+byName)
	default:
		c.record(p, nil, evidence.Error, evidence.Clean(err.Error()))
	}
}

// file copies a file, and gives its text as UTF-8 where it is there.
func (c *copies) file(name string) string {
	p := evidence.CleanWinPath(name)
	key := strings.ToLower(p)
	if r, seen := c.records[key]; c.ctx.Err() != nil || seen &&
		(r.Outcome != notCopied || r.Detail != byName) {
		return c.texts[key]
	}
	if neverCopied(p) {
		c.name(p)
		return ""
	}
	info, err := c.volumes.stat(p)
	if err != nil {
		c.recordError(p, nil, err)
		return ""
	}
	if info.IsDir() {
		c.folder(p, 1)
		return ""
	}
	if info.Size() > c.left {
		c.record(p, info, notCopied, "not copied: the files before it take all the room")
		return ""
	}
	content, opened, err := c.volumes.readVolume(p, maxCopy)
	if errors.Is(err, errTooLarge) {
		c.record(p, info, notCopied, "larger than 1 MiB")
		return ""
	}
	if err != nil {
		c.recordError(p, info, err)
		return ""
	}
	text := string(evidence.DecodeText(content))
	switch {
	case strings.Contains(text, "PRIVATE KEY"):
		c.record(p, opened, notCopied, holdsKey)
		return ""
	case strings.ContainsRune(text, 0):
		c.record(p, opened, notCopied, byName) // it is no text
		return ""
	}
	c.left -= int64(len(content))
	c.keep(evidence.EvidencePath(p), tree.File{Content: content, Modified: opened.ModTime()})
	c.record(p, opened, copied, "")
	c.texts[key] = text
	return text
}

// Names of what is never opened: keys, programs, archives, and logs, which are read elsewhere.
var neverCopiedExtensions = []string{
	".key", ".pem", ".pfx", ".p12", ".kdb", ".exe", ".dll", ".sys", ".pdb", ".msi", ".zip", ".tar",
	".gz", ".tgz", ".7z", ".vhd", ".vhdx", ".etl", ".evtx", ".dmp", ".db",
	".log", ".exe~", ".old", ".bak",
}

func neverCopied(p string) bool {
	return slices.Contains(neverCopiedExtensions,
		strings.ToLower(path.Ext(strings.ReplaceAll(p, `\`, "/"))))
}

// name records that a file is there, and its size.
func (c *copies) name(name string) {
	p := evidence.CleanWinPath(name)
	if _, seen := c.records[strings.ToLower(p)]; seen || c.ctx.Err() != nil {
		return
	}
	info, err := c.volumes.stat(p)
	if err != nil {
		c.recordError(p, nil, err)
		return
	}
	if !info.IsDir() {
		c.record(p, info, notCopied, byName)
	}
}

// folder copies the files of a folder.
func (c *copies) folder(name string, depth int) {
	c.each(name, func(e fs.DirEntry, below string) bool {
		switch {
		case !c.leadsToFolder(e, below):
			c.file(below)
			return true
		case depth > 1 && e.IsDir():
			c.folder(below, depth-1)
		}
		return false
	})
}

// leadsToFolder tells folders, and the links to some, which are not walked.
func (c *copies) leadsToFolder(e fs.DirEntry, p string) bool {
	if e.Type()&(fs.ModeSymlink|fs.ModeIrregular) == 0 {
		return e.IsDir()
	}
	info, err := c.volumes.stat(p)
	return err == nil && info.IsDir()
}

// programs records the programs of a folder.
func (c *copies) programs(name string) {
	c.each(name, func(e fs.DirEntry, below string) bool {
		if !e.IsDir() {
			c.name(below)
		}
		return !e.IsDir()
	})
}

// each goes over what lies in a folder; take tells whether that was a file. Of the folder itself it
// records only what its files do not tell.
func (c *copies) each(name string, take func(e fs.DirEntry, below string) bool) {
	p := evidence.CleanWinPath(name)
	if c.ctx.Err() != nil {
		return
	}
	entries, all, err := c.volumes.list(p)
	if err != nil {
		c.recordError(p, nil, err)
		return
	}
	files := 0
	for _, e := range entries {
		if take(e, p+`\`+e.Name()) {
			files++
		}
	}
	_, seen := c.records[strings.ToLower(p)]
	switch {
	case seen:
	case !all:
		c.record(p, nil, evidence.Error, "the folder has more files than are listed here")
	case files == 0:
		c.record(p, nil, notCopied, emptyFolder)
	}
}
