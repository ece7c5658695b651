package tui

import (
	"reflect"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"doctor/checks"
	"doctor/checks/evidence"
)

// A screen lies over the overview: it has the body and the keys until the user
// backs out of it. Its methods return a new value and leave the old one as it
// was; what takes time is a task, whose answer comes back by receive.
type screen interface {
	title(e env) string                         // stands in the rule above the body
	hints() []hint                              // what the footer offers beside help and back
	bindings() []key.Binding                    // what the help tells
	typing() bool                               // keys are text now, and none of them a command
	press(e env, k tea.KeyMsg) (screen, effect) // the keys that lead elsewhere are taken before
	// what a task brought; an Update when the report changed
	receive(e env, answer tea.Msg) (screen, effect)
	settled(e env) screen // brings scroll and cursor into the bounds of e
	// at most e.height lines of e.width cells; the frame cuts and fills
	body(e env) []line
}

// env is what a screen is drawn from beside itself.
type env struct {
	voice
	catalogue     *checks.Catalogue
	report        *checks.Report // in the language of the screen
	english       *checks.Report // as it came, for what reads it
	evidence      evidence.Snapshot
	was           map[string]checks.Status // the verdicts that changed, as they were before
	width, height int                      // of the body
	done          bool                     // nothing of the node is being read any more
	bundler       *Bundler
}

func (m model) env() env {
	return env{voice: m.voice, catalogue: m.catalogue, report: &m.report, english: &m.english,
		evidence: m.shown.Evidence, was: m.watch.changed, width: m.width,
		height: m.layout().body,
		done:   m.shown.Done, bundler: m.bundler}
}

// A layer is an open screen. Its number brings the answers of its tasks to it,
// and to nobody else once it is closed.
type layer struct {
	number int
	screen screen
}

// answer is what a task of a screen brought.
type answer struct {
	layer int
	msg   tea.Msg
}

// A place is a screen that a key leads to from anywhere.
type place struct {
	key  key.Binding
	hint hint
	open func(e env) screen
}

var places = []place{
	{bind("s", "by symptom: what do you see?"), hint{"s", "symptoms", 1}, newSymptoms},
	{bind("e", "the evidence, file by file"), hint{"e", "evidence", 1}, newBrowser},
	{bind("t", "timeline: what happened when"), hint{"t", "timeline", 2}, newTimeline},
	{bind("u", "errors that no check explains"), hint{"u", "errors", 6}, newErrors},
	{bind("p", "picture of the network: adapters, HNS networks, pods"), hint{"p", "network", 12}, newMap},
	{bind("b", "bundle: a zip for a bug report"), hint{"b", "bundle", 2}, newBundle},
}

// over is the screen that has the keys.
func (m model) over() (screen, bool) {
	if len(m.layers) == 0 {
		return nil, false
	}
	return m.layers[len(m.layers)-1].screen, true
}

// with puts the screen's new value in the place of its old one, and does what
// the screen asked for that concerns screens.
func (m model) with(at int, s screen, do effect) (model, effect) {
	layers := append([]layer{}, m.layers...)
	layers[at].screen = s
	m.layers = layers
	if do.task != nil {
		do.layer = layers[at].number
	}
	for i := range do.also {
		do.also[i].layer = layers[at].number
	}
	m.heard(&m.status, &do)
	if do.nextFile {
		return m.nextFile(at, do.nextBack)
	}
	if do.back {
		m.layers = m.layers[:at]
	}
	if do.open != nil {
		var begins effect
		if m, begins = m.push(do.open); begins.task != nil {
			do.task, do.layer = begins.task, begins.layer
		}
	}
	do.back, do.open = false, nil
	return m, do
}

// Overtaking brings what a long task tells, the latest in the place of what nobody took. Who tells
// is one at a time.
func Overtaking[T any]() (tell func(T), news <-chan T) {
	latest := make(chan T, 1)
	return func(msg T) {
		select {
		case <-latest: // overtaken
		default:
		}
		latest <- msg
	}, latest
}

// A starter has a task from its first moment on.
type starter interface{ start(e env) func() tea.Msg }

func (m model) push(s screen) (model, effect) {
	m.opened++
	m.layers = append(m.layers[:len(m.layers):len(m.layers)], layer{m.opened, s})
	if started, ok := s.(starter); ok {
		return m, effect{task: started.start(m.env()), layer: m.opened}
	}
	return m, effect{}
}

// open shows a screen, or goes back to it where it is open already.
func (m model) open(s screen) (model, effect) {
	for at, l := range m.layers {
		if reflect.TypeOf(l.screen) == reflect.TypeOf(s) {
			for _, gone := range m.layers[at+1:] {
				if b, ok := gone.screen.(browser); ok {
					b.searchEnded() // nobody waits for it any more
				}
			}
			m.layers = m.layers[:at+1]
			return m, effect{}
		}
	}
	return m.push(s)
}

// pressOver hands a key to the screen that has the keys.
func (m model) pressOver(k tea.KeyMsg) (model, effect) {
	at := len(m.layers) - 1
	s, do := m.layers[at].screen.press(m.env(), k)
	return m.ran(at, s, do)
}

// ran is with, and does on the screen below what the palette ran.
func (m model) ran(at int, s screen, do effect) (model, effect) {
	m, do = m.with(at, s, do)
	switch {
	case do.press != nil:
		return m.settled().press(*do.press)
	case do.line > 0:
		if v, ok := m.layers[len(m.layers)-1].screen.(viewer); ok {
			s, goes := v.toLine(do.line)
			return m.with(len(m.layers)-1, s, goes)
		}
	}
	return m, do
}

// answered brings an answer to the screen that waits for it.
func (m model) answered(a answer) (model, effect) {
	for at, l := range m.layers {
		if l.number == a.layer {
			s, do := l.screen.receive(m.env(), a.msg)
			return m.with(at, s, do)
		}
	}
	return m, effect{}
}

// renewed tells all screens that the report changed.
func (m model) renewed(u Update) (model, effect) {
	var all effect
	for at := range m.layers {
		s, do := m.layers[at].screen.receive(m.env(), u)
		m, do = m.with(at, s, effect{task: do.task})
		if do.task != nil {
			all.also = append(all.also, do)
		}
	}
	return m, all
}
