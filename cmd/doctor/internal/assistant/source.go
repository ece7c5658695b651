package assistant

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/faults"
	"doctor/cmd/doctor/internal/session"
	"doctor/collectors/redact"
)

// where says which node is meant. Nothing is the node that doctor runs on.
type where struct {
	Recording string `json:"recording,omitempty" jsonschema:"a recording: a file or folder inside the folders that the server was started with"`
	Node      string `json:"node,omitempty" jsonschema:"name of a node: of the recording if it has several, else behind the Kubernetes API"`
	Demo      string `json:"demo,omitempty" jsonschema:"name of a recorded node that is built in; most are named after a check"`
}

// opened is a node whose evidence can be read.
type opened struct {
	where
	snapshot evidence.Snapshot
	notes    []string
	report   checks.Report
	secrets  *redact.Redactor
	learned  map[string]bool // files whose secrets the redactor has seen
	close    func() error
}

// open returns the node's evidence: that of the last call if it is of the same node, unless it is to
// be read again.
func (s *server) open(ctx context.Context, w where, again bool) (*opened, error) {
	if s.last != nil && s.last.where == w && !again {
		return s.last, nil
	}
	s.closeLast()
	o, err := s.openNew(ctx, w)
	if err != nil {
		return nil, err
	}
	o.where, o.learned, s.last = w, map[string]bool{}, o
	return o, nil
}

func (s *server) openNew(ctx context.Context, w where) (*opened, error) {
	from := s.Options.Options
	from.Demo, from.Node = w.Demo, w.Node
	switch {
	case w.Demo != "" && (w.Recording != "" || w.Node != ""):
		return nil, errors.New("a demo has one node; leave recording and node out")
	case w.Recording != "":
		path, err := s.inside(w.Recording)
		if err != nil {
			return nil, err
		}
		from.From = path
		from.NodeBy = func(name string) string { return "node: " + name }
	case w.Node != "":
		l, err := session.ThroughAPI(ctx, from, faults.Catalogue())
		if missing := (*session.NoNodeError)(nil); errors.As(err, &missing) &&
			len(missing.Windows) > 0 {
			err = fmt.Errorf("%w: %s", err,
				strings.Join(missing.Windows[:min(len(missing.Windows), 50)], ", "))
		}
		if err != nil {
			return nil, err
		}
		return readLive(ctx, l)
	case w.Demo == "" && runtime.GOOS != "windows":
		return nil, errors.New(
			"this machine is not a Windows node; name a recording, a node or a demo")
	case w.Demo == "":
		from.Passive = true // reading sends no packets to others
		return readLive(ctx, session.OnNode(from, faults.Catalogue()))
	}
	src, err := session.Open(from)
	if err != nil {
		return nil, err
	}
	snapshot, report, unread := session.Judge(src, faults.Catalogue(), s.Program)
	o := &opened{snapshot: snapshot, report: report, notes: src.Notes, close: src.Close,
		secrets: redact.New(redact.Options{Plain: true})}
	if err := learn(ctx, o.secrets, snapshot); err != nil {
		o.end()
		return nil, err
	}
	for _, u := range unread {
		o.notes = append(o.notes, "could not read all of "+evidence.Clean(u.String()))
	}
	return o, nil
}

// learn reads all evidence but the logs for its secrets: a password stands alone in a log or a
// finding, where only the configuration names it as one. Live evidence is learned when it is read.
func learn(ctx context.Context, secrets *redact.Redactor, s evidence.Snapshot) error {
	for _, path := range s.Paths() {
		if strings.HasPrefix(path, "logs/") || strings.HasSuffix(path, ".gap") {
			continue
		}
		f, err := s.Open(path)
		if err != nil {
			continue // what cannot be read is not returned either
		}
		err = secrets.Learn(evidence.Text(io.LimitReader(untilDone{ctx, f}, maxRead)), path)
		f.Close()
		if err != nil {
			return fmt.Errorf("%s: %w", evidence.Clean(path), err)
		}
	}
	return nil
}

// document is a report or a comparison as JSON, without what the secrets of the evidence name.
func document(secrets *redact.Redactor, content []byte) (json.RawMessage, error) {
	var b bytes.Buffer
	if _, err := secrets.CopyMade(&b, bytes.NewReader(content), "report.json"); err != nil {
		return nil, err
	}
	if !json.Valid(b.Bytes()) {
		return nil, errors.New("the answer is not valid JSON without its secrets; run `doctor` on the node itself")
	}
	return b.Bytes(), nil
}

func readLive(ctx context.Context, l *session.Live) (*opened, error) {
	report, snapshot, err := l.Diagnose(ctx)
	if err != nil {
		return nil, err
	}
	return &opened{snapshot: snapshot, report: session.Shareable(report), secrets: l.Secrets()}, nil
}

func (s *server) closeLast() {
	if s.last != nil {
		s.last.end()
	}
	s.last = nil
}

// end closes the recording, if it is one.
func (o *opened) end() {
	if o.close != nil {
		o.close() // was only read
	}
}

func resolveRoot(root string) (string, error) {
	full, err := filepath.Abs(root)
	if err == nil {
		full, err = filepath.EvalSymlinks(full)
	}
	if info, statErr := os.Stat(full); err != nil || statErr != nil || !info.IsDir() {
		return "", fmt.Errorf("--root %s is not a folder that exists and can be read", root)
	}
	return full, nil
}

// inside is the path without links, which must be in one of the folders that the server was started
// with. A path outside and one that does not exist get the same answer, so that nobody learns which.
func (s *server) inside(path string) (string, error) {
	if len(s.roots) == 0 {
		return "", errors.New("no recordings can be read: start `doctor mcp` with --root FOLDER")
	}
	for _, root := range s.roots {
		full := path
		if !filepath.IsAbs(full) {
			full = filepath.Join(root, path)
		}
		if real, err := filepath.EvalSymlinks(full); err == nil {
			for _, allowed := range s.roots {
				if rest, err := filepath.Rel(allowed, real); err == nil && filepath.IsLocal(rest) {
					return real, nil
				}
			}
		}
	}
	return "", fmt.Errorf(
		"there is no recording %q in %s; a path is relative to one of these folders or inside of it",
		path, strings.Join(s.roots, ", "))
}
