package main

import (
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"doctor/fixtures"
)

var writeReadme = flag.Bool("readme", false, "write the outputs of the commands in the README")

// elided is the line that stands for lines that are left out.
const elided = "…"

// consoles are the blocks with commands and their output.
var consoles = regexp.MustCompile("(?s)```console\n(.*?)```\n")

// TestTheReadmesExamplesAreTrue runs the commands of the README's examples, one after another in one
// folder, and compares what they print with the page.
func TestTheReadmesExamplesAreTrue(t *testing.T) {
	page, err := filepath.Abs(filepath.Join(root, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	ran := 0
	for _, env := range []string{"LC_ALL", "LANG", "NO_COLOR", "COLUMNS"} {
		t.Setenv(env, "C.UTF-8")
	}
	written := consoles.ReplaceAllStringFunc(string(content), func(block string) string {
		var b strings.Builder
		b.WriteString("```console\n")
		for one := range strings.SplitSeq(strings.TrimPrefix(consoles.FindStringSubmatch(block)[1],
			"$ "), "\n$ ") {
			command, want, _ := strings.Cut(one, "\n")
			want = strings.TrimSuffix(want, "\n")
			words := strings.Fields(command)
			b.WriteString("$ " + command + "\n")
			if words[0] == "cat" {
				if err := os.WriteFile(words[1], []byte(want+"\n"), 0o600); err != nil {
					t.Fatal(err)
				}
				b.WriteString(want + "\n")
				continue
			}
			ran++
			out, errs, status := doctor(t, words[1:]...)
			if words[0] != "doctor" || status == exitTrouble || status == exitUsage {
				t.Errorf("%s: status %d: %s", command, status, errs)
			}
			got := strings.TrimSuffix(out, "\n")
			if !strings.Contains(want, elided+"\n") && *writeReadme {
				want = got
			}
			if !printed(want, got) {
				t.Errorf("%s prints\n%s\nand the README says\n%s", command, got, want)
			}
			b.WriteString(want + "\n")
		}
		return b.String() + "```\n"
	})
	if ran < 5 {
		t.Errorf("only %d examples", ran)
	}
	if *writeReadme {
		if err := os.WriteFile(page, []byte(written), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// printed compares an output with what the page has of it.
func printed(want, got string) bool {
	var pattern strings.Builder
	for line := range strings.Lines(want + "\n") {
		if line == elided+"\n" {
			pattern.WriteString(`(?:.*\n)*?`)
		} else {
			pattern.WriteString(regexp.QuoteMeta(line))
		}
	}
	return regexp.MustCompile(`^` + pattern.String() + `$`).MatchString(got + "\n")
}

// TestPagesNameCommandsThatExist: every `doctor` command of the pages for users, with its flags, and
// the demos, checks and schemas that it names.
func TestPagesNameCommandsThatExist(t *testing.T) {
	command := regexp.MustCompile(
		"(?m)(?:^    |^\\$ |`|-- )(?:\\.\\\\)?doctor(?:\\.exe)?((?: [^\\s`|>]+)*)")
	seen, ran := 0, scriptedCommands(t)
	for _, page := range []string{"README.md", ".github/guides/README.md"} {
		content, err := os.ReadFile(filepath.Join(root, page))
		if err != nil {
			t.Fatal(err)
		}
		text := consoles.ReplaceAllStringFunc(string(content), func(block string) string {
			return strings.Join(regexp.MustCompile(`(?m)^\$ .*$`).FindAllString(block, -1), "\n") +
				"\n"
		})
		for _, line := range command.FindAllStringSubmatch(strings.ReplaceAll(text, "\n  --check",
			" --check"), -1) {
			// A description stands behind two spaces.
			words := strings.Fields(strings.NewReplacer("[", "", "]",
				"").Replace(strings.Split(line[1], "  ")[0]))
			seen++
			if problem := mistyped(words); problem != "" {
				t.Errorf("%s: doctor %s: %s", page, strings.Join(words, " "), problem)
			} else if !isRun(ran, words) {
				t.Errorf("%s: no script runs `doctor %s`", page, strings.Join(words, " "))
			}
		}
	}
	for file, pattern := range map[string]string{
		".pre-commit-hooks.yaml":          `(?m)entry: doctor (.*)$`,
		".github/actions/lint/action.yml": `(?m)/doctor" (.*)'$`} {
		content, err := os.ReadFile(filepath.Join(root, file))
		if err != nil {
			t.Fatal(err)
		}
		line := regexp.MustCompile(pattern).FindStringSubmatch(string(content))
		if line == nil {
			t.Errorf("%s runs no doctor", file)
		} else if problem := mistyped(strings.Fields(line[1])); problem != "" {
			t.Errorf("%s: %s: %s", file, line[0], problem)
		}
	}
	if seen < 40 {
		t.Errorf("only %d commands found; is the pattern right?", seen)
	}
	if isRun(ran, []string{"lint", "--watch"}) {
		t.Error("a command that no script runs is not noticed")
	}
	if mistyped([]string{"lint", "--nonsense"}) == "" ||
		mistyped([]string{"--demo", "nonsense"}) == "" ||
		mistyped([]string{"explain", "nonsense"}) == "" {
		t.Error("a mistake is not noticed")
	}
}

// runElsewhere are commands that need a server or Windows, and the folder whose tests run them.
var runElsewhere = map[string]string{
	"doctor --node --on-node --image": "e2e/onnode",
	"doctor fleet --on-node":          "e2e/onnode",
	"doctor fleet clean":              "e2e/onnode",
	"doctor explain rbac --check":     "e2e/api",
	"doctor watch install":            "e2e/windows",
	"doctor watch uninstall":          "e2e/windows",
}

// A shape is a command and its flags, without their values.
type shape []string

func shapeOf(words []string) shape {
	cmd, rest, err := command(streams{os.Stdin, os.Stdout, os.Stderr, "doctor"}).Find(joinNode(words))
	if err != nil {
		return nil
	}
	of := shape{cmd.CommandPath()}
	for i, word := range rest {
		name, _, _ := strings.Cut(word, "=")
		if strings.HasPrefix(word, "-") && word != "-" {
			of = append(of, name)
		} else if i == 0 && cmd.Name() == "explain" && slices.Contains(explainWords, word) {
			of[0] += " " + word
		}
	}
	return of
}

// scriptedCommands are the commands that the scripts of TestScripts run.
func scriptedCommands(t *testing.T) (list []shape) {
	t.Helper()
	scripts, err := filepath.Glob("testdata/script/*.txtar")
	if err != nil || len(scripts) == 0 {
		t.Fatal("no scripts: ", err)
	}
	line := regexp.MustCompile(`(?m)^(?:! )?(?:exec|exits \d+) doctor\b(.*)$`)
	for _, file := range scripts {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range line.FindAllStringSubmatch(string(content), -1) {
			list = append(list, shapeOf(strings.Fields(strings.ReplaceAll(m[1], "'", ""))))
		}
	}
	return list
}

// isRun finds a command with at least these flags.
func isRun(ran []shape, words []string) bool {
	of := shapeOf(words)
	return runElsewhere[strings.Join(of, " ")] != "" || slices.ContainsFunc(ran, func(one shape) bool {
		return len(one) > 0 && one[0] == of[0] && !slices.ContainsFunc(of[1:], func(flag string) bool {
			return !slices.Contains(one[1:], flag)
		})
	})
}

// placeholder is a word that stands for something.
func placeholder(word string) bool { return strings.ToUpper(word) == word }

// mistyped says what is wrong with the words of a command.
func mistyped(words []string) string {
	cmd, rest, err := command(streams{os.Stdin, os.Stdout, os.Stderr,
		"doctor"}).Find(joinNode(words))
	if err != nil {
		return err.Error()
	}
	for i, word := range rest {
		name, value, given := strings.Cut(strings.TrimLeft(word, "-"), "=")
		if !strings.HasPrefix(word, "-") || word == "-" {
			if cmd.Name() == "explain" && !placeholder(word) && i == 0 &&
				!strings.HasPrefix(word, "0x") &&
				!slices.Contains(append(checkIDs(), explainWords...), word) {
				return "explain does not know " + word
			}
			continue
		}
		var flag *pflag.Flag
		if strings.HasPrefix(word, "--") {
			flag = cmd.Flags().Lookup(name)
		} else {
			flag = cmd.Flags().ShorthandLookup(name)
		}
		if flag == nil {
			return "there is no flag " + word
		}
		if !given && i+1 < len(rest) {
			value = rest[i+1]
		}
		if name == "demo" && value != "" && !placeholder(value) &&
			!slices.Contains(append(fixtures.Names(), listWord), value) {
			return "there is no demo " + value
		}
	}
	return ""
}
