package faults_test

import (
	"io/fs"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/faults"
	"doctor/checks/signs"
)

var (
	commandWord = regexp.MustCompile(`[A-Za-z0-9][A-Za-z0-9_.:\\/-]{2,}`)
	quotedPart  = regexp.MustCompile(`'(?:[^']|'')*'`)
)

// hostile is what a recording adds to a value, to run a program of its own where a command has no
// quotes around the value, or where a quote in the value ends them.
const hostile = `';calc;$(calc)`

// TestNoRecordingPutsCommandsIntoAFix: a person copies the commands of a fix into a shell. Each value
// of a recording that comes to a command of a fix is therefore tried with a command of its own in it.
func TestNoRecordingPutsCommandsIntoAFix(t *testing.T) {
	var tried sync.Map // a check's commands around a word are those of many recordings
	overEveryRecording(t, func(t *testing.T, name string) {
		l := load(t, name)
		for _, r := range l.report.Results {
			if !r.Status.Fault() {
				continue
			}
			commands := strings.Join(r.Fix.Commands(), "\n")
			for _, word := range recordedWords(r) {
				if _, before := tried.LoadOrStore(r.ID+strings.ReplaceAll(commands, word, "\x00"), true); !before {
					tryHostile(t, l.recording.FS(), r.ID, word)
				}
			}
		}
	})
}

// recordedWords are the words of a fix's commands that the catalogue does not have.
func recordedWords(r checks.Result) (words []string) {
	static := strings.Join(faults.Catalogue().ByID(r.ID).Fix.Unfilled().Commands(), "\n")
	for _, command := range r.Fix.Commands() {
		for _, word := range commandWord.FindAllString(command, -1) {
			if !strings.Contains(static, word) {
				words = append(words, word)
			}
		}
	}
	slices.Sort(words)
	return slices.Compact(words)
}

func tryHostile(t *testing.T, tree fs.FS, id, word string) {
	files, found := withHostile(t, tree, word)
	if !found {
		return
	}
	s, err := evidence.Load(files)
	if err != nil {
		return // it is no recording any more
	}
	one := faults.Catalogue().Only(id)
	s, _ = signs.Record(s, one.Signs())
	for _, command := range checks.Diagnose(s, one, checks.Source{}, checks.Program{}).Results[0].Fix.Commands() {
		if bare := quotedPart.ReplaceAllString(command, ""); strings.Contains(bare, ";calc") || strings.Contains(bare, "$(calc") {
			t.Errorf("%s: %q in the evidence gives %q", id, word+hostile, command)
		}
	}
}

func withHostile(t *testing.T, tree fs.FS, word string) (files fstest.MapFS, found bool) {
	files = fstest.MapFS{}
	err := fs.WalkDir(tree, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := fs.ReadFile(tree, path)
		text := string(b)
		for _, w := range []string{word, strings.ReplaceAll(word, `\`, `\\`)} {
			if strings.Contains(text, w) {
				text, found = strings.ReplaceAll(text, w, w+hostile), true
				break
			}
		}
		files[path] = &fstest.MapFile{Data: []byte(text)}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files, found
}
