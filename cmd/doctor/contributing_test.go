package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
)

// TestWorkflowsAndPagesNameTargetsThatExist keeps CI and contributors from commands that are gone.
func TestWorkflowsAndPagesNameTargetsThatExist(t *testing.T) {
	makefile, err := os.ReadFile(filepath.Join(root, "Makefile"))
	if err != nil {
		t.Fatal(err)
	}
	targets := map[string]bool{}
	for _, m := range regexp.MustCompile(`(?m)^([a-z][a-z-]*):`).FindAllStringSubmatch(
		string(makefile), -1) {
		targets[m[1]] = true
	}
	pages := []string{filepath.Join(root, "README.md"), filepath.Join(root, ".ci", "run")}
	for _, pattern := range []string{".github/*.md", ".github/*/*.md", ".github/workflows/*.yml"} {
		found, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil || len(found) == 0 {
			t.Fatalf("%s: %d files, %v", pattern, len(found), err)
		}
		pages = append(pages, found...)
	}
	// At the beginning of a line, of a step, or of a code span.
	command := regexp.MustCompile("(?m)(?:^ *|`|run: )make ((?:[a-z][a-z-]* ?)+)")
	named := 0
	for _, page := range pages {
		content, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range command.FindAllStringSubmatch(string(content), -1) {
			for _, target := range strings.Fields(m[1]) {
				if named++; !targets[target] {
					t.Errorf("%s says `make %s`, which the Makefile does not have", page, target)
				}
			}
		}
	}
	if named < 10 {
		t.Errorf("only %d commands found; is the pattern right?", named)
	}
}

// TestTheModuleCanBeRenamed: the module's path is a placeholder until the project has a public home.
func TestTheModuleCanBeRenamed(t *testing.T) {
	if testing.Short() {
		t.Skip("copies and rewrites the repository")
	}
	if runtime.GOOS == "windows" {
		t.Skip("make rename is written for a POSIX shell")
	}
	for _, program := range []string{"git", "make", "perl"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skip(err)
		}
	}
	files, err := exec.Command("git", "-C", root, "ls-files", "-z", "--",
		"*.go", "*go.mod", "*go.sum", "Makefile", ".github/CODEOWNERS").Output()
	if err != nil {
		t.Skip("not a git checkout: ", err)
	}
	copied, before := t.TempDir(), map[string]string{}
	for name := range strings.SplitSeq(strings.TrimSuffix(string(files), "\x00"), "\x00") {
		content, err := os.ReadFile(filepath.Join(root, name))
		if os.IsNotExist(err) {
			continue // deleted, and not committed yet
		} else if err != nil {
			t.Fatal(err)
		}
		before[name] = string(content)
		path := filepath.Join(copied, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, content, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	run := func(name string, args ...string) string {
		t.Helper()
		cmd := exec.Command(name, args...)
		cmd.Dir = copied
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
		}
		return string(out)
	}
	old := strings.TrimSpace(run("go", "list", "-m"))
	// What quotes the path elsewhere than in an import is not renamed, and so must not be there.
	// The table of fences means this module whatever its path is.
	quoted := regexp.MustCompile(`"` + regexp.QuoteMeta(old) +
		`/(checks|collectors|ui|fixtures|cmd)\b`)
	imported := regexp.MustCompile(`(?m)^(import |\s+)([\w.]+ )?"` + regexp.QuoteMeta(old) +
		`/[^"]*"\s*(//.*)?$`)
	for name, content := range before {
		if rest := imported.ReplaceAllString(content,
			""); name != "cmd/doctor/repository_test.go" && quoted.MatchString(rest) {
			t.Errorf("%s depends on the module's path: %s", name, quoted.FindString(rest))
		}
	}
	run("git", "init", "-q")
	run("git", "add", "-A")
	const renamed = "example.org/somebody/node-doctor"
	run("make", "rename", "MODULE="+renamed)
	for path := range strings.FieldsSeq(run("go", "list", "-e", "-deps", "-test", "./cmd/doctor")) {
		if path == old || strings.HasPrefix(path, old+"/") {
			t.Errorf("%s is still imported", path)
		}
	}
	owners, err := os.ReadFile(filepath.Join(copied, ".github/CODEOWNERS"))
	if err != nil || !strings.Contains(string(owners), "@somebody/doctor-maintainers") {
		t.Errorf("CODEOWNERS does not name the owner: %v\n%s", err, owners)
	}
	run("make", "rename", "MODULE="+old)
	for name, want := range before {
		if got, err := os.ReadFile(filepath.Join(copied, name)); err != nil || string(got) != want {
			t.Errorf("%s is not as it was after renaming and back: %v", name, err)
		}
	}
}

// TestExportedDeclarationsAreDocumented: constants and variables of one group may share its comment.
func TestExportedDeclarationsAreDocumented(t *testing.T) {
	seen := 0
	err := filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && d.Name() != ".." && (strings.HasPrefix(d.Name(), ".") ||
			d.Name() == "testdata"):
			return filepath.SkipDir
		case d.IsDir() || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		files := token.NewFileSet()
		file, err := parser.ParseFile(files, path, nil,
			parser.ParseComments|parser.SkipObjectResolution)
		if err != nil || file.Name.Name == "main" {
			return err
		}
		for _, decl := range file.Decls {
			for name, comment := range exported(decl) {
				if seen++; comment == nil {
					t.Errorf("%s: %s has no comment", files.Position(decl.Pos()), name.Name)
				}
			}
		}
		return nil
	})
	if err != nil || seen < 900 {
		t.Fatalf("only %d declarations seen, %v", seen, err)
	}
}

// exported maps the names that a declaration exports to what is said of them.
func exported(decl ast.Decl) map[*ast.Ident]*ast.CommentGroup {
	names := map[*ast.Ident]*ast.CommentGroup{}
	say := func(name *ast.Ident, comments ...*ast.CommentGroup) {
		if name.IsExported() {
			names[name] = nil
			for _, c := range comments {
				if c != nil {
					names[name] = c
				}
			}
		}
	}
	switch d := decl.(type) {
	case *ast.FuncDecl:
		if d.Recv == nil || receiver(d.Recv.List[0].Type).IsExported() {
			say(d.Name, d.Doc)
		}
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			switch spec := spec.(type) {
			case *ast.TypeSpec:
				say(spec.Name, d.Doc, spec.Doc, spec.Comment)
			case *ast.ValueSpec:
				for _, name := range spec.Names {
					say(name, d.Doc, spec.Doc, spec.Comment)
				}
			}
		}
	}
	return names
}

// receiver is the name of the type that a method belongs to.
func receiver(e ast.Expr) *ast.Ident {
	for {
		switch x := e.(type) {
		case *ast.StarExpr:
			e = x.X
		case *ast.IndexExpr:
			e = x.X
		case *ast.Ident:
			return x
		default:
			return ast.NewIdent("_")
		}
	}
}
