package main

import (
	"os"
	"strings"
	"testing"
	"unicode"

	"github.com/spf13/pflag"
)

// The tests expect English and symbols, on whatever terminal they run.
func init() {
	os.Setenv("LC_ALL", "C")
	os.Setenv("TERM", "xterm-256color")
}

func isHan(r rune) bool { return unicode.Is(unicode.Han, r) }

func TestHelpSpeaksChinese(t *testing.T) {
	root := command(streams{name: "doctor"})
	commands := [][]string{{"--lang", "zh", "--help"}}
	for _, c := range root.Commands() {
		if c.Flags().Lookup("lang") != nil {
			commands = append(commands, []string{c.Name(), "--lang", "zh", "--help"})
		}
	}
	commands = append(commands, []string{"watch", "install", "--lang", "zh", "--help"})
	if len(commands) < 7 {
		t.Errorf("only %v have --lang", commands)
	}
	for _, args := range commands {
		out, _, status := doctor(t, args...)
		if status != exitFine {
			t.Errorf("%v ends with %d", args, status)
		}
		for line := range strings.Lines(out) {
			switch words := strings.Fields(line); {
			case len(words) < 3, strings.HasPrefix(line, "  doctor"),
				strings.HasPrefix(line, "  helm"), strings.HasPrefix(line, "Use "):
			case !strings.ContainsFunc(line, isHan):
				t.Errorf("%v: no Chinese in %q", args, line)
			}
		}
	}
	if out, _, _ := doctor(t, "--help"); strings.ContainsFunc(out, isHan) {
		t.Error("help is Chinese where nobody asked for it")
	}
}

// TestHelpKeepsItsShape: a Chinese help has the flags of the English one.
func TestHelpKeepsItsShape(t *testing.T) {
	english, _, _ := doctor(t, "--help")
	chinese, _, _ := doctor(t, "--lang", "zh", "--help")
	command(streams{name: "doctor"}).Flags().VisitAll(func(f *pflag.Flag) {
		if !strings.Contains(english, "--"+f.Name) || !strings.Contains(chinese, "--"+f.Name) {
			t.Errorf("--%s is not in both", f.Name)
		}
	})
}

func TestLanguage(t *testing.T) {
	for _, tt := range []struct {
		name, env string
		args      []string
		chinese   bool
	}{
		{"the flag", "", []string{"--lang", "zh"}, true},
		{"the locale", "zh_CN.UTF-8", nil, true},
		{"English is forced", "zh_CN.UTF-8", []string{"--lang", "en"}, false},
		{"another locale", "de_DE.UTF-8", nil, false},
		{"JSON is a public format", "zh_CN.UTF-8", []string{"--json"}, false},
		{"ASCII has no Chinese", "zh_CN.UTF-8", []string{"--ascii"}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Setenv("LC_ALL", tt.env)
			t.Setenv("LANG", "C.UTF-8")
			out, errs, status := doctor(t,
				append([]string{"--demo", "pagefile-disabled", "--only", "pagefile-disabled"},
					tt.args...)...)
			if status == exitTrouble || status == exitUsage {
				t.Fatalf("status %d: %s", status, errs)
			}
			if strings.ContainsFunc(out, isHan) != tt.chinese {
				t.Errorf("it says:\n%s", out)
			}
		})
	}
	if _, errs, status := doctor(t, "--lang", "fr"); status != exitUsage ||
		!strings.Contains(errs, "en or zh") {
		t.Errorf("status %d: %s", status, errs)
	}
}
