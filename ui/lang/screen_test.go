package lang

import (
	"go/ast"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// The folders of what is shown on a screen or read aloud.
var screenFolders = []string{"../../ui/tui", "../../ui/symptom", "../../ui/timeline",
	"../../ui/spoken"}

// tables are variables whose texts go through the catalogue where they are drawn.
var tables = []string{"meaning", "phaseNames", "weekdays", "nodeSymptoms", "podSymptoms",
	"networkSymptoms", "useSymptoms"}

// screenWords lists what screens say by other ways than T, Word and Count: the
// help of keys, the hints of the footer, answers to keys, and tables.
func (s source) screenWords() []sentence {
	var list []sentence
	take := func(e ast.Expr) {
		if text, ok := quoted(e); ok && text != "" {
			list = append(list, s.sentence(e, text))
		}
	}
	ast.Inspect(s.File, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			switch at := map[string]int{"bind": 1, "WithHelp": 1, "say": 0}[called(n)]; {
			case called(n) == "bind" || called(n) == "WithHelp" || called(n) == "say" &&
				s.Name.Name == "spoken":
				take(n.Args[at])
			case called(n) == "count" && s.Name.Name == "spoken" && len(n.Args) == 2:
				if text, ok := quoted(n.Args[1]); ok {
					list = append(list, s.sentence(n, "%d "+text))
				}
			}
		case *ast.CompositeLit:
			for _, e := range hintsIn(n) {
				take(e)
			}
			if name, ok := n.Type.(*ast.Ident); ok && name.Name == "Advice" {
				take(n.Elts[0])
			}
		case *ast.KeyValueExpr:
			if key, ok := n.Key.(*ast.Ident); ok && key.Name == "say" {
				take(n.Value)
			}
		case *ast.AssignStmt:
			if to, ok := n.Lhs[0].(*ast.SelectorExpr); ok && to.Sel.Name == "does" {
				take(n.Rhs[0])
			}
		case *ast.ValueSpec:
			if name := n.Names[0].Name; slices.Contains(tables, name) && len(n.Values) == 1 {
				table, _ := n.Values[0].(*ast.CompositeLit)
				if strings.HasSuffix(name, "Symptoms") {
					for _, e := range symptomTexts(table) {
						take(e)
					}
					return true
				}
				for _, e := range table.Elts {
					if pair, ok := e.(*ast.KeyValueExpr); ok {
						e = pair.Value
					}
					take(e)
				}
			}
		}
		return true
	})
	return list
}

// hintsIn are the words of a hint, or of a list of hints.
func hintsIn(lit *ast.CompositeLit) []ast.Expr {
	if name, ok := lit.Type.(*ast.Ident); ok && name.Name == "hint" && len(lit.Elts) == 3 {
		return lit.Elts[1:2]
	}
	list, ok := lit.Type.(*ast.ArrayType)
	if !ok {
		return nil
	}
	if of, ok := list.Elt.(*ast.Ident); !ok || of.Name != "hint" {
		return nil
	}
	var words []ast.Expr
	for _, e := range lit.Elts {
		if h, ok := e.(*ast.CompositeLit); ok && h.Type == nil && len(h.Elts) == 3 {
			words = append(words, h.Elts[1])
		}
	}
	return words
}

// symptomTexts are the questions, and the texts and costs of the steps.
func symptomTexts(table *ast.CompositeLit) []ast.Expr {
	var list []ast.Expr
	ast.Inspect(table, func(n ast.Node) bool {
		pair, ok := n.(*ast.KeyValueExpr)
		if !ok {
			return true
		}
		switch pair.Key.(*ast.Ident).Name {
		case "Question":
			list = append(list, pair.Value)
		case "Next":
			for _, e := range pair.Value.(*ast.CompositeLit).Elts {
				step := e.(*ast.CompositeLit).Elts
				list = append(list, step[0], step[2])
			}
			return false
		}
		return true
	})
	return list
}

// components are what entries of the timeline are about, beside programs.
var components = []string{"pods", "node", "windows", "updates", "files"}

// notWords are literals of the screens that no reader sees, or that are the same
// in every language: keys, endings of files, names of terminals, parts of paths.
var notWords = regexp.MustCompile(
	`^([a-z]+\+)?(up|down|pgup|pgdown|home|end|enter|esc|tab|space|backspace|left|right|[a-z])( |$)|^ctrl\+|^shift\+` +
		`|^\.[a-z]+$|^[A-Z_]+$|^(kitty|ghostty|alacritty|foot|wezterm|WezTerm|xterm-)$|^[a-z-]+-(%s|\*)?$|^doctor-|\.md$|^logs/|^\\n|^%`)

var lowerWord = regexp.MustCompile(`[a-z]{3,}`)

// TestEveryTextOfTheScreenIsLookedUp: a text that is drawn without being looked
// up would stay English, and no other test would see it.
func TestEveryTextOfTheScreenIsLookedUp(t *testing.T) {
	looked := map[string]bool{}
	for _, w := range words(t) {
		looked[strings.TrimPrefix(w.text, "%d ")] = true
		looked[w.text] = true
	}
	for _, folder := range []string{"../../ui/tui", "../../ui/spoken"} {
		for _, s := range parse(t, folder) {
			ast.Inspect(s.File, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.ImportSpec:
					return false
				case *ast.BasicLit:
					text, ok := quoted(n)
					if ok && lowerWord.MatchString(text) && !looked[text] &&
						!slices.Contains(unseen, text) && !notWords.MatchString(text) {
						t.Errorf("%s: %q is not looked up in the catalogue: say it with T, Word or Count", s.sentence(n, "").where, text)
					}
				}
				return true
			})
		}
	}
}

// unseen are the other literals that are no words of the screen, or that are
// said as phrases of a gap or an error.
var unseen = []string{
	// words in the names of files
	"step", "script",
	// phrases
	": looked for, and not there", "the gap file gives no reason", "it became shorter than it was",
	"the node",
	// errors, which stay English
	"the screen stopped: %w; plain text is there with -o text", "writing the report: %w",
	" (cut).",               // of English only
	"searching", "checking", // phases of a bundle, looked up in phaseNames
	"reading", "waiting", // looked up by Status
	"-*.txt", "G end", "copy", "exit", // a file, keys, commands
	"dark", "light", "high-contrast", "none", "--theme", // values of a flag
	"%s takes %s, not %q",            // errors of a flag
	"/rest", "day", "begin", "items", // names within the program, and in JSON
}
