package assistant

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
	"time"

	"doctor/checks/evidence"
)

// Bounds of one answer. A client pages on with the arguments that its answer names.
const (
	maxFiles     = 500
	maxLines     = 1000
	defaultLines = 200
	maxText      = 64 << 10
	maxLine      = 4 << 10
	maxMatches   = 200
	maxRead      = 64 << 20 // bytes of one file
	searchTime   = 45 * time.Second
)

type listIn struct {
	where
	Under string `json:"under,omitempty" jsonschema:"only paths that begin with this, such as logs/"`
	After string `json:"after,omitempty" jsonschema:"only paths behind this one, to page on"`
}

type listing struct {
	Notice  string        `json:"notice"`
	Files   []listedFile  `json:"files"`
	Missing []missingFile `json:"missing" jsonschema:"what could not be collected, and why"`
	More    bool          `json:"more" jsonschema:"there are more; call again with after"`
}

type listedFile struct {
	Path  string `json:"path"`
	Bytes int64  `json:"bytes"`
}

type missingFile struct {
	Path   string `json:"path"`
	Reason string `json:"reason"`
}

func (s *server) listEvidence(ctx context.Context, in listIn) (listing, error) {
	o, err := s.open(ctx, in.where, false)
	if err != nil {
		return listing{}, err
	}
	l := listing{Notice: notice, Files: []listedFile{}, Missing: []missingFile{}}
	for _, path := range o.snapshot.Paths() {
		if !strings.HasPrefix(path, in.Under) || path <= in.After {
			continue
		}
		if l.More = len(l.Files)+len(l.Missing) == maxFiles; l.More {
			break
		}
		if missing, ok := strings.CutSuffix(path, ".gap"); ok {
			l.Missing = append(l.Missing,
				missingFile{o.shown(missing), o.shown(o.snapshot.GapAt(missing).Reason())})
			continue
		}
		file := listedFile{Path: o.shown(path)}
		if info, err := o.snapshot.Stat(path); err == nil {
			file.Bytes = info.Size()
		}
		l.Files = append(l.Files, file)
	}
	return l, nil
}

// shown is a short text of the evidence without secrets and control characters.
func (o *opened) shown(text string) string {
	return evidence.Clip(evidence.Clean(o.secrets.Text(text)), maxLine)
}

type readIn struct {
	where
	Path  string `json:"path" jsonschema:"path of the evidence, as list_evidence and findings name it"`
	Line  int    `json:"line,omitempty" jsonschema:"first line, from 1"`
	Lines int    `json:"lines,omitempty" jsonschema:"how many lines: 200 unless given, at most 1000"`
}

type reading struct {
	Notice string `json:"notice"`
	Path   string `json:"path"`
	Line   int    `json:"line" jsonschema:"number of the first line"`
	Next   int    `json:"next,omitempty" jsonschema:"number of the line to continue with; none at the end of the file"`
	Text   string `json:"untrustedText"`
}

func (s *server) readEvidence(ctx context.Context, in readIn) (reading, error) {
	o, err := s.open(ctx, in.where, false)
	if err != nil {
		return reading{}, err
	}
	first := max(in.Line, 1)
	count := min(cmp.Or(max(in.Lines, 0), defaultLines), maxLines)
	r := reading{Notice: notice, Path: o.shown(in.Path), Line: first}
	var text strings.Builder
	err = o.lines(ctx, in.Path, func(number int, line string) bool {
		if number < first {
			return true
		}
		line = evidence.Clip(line, maxLine)
		if number-first == count || text.Len()+len(line) > maxText {
			r.Next = number
			return false
		}
		text.WriteString(line + "\n")
		return true
	})
	r.Text = text.String()
	if err == nil && r.Text == "" && first > 1 {
		return r, fmt.Errorf("%s has fewer than %d lines", in.Path, first)
	}
	return r, err
}

type searchIn struct {
	where
	Text   string `json:"text" jsonschema:"text to search for, upper and lower case alike"`
	Regexp bool   `json:"regexp,omitempty" jsonschema:"text is a regular expression (RE2)"`
	Under  string `json:"under,omitempty" jsonschema:"where to search: logs/ unless given; logs/kubelet/ for one component, files/ for configuration"`
	Limit  int    `json:"limit,omitempty" jsonschema:"most lines to return: 50 unless given, at most 200"`
}

type matches struct {
	Notice   string   `json:"notice"`
	Matches  []match  `json:"matches"`
	Searched int      `json:"searched" jsonschema:"number of files that were searched"`
	Unread   []string `json:"unread" jsonschema:"files that could not be searched to the end, and why"`
	More     bool     `json:"more" jsonschema:"the search stopped at the limit or at its time limit; narrow it with under"`
}

type match struct {
	Path string `json:"path"`
	Line int    `json:"line"`
	Text string `json:"untrustedText"`
}

func (s *server) searchLogs(ctx context.Context, in searchIn) (matches, error) {
	pattern := in.Text
	if !in.Regexp {
		pattern = regexp.QuoteMeta(pattern)
	}
	wanted, err := regexp.Compile("(?i)" + pattern)
	if err != nil || in.Text == "" {
		return matches{},
			fmt.Errorf("the text %q cannot be searched for; give a text, or a regular expression with regexp", in.Text)
	}
	o, err := s.open(ctx, in.where, false)
	if err != nil {
		return matches{}, err
	}
	limit := min(cmp.Or(max(in.Limit, 0), 50), maxMatches)
	found := matches{Notice: notice, Matches: []match{}, Unread: []string{}}
	until, cancel := context.WithTimeout(ctx, searchTime)
	defer cancel()
	for _, path := range o.snapshot.Paths() {
		if !strings.HasPrefix(path, cmp.Or(in.Under, "logs/")) || strings.HasSuffix(path, ".gap") {
			continue
		}
		found.Searched++
		err := o.lines(until, path, func(number int, line string) bool {
			if at := wanted.FindStringIndex(line); at != nil {
				if found.More = len(found.Matches) == limit; found.More {
					return false
				}
				found.Matches = append(found.Matches, match{o.shown(path), number,
					evidence.Clip(strings.ToValidUTF8(line[max(0, at[0]-maxLine/2):], ""),
						maxLine)})
			}
			return true
		})
		if ctx.Err() != nil {
			return found, ctx.Err()
		}
		if found.More = found.More || errors.Is(err, context.DeadlineExceeded); found.More {
			break
		}
		if err != nil && len(found.Unread) < maxMatches {
			found.Unread = append(found.Unread, o.shown(path+": "+err.Error()))
		}
	}
	return found, nil
}

// lines calls each with the lines of a file, without secrets, until it returns false. The file is read
// twice: a secret that the end of it gives away is then replaced at its beginning too.
func (o *opened) lines(ctx context.Context, path string, each func(int, string) bool) error {
	open := func() (io.ReadCloser, io.Reader, error) {
		f, err := o.snapshot.Open(path)
		if err != nil {
			if gap := o.snapshot.GapAt(path); gap.Kind != "" {
				return nil, nil, fmt.Errorf("%s: %s; list_evidence lists what there is", path,
					gap.Reason())
			}
			return nil, nil, err
		}
		return f, io.LimitReader(evidence.Text(untilDone{ctx, f}), maxRead), nil
	}
	if !o.learned[path] {
		f, text, err := open()
		if err != nil {
			return err
		}
		err = o.secrets.Learn(text, path)
		f.Close()
		if err != nil {
			return err
		}
		o.learned[path] = true
	}
	f, text, err := open()
	if err != nil {
		return err
	}
	defer f.Close()
	out, in := io.Pipe()
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, err := o.secrets.Copy(in, text, path)
		in.CloseWithError(err)
	}()
	defer func() { out.Close(); <-done }()
	lines := evidence.Lines(out)
	for lines.Next() {
		if !each(lines.Number(), evidence.Clean(string(lines.Bytes()))) {
			return nil
		}
	}
	<-done
	if _, err := out.Read(nil); err != nil && !errors.Is(err, io.EOF) {
		return err // the redaction stopped: what is left of the file was not returned
	}
	return nil
}

// untilDone reads until the context ends.
type untilDone struct {
	ctx context.Context
	io.Reader
}

func (u untilDone) Read(b []byte) (int, error) {
	if err := u.ctx.Err(); err != nil {
		return 0, err
	}
	return u.Reader.Read(b)
}
