package lang

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"doctor/checks/faults"
)

// A sentence is one English text in the sources that a reader may be told.
type sentence struct {
	check string // the check in whose file it stands, "" where it serves several
	where string
	text  string // with a verb for each hole
}

// stepTexts are the functions that make steps of a fix, and which argument is a text.
var stepTexts = map[string]int{"Inspect": 1, "Run": 1, "Edit": 1, "Do": 0, "Costs": 0, "Verify": 1}

// gapTexts are those that make gaps of pods on nodes, likewise.
var gapTexts = map[string]int{"noEvidence": 1, "noPod": 1}

// A source is one parsed file of the checks.
type source struct {
	*ast.File
	check string
	fset  *token.FileSet
}

// checkFolders hold the texts of the checks.
var checkFolders = []string{"../../checks", "../../checks/node", "../../checks/probed",
	"../../checks/faults", "../../checks/regressions", "../../checks/unexplained"}

func parse(t testing.TB, folders ...string) []source {
	t.Helper()
	var files []string
	for _, folder := range folders {
		found, err := filepath.Glob(filepath.Join(folder, "*.go"))
		if err != nil || len(found) == 0 {
			t.Fatalf("no sources in %s: %v", folder, err)
		}
		files = append(files, found...)
	}
	var list []source
	fset := token.NewFileSet()
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(fset, name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		s := source{File: f, fset: fset}
		if id := strings.ReplaceAll(strings.TrimSuffix(filepath.Base(name), ".go"), "_",
			"-"); faults.Catalogue().ByID(id) != nil {
			s.check = id
		}
		list = append(list, s)
	}
	return list
}

func (s source) sentence(at ast.Node, text string) sentence {
	p := s.fset.Position(at.Pos())
	return sentence{s.check, filepath.Base(p.Filename) + ":" + strconv.Itoa(p.Line), text}
}

// called is the name of the function that a call calls.
func called(c *ast.CallExpr) string {
	switch f := c.Fun.(type) {
	case *ast.Ident:
		return f.Name
	case *ast.SelectorExpr:
		return f.Sel.Name
	}
	return ""
}

func quoted(e ast.Expr) (string, bool) {
	lit, ok := e.(*ast.BasicLit)
	if !ok || lit.Kind != token.STRING {
		return "", false
	}
	text, err := strconv.Unquote(lit.Value)
	return text, err == nil
}

// formats lists every format that a finding can be given. One that stands in a
// variable is whatever its function assigns to a variable of that name; one
// that is a function's parameter is what its callers hand in.
func formats(t testing.TB, sources []source) []sentence {
	takers := map[string]int{"Findingf": 2}
	for _, s := range sources {
		s.takers(takers)
	}
	var list []sentence
	for _, s := range sources {
		for _, d := range s.Decls {
			list = append(list, s.formats(t, d, takers)...)
		}
	}
	return slices.DeleteFunc(list, func(f sentence) bool { return f.text == "%s" })
}

// takers adds the functions that hand a parameter called format on to Findingf,
// with the place of that parameter.
func (s source) takers(known map[string]int) {
	note := func(name string, f *ast.FuncType, body *ast.BlockStmt) {
		at := 0
		for _, field := range f.Params.List {
			for _, p := range field.Names {
				if p.Name == "format" && makesFinding(body) {
					known[name] = at
				}
				at++
			}
		}
	}
	ast.Inspect(s.File, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			if n.Body != nil {
				note(n.Name.Name, n.Type, n.Body)
			}
		case *ast.AssignStmt:
			name, ok := n.Lhs[0].(*ast.Ident)
			if f, is := n.Rhs[0].(*ast.FuncLit); ok && is {
				note(name.Name, f.Type, f.Body)
			}
		}
		return true
	})
}

// makesFinding tells whether a body gives its format to Findingf.
func makesFinding(body *ast.BlockStmt) (does bool) {
	ast.Inspect(body, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok && called(call) == "Findingf" && len(call.Args) > 2 {
			name, ok := call.Args[2].(*ast.Ident)
			does = does || ok && name.Name == "format"
		}
		return !does
	})
	return does
}

func (s source) formats(t testing.TB, d ast.Decl, takers map[string]int) []sentence {
	var list []sentence
	ast.Inspect(d, func(n ast.Node) bool {
		if pair, ok := n.(*ast.KeyValueExpr); ok {
			if key, ok := pair.Key.(*ast.Ident); ok && key.Name == "Format" {
				list = append(list, s.texts(pair.Value)...)
			}
		}
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		at, takes := takers[called(call)]
		if !takes || len(call.Args) <= at {
			return true
		}
		found := s.texts(call.Args[at])
		if name, ok := call.Args[at].(*ast.Ident); ok && len(found) == 0 {
			if name.Name == "format" && s.handsOn(d, takers) {
				return true
			}
			found = s.assigned(d, name.Name)
		}
		if len(found) == 0 && called(call) == "Findingf" {
			t.Errorf("%s: no format is seen for this finding; write it out in the function that makes the finding", s.sentence(call, "").where)
		}
		list = append(list, found...)
		return true
	})
	return list
}

// handsOn tells whether a declaration is, or holds, one of those functions.
func (s source) handsOn(d ast.Decl, takers map[string]int) (is bool) {
	if f, ok := d.(*ast.FuncDecl); ok {
		_, is = takers[f.Name.Name]
	}
	ast.Inspect(d, func(n ast.Node) bool {
		if set, ok := n.(*ast.AssignStmt); ok {
			if name, ok := set.Lhs[0].(*ast.Ident); ok {
				_, takes := takers[name.Name]
				_, lit := set.Rhs[0].(*ast.FuncLit)
				is = is || takes && lit
			}
		}
		return !is
	})
	return is
}

// texts lists the literals that an expression may come to.
func (s source) texts(e ast.Expr) []sentence {
	if text, ok := quoted(e); ok {
		return []sentence{s.sentence(e, text)}
	}
	var list []sentence
	if call, ok := e.(*ast.CallExpr); ok && called(call) == "cond" {
		for _, arg := range call.Args[1:] {
			list = append(list, s.texts(arg)...)
		}
	}
	return list
}

func (s source) assigned(in ast.Node, name string) []sentence {
	var list []sentence
	ast.Inspect(in, func(n ast.Node) bool {
		set, ok := n.(*ast.AssignStmt)
		if !ok {
			return true
		}
		for i, left := range set.Lhs {
			if id, ok := left.(*ast.Ident); ok && id.Name == name && i < len(set.Rhs) {
				list = append(list, s.texts(set.Rhs[i])...)
			}
		}
		return true
	})
	return list
}

// phrases lists the sentences of skips, gaps and fixes, and what stands in the
// holes of sentences: all that is said by a Phrase.
func (s source) phrases() []sentence {
	var list []sentence
	ast.Inspect(s.File, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			if at, ok := stepTexts[called(n)]; ok && len(n.Args) > at {
				list = append(list, s.texts(n.Args[at])...)
			}
			if at, ok := gapTexts[called(n)]; ok && len(n.Args) > at {
				list = append(list, s.texts(n.Args[at])...)
			}
			if slices.Contains([]string{"Skip", "Phrasef", "Miss", "because"}, called(n)) &&
				len(n.Args) > 0 {
				list = append(list, s.texts(n.Args[0])...)
			}
			if of, ok := n.Fun.(*ast.SelectorExpr); ok && of.Sel.Name == "Gap" && len(n.Args) > 0 &&
				takesPhrase(of.X) {
				list = append(list, s.texts(n.Args[0])...)
			}
		}
		return true
	})
	return slices.DeleteFunc(list, func(p sentence) bool {
		return !strings.ContainsFunc(p.text, unicode.IsLetter) || p.text == "%s" || p.text == "%d"
	})
}

// takesPhrase tells whether an expression names a code whose sentence takes a phrase.
func takesPhrase(e ast.Expr) bool {
	of, ok := e.(*ast.SelectorExpr)
	return ok && slices.Contains([]string{"NotShown", "NotDecided", "NotProbed", "ListIncomplete",
		"CutByRecorder", "NotFound", "NoAnswer", "NoAnswerWithin", "NotSupported", "PodUnusable"},
		of.Sel.Name)
}
