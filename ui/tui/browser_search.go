package tui

import (
	"context"
	"io"
	"slices"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"doctor/checks/evidence"
	"doctor/ui/pager"
)

// contentSearch is a search through the contents of all files of the evidence. It runs beside the
// screen, one file after the other, and holds of each file only how many lines match and where the
// first and the last of them are.
type contentSearch struct {
	text    string
	far     searchedFiles
	in      map[string]pager.Hits // those of far, by path
	stop    func()                // nil where none runs
	stopped bool
	follows bool // the cursor goes to the first match: no key was pressed since the search began
}

// searchedFiles is how far a search has come.
type searchedFiles struct {
	news       <-chan tea.Msg // of this search: what another one that it replaced brings does nothing
	files, all int            // looked through, and to be looked through
	read, size int64
	hits       []fileHits // in the order of the tree
	lines      int
	unread     int
	done       bool
}

// fileHits are the lines of a file that match.
type fileHits struct {
	path string
	pager.Hits
}

// searchNews is how long a search runs on before the screen hears of it.
const searchNews = 100 * time.Millisecond

// searched begins to look for the filter's text in all files that can be read.
func (b browser) searched(e env) (browser, effect) {
	b = b.searchEnded()
	if b.filter == "" || strings.HasPrefix(b.filter, "!") {
		return b, effect{}
	}
	tell, news := Overtaking[tea.Msg]()
	far := searchedFiles{news: news}
	var paths []string
	for _, en := range b.entries {
		if !en.folder && en.gap.Kind == "" && (!b.cited || en.cites > 0) {
			paths = append(paths, en.path)
			far.size += en.size
		}
	}
	far.all = len(paths)
	ctx, stop := context.WithCancel(context.Background())
	b.search = contentSearch{text: b.filter, far: far, stop: stop, follows: true}
	s, text := e.evidence, b.filter
	return b, effect{task: func() tea.Msg {
		go searchFiles(ctx, s, text, paths, far, tell)
		return <-news
	}}
}

// searchFiles looks through files until all are read or the context ends.
func searchFiles(ctx context.Context, s evidence.Snapshot, text string, paths []string,
	far searchedFiles, tell func(tea.Msg)) {
	last := time.Now()
	for _, path := range paths {
		before := far.read
		hits, err := searchFile(s, path, text, func(read int64) bool {
			if far.read = before + read; time.Since(last) > searchNews {
				last = time.Now()
				tell(far)
			}
			return ctx.Err() != nil
		})
		if ctx.Err() != nil {
			break
		}
		if far.files++; err != nil {
			far.unread++
		}
		if hits.Lines > 0 {
			far.hits = append(far.hits, fileHits{path, hits})
			far.lines += hits.Lines
		}
	}
	far.done = true
	tell(far)
}

func searchFile(s evidence.Snapshot, path, text string, stop func(read int64) bool) (pager.Hits,
	error) {
	content, err := s.Open(path)
	if err != nil {
		return pager.Hits{}, err
	}
	defer content.Close()
	counted := &countingReader{r: content}
	return pager.Scan(counted, text, func() bool { return stop(counted.read) })
}

type countingReader struct {
	r    io.Reader
	read int64
}

func (c *countingReader) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.read += int64(n)
	return n, err
}

// searchEnded stops the search that runs, and forgets what was found.
func (b browser) searchEnded() browser {
	if b.search.stop != nil {
		b.search.stop()
	}
	b.search = contentSearch{}
	return b
}

// searchStopped stops the search that runs, and keeps what was found until then.
func (b browser) searchStopped() browser {
	b.search.stop()
	b.search.stop, b.search.stopped, b.search.far.news = nil, true, nil
	return b
}

// takeSearched takes over how far a search has come.
func (b browser) takeSearched(far searchedFiles) (browser, effect) {
	if far.news != b.search.far.news {
		return b, effect{}
	}
	b.search.far, b.search.in = far, make(map[string]pager.Hits, len(far.hits))
	for _, h := range far.hits {
		b.search.in[h.path] = h.Hits
	}
	b = b.narrowed()
	if en, ok := b.selected(); b.search.follows && ok && en.folder {
		b = b.atFile()
	}
	if far.done {
		b.search.stop()
		b.search.stop = nil
		return b, effect{}
	}
	return b, effect{task: func() tea.Msg { return <-far.news }}
}

// opened is the viewer of a file: at its first match where the contents were searched.
func (b browser) opened(path string) screen {
	if h := b.search.in[path]; h.Lines > 0 {
		return newViewerOfHit(path, h.First, b.search.text, false)
	}
	return newViewer(path, 0)
}

// toHit opens the nearest file with matches: that under the cursor or after it, or before it. Right
// after the search it is the first of all, or the last.
func (b browser) toHit(e env, fresh, back bool) (screen, effect) {
	hits := b.search.far.hits
	if len(hits) == 0 {
		return b, effect{say: "search for something first: / text enter"}
	}
	en, _ := b.selected()
	at := slices.IndexFunc(hits, func(h fileHits) bool {
		return comparePaths(h.path, en.path) >= 0
	})
	switch {
	case back && (fresh || at < 0):
		at = len(hits) - 1
	case fresh:
		at = 0
	case back:
		at = (at - 1 + len(hits)) % len(hits)
	case at < 0:
		at = 0
	}
	return b.goToHit(e, at, back)
}

func (b browser) goToHit(e env, at int, back bool) (screen, effect) {
	h := b.search.far.hits[at]
	b.at = h.path
	line := h.First
	if back {
		line = h.Last
	}
	v := newViewerOfHit(h.path, line, b.search.text, back)
	v.status = e.T("file %d of %d with matches", at+1, len(b.search.far.hits))
	return b.narrowed(), effect{open: v}
}

// nextFile goes from a viewer that has no further match to the next file that has.
func (m model) nextFile(at int, back bool) (model, effect) {
	v, _ := m.layers[at].screen.(viewer)
	if at == 0 {
		return m, effect{}
	}
	b, ok := m.layers[at-1].screen.(browser)
	if !ok || len(b.search.far.hits) == 0 {
		return m, effect{}
	}
	hits := b.search.far.hits
	next := slices.IndexFunc(hits, func(h fileHits) bool { return h.path == v.path }) + 1
	if back {
		next += len(hits) - 2
	}
	if next == len(hits) && b.search.stop != nil {
		m.status = m.T("no further match yet: the search is still running")
		return m, effect{}
	}
	s, do := b.goToHit(m.env(), (next+len(hits))%len(hits), back)
	m.layers = m.layers[:at]
	m, do = m.with(at-1, s, do)
	if v.file != nil {
		do.also = append(do.also, effect{task: closeTask(v.file)})
	}
	return m, do
}

// searchLine is how far the search is, or what it found.
func (b browser) searchLine(e env) string {
	far := b.search.far
	switch {
	case b.search.stop != nil && e.width < wordsFrom:
		return e.T("%d of %d files: %d found", far.files, far.all, far.lines)
	case b.search.stop != nil:
		return e.T("searching: %d of %d files, %s of %s, %d found", far.files, far.all,
			evidence.SizeText(far.read), evidence.SizeText(far.size), far.lines)
	}
	text := e.T("%d found in %d of %d files", far.lines, len(far.hits), far.files)
	if b.search.stopped {
		text = e.T("stopped: %s", text)
	}
	if far.unread > 0 {
		text = e.T("%s, %d not readable", text, far.unread)
	}
	return text
}
