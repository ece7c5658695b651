package session

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"doctor/checks"
	"doctor/checks/diff"
	"doctor/checks/evidence"
	"doctor/checks/signs"
	"doctor/collectors/bundle"
	"doctor/collectors/fleet"
	"doctor/collectors/foreign"
	"doctor/collectors/redact"
	"doctor/fixtures"
)

// A Source is opened evidence with where it came from.
type Source struct {
	Snapshot   evidence.Snapshot
	Origin     checks.Source
	Notes      []string                 // what was left out of an archive, and why
	unsearched []evidence.UnsearchedLog // by whoever read the node
	secrets    *redact.Redactor         // that it passed when the node was read; nil: none
	close      func() error
}

// Close closes the archive that the evidence is in. The Snapshot cannot be read afterwards.
func (s Source) Close() error {
	if s.close == nil {
		return nil
	}
	return s.close()
}

// Open opens the recording that the options name.
func Open(o Options) (Source, error) {
	if o.Demo != "" {
		return openDemo(o.Demo)
	}
	return openPath(o)
}

// OpenArchive opens the recording that the options name, or what standard input holds.
func OpenArchive(o Options) (*bundle.Archive, error) {
	if o.From == StandardInput && o.In != nil {
		return bundle.Read(o.In, pastedName)
	}
	return bundle.Open(o.From)
}

// pastedName is what a text from standard input is called among the evidence.
const pastedName = "pasted.txt"

func openDemo(name string) (Source, error) {
	r, err := fixtures.Open(name)
	if err != nil {
		return Source{}, err
	}
	s, err := evidence.Load(r.FS())
	if err != nil {
		return Source{}, err
	}
	return Source{Snapshot: s, Origin: checks.Source{Kind: "demo", Name: name,
		Format: evidence.Layout}}, nil
}

// openPath opens the recorded node of that name, or the only one without a name.
func openPath(o Options) (Source, error) {
	path := o.From
	archive, err := OpenArchive(o)
	if err != nil {
		return Source{}, err
	}
	if path == StandardInput {
		path = "standard input"
	}
	if fleet.IsRecording(archive.FS()) {
		if o.Node == "" {
			return Source{}, &FleetRecording{archive, path, o.nodeBy("NAME")}
		}
		src, err := openOfFleet(archive, path, o.Node)
		if err != nil {
			archive.Close()
			return Source{}, fmt.Errorf("%s: %w", path, err)
		}
		src.close = archive.Close
		return src, nil
	}
	src, err := openNode(archive, path, o)
	if err != nil {
		refused := archive.Refused()
		archive.Close()
		var which *foreign.WhichError
		switch {
		case errors.As(err, &which):
			which.By = o.nodeBy("NAME") + " or " + o.nodeBy("PLACE")
			return Source{}, fmt.Errorf("%s: %w", path, err)
		case len(refused) > 0:
			err = fmt.Errorf("%w (left out %s: %s)", err, refused[0].Name, refused[0].Reason)
		}
		return Source{}, fmt.Errorf("%s: %w", path, err)
	}
	src.close = archive.Close
	src.Notes = append(src.Notes, leftOut(path, archive.Refused())...)
	return src, nil
}

const maxNotes = 5

func leftOut(path string, refused []bundle.Refusal) []string {
	var notes []string
	for i, r := range refused {
		if i == maxNotes {
			return append(notes, fmt.Sprintf("%s: and %d more entries left out", path,
				len(refused)-i))
		}
		notes = append(notes, fmt.Sprintf("%s: left out %s: %s", path, r.Name, r.Reason))
	}
	return notes
}

// openNode finds the recorded node in the archive, whoever recorded it.
func openNode(archive *bundle.Archive, path string, o Options) (Source, error) {
	nodes, err := foreign.Search(archive)
	if err != nil {
		return Source{}, err
	}
	node, tree, note, err := chosen(archive.FS(), nodes, o)
	if err != nil {
		return Source{}, err
	}
	s, err := evidence.Load(tree)
	if err != nil {
		return Source{}, err
	}
	kind := kindOf(path)
	if node.Format != evidence.Layout {
		kind = "foreign"
	}
	src := Source{Snapshot: s, Origin: checks.Source{Kind: kind, Name: filepath.Base(path),
		Format: node.Format}}
	if note != "" {
		src.Notes = []string{note}
	}
	return src, nil
}

// chosen is the node of that name, or the only one, with its evidence. Of several recordings of
// one node it is the last.
func chosen(fsys fs.FS, nodes []foreign.Node, o Options) (foreign.Node, fs.FS, string, error) {
	name := o.Node
	if n, ok := strings.CutPrefix(name, "#"); ok { // the place in the list
		if i, err := strconv.Atoi(n); err == nil && i > 0 && i <= len(nodes) {
			tree, err := nodes[i-1].Evidence(fsys)
			return nodes[i-1], tree, "", err
		}
		return foreign.Node{}, nil, "", fmt.Errorf("there are %d recorded nodes, and no number %s", len(nodes), n)
	}
	node, err := foreign.Choose(nodes, name)
	var which *foreign.WhichError
	if errors.As(err, &which) && (name == "" || strings.EqualFold(which.Nodes[0].Name, name)) {
		if latest, tree, ok := foreign.Latest(fsys, which.Nodes); ok {
			return latest, tree, fmt.Sprintf(
				"%d recordings of %s: the last one is diagnosed (%s), and the timeline has the others; %s selects another",
				len(which.Nodes), latest.Name, latest.Root, o.nodeBy("PLACE")), nil
		}
	}
	if err != nil {
		return node, nil, "", err
	}
	tree, err := node.Evidence(fsys)
	return node, tree, "", err
}

// IsFolder tells whether there is a folder at the path.
func IsFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// Judge searches the logs of a recording and runs the checks. The report holds no secrets; the logs
// that could not be read to their end come beside it.
func Judge(src Source, list *checks.Catalogue, program checks.Program) (evidence.Snapshot, checks.Report,
	[]evidence.UnsearchedLog) {
	scanned, unread := signs.Record(src.Snapshot, list.Signs())
	return scanned, Shareable(checks.Diagnose(scanned, list, src.Origin, program)), unread
}

// NewSecrets makes what takes secrets out. Two nodes that are compared share one: the same value has
// the same token on both, so that a password that differs is seen to differ and not seen.
func NewSecrets() *redact.Redactor { return redact.New(redact.Options{}) }

// maxCompared bounds one file of a comparison.
const maxCompared = 32 << 20

// Side is a node as a comparison reads it: without its secrets.
func Side(name string, s evidence.Snapshot, r checks.Report, secrets *redact.Redactor) diff.Side {
	return diff.Side{Name: name, Report: r, Paths: s.Paths(), Gap: s.GapAt,
		Read: func(path string) ([]byte, error) {
			f, err := s.Open(path)
			if err != nil {
				return nil, err
			}
			defer f.Close()
			var b bytes.Buffer
			_, err = secrets.Copy(&b, evidence.Text(io.LimitReader(f, maxCompared+1)), path)
			if err == nil && b.Len() > maxCompared {
				err = fmt.Errorf("%s is too large to compare", path)
			}
			return b.Bytes(), err
		}}
}

// Shareable is the report without secrets: it quotes evidence, and a recording
// may hold them. What is in a bundle passed its sink before; here nothing more
// is found in it.
func Shareable(r checks.Report) checks.Report {
	secrets := redact.New(redact.Options{Plain: true})
	r.Results = slices.Clone(r.Results)
	for i := range r.Results {
		res := &r.Results[i]
		res.Gap, res.Reason = secrets.Text(res.Gap), secrets.Text(res.Reason)
		for j, arg := range res.Missing.Args {
			res.Missing.Args[j] = secrets.Text(arg)
		}
		res.Findings = slices.Clone(res.Findings)
		for j := range res.Findings {
			f := &res.Findings[j]
			f.Subject, f.Message = secrets.Text(f.Subject), secrets.Text(f.Message)
			f.Because = slices.Clone(f.Because)
			for k := range f.Because {
				b := &f.Because[k]
				b.Field, b.Text = secrets.Text(b.Field), secrets.Text(b.Text)
			}
		}
	}
	r.Causes = slices.Clone(r.Causes)
	for i := range r.Causes {
		r.Causes[i].Message = secrets.Text(r.Causes[i].Message)
	}
	r.Unexplained = slices.Clone(r.Unexplained)
	for i := range r.Unexplained {
		u := &r.Unexplained[i]
		u.Text, u.Field = secrets.Text(u.Text), secrets.Text(u.Field)
	}
	r.Node.Provenance = slices.Clone(r.Node.Provenance)
	for i := range r.Node.Provenance {
		l := &r.Node.Provenance[i]
		l.Value, l.From.Text = secrets.Text(l.Value), secrets.Text(l.From.Text)
		l.From.Field = secrets.Text(l.From.Field)
	}
	return r
}

// SecretText takes the secrets out of single texts of the evidence, as Shareable does of a report.
func SecretText() func(string) string { return redact.New(redact.Options{Plain: true}).Text }
