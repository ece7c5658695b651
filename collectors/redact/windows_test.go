package redact_test

import (
	"embed"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"path"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// Testdata/windows is a corpus of command lines, files and logs of Windows nodes. Each line is an
// example, and so is what stands between <<< and >>>. A line that begins with "# " sets what holds
// from there on: the class, the path of the file in the evidence tree, whether the secrets are bare.
// §pw§ is a secret of that kind, §~guid§ a value of that kind that is none; see values_test.go.
//
// Testdata/forms has the same format: forms that the rules were measured with before they knew them.
//
//go:embed testdata/windows/*.txt testdata/forms/*.txt
var windowsFiles embed.FS

// fromTables returns the corpus with the values of so many seeds.
func fromTables(t testing.TB, seeds int) (out []example) {
	t.Helper()
	for _, template := range allTemplates(t) {
		for seed := range seeds {
			e, err := template.fill(newRand(fmt.Sprint(template.place, " ", seed)))
			if err != nil {
				t.Fatalf("%s: %v: %s", template.place, err, template.text)
			}
			out = append(out, e)
		}
	}
	return out
}

func allTemplates(t testing.TB) (out []template) {
	t.Helper()
	names, err := fs.Glob(windowsFiles, "testdata/*/*.txt")
	if err != nil || len(names) == 0 {
		t.Fatal("no corpus", err)
	}
	for _, name := range names {
		content, err := fs.ReadFile(windowsFiles, name)
		if err != nil {
			t.Fatal(err)
		}
		templates, err := parseTemplates(path.Base(path.Dir(name)), string(content))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for i := range templates {
			templates[i].place = fmt.Sprint(name, i)
		}
		out = append(out, templates...)
	}
	return out
}

// A template is an example whose values are placeholders.
type template struct {
	example
	place string // its file and number, from which its values are drawn
}

func parseTemplates(source, content string) ([]template, error) {
	var out []template
	now := example{source: source, path: secretPath}
	var block []string
	inBlock := false
	for i, line := range strings.Split(content, "\n") {
		switch {
		case inBlock && line == ">>>":
			now.text, inBlock = strings.Join(block, "\n"), false
			out = append(out, template{example: now})
		case inBlock:
			block = append(block, line)
		case line == "<<<":
			block, inBlock = nil, true
		case line == "":
		case strings.HasPrefix(line, "# "):
			name, value, _ := strings.Cut(line[2:], " ")
			switch name {
			case "class":
				now.rule, now.path, now.bare = value, secretPath, false
			case "path":
				now.path = value
			case "bare":
				now.bare = true
			case "note":
			default:
				return nil, fmt.Errorf("line %d: %q is none of class, path, bare, note", i+1, name)
			}
		default:
			now.text = line
			out = append(out, template{example: now})
		}
	}
	if inBlock {
		return nil, fmt.Errorf("the last block has no end")
	}
	return out, nil
}

var placeholder = regexp.MustCompile(`§(~?)(\w+)(?::(\d+))?§`)

func (t template) fill(rnd *rand.Rand) (example, error) {
	e := t.example
	var failed error
	e.text = placeholder.ReplaceAllStringFunc(t.text, func(s string) string {
		m := placeholder.FindStringSubmatch(s)
		var value string
		var secrets []string
		if m[3] == "" {
			kind, ok := simple[m[2]]
			if !ok {
				failed = fmt.Errorf("unknown kind %s", s)
				return s
			}
			value, secrets = kind(rnd)
		} else {
			kind, ok := sized[m[2]]
			n, err := strconv.Atoi(m[3])
			if !ok || err != nil {
				failed = fmt.Errorf("unknown kind %s", s)
				return s
			}
			value = kind(rnd, n)
			secrets = []string{value}
		}
		if m[1] == "" {
			e.secrets = append(e.secrets, secrets...)
		}
		return value
	})
	if failed == nil && len(e.secrets) == 0 {
		failed = fmt.Errorf("no secret in it")
	}
	return e, failed
}
