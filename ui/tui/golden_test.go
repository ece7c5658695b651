package tui

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"
)

var update = flag.Bool("update", false, "rewrite the golden screens")

// seen is a model as plain text.
func seen(m model) string {
	var b strings.Builder
	for _, l := range draw(m) {
		b.WriteString(strings.TrimRight(l.String(), " ") + "\n")
	}
	return b.String()
}

// after is the model once the keys were pressed.
func after(m model, names ...string) model {
	for _, n := range names {
		m, _ = m.update(keyMsg(n))
	}
	return m
}

var special = map[string]tea.KeyType{
	"up": tea.KeyUp, "down": tea.KeyDown, "home": tea.KeyHome, "end": tea.KeyEnd,
	"pgup": tea.KeyPgUp, "pgdown": tea.KeyPgDown,
	"ctrl+b": tea.KeyCtrlB, "ctrl+f": tea.KeyCtrlF, "ctrl+u": tea.KeyCtrlU, "ctrl+d": tea.KeyCtrlD,
	"ctrl+c":    tea.KeyCtrlC,
	"shift+tab": tea.KeyShiftTab, "ctrl+z": tea.KeyCtrlZ, "ctrl+l": tea.KeyCtrlL,
	"left": tea.KeyLeft, "right": tea.KeyRight,
	"enter": tea.KeyEnter, "esc": tea.KeyEsc, "tab": tea.KeyTab, "backspace": tea.KeyBackspace,
}

func keyMsg(name string) tea.KeyMsg {
	if t, ok := special[name]; ok {
		return tea.KeyMsg{Type: t}
	}
	if name == "space" {
		return tea.KeyMsg{Type: tea.KeySpace, Runes: []rune{' '}}
	}
	return tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune(name)}
}

func TestGoldenScreens(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {120, 40}, {40, 15}, {200, 60}} {
		for _, s := range []struct {
			name string
			keys []string
		}{
			{"overview", nil},
			{"detail", []string{"enter"}},
			{"detail-chain", []string{"enter", "shift+tab", "enter", "shift+tab"}},
			{"detail-help", []string{"enter", "?"}},
			{"filter", []string{"/", "s", "u", "b", "n", "e", "t"}},
			{"only-wrong", []string{"f"}},
			{"help", []string{"?"}},
			{"palette", []string{":", "p", "o", "d", " ", "c"}},
		} {
			name := fmt.Sprintf("%s-%dx%d", s.name, size[0], size[1])
			t.Run(name, func(t *testing.T) {
				got := seen(after(finished(sample(), Options{Width: size[0], Height: size[1]}),
					s.keys...))
				golden(t, name, got)
			})
		}
	}
	t.Run("ascii-80x24", func(t *testing.T) {
		golden(t, "ascii-80x24",
			seen(finished(sample(), Options{ASCII: true, Width: 80, Height: 24})))
	})
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name+".golden")
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v; make it with go test ./ui/tui -update", err)
	}
	if got != strings.ReplaceAll(string(want), "\r\n", "\n") {
		t.Errorf("%s changed; if it is right, run go test ./ui/tui -update\ngot:\n%s\nwant:\n%s",
			path, got, want)
	}
}
