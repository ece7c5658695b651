package tui

import (
	"reflect"
	"slices"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"doctor/checks"
)

// model is what the screen shows, as data.
type model struct {
	voice
	catalogue     *checks.Catalogue
	report        checks.Report // of shown, as it is drawn
	english       checks.Report // the same before it was translated
	shown         Update
	began         bool // an update came
	live          bool // the node can be read again
	asked         bool // it was asked for, and no update came since
	reread        reread
	width, height int

	view   view
	rows   []row // of report and view
	cursor int   // into rows; -1 where nothing can be selected
	at     row   // the row under the cursor, also while the filter hides it
	top    int   // first row seen

	touched bool // the user pressed a key: the selection is theirs

	detail bool // the detail beside the list has the keys
	scroll int  // first line of the detail seen

	watch watch // reading again, and what that brought
	mouse bool

	bundler *Bundler // nil: no bundle can be made

	layers []layer // the screens over the overview; the last has the keys
	opened int     // how many were opened

	typing bool // keys go to the filter
	help   bool
	helpAt int
	status string // the answer to the last key, until the next
}

// effect is what must happen outside of the model.
type effect struct {
	quit                     bool
	report                   bool   // the report stays on the terminal after the screen is gone
	say                      string // the answer to the key, beside the footer
	copy                     string // to the clipboard, or into a file
	copyAs                   string // a word for the file's name
	again                    bool
	wait                     time.Duration // then comes due
	due                      due
	mouse                    bool // turn it on or off
	mouseOn, redraw, suspend bool
	back                     bool           // the screen is done
	open                     screen         // another one over it
	press                    *tea.KeyMsg    // what the palette ran, on the screen below it
	line                     int            // of the file below the palette
	nextFile, nextBack       bool           // go on in the next file that holds the text
	task                     func() tea.Msg // runs beside the screen
	layer                    int            // which asked for the task
	also                     []effect       // of other screens
}

// none: what holds functions cannot be compared to effect{}.
func (e effect) none() bool { return reflect.ValueOf(e).IsZero() }

func newModel(opt Options, live bool) model {
	return model{voice: newVoice(opt), catalogue: opt.Catalogue, width: opt.Width,
		height: opt.Height, live: live}.settled()
}

// reading says that verdicts are still to come.
func (m model) reading() bool { return !m.shown.Done }

func (m model) update(msg tea.Msg) (model, effect) {
	var do effect
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		m.width, m.height = sizeOf(msg)
	case Update:
		m, do = m.taken(msg)
	case due:
		m, do = m.waited(msg)
	case tea.ResumeMsg: // the terminal was given back without it
		do = effect{mouse: m.mouse, mouseOn: m.mouse}
	case tea.MouseMsg:
		m, do = m.pointed(msg)
	case answer:
		m, do = m.answered(msg)
	case ended:
		if m.reading() {
			m.status = m.T("the reading stopped before its end")
		}
	case copied:
		m.status = msg.said(m.voice)
	case tea.KeyMsg:
		m, do = m.pressAll(apiece(msg, m.typing))
	}
	m.heard(&m.status, &do)
	return m.settled(), do
}

// heard takes what an effect says into the status line.
func (say voice) heard(status *string, do *effect) {
	if do.say != "" {
		*status, do.say = say.Word(do.say), ""
	}
}

// taken is an update and what follows from it.
func (m model) taken(u Update) (model, effect) {
	if m.watch.quiet && !u.Done { // the last report stays until this one is whole
		return m, effect{}
	}
	m = m.received(u)
	m, do := m.renewed(u)
	if u.Done {
		if m.reread.on {
			m.status = m.outcomeOfReread()
			m.reread = reread{}
		}
		var next effect
		m, next = m.waiting()
		do.wait, do.due = next.wait, next.due
	}
	return m, do
}

// settled brings everything that depends on other fields in line with them.
func (m model) settled() model {
	m.rows = nil
	m.view = m.fittedView()
	if m.began {
		m.rows = rowsOf(&m.report, m.view)
	}
	m = m.selectRow(find(m.rows, m.at))
	l := m.layout()
	m.detail = m.detail && l.wide // elsewhere the detail is a screen of its own
	m.top = min(m.top, max(len(m.rows)-l.listLines(), 0))
	if m.cursor >= 0 {
		end := m.cursor // of its card
		for end+1 < len(m.rows) && m.rows[end+1].below() {
			end++
		}
		m.top = min(max(m.top, end-l.listLines()+1), m.cursor)
		if m.cursor == nearest(m.rows, 0) {
			m.top = 0 // with its heading
		}
	}
	m.scroll = clamp(m.scroll, len(detailOf(m, l.detail))-l.body)
	if s, ok := m.over(); ok {
		m, _ = m.with(len(m.layers)-1, s.settled(m.env()), effect{})
	}
	m.helpAt = clamp(m.helpAt, len(helpLines(m))-l.body)
	return m
}

// fittedView is the view with what depends on the report and on the size.
func (m model) fittedView() view {
	v, l := m.view, m.layout()
	v.voice, v.changed = m.voice, m.watch.changed
	v.errors = errorRows(&m.report, m.catalogue, l, m.voice)
	v.card, v.apart = cardOf(len(m.report.Causes), len(v.errors), l)
	return v
}

func clamp(n, most int) int { return max(min(n, most), 0) }

func (m model) layout() layout {
	return layoutOf(m.width, m.height, len(header(m)))
}

// nearest finds the selectable row at or after i, else the last before it, else -1.
func nearest(rows []row, i int) int {
	i = min(clamp(i, len(rows)-1), len(rows))
	if at := slices.IndexFunc(rows[i:], row.selectable); at >= 0 {
		return i + at
	}
	for at := i - 1; at >= 0; at-- {
		if rows[at].selectable() {
			return at
		}
	}
	return -1
}

func (m model) selectRow(i int) model {
	m.cursor = i
	if i < 0 {
		return m // at stays: the row comes back when the filter goes
	}
	if r := m.rows[i]; r.name() != m.at.name() && (r.id == "" || r.id != m.at.id) {
		m.scroll = 0
	}
	m.at = m.rows[i]
	return m
}

// find looks up a row in a list that changed: itself, else the fold that it is
// in now, else the group that it was part of, else the first row.
func find(rows []row, at row) int {
	for _, same := range []func(row) bool{
		func(r row) bool { return r.selectable() && r.name() == at.name() },
		func(r row) bool {
			return r.folds() && !r.open && slices.Contains(r.members, at.index) &&
				at.kind == rowCheck
		},
		func(r row) bool {
			return r.kind == rowGroup && at.within() && r.category == at.category
		},
	} {
		if i := slices.IndexFunc(rows, same); i >= 0 {
			return i
		}
	}
	return nearest(rows, 0)
}

// move goes n selectable rows down, or up.
func (m model) move(n int) model {
	var can []int
	for i, r := range m.rows {
		if r.selectable() {
			can = append(can, i)
		}
	}
	if len(can) == 0 {
		return m
	}
	to := slices.Index(can, m.cursor) + n
	return m.selectRow(can[clamp(to, len(can)-1)])
}

func (m model) selected() (row, bool) {
	if m.cursor < 0 || m.cursor >= len(m.rows) {
		return row{}, false
	}
	return m.rows[m.cursor], true
}

// result is the selected check, or nil.
func (m model) result() *checks.Result {
	r, ok := m.selected()
	if !ok || r.folds() || r.kind == rowErrors {
		return nil
	}
	return &m.report.Results[r.index]
}

func (m model) toggle(r row) model {
	if m.view.narrowed() {
		m.status = m.T("groups stay open while the list is narrowed")
		return m
	}
	m.view = m.view.set(r.foldName(), !r.open)
	return m
}
