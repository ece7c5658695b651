package redact_test

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"doctor/collectors/redact"
)

const lengthsFile = "testdata/lengths.golden"

// lengthAlphabets are what values of each length are made of.
var lengthAlphabets = []struct{ name, letters string }{
	{"hex", hexChars}, {"lower", lower}, {"alnum", alnum}, {"number", digits},
	{"password", alnum + "-_.~"}, {"words", "-word7 "},
}

const longestValue = 60

// TestHowLongAValueMustBe records for a form of each class which lengths of a value are
// replaced. Thresholds of the rules show there.
func TestHowLongAValueMustBe(t *testing.T) {
	var b strings.Builder
	seen := map[string]int{}
	for _, template := range allTemplates(t) {
		if seen[template.rule]++; seen[template.rule] > 1 || len(template.text) > 400 {
			continue
		}
		fmt.Fprintf(&b, "%s: %s\n", template.rule, strings.ReplaceAll(template.text, "\n", `\n`))
		for _, alphabet := range lengthAlphabets {
			rnd := newRand(template.text + alphabet.name)
			value := chars(rnd, alphabet.letters, longestValue)
			if alphabet.name == "words" {
				value = strings.Repeat(alphabet.letters, longestValue)[:longestValue]
			}
			ranges := ""
			replaced := func(n int) bool {
				text := placeholder.ReplaceAllLiteralString(template.text, value[:n])
				r := redact.New(redact.Options{Plain: true})
				return strings.Contains(r.Text(text), mark)
			}
			for n := 1; n <= longestValue; n++ {
				if !replaced(n) {
					continue
				}
				from := n
				for n < longestValue && replaced(n+1) {
					n++
				}
				ranges += fmt.Sprintf(" %d-%d", from, n)
			}
			fmt.Fprintf(&b, "  %s%s\n", alphabet.name, ranges)
		}
	}
	holdsGolden(t, lengthsFile, b.String())
}

// TestATextMayEndAnywhere: a file may be cut in the middle of a value, a quote or an escape. What
// is left is redacted, and what was no secret stays one.
func TestATextMayEndAnywhere(t *testing.T) {
	var b strings.Builder
	for i, e := range fromTables(t, 1) {
		if i%12 > 0 || len(e.text) > 300 {
			continue
		}
		for j := range contexts {
			c := contexts[(i+j)%len(contexts)]
			text := c.write(e.text, e.secrets)
			if j > 1 || c.name == "UTF-16" || len(text) > 600 {
				break
			}
			marks := 0
			for n := range text {
				r := redact.New(redact.Options{Plain: true})
				marks += strings.Count(r.Text(text[:n]), mark)
			}
			fmt.Fprintf(&b, "%s, %s: %d marks in %d texts\n", e.rule, c.name, marks, len(text))
		}
	}
	holdsGolden(t, "testdata/cut.golden", b.String())
}

func holdsGolden(t *testing.T, name, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(name, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	golden, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	before, after := strings.SplitAfter(string(golden), "\n"), strings.SplitAfter(got, "\n")
	if string(golden) == got {
		return
	}
	for _, line := range missing(after, before) {
		t.Errorf("now: %s", line)
	}
	for _, line := range missing(before, after) {
		t.Errorf("before: %s", line)
	}
	t.Errorf("%s differs; write it with -update and read the difference", name)
}

// TestALineMayBeginAndEndAnywhere: a log is cut off above and below. For each line of two tables, the
// golden file has how many secrets are replaced, and how many bytes are left, in all of its parts that
// begin or end at a word or a sign.
func TestALineMayBeginAndEndAnywhere(t *testing.T) {
	var b strings.Builder
	for _, name := range []string{"lines", "corners"} {
		content, err := os.ReadFile("testdata/" + name + ".jsonl")
		if err != nil {
			t.Fatal(err)
		}
		for i, line := range strings.Split(strings.TrimSpace(string(content)), "\n") {
			var row [3]string
			if err := json.Unmarshal([]byte(line), &row); err != nil {
				t.Fatal(err)
			}
			if name == "corners" {
				row[1] = strings.ReplaceAll(row[1], "§", row[2])
			}
			text := strings.NewReplacer("⟦", "", "⟧", "").Replace(row[1])
			if len(text) > 160 || name == "corners" && i%12 > 0 {
				continue
			}
			marks, left := 0, 0
			for n := 1; n < len(text); n++ {
				if isWord(text[n]) && isWord(text[n-1]) {
					continue
				}
				for _, part := range []string{text[:n], text[n:]} {
					var out strings.Builder
					r := redact.New(redact.Options{Plain: true})
					if _, err := r.Copy(&out, strings.NewReader(part), row[0]); err != nil {
						t.Fatal(err)
					}
					marks += strings.Count(out.String(), mark)
					left += len(token.ReplaceAllString(out.String(), ""))
				}
			}
			fmt.Fprintf(&b, "%d secrets, %d bytes: %q\n", marks, left, text)
		}
	}
	holdsGolden(t, "testdata/cut-lines.golden", b.String())
}

func isWord(c byte) bool {
	return c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9' || c >= 0x80
}
