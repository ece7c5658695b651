package tui

import (
	"cmp"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/aymanbagabas/go-osc52/v2"
	tea "github.com/charmbracelet/bubbletea"

	"doctor/checks"
	"doctor/ui"
)

// A clipboard is that of Windows, or else that of the user's terminal, which also works over ssh:
// a terminal takes a text with OSC 52, or ignores it and says nothing. Where it is not known to
// take it, the text also goes into a file that only the user can read, and the status line says
// what was done and not more.
type clipboard struct {
	system func(text string) error // of Windows
	out    io.Writer
	takes  bool
	folder string // of the file; "" is the system's for temporary files
}

// copied reports the end of a copy command.
type copied struct {
	lines int
	whole bool   // it is on the clipboard of Windows
	sent  bool   // to the terminal
	known bool   // to take it
	file  string // written, or ""
	err   error
}

func (c copied) said(say voice) string {
	switch {
	case c.whole:
		return say.T("%s copied to the Windows clipboard", say.Count(c.lines, "line"))
	case c.err != nil && c.sent:
		return say.T("%s sent to the terminal's clipboard (OSC 52); no file: %v",
			say.Count(c.lines, "line"), c.err)
	case c.err != nil:
		return say.T("could not copy: %v", c.err)
	case c.known && c.sent:
		return say.T("%s sent to the terminal's clipboard (OSC 52)", say.Count(c.lines, "line"))
	case c.sent:
		return say.T("in %s; also sent to the terminal's clipboard (OSC 52), if it takes that",
			c.file)
	}
	return say.T("in %s; too large for the terminal's clipboard", c.file)
}

// maxCopy is less than what terminals take at most for one sequence.
const maxCopy = 48 << 10

// copy is the command that copies a text; name becomes part of the file's.
func (c clipboard) copy(text, name string) tea.Cmd {
	return func() tea.Msg {
		done := copied{lines: strings.Count(strings.TrimSuffix(text, "\n"), "\n") + 1,
			known: c.takes}
		if c.system(text) == nil {
			done.whole = true
			return done
		}
		if len(text) <= maxCopy {
			if _, done.err = osc52.New(text).WriteTo(c.out); done.err != nil {
				return done
			}
			done.sent = true
		}
		if !done.sent || !done.known {
			done.file, done.err = c.write(text, name)
		}
		return done
	}
}

func (c clipboard) write(text, name string) (string, error) {
	f, err := os.CreateTemp(c.folder, "doctor-"+name+"-*.txt")
	if err != nil {
		return "", err
	}
	_, err = io.WriteString(f, strings.TrimSuffix(text, "\n")+"\n")
	if closed := f.Close(); err == nil {
		err = closed
	}
	return f.Name(), err
}

// takesClipboard tells of the terminals that are known to take OSC 52 as they
// come. Tmux and screen keep it to themselves unless they are set up, and hide
// the terminal around them; xterm and the terminals made of VTE do not take it.
func takesClipboard(getenv func(string) string) bool {
	set := func(name string) bool { return getenv(name) != "" }
	if set("TMUX") || set("STY") {
		return false
	}
	name, _, _ := strings.Cut(strings.TrimPrefix(getenv("TERM"), "xterm-"), "-")
	return slices.ContainsFunc([]string{"WT_SESSION", "KITTY_WINDOW_ID", "WEZTERM_PANE",
		"ALACRITTY_WINDOW_ID", "GHOSTTY_RESOURCES_DIR"}, set) ||
		slices.Contains([]string{"WezTerm", "ghostty"}, getenv("TERM_PROGRAM")) ||
		slices.Contains([]string{"kitty", "ghostty", "alacritty", "foot", "wezterm"}, name)
}

// fixToCopy is what the copy key takes from a result: the commands of its fix, or its first step
// where there are none. A name in a command came from evidence, and a line break in it would run the
// first half when pasted, so each command is cleaned to one line.
func (say voice) fixToCopy(r checks.Result) string {
	lines := r.Fix.Commands()
	if s := r.Fix.First(); len(lines) == 0 && s != nil {
		lines = []string{say.Say(s.Headline())}
	}
	return cleanLines(lines)
}

func cleanLines(lines []string) string {
	var clean []string
	for _, l := range lines {
		if l = strings.TrimSpace(ui.Plain(strings.Map(oneSpace, l), false)); l != "" {
			clean = append(clean, l)
		}
	}
	return strings.Join(clean, "\n")
}

// copyFix is the effect of the copy key on a result.
func (say voice) copyFix(r *checks.Result) effect {
	if r == nil {
		return effect{say: "nothing to copy: select a check"}
	}
	text := say.fixToCopy(*r)
	if text == "" {
		return effect{say: "nothing to copy: this check names no fix"}
	}
	return effect{copy: text, copyAs: "fix"}
}

// copyStep is the effect of the copy key on a step of a fix, from 1; without one it is that of the
// first step that changes something.
func (say voice) copyStep(r *checks.Result, number int) effect {
	if r == nil || len(r.Fix.Steps) == 0 {
		return say.copyFix(r)
	}
	step := r.Fix.First()
	if number > 0 {
		step = r.Fix.Steps[number-1]
	}
	text := cmp.Or(step.Command, step.To, say.Say(step.Headline()))
	return effect{copy: cleanLines([]string{text}), copyAs: "step"}
}

// copyScript is the effect of the key that copies the whole fix, its texts as comments.
func (say voice) copyScript(r *checks.Result) effect {
	if r == nil || len(r.Fix.Steps) == 0 {
		return say.copyFix(r)
	}
	return effect{copy: cleanLines(r.Fix.Script(say.Say)), copyAs: "script"}
}

// A lineCopier is a screen whose selected line can be copied; "" where there is none.
type lineCopier interface{ selectedLine(e env) string }

// copyLine is the effect of the key that copies the selected line.
func (m model) copyLine() effect {
	text := ""
	if over, is := m.over(); !is {
		text = m.selectedLine()
	} else if c, can := over.(lineCopier); can {
		text = c.selectedLine(m.env())
	}
	if text = strings.TrimSpace(show(text, false)); text == "" {
		return effect{say: "nothing to copy: no line is selected"}
	}
	return effect{copy: text, copyAs: "line"}
}

func (m model) selectedLine() string {
	if res := m.result(); res != nil {
		return m.Status(res.Status) + ": " + res.Title + " (" + res.ID + ")"
	}
	rw, _ := m.selected()
	l := rowLine(&m.report, rw, maxFilter, true, true, m.voice)
	return strings.Join(strings.Fields(l.String()), " ")
}

func (b browser) selectedLine(env) string {
	en, _ := b.selected()
	return en.path
}

func (v viewer) selectedLine(env) string {
	if v.file == nil {
		return ""
	}
	if v.inTree() {
		return treeText(v.tree.rows, v.tree.row())
	}
	if v.cursor >= v.win.from && v.cursor < v.win.from+len(v.win.lines) {
		return v.win.lines[v.cursor-v.win.from].raw
	}
	return ""
}

func (t timelineScreen) selectedLine(env) string {
	if i, ok := t.selected(); ok {
		return entryText(&t.all.Entries[i])
	}
	return ""
}

func (s errorScreen) selectedLine(env) string {
	u, _ := s.selected()
	return u.Text
}

func (s symptomList) selectedLine(env) string {
	if s.at < len(s.asked) {
		return s.asked[s.at].Question
	}
	return ""
}

func (s symptomScreen) selectedLine(e env) string {
	if parts := s.parts(e); s.at < len(parts) {
		for _, l := range parts[s.at].lines {
			if text := l.String(); strings.Contains(text, ownText("›", e.ascii)) {
				return strings.Replace(text, ownText("›", e.ascii), "", 1)
			}
		}
	}
	return ""
}

func (d detailScreen) selectedLine(e env) string {
	p, s := d.page(e), d.currentStep()
	if s.at < len(p.items) {
		return p.lines[p.items[s.at].first].String()
	}
	return ""
}

func (b bundleScreen) selectedLine(env) string { return b.done.Path }
