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

	"doctor/checks/faults"
)

// A sentence is one English text in the sources that a reader may be told.
type sentence struct {
	check string // the check in whose file it stands, "" where it serves several
	where string
	text  string // with a verb for each hole
}

// A source is one parsed file of the checks.
type source struct {
	*ast.File
	check string
	fset  *token.FileSet
}

// checkFolders hold the texts of the checks.
var checkFolders = []string{"../../checks", "../../checks/node", "../../checks/probed", "../../checks/faults"}

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
		if id := strings.ReplaceAll(strings.TrimSuffix(filepath.Base(name), ".go"), "_", "-"); faults.Catalogue().ByID(id) != nil {
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

// pattern is the sentence that an expression builds, with %s for what is only
// known as it runs. The kind in front of a gap's reason is left out.
func pattern(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.BasicLit:
		text, _ := quoted(e)
		return strings.ReplaceAll(text, "%", "%%")
	case *ast.ParenExpr:
		return pattern(e.X)
	case *ast.BinaryExpr:
		return pattern(e.X) + pattern(e.Y)
	case *ast.SelectorExpr:
		if slices.Contains(kinds, e.Sel.Name) {
			return kindMark
		}
	case *ast.CallExpr:
		switch {
		case called(e) == "Sprintf":
			format, ok := quoted(e.Args[0])
			if rest, found := strings.CutPrefix(format, "%s: "); ok && found && pattern(e.Args[1]) == kindMark {
				return kindMark + ": " + rest
			}
			return format
		case (called(e) == "Gap" || called(e) == "string") && len(e.Args) == 1 && literalIn(e.Args[0]):
			return pattern(e.Args[0])
		}
	}
	return "%s"
}

// literalIn tells whether a conversion holds a text of the sources.
func literalIn(e ast.Expr) (is bool) {
	ast.Inspect(e, func(n ast.Node) bool {
		if x, ok := n.(ast.Expr); ok {
			_, lit := quoted(x)
			is = is || lit
		}
		return !is
	})
	return is
}

// kinds are the names of the kinds of gap; kindMark stands for one of them.
var kinds = []string{"Absent", "Denied", "Timeout", "Unsupported", "NotCollected", "Error"}

const kindMark = "\x00"

// phrases lists the sentences of skips, of gaps, and of fixes for one finding.
func (s source) phrases() []sentence {
	var list []sentence
	take := func(at ast.Node, text string) {
		if text != "" && len(strings.TrimSpace(hole.ReplaceAllString(text, ""))) >= leastOwn {
			list = append(list, s.sentence(at, text))
		}
	}
	registered := false
	ast.Inspect(s.File, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CompositeLit:
			if name, ok := n.Type.(*ast.Ident); ok && name.Name == "Check" {
				registered = true // its own Fix goes by its id
			} else if ok && name.Name == "Fix" && (s.check == "" || !registered || !s.own(n)) {
				for _, e := range n.Elts {
					pair := e.(*ast.KeyValueExpr)
					if key := pair.Key.(*ast.Ident).Name; key == "Text" || key == "Impact" {
						take(pair, pattern(pair.Value))
					}
				}
			}
		case *ast.CallExpr:
			if called(n) == "Skip" {
				for _, text := range s.texts(n.Args[0]) {
					take(n, text.text)
				}
			}
			if text := pattern(n); strings.HasPrefix(text, kindMark+": ") {
				take(n, strings.TrimPrefix(text, kindMark+": "))
				return false
			}
		case *ast.BinaryExpr:
			if text := pattern(n); strings.HasPrefix(text, kindMark+": ") {
				take(n, strings.TrimPrefix(text, kindMark+": "))
				return false
			}
		}
		return true
	})
	return list
}

// own tells whether a Fix is the field of the check itself.
func (s source) own(fix *ast.CompositeLit) (is bool) {
	ast.Inspect(s.File, func(n ast.Node) bool {
		lit, ok := n.(*ast.CompositeLit)
		if !ok {
			return true
		}
		if name, ok := lit.Type.(*ast.Ident); ok && name.Name == "Check" {
			for _, e := range lit.Elts {
				if pair, ok := e.(*ast.KeyValueExpr); ok && pair.Value == ast.Expr(fix) {
					is = true
				}
			}
		}
		return !is
	})
	return is
}

// leastOwn is how many letters of its own make a sentence worth knowing again.
const leastOwn = 8
