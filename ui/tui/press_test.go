package tui

import (
	"bytes"
	"encoding/base64"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"

	"doctor/checks"
	"doctor/ui/console"
)

func at(t *testing.T, m model) string {
	t.Helper()
	r, ok := m.selected()
	switch {
	case !ok:
		return ""
	case r.folds():
		return r.foldName()
	case r.kind == rowCause:
		return "cause " + m.report.Results[r.index].ID
	}
	return m.report.Results[r.index].ID
}

func small() model { return finished(sample(), Options{Width: 80, Height: 24}) }

func TestKeysMoveTheCursor(t *testing.T) {
	for _, row := range []struct {
		name string
		keys []string
		want string
	}{
		{"the first cause is selected at the start", nil, "cause podcidr-not-assigned"},
		{"j goes down", []string{"j"}, "cause paging-file-too-small"},
		{"down skips blank lines and headings", []string{"down", "down"}, "node"},
		{"k goes up", []string{"j", "j", "k"}, "cause paging-file-too-small"},
		{"up stops at the first row", []string{"up", "up"}, "cause podcidr-not-assigned"},
		{"G goes to the last row", []string{"G"}, "storage"},
		{"end too, and down stops there", []string{"end", "down"}, "storage"},
		{"g goes back to the first", []string{"G", "g"}, "cause podcidr-not-assigned"},
		{"home too", []string{"G", "home"}, "cause podcidr-not-assigned"},
		{"page down goes a screenful of rows", []string{"pgdown"}, "dns/without-passive"},
		{"page up comes back", []string{"pgdown", "pgup"}, "cause podcidr-not-assigned"},
		{"ctrl+d goes half of it", []string{"ctrl+d"}, "podcidr-not-assigned"},
		{"keys read in one go are keys one by one", []string{"jjjk"}, "node"},
		{"ctrl+u comes back", []string{"ctrl+d", "ctrl+u"}, "cause podcidr-not-assigned"},
	} {
		t.Run(row.name, func(t *testing.T) {
			if got := at(t, after(small(), row.keys...)); got != row.want {
				t.Errorf("at %q, want %q", got, row.want)
			}
		})
	}
}

func TestEnterAndSpaceFold(t *testing.T) {
	for _, k := range []string{"enter", "space"} {
		m := after(small(), "j", "j") // the group node, which is open
		folded := after(m, k)
		if len(folded.rows) != len(m.rows)-2 || at(t, folded) != "node" {
			t.Errorf("%s: %d rows at %q, want %d at node", k, len(folded.rows), at(t, folded),
				len(m.rows)-2)
		}
		if again := after(folded, k); len(again.rows) != len(m.rows) {
			t.Errorf("%s twice: %d rows, want %d", k, len(again.rows), len(m.rows))
		}
		if m.view.open != nil {
			t.Error("the older model was changed")
		}
	}
	rest := after(small(), "j", "j", "j", "j")
	if at(t, rest) != "node/rest" {
		t.Fatalf("at %q", at(t, rest))
	}
	if got := len(after(rest, "enter").rows) - len(rest.rows); got != 4 {
		t.Errorf("unfolding the rest adds %d rows, want 4", got)
	}
}

func TestGroupsThatAreWellAreFolded(t *testing.T) {
	for _, r := range small().rows {
		if r.kind != rowGroup {
			continue
		}
		well := r.category == checks.CategoryComponents || r.category == checks.CategoryImages ||
			r.category == checks.CategoryStorage
		if r.open == well {
			t.Errorf("group %s is open: %v", r.category, r.open)
		}
	}
}

func TestFilter(t *testing.T) {
	ids := func(m model) string {
		var list []string
		for _, r := range m.rows {
			if r.kind == rowCheck {
				list = append(list, m.report.Results[r.index].ID)
			}
		}
		return strings.Join(list, " ")
	}
	for _, row := range []struct{ name, text, want string }{
		{"matches an id in any case", "ENV-MISS", "flannel-subnet-env-missing"},
		{"matches a title", "outlives", "hns-stale-endpoint"},
		{"matches a message", "1.0 gib", "paging-file-too-small"},
		{"matches a gap", "passive", "dns-suffix-missing"},
		{"matches the reason of a skip", "not Calico", "calico-vswitch-timeout"},
		{"shows nothing when nothing matches", "zebra", ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			if got := ids(after(small(), "/", row.text)); got != row.want {
				t.Errorf("%q shows %q, want %q", row.text, got, row.want)
			}
		})
	}
	all := len(sample().Results)
	if got := len(strings.Fields(ids(after(small(), "/", "!", "sound")))); got != all-31 {
		t.Errorf("!sound shows %d checks, want the %d others", got, all-31)
	}
	if got := len(strings.Fields(ids(after(small(), "/", "!")))); got == 0 {
		t.Error("! alone hides everything")
	}
}

func TestFilterIsTypedKeptAndCleared(t *testing.T) {
	m := after(small(), "/", "s", "space", "q", "?", "c", "f")
	if !m.typing || m.view.filter != "s q?cf" || m.help || m.view.wrong {
		t.Fatalf("typing gives filter %q, typing %v", m.view.filter, m.typing)
	}
	m = after(m, "backspace", "backspace", "backspace")
	if m.view.filter != "s q" {
		t.Errorf("backspace leaves %q", m.view.filter)
	}
	if after(m, "ctrl+u").view.filter != "" {
		t.Error("ctrl+u does not empty the filter")
	}
	if gone := after(m, "esc"); gone.typing || gone.view.filter != "" {
		t.Error("esc does not clear the filter")
	}
	kept := after(small(), "/", "subnet", "enter")
	if kept.typing || kept.view.filter != "subnet" {
		t.Error("enter does not keep the filter")
	}
	if !strings.Contains(seen(kept), "filter subnet") {
		t.Error("a kept filter is not shown")
	}
	if after(kept, "esc").view.filter != "" {
		t.Error("esc does not clear a kept filter")
	}
	if got := at(t, after(small(), "j", "/", "zebra",
		"esc")); got != "cause paging-file-too-small" {
		t.Errorf("after a filter that hid it the cursor is at %q", got)
	}
	if got := after(small(), "/", strings.Repeat("x", 5000)); len(got.view.filter) != maxFilter {
		t.Errorf("a pasted filter has %d bytes", len(got.view.filter))
	}
}

func TestOnlyWhatIsWrong(t *testing.T) {
	m := after(small(), "f")
	for _, r := range m.rows {
		if r.kind == rowCheck && !isFault(m.report.Results[r.index].Status) {
			t.Errorf("f shows %s", m.report.Results[r.index].ID)
		}
	}
	if len(after(m, "f").rows) != len(small().rows) ||
		len(after(m, "esc").rows) != len(small().rows) {
		t.Error("f again, or esc, does not show all")
	}
	rep := sample()
	rep.Causes, rep.Results = nil, rep.Results[len(rep.Results)-31:]
	rep.Summary = map[checks.Status]int{checks.StatusPass: 31}
	well := after(finished(rep, Options{Width: 80, Height: 24}), "f")
	if !strings.Contains(seen(well), "no fault found") {
		t.Errorf("a sound node shows:\n%s", seen(well))
	}
}

func TestHelpOpensAndCloses(t *testing.T) {
	m := after(small(), "?")
	if !m.help {
		t.Fatal("? does not open the help")
	}
	if first := seen(m); !strings.Contains(first, places[0].key.Help().Desc) ||
		strings.Contains(first, keys.up.Help().Desc) {
		t.Errorf("the help does not open with what can be done:\n%s", first)
	}
	if !strings.Contains(seen(m), "q esc close help") {
		t.Errorf("the footer of the help does not say what q does:\n%s", seen(m))
	}
	all := seen(m) + seen(after(m, "pgdown")) + seen(after(m, "G"))
	for _, b := range append(actionKeys(false), moveKeys()...) {
		if !strings.Contains(all, b.Help().Desc) {
			t.Errorf("the help does not say that a key does: %s", b.Help().Desc)
		}
	}
	for _, k := range []string{"?", "esc"} {
		if after(m, k).help {
			t.Errorf("%s does not close the help", k)
		}
	}
	if got := at(t, after(m, "j", "j", "esc")); got != "cause podcidr-not-assigned" {
		t.Errorf("keys in the help moved the cursor to %q", got)
	}
}

func TestQuit(t *testing.T) {
	for _, keys := range [][]string{{"q"}, {"ctrl+c"}, {"Q"}, {"enter", "q", "q"}, {"?", "q", "q"},
		{"enter", "Q"}, {"/", "ctrl+c"}} {
		var out tea.Model = program{model: small()}
		var cmd tea.Cmd
		for _, k := range keys {
			out, cmd = out.Update(keyMsg(k))
		}
		if cmd == nil {
			t.Errorf("%q does not quit", keys)
		} else if _, ok := cmd().(tea.QuitMsg); !ok {
			t.Errorf("%q gives %T", keys, cmd())
		}
	}
	if _, cmd := (program{model: after(small(), "/")}).Update(keyMsg("q")); cmd != nil {
		t.Error("q in the filter quits")
	}
}

// noClipboard is a system without one of its own.
func noClipboard(string) error { return console.ErrNoClipboard }

func TestTheWindowsClipboardGoesFirst(t *testing.T) {
	var out bytes.Buffer
	got := ""
	c := clipboard{func(text string) error { got = text; return nil }, &out, true, t.TempDir()}
	done := c.copy("a\nb", "fix")().(copied)
	if got != "a\nb" || out.Len() > 0 || done.file != "" ||
		done.said(voice{}) != "2 lines copied to the Windows clipboard" {
		t.Errorf("copied %q, sent %q, says %q", got, out.String(), done.said(voice{}))
	}
}

func TestTheSelectedLineIsCopied(t *testing.T) {
	for _, row := range []struct {
		name string
		keys []string
		want string
	}{
		{"the fault in the overview", nil,
			"fail: Node has no pod CIDR (podcidr-not-assigned)"},
		{"a group, with its sum", []string{"G"}, "▸ storage 4 pass"},
		{"the path in the evidence", []string{"e", "/", "flanneld.l", "enter"},
			"logs/flanneld/flanneld.log"},
		{"the line in a file", []string{"e", "/", "flanneld.l", "enter", "enter", "g"},
			"I1120 10:01:01 main.go:1] waiting for the lease of this node, round 1, with nothing new"},
		{"the value in a document", []string{"e", "/", "memory", "enter", "enter", "G"},
			"commitUsedBytes: 33900000000"},
		{"the question of a symptom", []string{"s"}, "Pods are stuck in ContainerCreating"},
		{"what leads on from a check", []string{"enter"}, "api/node.json"},
	} {
		t.Run(row.name, func(t *testing.T) {
			m := withEvidence(t, sample(), sampleFiles(), Options{Width: 100, Height: 30})
			m, do := through(m, row.keys...).update(keyMsg("y"))
			if do.copy != row.want {
				t.Errorf("copies %q (%s), want %q", do.copy, m.status, row.want)
			}
		})
	}
}

func TestCopy(t *testing.T) {
	text := "kubectl patch node win-1 -p '{\"spec\":{\"podCIDR\":\"10.244.7.0/24\"}}'\nRestart-Service flanneld"
	sequence := "\x1b]52;c;" + base64.StdEncoding.EncodeToString([]byte(text)) + "\x07"
	for _, row := range []struct {
		name  string
		takes bool
		keys  []string
		says  string
		file  bool
	}{
		{"a terminal that is known to take it", true, []string{"c"},
			"2 lines sent to the terminal's clipboard (OSC 52)", false},
		{"one that is not known", false, []string{"c"}, "also sent to the", true},
		{"from the detail", false, []string{"enter", "c"}, "also sent to the", true},
	} {
		t.Run(row.name, func(t *testing.T) {
			var out bytes.Buffer
			folder := t.TempDir()
			var m tea.Model = program{model: small(), terminal: newTerminal(&out, nil),
				clipboard: clipboard{noClipboard, &out, row.takes, folder}}
			var cmd tea.Cmd
			for _, k := range row.keys {
				m, cmd = m.Update(keyMsg(k))
			}
			if cmd == nil || out.Len() > 0 {
				t.Fatal("c must give a command, and update must not write")
			}
			m, _ = m.Update(cmd())
			if out.String() != sequence {
				t.Errorf("sent %q, want %q", out.String(), sequence)
			}
			got := m.(program).model
			if !strings.Contains(got.status, row.says) {
				t.Errorf("the status line says %q", got.status)
			}
			if after(got, "j").status != "" {
				t.Error("the next key leaves the status")
			}
			files, _ := filepath.Glob(filepath.Join(folder, "doctor-fix-*.txt"))
			if row.file != (len(files) == 1) {
				t.Fatalf("wrote %q", files)
			}
			if row.file {
				content, _ := os.ReadFile(files[0])
				if info, err := os.Stat(files[0]); err != nil ||
					runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
					t.Errorf("the file has mode %v, error %v", info.Mode(), err)
				}
				if string(content) != text+"\n" || !strings.Contains(got.status, files[0]) {
					t.Errorf("wrote %q, says %q", content, got.status)
				}
			}
		})
	}
}

func TestWhatIsTooLargeForATerminalIsInAFile(t *testing.T) {
	var out bytes.Buffer
	c := clipboard{noClipboard, &out, true, t.TempDir()}
	done := c.copy(strings.Repeat("y", maxCopy+1), "copy")().(copied)
	if out.Len() > 0 || done.sent || done.file == "" || !strings.Contains(done.said(voice{}),
		"too large") {
		t.Errorf("sent %d bytes, says %+v", out.Len(), done)
	}
	c.folder = filepath.Join(c.folder, "gone")
	if done = c.copy(strings.Repeat("y", maxCopy+1),
		"copy")().(copied); !strings.HasPrefix(done.said(voice{}), "could not copy") {
		t.Errorf("without a folder says %+v", done)
	}
	c.takes = false
	if done = c.copy("x", "copy")().(copied); !strings.Contains(done.said(voice{}), "no file") {
		t.Errorf("without a folder says %+v", done)
	}
}

func TestTerminalsThatTakeACopy(t *testing.T) {
	for _, row := range []struct {
		name  string
		env   map[string]string
		takes bool
	}{
		{"Windows Terminal", map[string]string{"WT_SESSION": "1"}, true},
		{"kitty over ssh", map[string]string{"TERM": "xterm-kitty"}, true},
		{"foot", map[string]string{"TERM": "foot-direct"}, true},
		{"kitty around tmux, which keeps it", map[string]string{"TERM": "tmux-256color",
			"TMUX": "/tmp/x", "KITTY_WINDOW_ID": "1"}, false},
		{"screen", map[string]string{"STY": "1", "WT_SESSION": "1"}, false},
		{"what may be anything", map[string]string{"TERM": "xterm-256color"}, false},
		{"the console of Server Core", nil, false},
	} {
		t.Run(row.name, func(t *testing.T) {
			if got := takesClipboard(func(name string) string {
				return row.env[name]
			}); got != row.takes {
				t.Errorf("takes it: %v", got)
			}
		})
	}
}

func TestCopyTakesTextAndCleansCommands(t *testing.T) {
	for _, row := range []struct {
		name string
		fix  checks.Fix
		want string
	}{
		{"the text where there are no commands", checks.Fix{Steps: []checks.Step{
			{Kind: checks.StepRun, Text: "drain the node"}}},
			"drain the node"},
		{"nothing where there is no fix", checks.Fix{Steps: []checks.Step{}}, ""},
		{"a line break from evidence becomes a space",
			checks.Fix{Steps: []checks.Step{
				{Kind: checks.StepInspect, Command: "Get-Item a\nRemove-Item b"}}},
			"Get-Item a Remove-Item b"},
		{"a long command is whole", checks.Fix{Steps: []checks.Step{
			{Kind: checks.StepRun, Text: "", Command: strings.Repeat("y", 2*maxText)}}},
			strings.Repeat("y", 2*maxText)},
		{"an escape sequence goes", checks.Fix{Steps: []checks.Step{
			{Kind: checks.StepRun, Text: "", Command: "Get-Item \x1b]52;c;AAAA\x07x"}}},
			"Get-Item x"},
	} {
		t.Run(row.name, func(t *testing.T) {
			if got := (voice{}).fixToCopy(checks.Result{Fix: row.fix}); got != row.want {
				t.Errorf("copies %q, want %q", got, row.want)
			}
		})
	}
	group, do := after(small(), "j", "j").update(keyMsg("c"))
	if do.copy != "" || !strings.HasPrefix(group.status, "nothing to copy") {
		t.Errorf("on a group: copies %q, says %q", do.copy, group.status)
	}
	failed, _ := small().update(copied{err: errors.New("pipe closed")})
	if !strings.Contains(failed.status, "pipe closed") {
		t.Errorf("says %q", failed.status)
	}
}
