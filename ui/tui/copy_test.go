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
		{"what leads on from a check", []string{"enter", "tab", "tab"}, "api/node.json"},
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
	} {
		t.Run(row.name, func(t *testing.T) {
			var out bytes.Buffer
			folder := t.TempDir()
			var m tea.Model = program{model: small(), outside: outside{terminal: newTerminal(&out, nil),
				clipboard: clipboard{noClipboard, &out, row.takes, folder}}}
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

func TestStepsOfAFixAreCopied(t *testing.T) {
	for _, row := range []struct {
		name string
		keys []string
		want string
	}{
		{"the chosen step", []string{"enter", "tab", "c"}, "Restart-Service flanneld"},
		{"enter on a step", []string{"enter", "tab", "enter"}, "Restart-Service flanneld"},
		{"behind the steps, the first that changes something", []string{"enter", "tab", "tab", "c"},
			`kubectl patch node win-1 -p '{"spec":{"podCIDR":"10.244.7.0/24"}}'`},
		{"the whole as a script", []string{"enter", "C"},
			"# 1. start kube-controller-manager with --allocate-node-cidrs=true and " +
				"--cluster-cidr=10.244.0.0/16; a CIDR set by hand tides the node over\n" +
				"#    ! this node's pods lose their network for some seconds\n" +
				`kubectl patch node win-1 -p '{"spec":{"podCIDR":"10.244.7.0/24"}}'` + "\n" +
				"# 2. Restart-Service flanneld\nRestart-Service flanneld"},
	} {
		t.Run(row.name, func(t *testing.T) {
			m := small()
			var do effect
			for _, k := range row.keys {
				m, do = m.update(keyMsg(k))
			}
			if do.copy != row.want {
				t.Errorf("copies %q, want %q", do.copy, row.want)
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
		{"the text where there are no commands", checks.Fix{Steps: []*checks.Step{
			{Kind: checks.StepRun, Text: "drain the node"}}},
			"drain the node"},
		{"nothing where there is no fix", checks.Fix{Steps: []*checks.Step{}}, ""},
		{"a line break from evidence becomes a space",
			checks.Fix{Steps: []*checks.Step{
				{Kind: checks.StepInspect, Command: "Get-Item a\nRemove-Item b"}}},
			"Get-Item a Remove-Item b"},
		{"a long command is whole", checks.Fix{Steps: []*checks.Step{
			{Kind: checks.StepRun, Text: "", Command: strings.Repeat("y", 2*maxText)}}},
			strings.Repeat("y", 2*maxText)},
		{"an escape sequence goes", checks.Fix{Steps: []*checks.Step{
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
