package tui

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"doctor/checks/evidence"
)

// bundleScreen asks for a name, writes the bundle and tells what is in it.
type bundleScreen struct {
	stage  bundleStage
	name   string // as typed
	failed string // why the last attempt came to nothing

	progress BundleProgress
	news     <-chan tea.Msg // of the one that is being written
	stop     context.CancelFunc

	done   BundleDone
	scroll int
}

type bundleStage int

const (
	bundleAsking bundleStage = iota
	bundleWriting
	bundleStopping
	bundleWritten
)

// maxBundleName is more than any system takes for a path.
const maxBundleName = 1000

var bundleKeys = struct{ start, stop, copy key.Binding }{
	start: bind("enter", "bundle: write it"),
	stop:  bind("esc", "bundle: stop writing; nothing is left"),
	copy:  bind("c", "bundle: copy the issue text"),
}

func newBundle(e env) screen {
	b := bundleScreen{}
	if e.bundler != nil {
		b.name = show(e.bundler.Name(e.evidence), false)
	}
	return b
}

func (b bundleScreen) title(e env) string { return e.T("bundle") }

// typing: while a bundle is written, no key may lead elsewhere by accident.
func (b bundleScreen) typing() bool { return b.stage != bundleWritten }

func (b bundleScreen) bindings() []key.Binding {
	return []key.Binding{bundleKeys.start, bundleKeys.stop, bundleKeys.copy}
}

func (b bundleScreen) hints() []hint {
	switch b.stage {
	case bundleAsking:
		return []hint{{"enter", "write it", 0}, {"ctrl+u", "clear the name", 2}}
	case bundleWritten:
		return []hint{{"c", "copy issue text", 1}, {"j k", "scroll", 2}, {"Q", "quit", 3}}
	}
	return []hint{{"esc", "stop", 0}}
}

func (b bundleScreen) press(e env, k tea.KeyMsg) (screen, effect) {
	switch b.stage {
	case bundleAsking:
		return b.typed(e, k)
	case bundleWritten:
		return b.pressWritten(e, k)
	case bundleWriting:
		if key.Matches(k, bundleKeys.stop, keys.quit) {
			b.stop()
			b.stage = bundleStopping
		}
	}
	if key.Matches(k, keys.leave) { // whoever runs the screen sees to it that nothing is left
		return b, effect{quit: true, report: true}
	}
	return b, effect{}
}

// typed is what a key does to the name.
func (b bundleScreen) typed(e env, k tea.KeyMsg) (screen, effect) {
	switch {
	case k.Type == tea.KeyEsc:
		return b, effect{back: true}
	case k.Type == tea.KeyEnter:
		return b.begin(e)
	}
	b.name, _, _ = typedText(b.name, k, maxBundleName)
	return b, effect{}
}

// begin writes the bundle of what the screen shows now.
func (b bundleScreen) begin(e env) (screen, effect) {
	if e.bundler == nil {
		return b, effect{}
	}
	if b.name = strings.TrimSpace(b.name); b.name == "" {
		b.name = show(e.bundler.Name(e.evidence), false)
	}
	ctx, stop := context.WithCancel(context.Background())
	tell, news := Overtaking[tea.Msg]()
	write, snapshot, path := e.bundler.Write, e.evidence, b.name
	b.stage, b.failed, b.progress, b.news, b.stop = bundleWriting, "", BundleProgress{}, news, stop
	return b, effect{task: func() tea.Msg {
		go func() {
			defer stop()
			done, err := write(ctx, snapshot, path, func(p BundleProgress) { tell(p) })
			tell(bundleEnd{done, err})
		}()
		return <-news
	}}
}

// bundleEnd is the last that is told of a bundle.
type bundleEnd struct {
	done BundleDone
	err  error
}

func (b bundleScreen) receive(e env, answer tea.Msg) (screen, effect) {
	switch msg := answer.(type) {
	case BundleProgress:
		news := b.news
		b.progress = msg
		return b, effect{task: func() tea.Msg { return <-news }}
	case bundleEnd:
		b.news, b.stop = nil, nil
		switch {
		case msg.err == nil: // also where it was done before it could be stopped
			b.stage, b.done, b.scroll = bundleWritten, msg.done, 0
		case errors.Is(msg.err, context.Canceled):
			b.stage, b.failed = bundleAsking, e.T("stopped; nothing was written")
		default:
			b.stage, b.failed = bundleAsking, e.Phrase(msg.err.Error())
		}
	}
	return b, effect{}
}

// pressWritten is what a key does to the page of a bundle that is written.
func (b bundleScreen) pressWritten(e env, k tea.KeyMsg) (screen, effect) {
	switch {
	case key.Matches(k, keys.quit, keys.back):
		return b, effect{back: true}
	case key.Matches(k, bundleKeys.copy):
		if text := b.toCopy(); text != "" {
			return b, effect{copy: text}
		}
	case key.Matches(k, keys.fold):
		b.scroll += max(e.height-1, 1)
	}
	n, _ := motion(k, e.height)
	b.scroll = max(b.scroll+n, 0)
	return b, effect{}
}

// toCopy is the issue text, where it is not more than terminals take.
func (b bundleScreen) toCopy() string {
	if len(b.done.Issue) > maxCopy {
		return ""
	}
	return strings.TrimRight(b.done.Issue, "\n")
}

func (b bundleScreen) settled(e env) screen {
	if b.stage == bundleWritten {
		b.scroll = clamp(b.scroll, len(b.writtenLines(e))-e.height)
	}
	return b
}

func (b bundleScreen) body(e env) []line {
	switch {
	case e.bundler == nil:
		p := page{width: e.width - 2, voice: e.voice}
		p.text("", p.T("no bundle can be made of this"), plain)
		return indented(p.lines, 0)
	case b.stage == bundleWritten:
		return indented(b.writtenLines(e), b.scroll)
	case b.stage == bundleAsking:
		return indented(b.askingLines(e), 0)
	}
	return indented(b.progressLines(e), 0)
}

func (b bundleScreen) askingLines(e env) []line {
	p := page{width: e.width - 2, voice: e.voice}
	label := p.T("File") + "  "
	field := line{{label, strong}, {tail(show(b.name, e.ascii), e.width-4-width(label)), accent},
		{"_", accent}}
	if b.name == "" {
		field = append(field, span{"  " + p.T("empty: the usual name"), faint})
	}
	p.lines = append(p.lines, field)
	p.text(padded("", width(label)), p.T("a name without a folder goes to %s", e.bundler.Folder),
		faint)
	if b.failed != "" {
		p.blank()
		p.text("! ", b.failed, inkWarn)
	}
	if !e.done {
		p.blank()
		p.text("! ",
			p.T("the node is still being read: the bundle will hold what is there when you press enter"), inkWarn)
	}
	p.blank()
	p.text("", p.T(
		"One zip for a bug report: the evidence, this report and a filled-in bug form. Secrets are replaced by marks, and the zip is searched for them before it gets its name."), plain)
	p.blank()
	if e.bundler.Since > 0 {
		p.text(p.T("Logs")+"  ", p.T("of the last %s, and what stands around each sign of a fault",
			p.duration(e.bundler.Since)), plain)
	}
	if e.bundler.MaxSize > 0 {
		p.text(p.T("Size")+"  ", p.T("%s at most", evidence.SizeText(e.bundler.MaxSize)), plain)
	}
	return p.lines
}

// phaseNames are what is shown of a bundle that is being made.
var phaseNames = map[string]string{
	BundleSearching: "searching the logs for the signs of faults",
	"writing":       "writing",
	"checking":      "reading it back and searching it for secrets",
}

func (b bundleScreen) progressLines(e env) []line {
	p := page{width: e.width - 2, voice: e.voice}
	p.text(p.T("File")+"  ", b.name, strong)
	p.blank()
	if b.stage == bundleStopping {
		p.text("", p.T("stopping; nothing will be left"), inkWarn)
		return p.lines
	}
	now := b.progress
	p.text("", p.Word(phaseNames[now.Phase]), plain)
	if now.Phase != BundleSearching {
		p.lines = append(p.lines, bar(now, p.width, e.ascii))
		p.text("", p.T("%d of %d files", now.Files, now.Of), plain)
		p.text("", p.T("%[1]s of %[2]s", evidence.SizeText(now.Bytes),
			evidence.SizeText(now.Total)), plain)
		if now.Left > 0 {
			p.text("", p.T("about %s left", p.duration(now.Left)), plain)
		}
	}
	p.blank()
	p.text("", p.T("esc stops; nothing is left then"), faint)
	return p.lines
}

// bar is the progress as a picture; the numbers stand below it.
func bar(now BundleProgress, w int, ascii bool) line {
	full, empty := "━", "─"
	if ascii {
		full, empty = "#", "-"
	}
	w = min(w, 60) - 5
	part := 0.0
	if now.Total > 0 {
		part = min(float64(now.Bytes)/float64(now.Total), 1)
	}
	n := max(int(part*float64(w)), 0)
	return line{{strings.Repeat(full, n), accent}, {strings.Repeat(empty, max(w-n, 0)), faint},
		{fmt.Sprintf(" %3.0f%%", part*100), plain}}
}

// maxLeftOut is how many files that were left out are named; the manifest names all.
const maxLeftOut = 20

func (b bundleScreen) writtenLines(e env) []line {
	p := page{width: e.width - 2, voice: e.voice}
	d := b.done
	p.led(span{symbol("pass", e.ascii) + " ", inkPass}, p.T("the bundle is written"), strong)
	p.text("", d.Path, accent)
	p.text("", p.T("%s, %d files", evidence.SizeText(d.Size), d.Files), plain)

	p.heading(p.T("Secrets replaced"))
	for _, r := range d.Redacted {
		p.led(span{fmt.Sprintf("  %-4d ", r.Count), strong}, p.Phrase(r.Kind), plain)
	}
	if len(d.Redacted) == 0 {
		p.text("  ", p.T("none was seen"), plain)
	}
	p.heading(p.T("Left out"))
	for _, l := range d.LeftOut[:min(len(d.LeftOut), maxLeftOut)] {
		p.text("  ", l.Path, plain)
		p.text("    ",
			cmp.Or(p.Say(l.Why), p.T("in part: %s left out", evidence.SizeText(l.Bytes))), faint)
	}
	switch more := len(d.LeftOut) - maxLeftOut; {
	case len(d.LeftOut) == 0:
		p.text("  ", p.T("nothing"), plain)
	case more > 0:
		p.text("  ", p.T("%d files more; manifest.json in the zip names them", more), faint)
	}
	p.heading(p.T("For a bug report"))
	if b.toCopy() == "" {
		p.text("  ",
			p.T("the text below is issue.md in the zip, too long to be copied from here; attach the zip to it"), plain)
	} else {
		p.text("  ",
			p.T("c copies the text below, which is issue.md in the zip; attach the zip to it"),
			plain)
	}
	p.blank()
	p.lines = append(p.lines, rule("issue.md", p.width, e.ascii))
	for s := range strings.Lines(d.Issue) {
		p.lines = append(p.lines, verbatim(s, p.width, e.ascii)...)
	}
	return p.lines
}

// verbatim is a line of a text that somebody will paste: its indent stays, and
// what is too long goes on in the next line.
func verbatim(s string, w int, ascii bool) []line {
	s = show(strings.TrimRight(s, "\r\n"), ascii)
	text := strings.TrimLeft(s, " ")
	indent := strings.Repeat(" ", min(len(s)-len(text), w/2))
	if text == "" {
		return []line{nil}
	}
	return wrapped(indent, text, w-len(indent), plain)
}

// duration is a time in the largest unit that it fills.
func (say voice) duration(d time.Duration) string {
	switch {
	case d < 2*time.Minute:
		return say.T("%d s", max(int(d.Round(time.Second)/time.Second), 1))
	case d < 2*time.Hour:
		return say.T("%d min", d.Round(time.Minute)/time.Minute)
	}
	return say.T("%d h", d.Round(time.Hour)/time.Hour)
}
