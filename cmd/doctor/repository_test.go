package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

// root is the repository, seen from this package's folder.
const root = "../.."

// fences are the arrows between packages: what a package and all it imports
// must stay clear of, and why. "doctor" stands for this module, wherever it lives.
var fences = []struct {
	pkg    string
	never  []string // beginnings of import paths, anywhere among the package's dependencies
	reason string
}{
	{"doctor/checks/evidence", []string{"doctor/checks/signs", "doctor/collectors", "doctor/ui",
		"os/exec", "net/http", "k8s.io/client-go", "k8s.io/api", "github.com/Microsoft",
		"golang.org/x/net", "github.com/charmbracelet"},
		"evidence is plain data: a recording must be readable where no node, cluster or screen is"},
	{"doctor/checks/signs", []string{"doctor/collectors", "doctor/ui", "os/exec", "net/http",
		"k8s.io/", "github.com/Microsoft", "github.com/charmbracelet"},
		"the scanner reads evidence and nothing else"},
	{"doctor/checks", []string{"doctor/collectors", "doctor/ui", "doctor/fixtures", "os/exec",
		"net/http", "k8s.io/client-go", "k8s.io/api", "github.com/Microsoft", "golang.org/x/net",
		"github.com/charmbracelet"},
		"a check that could reach a machine or a network could not be replayed"},
	{"doctor/checks/regressions", []string{"doctor/checks/faults", "doctor/collectors", "doctor/ui",
		"doctor/fixtures", "os/exec", "net/http"},
		"a table of versions knows what a check is, and no check by its code"},
	{"doctor/checks/faults", []string{"doctor/collectors", "doctor/ui", "doctor/fixtures",
		"os/exec", "net/http", "k8s.io/client-go", "k8s.io/api", "github.com/Microsoft",
		"golang.org/x/net", "github.com/charmbracelet"},
		"a check that could reach a machine or a network could not be replayed"},
	{"doctor/fixtures", []string{"doctor/collectors", "doctor/ui", "k8s.io/client-go",
		"github.com/Microsoft", "github.com/charmbracelet"},
		"recordings are data for everybody"},
	{"doctor/ui", []string{"doctor/collectors", "doctor/fixtures", "k8s.io/client-go",
		"github.com/Microsoft", "golang.org/x/net"},
		"what is drawn is a finished report, whatever it came from"},
	{"doctor/ui/tui", []string{"doctor/collectors", "doctor/fixtures", "k8s.io/client-go",
		"github.com/Microsoft", "golang.org/x/net"},
		"what is drawn is a finished report, whatever it came from"},
	{"doctor/ui/symptom", []string{"doctor/collectors", "doctor/fixtures",
		"github.com/charmbracelet"}, "questions and answers know no screen"},
	{"doctor/ui/timeline", []string{"doctor/collectors", "doctor/fixtures",
		"github.com/charmbracelet"}, "a list by time knows no screen"},
	{"doctor/ui/spoken", []string{"doctor/collectors", "doctor/fixtures", "k8s.io/client-go",
		"github.com/Microsoft", "golang.org/x/net"},
		"what is told is a finished report, whatever it came from"},
	{"doctor/collectors/bundle", []string{"doctor/ui", "github.com/charmbracelet"},
		"collectors record; they neither judge nor draw"},
	{"doctor/collectors/foreign", []string{"doctor/ui", "github.com/charmbracelet"},
		"collectors record; they neither judge nor draw"},
	{"doctor/collectors/pack", []string{"doctor/ui", "doctor/fixtures", "github.com/charmbracelet",
		"k8s.io/", "net/http"}, "a bundle is written from evidence, whoever read it"},
	{"doctor/collectors/redact", []string{"doctor/ui", "doctor/fixtures", "doctor/collectors",
		"github.com/charmbracelet", "k8s.io/", "net/http", "os/exec"},
		"what takes secrets out must be small enough to be read as a whole"},
	{"doctor/collectors/maskname", []string{"doctor/ui", "doctor/fixtures", "doctor/collectors",
		"k8s.io/", "net/http", "os/exec"},
		"what takes names out must be small enough to be read as a whole"},
	{"doctor/collectors", []string{"doctor/ui", "doctor/fixtures", "github.com/charmbracelet",
		"k8s.io/", "github.com/Microsoft"}, "the runner knows no machine and no cluster"},
	{"doctor/collectors/node", []string{"doctor/ui", "doctor/fixtures", "github.com/charmbracelet",
		"k8s.io/client-go"}, "a node is read without its cluster"},
	{"doctor/collectors/probe", []string{"doctor/ui", "doctor/fixtures", "github.com/charmbracelet",
		"k8s.io/"}, "probes are packets; whoever reaches into a pod hands that in"},
	{"doctor/ui/console", []string{"doctor/checks", "doctor/collectors"},
		"the terminal knows nothing of nodes"},
	{"doctor/collectors/cluster", []string{"doctor/ui", "doctor/fixtures",
		"github.com/charmbracelet", "k8s.io/client-go/kubernetes"},
		"collectors record; they neither judge nor draw, and typed clients of all API groups would double the program"},
	{"doctor/collectors/fleet", []string{"doctor/ui", "doctor/fixtures",
		"github.com/charmbracelet"}, "collectors record; they neither judge nor draw"},
	{"doctor/checks/fleet", []string{"doctor/collectors", "doctor/ui", "os/exec", "net/http"},
		"what groups the reports of nodes reads reports and nothing else"},
	{"doctor/cmd/doctor", []string{"google.golang.org/grpc", "html/template", "k8s.io/api/core",
		"k8s.io/client-go/kubernetes"},
		"these made doctor.exe 11 MB larger; collectors/cri and collectors/cluster/streams.go say how to do without"},
	{"doctor/collectors/onnode", []string{"doctor/ui", "doctor/fixtures",
		"github.com/charmbracelet", "k8s.io/api/", "k8s.io/client-go/kubernetes"},
		"collectors record; they neither judge nor draw, and objects are JSON"},
	{"doctor/collectors/cri", []string{"doctor/", "k8s.io/"},
		"a call to a runtime knows nothing of evidence"},
	{"doctor/cmd/doctor", []string{"github.com/invopop", "github.com/santhosh-tekuri"},
		"schemas are generated and validated in tests"},
	{"doctor/fixtures/server", []string{"doctor/checks", "doctor/collectors", "doctor/ui",
		"k8s.io/", "github.com/"},
		"a test bed that shared code with what it tests would share its faults"},
	{"doctor/fixtures/dnsbed", []string{"doctor/checks", "doctor/collectors", "doctor/ui",
		"k8s.io/"}, "a test bed that shared code with what it tests would share its faults"},
	{"doctor/fixtures/apibed", []string{"doctor/checks", "doctor/collectors", "doctor/ui",
		"k8s.io/", "github.com/"},
		"a test bed that shared code with what it tests would share its faults"},
}

// directly are the packages that another one must not import itself, though
// something below it may.
var directly = []struct {
	pkg    string
	never  []string
	reason string
}{
	{"doctor/checks", []string{"os", "net", "io/fs", "doctor/checks/signs", "github.com/",
		"golang.org/", "sigs.k8s.io/"},
		"a check reads evidence and nothing else: no files, no clock, no network of its own"},
	{"doctor/checks", []string{"doctor/checks/probed", "doctor/checks/faults"},
		"the framework knows no fault by name"},
	{"doctor/checks/faults", []string{"os", "net", "io/fs", "doctor/checks/signs", "github.com/",
		"golang.org/", "sigs.k8s.io/"},
		"a check reads evidence and nothing else: no files, no clock, no network of its own"},
	{"doctor/checks/node", []string{"doctor/checks", "doctor/checks/probed", "doctor/checks/faults",
		"os", "net", "io/fs", "doctor/checks/signs", "github.com/", "golang.org/", "sigs.k8s.io/"},
		"a fact is read from evidence and nothing else"},
	{"doctor/ui", []string{"doctor/checks/faults"}, "what draws is handed the catalogue"},
	{"doctor/ui/tui", []string{"doctor/checks/faults"}, "what draws is handed the catalogue"},
	{"doctor/ui/lang", []string{"doctor/checks/faults"}, "what draws is handed the catalogue"},
	{"doctor/ui/symptom", []string{"doctor/checks/faults"}, "what draws is handed the catalogue"},
	{"doctor/ui/timeline", []string{"doctor/checks/faults"}, "what draws is handed the catalogue"},
	{"doctor/collectors", []string{"doctor/checks"}, "collectors record; they do not judge"},
	{"doctor/collectors/node", []string{"doctor/checks"}, "collectors record; they do not judge"},
	{"doctor/collectors/cluster", []string{"doctor/checks"},
		"collectors record; they do not judge"},
	{"doctor/collectors/onnode", []string{"doctor/checks", "doctor/checks/signs"},
		"collectors record; they do not judge"},
	{"doctor/collectors/probe", []string{"doctor/checks"}, "collectors record; they do not judge"},
	{"doctor/collectors/bundle", []string{"doctor/checks"}, "collectors record; they do not judge"},
	{"doctor/collectors/fleet", []string{"doctor/checks"}, "collectors record; they do not judge"},
	{"doctor/checks/fleet", []string{"doctor/checks/faults"}, "a group knows no fault by name"},
	{"doctor/collectors/foreign", []string{"doctor/checks"},
		"collectors record; they do not judge"},
	{"doctor/collectors/pack", []string{"doctor/checks", "doctor/checks/signs"},
		"collectors record; they do not judge"},
	{"doctor/collectors/redact", []string{"doctor/checks", "doctor/checks/signs"},
		"collectors record; they do not judge"},
	{"doctor/collectors/maskname", []string{"doctor/checks", "doctor/checks/signs"},
		"collectors record; they do not judge"},
	{"doctor/collectors/cluster", []string{"doctor/checks"},
		"collectors record; they do not judge"},
}

func TestPackagesStayOnTheirSideOfTheFence(t *testing.T) {
	for _, goos := range []string{"linux", "windows"} {
		deps, imports := map[string][]string{}, map[string][]string{}
		for pkg, p := range listed(t, goos) {
			deps[pkg], imports[pkg] = p.deps, p.imports
		}
		for _, f := range fences {
			if _, ok := deps[f.pkg]; !ok {
				t.Errorf("there is no package %s", f.pkg)
			}
			for _, dep := range deps[f.pkg] {
				if slices.ContainsFunc(f.never, func(start string) bool {
					return dep == start ||
						strings.HasPrefix(dep, strings.TrimSuffix(start, "/")+"/")
				}) {
					t.Errorf("%s depends on %s (%s): %s", f.pkg, dep, goos, f.reason)
				}
			}
		}
		for _, f := range directly {
			for _, dep := range imports[f.pkg] {
				if slices.ContainsFunc(f.never, func(p string) bool {
					return dep == p || strings.HasSuffix(p, "/") && strings.HasPrefix(dep, p)
				}) {
					t.Errorf("%s imports %s (%s): %s", f.pkg, dep, goos, f.reason)
				}
			}
		}
		for pkg, list := range deps {
			if pkg != "doctor/cmd/doctor" && slices.Contains(list, "doctor/cmd/doctor") {
				t.Errorf("%s imports cmd/doctor: it is the top, and imported by nobody", pkg)
			}
		}
	}
}

// A listedPackage is what the go command knows of a package. This module's own path is written as
// "doctor" in it.
type listedPackage struct{ deps, imports, doc []string }

var lists sync.Map // by system

// listed maps each package of the repository to what it is for a system.
func listed(t *testing.T, goos string) map[string]listedPackage {
	t.Helper()
	list, _ := lists.LoadOrStore(goos, sync.OnceValues(func() (map[string]listedPackage, error) {
		return goList(goos)
	}))
	packages, err := list.(func() (map[string]listedPackage, error))()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	return packages
}

func goList(goos string) (map[string]listedPackage, error) {
	module, err := exec.Command("go", "list", "-m").Output()
	if err != nil {
		return nil, err
	}
	path := strings.TrimSpace(string(module))
	cmd := exec.Command("go", "list", "-f",
		`{{.ImportPath}}|{{join .Deps " "}}|{{join .Imports " "}}|{{.Doc}}`, "./...")
	cmd.Dir = root
	cmd.Env = append(os.Environ(), "GOOS="+goos)
	out, err := cmd.Output()
	if err != nil {
		return nil, err
	}
	packages := map[string]listedPackage{}
	for line := range strings.Lines(string(out)) {
		var parts [4][]string
		for i, part := range strings.SplitN(line, "|", 4) {
			parts[i] = strings.Fields(part)
			for j, word := range parts[i] {
				if rest, ok := strings.CutPrefix(word, path); ok && (rest == "" || rest[0] == '/') {
					parts[i][j] = "doctor" + rest
				}
			}
		}
		packages[parts[0][0]] = listedPackage{parts[1], parts[2], parts[3]}
	}
	return packages, nil
}

func TestEveryPackageSaysWhatItIsFor(t *testing.T) {
	for pkg, p := range listed(t, "linux") {
		if len(p.doc) < 5 {
			t.Errorf("%s has no package comment that names its idea", pkg)
		}
	}
}

// TestOnlyMainExits: a program that ends anywhere else cannot be run by a test.
func TestOnlyMainExits(t *testing.T) {
	err := filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".go" ||
			strings.HasSuffix(path, "_test.go") || d.Name() == "main.go" {
			return err
		}
		content, err := os.ReadFile(path)
		if strings.Contains(string(content), "os.Exit(") || strings.Contains(string(content),
			"log.Fatal") {
			t.Errorf("%s ends the program; return an error instead", path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestTheTopLevelHoldsOnlyWhatTheUserAskedFor(t *testing.T) {
	allowed := []string{"cmd", "checks", "ui", "collectors", "fixtures", "go.mod", "go.sum",
		"Makefile", "README.md", "LICENSE"}
	out, err := exec.Command("git", "-C", root, "ls-files").Output()
	if err != nil {
		t.Skip("not a git checkout: ", err)
	}
	for line := range strings.Lines(string(out)) {
		top, _, _ := strings.Cut(strings.TrimSpace(line), "/")
		if !strings.HasPrefix(top, ".") && !slices.Contains(allowed, top) {
			t.Errorf("%s at the top level", top)
		}
	}
}

func TestTheCataloguePageIsFresh(t *testing.T) {
	page, err := os.ReadFile(filepath.Join(root, "checks", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	out, _, status := doctor(t, "explain", "-o", "markdown")
	if status != exitFine || out != string(page) {
		t.Error("checks/README.md differs from the checks; `make docs` renews it")
	}
}
