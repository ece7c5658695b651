package session

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"io"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"doctor/checks/evidence"
)

// Bounds of what a reading keeps of one log.
const (
	firstLines = 256 << 10 // of a log that was not seen before
	mostLines  = 2 << 20   // of what was written since the last reading
	allLines   = 8 << 20   // of all logs together; the rest comes with the next reading
	logHead    = 512       // bytes by which a log is known again
	linesName  = ".lines"  // behind a log's name: its line numbers are not those of the log
)

// A logMark is how far a log was read.
type logMark struct {
	size int64
	head [sha256.Size]byte
}

// newLines are the lines that logs got since the last reading, without their secrets: a log may be
// rotated before a bundle is written.
func (r *Recorder) newLines(from fs.FS, clean func([]byte, string) ([]byte, error)) map[string][]byte {
	marks, lines, left := map[string]logMark{}, map[string][]byte{}, allLines
	fs.WalkDir(from, "logs", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.HasSuffix(name, ".gap") {
			return nil
		}
		if was, seen := r.logs[name]; seen {
			marks[name] = was // what is not kept now is new the next time
		}
		if left <= 0 {
			return nil
		}
		content, mark, err := linesSince(from, name, r.logs)
		if err != nil {
			return nil // the reading has a gap for it, or it is gone
		}
		text, err := withoutContext(content, name, clean)
		if err != nil {
			return nil
		}
		if marks[name] = mark; len(text) > 0 {
			lines[name+linesName] = text
			left -= len(text)
		}
		return nil
	})
	r.logs = marks
	return lines
}

// An addition is what a log got: behind context, the lines before it.
type addition struct{ context, text []byte }

func linesSince(from fs.FS, name string, known map[string]logMark) (a addition, mark logMark, err error) {
	info, err := fs.Stat(from, name)
	if err != nil {
		return a, mark, err
	}
	f, err := from.Open(name)
	if err != nil {
		return a, mark, err
	}
	defer f.Close()
	head := make([]byte, logHead)
	n, err := io.ReadFull(f, head)
	if err != nil && n == 0 {
		return a, mark, err
	}
	head = head[:n]
	was, seen := known[name]
	mark = logMark{info.Size(), sha256.Sum256(head)}
	at := was.size
	switch {
	case !seen:
		at = max(0, info.Size()-firstLines)
	case was.size > info.Size(), was.size >= logHead && was.head != mark.head:
		at = 0 // another file under the name
	}
	at = max(at, info.Size()-mostLines)
	start := max(0, at-mostContext)
	rest := io.MultiReader(bytes.NewReader(head), f)
	if _, err := io.CopyN(io.Discard, rest, start); err != nil {
		return a, mark, err
	}
	content, err := io.ReadAll(io.LimitReader(rest, info.Size()-start))
	if err != nil {
		return a, mark, err
	}
	end := bytes.LastIndexByte(content, '\n') + 1 // the rest is a line that is being written
	mark.size = start + int64(end)
	split := min(int(at-start), end)
	if seen && at == was.size || at == 0 {
		return addition{content[:split], content[split:end]}, mark, nil
	}
	split += bytes.IndexByte(content[split:end], '\n') + 1 // of a line that begins earlier
	return addition{content[:split], content[split:end]}, mark, nil
}

// mostContext bounds the lines in front of an addition that decide what in it is secret, such as the
// beginning of a private key.
const mostContext = 8 << 10

// withoutContext takes the secrets out of an addition. Where the lines in front of it cannot be told
// from it afterwards they stay.
func withoutContext(a addition, name string, clean func([]byte, string) ([]byte, error)) ([]byte, error) {
	if len(a.text) == 0 {
		return nil, nil
	}
	first := bytes.IndexByte(a.context, '\n') + 1 // what a cut line shows may be a part of a secret
	if len(a.context) < mostContext {
		first = 0
	}
	context := a.context[first:]
	all := append(bytes.Clone(context), a.text...)
	before := bytes.Count(all, []byte("\n"))
	out, err := clean(all, name)
	if err != nil || bytes.Count(out, []byte("\n")) != before {
		return out, err
	}
	for range bytes.Count(context, []byte("\n")) {
		out = out[bytes.IndexByte(out, '\n')+1:]
	}
	return out, nil
}

// withExcerpts is logs.json of a reading with lines of logs.
func withExcerpts(content []byte, lines map[string][]byte) ([]byte, error) {
	var index evidence.LogIndex
	if len(content) > 0 {
		if err := json.Unmarshal(content, &index); err != nil {
			return nil, err
		}
	}
	for _, name := range slices.Sorted(maps.Keys(lines)) {
		index.Logs = append(index.Logs, evidence.LogRecord{Path: name, Excerpt: true})
	}
	return json.Marshal(index)
}
