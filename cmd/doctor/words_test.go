package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// oldWords are words that a reader who is not a native speaker stumbles over, or that are
// pictures where the field has a term: "fix" for mend, "report" for tell, "again" for anew,
// "missing" for lacks, "requires" for asks for.
var oldWords = regexp.MustCompile(`(?i)\b(mend(s|ed|ing)?|anew|tell(s|ing)?|told|untold|` +
	`bears? (it )?out|stumbl\w+|at hand|hand(s|ed)? (it |them )?over|go(es)? by|stands? in|` +
	`lies? (in|beside|on|under)|beside|asks? for|asked for|promised? away|out of sight|` +
	`comes? to nothing|nobody|looking changes|lacks|learnt|whereof|thereof|the whole of|` +
	`could not tell|cannot tell|yonder|amiss|perhaps|does its work|do its work)\b`)

func TestTextsUseTheFieldsWords(t *testing.T) {
	for _, top := range []string{"checks", "ui", "collectors", "cmd"} {
		err := filepath.WalkDir(filepath.Join(root, top),
			func(path string, d fs.DirEntry, err error) error {
				if err != nil {
					return err
				}
				if d.IsDir() && (d.Name() == "testdata" || d.Name() == "e2e") {
					return filepath.SkipDir
				}
				if strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, "_test.go") {
					wordsOfFile(t, path)
				}
				return nil
			})
		if err != nil {
			t.Fatal(err)
		}
	}
	readme, err := os.ReadFile(filepath.Join(root, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	noOldWord(t, "README.md", string(readme))
}

// wordsOfFile looks at the string literals of a file that are sentences. What a check looks for in
// logs (the texts of a sign) is another program's wording.
func wordsOfFile(t *testing.T, path string) {
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, path, nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(file, func(n ast.Node) bool {
		if pair, ok := n.(*ast.KeyValueExpr); ok {
			if key, ok := pair.Key.(*ast.Ident); ok && quotes[key.Name] {
				return false
			}
		}
		text, ok := n.(*ast.BasicLit)
		if !ok || text.Kind != token.STRING {
			return true
		}
		if s, err := strconv.Unquote(text.Value); err == nil && strings.Contains(s, " ") {
			noOldWord(t, files.Position(text.Pos()).String(), s)
		}
		return true
	})
}

// quotes are the fields of a sign that quote other programs.
var quotes = map[string]bool{"Text": true, "Or": true, "Also": true, "Not": true}

func noOldWord(t *testing.T, where, text string) {
	t.Helper()
	for _, at := range oldWords.FindAllStringIndex(text, -1) {
		t.Errorf("%s: %q in %q: words.md names a plainer word", where, text[at[0]:at[1]],
			text[max(0, at[0]-40):min(len(text), at[1]+40)])
	}
}
