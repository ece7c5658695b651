package evidence

import (
	"maps"
	"path"
	"slices"
	"strings"

	"doctor/checks/sorted"
)

// FileIndex is files.json: what was looked for on the node's disks, and what
// came of it. Only here is absence known.
var FileIndex = listKind[FileRecord]("files.json")

// FileRecord is one path that was looked for.
type FileRecord struct {
	Placed  `json:"-"`
	Path    string `json:"path"`    // such as C:\run\flannel\subnet.env
	Outcome string `json:"outcome"` // copied, absent, denied, too-large, error
	Detail  string `json:"detail,omitempty"`

	// Size and time of the file on the node; left out where it is absent or could not be opened.
	Bytes      *int64 `json:"bytes,omitempty"`
	ModifiedAt Time   `json:"modifiedAt,omitzero"`
}

func fileRecords(s Snapshot) map[string]FileRecord {
	records := map[string]FileRecord{}
	for _, r := range FileIndex.In(s) {
		records[strings.ToLower(EvidencePath(r.Path))] = r
	}
	return records
}

// A NodeFile is a file of the node as far as the evidence knows it.
type NodeFile struct {
	Path string // where its copy lies in the evidence tree
	Text string // its content as UTF-8
	// it starts with a byte order mark, which Go's JSON readers on the node refuse
	BOM        bool
	ModifiedAt Time
	Gap        Gap // none where Text is the content; absent where the node does not have it
}

// Exists tells whether the node has the file; known is false where nobody looked.
func (f NodeFile) Exists() (exists, known bool) {
	switch f.Gap.Kind {
	case "":
		return true, true
	case Absent:
		return false, true
	}
	there := f.Gap.Code == TooLargeToCopy
	return there, there
}

// File returns the node's file at the Windows path, whatever case it is written in.
func (s Snapshot) File(windowsPath string) NodeFile {
	p := EvidencePath(windowsPath)
	s.note(p)
	return Memo(s, "file "+strings.ToLower(p), func(s Snapshot) NodeFile { return s.file(p) })
}

func (s Snapshot) file(p string) NodeFile {
	f := NodeFile{Path: p}
	if s.tree == nil || s.hides(p) {
		f.Gap = NotInRecording.Gap(p)
		return f
	}
	record, recorded := s.records[strings.ToLower(p)]
	f.ModifiedAt = record.ModifiedAt
	content, gap := s.readFile(p)
	switch {
	case gap.Kind == "":
		f.Path, _ = s.stored(p)
		f.Text = string(content)
		raw, err := ReadBounded(s.fsys, f.Path, 4)
		f.BOM = (err == nil || len(raw) > 0) && HasBOM(raw)
	case gap.Kind != NotCollected:
		f.Gap = gap
	case recorded:
		f.Gap = record.gap()
	default:
		f.Gap = gap
		if g := FileIndex.Gap(s); g.Kind == NotCollected && g != NotInRecording.Gap(FileIndex.Path()) {
			f.Gap = g // whoever recorded the node said why there are no files at all
		}
	}
	return f
}

// FileRecordField is the place of a field of the record of a Windows path, or the
// list where it has none.
func FileRecordField(s Snapshot, windowsPath string, steps ...any) Place {
	want := EvidencePath(windowsPath)
	for _, r := range FileIndex.In(s) {
		if strings.EqualFold(EvidencePath(r.Path), want) {
			return r.Field(steps...)
		}
	}
	return FileIndex.Field(s)
}

func (r FileRecord) gap() Gap {
	detail := Clean(r.Detail)
	switch r.Outcome {
	case Absent:
		return NotFound.Gap("%s", r.Path)
	case Denied:
		if detail == "" {
			return NeedsAdministrator.Gap()
		}
		return Reported.OfKind(Denied, detail)
	case "too-large", "copied":
		return TooLargeToCopy.Gap(r.Path)
	}
	if detail == "" {
		return Unreadable.Gap(r.Path, r.Outcome)
	}
	return Reported.OfKind(Error, detail)
}

// FilesIn lists the names of the recorded files that lie directly in a Windows
// folder, copied or only known to exist, sorted as Windows sorts them.
func (s Snapshot) FilesIn(windowsFolder string) []string {
	t, folder := s.known(), strings.ToLower(EvidencePath(windowsFolder))+"/"
	s.note(folder)
	names := map[string]string{}
	add := func(p string) {
		name := path.Base(p)
		if strings.EqualFold(strings.TrimSuffix(p, name), folder) &&
			!strings.HasSuffix(name, ".gap") && !t.hides(p) {
			names[strings.ToLower(name)] = name
		}
	}
	for _, p := range t.paths {
		add(p)
	}
	for _, r := range t.records {
		if r.Outcome != Absent {
			add(EvidencePath(r.Path))
		}
	}
	list := slices.Collect(maps.Values(names))
	sorted.By(list, func(a, b string) int {
		return strings.Compare(strings.ToLower(a), strings.ToLower(b))
	})
	return list
}

// HasFile tells whether the node has a file whose Windows path begins with
// start, and where its copy or its record is.
func (s Snapshot) HasFile(start string) (path string, ok bool) {
	t, prefix := s.known(), strings.ToLower(EvidencePath(start))
	if strings.HasSuffix(start, `\`) {
		prefix += "/"
	}
	s.note(prefix)
	var found []string
	for key, stored := range t.paths {
		if strings.HasPrefix(key, prefix) && !strings.HasSuffix(key, ".gap") && !t.hides(stored) {
			found = append(found, stored)
		}
	}
	for key, r := range t.records {
		if strings.HasPrefix(key, prefix) && r.Outcome != Absent && !t.hides(key) {
			found = append(found, EvidencePath(r.Path))
		}
	}
	if len(found) == 0 {
		return "", false
	}
	return slices.Min(found), true
}

// A File is a Need for one of the node's files. Absence is an answer, so a file
// that was looked for and not found meets the need.
type File string

// Gap is why it is not known whether the file exists: "" also where it is known to be absent.
func (f File) Gap(s Snapshot) Gap {
	if g := s.File(string(f)).Gap; g.Kind != Absent {
		return g
	}
	return Gap{}
}

// Paths is the one path that the file has in the evidence tree.
func (f File) Paths() []string { return []string{EvidencePath(string(f))} }

// A Folder is a Need for whatever is recorded below one of the node's folders.
type Folder string

// Gap is "" where at least one file of the folder is recorded.
func (f Folder) Gap(s Snapshot) Gap {
	if len(s.FilesIn(string(f))) > 0 {
		return Gap{}
	}
	if g := s.File(string(f)).Gap; g.Kind != "" && g.Code != NotInRecording {
		return g // the folder itself was looked for
	}
	return NotInRecording.Gap(EvidencePath(string(f)) + "/")
}

// Paths ends with a slash: everything below it meets the need.
func (f Folder) Paths() []string { return []string{EvidencePath(string(f)) + "/"} }
