package maskname

import (
	"bytes"
	"encoding/json"
	"flag"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"doctor/checks/faults"
	"doctor/fixtures"
)

var update = flag.Bool("update", false, "rewrite words.txt")

// A node called like one of these would take texts with it that the diagnosis goes by.
func TestTheWordListHoldsWhatTheChecksLookFor(t *testing.T) {
	words := map[string]bool{}
	take := func(text string) {
		for w := range strings.FieldsFuncSeq(strings.ToLower(text), func(r rune) bool {
			return r >= 0x80 || !isAlnum[byte(r)]
		}) {
			if len(w) >= minName && len(w) <= 24 && strings.Trim(w, "0123456789abcdef") != "" {
				words[w] = true
			}
		}
	}
	for _, s := range faults.Catalogue().Signs() {
		for _, text := range append(append([]string{s.Text}, s.Also...), s.Not...) {
			take(text)
		}
	}
	for _, dir := range []string{"../../checks", "../../checks/evidence", "../../checks/faults",
		"../../checks/node"} {
		takeLiterals(t, dir, take)
	}
	takeFields(t, take)
	var b bytes.Buffer
	for _, w := range slices.Sorted(maps.Keys(words)) {
		b.WriteString(w + "\n")
	}
	if *update {
		if err := os.WriteFile("words.txt", b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	for w := range words {
		if !reserved(w) {
			t.Errorf("words.txt lacks %q, which a check looks for; run `go test ./collectors/maskname -update`", w)
		}
	}
}

// takeLiterals takes the texts of a package that are no prose: what values are compared with.
func takeLiterals(t *testing.T, dir string, take func(string)) {
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no files in %s: %v", dir, err)
	}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(f, func(n ast.Node) bool {
			if _, ok := n.(*ast.ImportSpec); ok {
				return false
			}
			if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
				if text, err := strconv.Unquote(lit.Value); err == nil &&
					!strings.Contains(text, " ") && !strings.Contains(text, "://") &&
					len(text) < 80 {
					take(text)
				}
			}
			return true
		})
	}
}

// takeFields takes the names of fields of the layout.
func takeFields(t *testing.T, take func(string)) {
	for _, name := range []string{"healthy-flannel-hostgw", "healthy-flannel-overlay",
		"healthy-calico", "healthy-azure-cni", "healthy-eks"} {
		r, err := fixtures.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		fs.WalkDir(r.FS(), ".", func(p string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(p, ".json") ||
				strings.HasPrefix(p, "files/") || p == "env.json" {
				return err
			}
			take(strings.TrimSuffix(filepath.Base(p), ".json"))
			b, _ := fs.ReadFile(r.FS(), p)
			var v any
			if json.Unmarshal(b, &v) == nil {
				takeKeys(v, take)
			}
			return nil
		})
	}
}

func takeKeys(v any, take func(string)) {
	switch v := v.(type) {
	case map[string]any:
		for k, inner := range v {
			take(k)
			takeKeys(inner, take)
		}
	case []any:
		for _, inner := range v {
			takeKeys(inner, take)
		}
	}
}
