package tui

import (
	"context"
	"errors"
	"strings"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"
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
	tell, news := overtaking()
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
