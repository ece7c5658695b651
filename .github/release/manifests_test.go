package main

import (
	"encoding/xml"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"sigs.k8s.io/yaml"
)

// A format is one manifest of a package manager, and how it is judged.
type format struct {
	schema   string // in testdata/schemas/manifests.yaml
	file     string // below manifests/
	tree     func(t *testing.T, text string) any
	optional string // fields that the documentation calls optional
	bad      map[string]string
}

var formats = []format{
	{"winget-version", "winget/somebody.doctor.yaml", yamlTree, "",
		map[string]string{"PackageIdentifier": "doctor", "PackageVersion": "1/2",
			"DefaultLocale": "english", "ManifestType": "installer", "ManifestVersion": "1"}},
	{"winget-defaultLocale", "winget/somebody.doctor.locale.en-US.yaml", yamlTree,
		"PublisherUrl PublisherSupportUrl PackageUrl LicenseUrl Moniker Tags ReleaseNotesUrl",
		map[string]string{"PackageIdentifier": "a b.c", "PublisherUrl": "example.org",
			"ShortDescription": strings.Repeat("x", 257), "Moniker": strings.Repeat("x", 41),
			"License": "x", "PackageLocale": "e"}},
	{"winget-installer", "winget/somebody.doctor.installer.yaml", yamlTree,
		"Commands ReleaseDate PortableCommandAlias",
		map[string]string{"InstallerType": "tar", "NestedInstallerType": "zip", "Architecture": "amd64",
			"InstallerUrl": "doctor.zip", "InstallerSha256": "0", "ReleaseDate": "yesterday",
			"PortableCommandAlias": strings.Repeat("x", 41)}},
	{"scoop", "scoop/doctor.json", yamlTree, "description extract_dir", // JSON is YAML
		map[string]string{"version": "1 2", "hash": "0", "url": "doctor zip",
			"homepage": "example org"}},
	{"chocolatey", "chocolatey/doctor.nuspec", xmlTree,
		"title projectUrl licenseUrl requireLicenseAcceptance projectSourceUrl bugTrackerUrl tags " +
			"summary releaseNotes files @target",
		map[string]string{"requireLicenseAcceptance": "perhaps", "id": "node doctor", "version": "one",
			"description": "short", "tags": "kubernetes, windows"}},
	{"krew", "krew/windows-doctor.yaml", yamlTree, "homepage description files",
		map[string]string{"apiVersion": "v1", "kind": "Pod", "version": "1.2.3", "sha256": "0",
			"name": "a/b", "uri": "doctor", "os": "plan9"}},
	{"homebrew", "homebrew/doctor.rb", formulaTree, "version test",
		map[string]string{"desc": "A doctor", "sha256": "0", "url": "doctor", "license": "free"}},
}

func yamlTree(t *testing.T, text string) (v any) {
	t.Helper()
	if err := yaml.UnmarshalStrict([]byte(text), &v); err != nil {
		t.Fatal(err)
	}
	return v
}

// xmlTree is an element's fields: its attributes with an @, and its elements, which are text or have
// fields too. One that is there twice becomes a list.
func xmlTree(t *testing.T, text string) any {
	t.Helper()
	type element struct {
		XMLName  xml.Name
		Attrs    []xml.Attr `xml:",any,attr"`
		Elements []element  `xml:",any"`
		Text     string     `xml:",chardata"`
	}
	var root element
	if err := xml.Unmarshal([]byte(text), &root); err != nil {
		t.Fatal(err)
	}
	var tree func(e element) any
	tree = func(e element) any {
		if len(e.Attrs)+len(e.Elements) == 0 {
			return e.Text
		}
		fields := map[string]any{}
		for _, a := range e.Attrs {
			fields["@"+a.Name.Local] = a.Value
		}
		for _, child := range e.Elements {
			v := tree(child)
			if before, twice := fields[child.XMLName.Local]; twice {
				v = []any{before, v}
			}
			fields[child.XMLName.Local] = v
		}
		return fields
	}
	return tree(root)
}

// xmlText writes what xmlTree has read.
func xmlText(name string, v any) string {
	var attrs, inside strings.Builder
	fields, ok := v.(map[string]any)
	if !ok {
		xml.EscapeText(&inside, []byte(fmt.Sprint(v)))
	}
	for _, field := range slices.Backward(slices.Sorted(maps.Keys(fields))) { // metadata before files
		if attr, is := strings.CutPrefix(field, "@"); is {
			fmt.Fprintf(&attrs, " %s=%q", attr, fields[field])
		} else {
			inside.WriteString(xmlText(field, fields[field]))
		}
	}
	return "<" + name + attrs.String() + ">" + inside.String() + "</" + name + ">"
}

// formulaTree reads the stanzas of a formula: a block is an object, and a method a list of lines.
func formulaTree(t *testing.T, text string) any {
	t.Helper()
	text, ok := strings.CutPrefix(text, "class Doctor < Formula\n")
	if !ok {
		t.Fatal("the formula has another class")
	}
	lines := strings.Split(text, "\n")
	var block func() map[string]any
	block = func() map[string]any {
		fields := map[string]any{}
		for len(lines) > 0 {
			line := strings.TrimSpace(lines[0])
			lines = lines[1:]
			name, is := strings.CutSuffix(line, " do")
			word, value, _ := strings.Cut(line, " ")
			switch {
			case line == "end":
				return fields
			case line == "":
			case strings.HasPrefix(line, "def "), line == "test do":
				code := []any{}
				for ; strings.TrimSpace(lines[0]) != "end"; lines = lines[1:] {
					code = append(code, strings.TrimSpace(lines[0]))
				}
				lines = lines[1:]
				fields[name] = code
			case is:
				fields[name] = block()
			default:
				fields[word] = strings.Trim(value, `"`)
			}
		}
		t.Fatal("a block of the formula does not end")
		return nil
	}
	fields := block()
	if rest := strings.TrimSpace(strings.Join(lines, "")); rest != "" {
		t.Fatalf("the formula's class ends before %s", rest)
	}
	return fields
}

// A mutant is a manifest with one mistake.
type mutant struct {
	field, mistake string
	tree           any
}

// mutants makes each mistake in each field: lacking, of another type, empty, a bad value where the
// format names one, and beside one that no format has.
func (f format) mutants(root any) (list []mutant) {
	var walk func(v any, put func(any) any)
	walk = func(v any, put func(any) any) {
		add := func(field, mistake string, changed any) {
			list = append(list, mutant{field, mistake, put(changed)})
		}
		switch v := v.(type) {
		case []any:
			for i := range v {
				walk(v[i], func(changed any) any {
					c := slices.Clone(v)
					c[i] = changed
					return put(c)
				})
			}
		case map[string]any:
			with := func(field string, value any) map[string]any {
				c := maps.Clone(v)
				c[field] = value
				return c
			}
			add("nonsense", "unknown", with("nonsense", "x"))
			for _, field := range slices.Sorted(maps.Keys(v)) {
				lacking := maps.Clone(v)
				delete(lacking, field)
				add(field, "missing", lacking)
				if _, text := v[field].(string); !text {
					add(field, "another type", with(field, "x"))
				} else {
					if !strings.HasPrefix(field, "@") { // an attribute is always text
						add(field, "another type", with(field, map[string]any{"x": "y"}))
					}
					add(field, "empty", with(field, ""))
					if bad := f.bad[field]; bad != "" {
						add(field, "bad", with(field, bad))
					}
				}
				walk(v[field], func(changed any) any { return put(with(field, changed)) })
			}
		}
	}
	walk(root, func(v any) any { return v })
	return list
}

// TestManifestsFitTheirSchemas holds each manifest to our schema of its format, and the schema to
// refusing every mistake.
func TestManifestsFitTheirSchemas(t *testing.T) {
	r := withManifests(t)
	seen := map[string]bool{}
	for _, f := range formats {
		t.Run(f.schema, func(t *testing.T) {
			validate, text := ourSchema(t, f.schema), read(t, filepath.Join(r.Out, "manifests", f.file))
			root := f.tree(t, text)
			if err := validate(root); err != nil {
				t.Fatal(err)
			}
			tried := map[string]int{}
			for _, m := range f.mutants(root) {
				tried[m.mistake]++
				accepted := validate(m.tree) == nil
				optional := m.mistake == "missing" && slices.Contains(strings.Fields(f.optional), m.field)
				if accepted != optional {
					t.Errorf("accepted with %s %s: %v", m.mistake, m.field, accepted)
				}
			}
			if len(tried) != 5 || tried["bad"] < len(f.bad) {
				t.Errorf("the mistakes were %v", tried)
			}
		})
		seen[filepath.Dir(f.file)] = true
	}
	for _, folder := range []string{"winget", "scoop", "chocolatey", "krew", "homebrew"} {
		if !seen[folder] {
			t.Errorf("nothing judges the manifests of %s", folder)
		}
	}
	// Each archive, with its sum, is in the manifests of its system.
	install := read(t, filepath.Join(r.Out, "manifests/chocolatey/tools/chocolateyinstall.ps1"))
	for _, a := range r.Archives {
		named := 0
		for _, f := range append(formats, format{file: "chocolatey/tools/chocolateyinstall.ps1"}) {
			text := read(t, filepath.Join(r.Out, "manifests", f.file))
			if strings.Contains(text, r.URL(a.File)) && strings.Contains(text, a.SHA256) {
				named++
			}
		}
		want := map[string]int{"windows amd64": 4, "windows arm64": 2}[a.System+" "+a.Arch]
		if named != max(want, 2) {
			t.Errorf("%s is in %d manifests", a.File, named)
		}
	}
	if !strings.Contains(install, "\nInstall-ChocolateyZipPackage @package\n") {
		t.Errorf("Chocolatey's script installs nothing:\n%s", install)
	}
}

// TestOurSchemasRefuseWhatTheRealOnesRefuse compares ours with the judges of the package managers:
// krew's program and Scoop's schema are here, and DOCTOR_MANIFEST_SCHEMAS names a folder with
// checkouts of microsoft/winget-cli, ScoopInstaller/Scoop and chocolatey/NuGet.Client, as the
// release workflow has them.
func TestOurSchemasRefuseWhatTheRealOnesRefuse(t *testing.T) {
	r, judges := withManifests(t), map[string]func(any) error{
		"krew": krewsProgram(t), "scoop": schemaAt(t, "testdata/schemas/scoop.json")}
	if folder := os.Getenv("DOCTOR_MANIFEST_SCHEMAS"); folder != "" {
		for _, kind := range []string{"version", "defaultLocale", "installer"} {
			judges["winget-"+kind] = schemaAt(t, filepath.Join(folder,
				"winget-cli/schemas/JSON/manifests/v1.9.0/manifest."+kind+".1.9.0.json"))
		}
		judges["scoop"] = schemaAt(t, filepath.Join(folder, "Scoop/schema.json"))
		judges["chocolatey"] = nuspecSchema(t, filepath.Join(folder,
			"NuGet.Client/src/NuGet.Core/NuGet.Packaging/compiler/resources/nuspec.xsd"))
	}
	for _, f := range formats {
		judge := judges[f.schema]
		if judge == nil {
			continue
		}
		t.Run(f.schema, func(t *testing.T) {
			ours := ourSchema(t, f.schema)
			root := f.tree(t, read(t, filepath.Join(r.Out, "manifests", f.file)))
			if err := judge(root); err != nil {
				t.Fatal(err)
			}
			tried, refused := 0, 0
			for _, m := range f.mutants(root) {
				tried++
				if err := judge(m.tree); err == nil {
					continue
				} else if refused++; ours(m.tree) == nil {
					t.Errorf("%s %s: we accept it, and %v", m.mistake, m.field, err)
				}
			}
			t.Logf("the real one refuses %d of %d mistakes", refused, tried)
			if refused < tried/4 {
				t.Error("it does not judge")
			}
		})
	}
}

func ourSchema(t *testing.T, name string) func(any) error {
	t.Helper()
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	document := yamlTree(t, read(t, "testdata/schemas/manifests.yaml"))
	if err := c.AddResource("urn:manifests", document); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("urn:manifests#/$defs/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return s.Validate
}

func schemaAt(t *testing.T, file string) func(any) error {
	t.Helper()
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	s, err := c.Compile(file)
	if err != nil {
		t.Fatal(err)
	}
	return s.Validate
}

// krewsProgram is what krew-index runs for each pull request.
func krewsProgram(t *testing.T) func(any) error {
	t.Helper()
	path, err := exec.Command("go", "tool", "-modfile=../tools/go.mod", "-n",
		"validate-krew-manifest").Output()
	if err != nil {
		t.Fatalf("%v; `make modules` first", err)
	}
	file := filepath.Join(t.TempDir(), "windows-doctor.yaml")
	return func(tree any) error {
		text, err := yaml.Marshal(tree)
		if err != nil {
			return err
		}
		if err := os.WriteFile(file, text, 0o644); err != nil {
			t.Fatal(err)
		}
		_, err = command(".", nil, strings.TrimSpace(string(path)), "-skip-install", "-manifest", file)
		return err
	}
}

// nuspecSchema is the schema of Chocolatey. It is the same for each of its namespaces, and so has a
// mark for it.
func nuspecSchema(t *testing.T, file string) func(any) error {
	t.Helper()
	xsd := filepath.Join(t.TempDir(), "nuspec.xsd")
	return func(tree any) error {
		namespace, _ := tree.(map[string]any)["@xmlns"].(string)
		schema := strings.ReplaceAll(read(t, file), "{0}", namespace)
		if err := os.WriteFile(xsd, []byte(schema), 0o644); err != nil {
			t.Fatal(err)
		}
		lint := exec.Command("xmllint", "--noout", "--schema", xsd, "-") // of libxml2-utils
		lint.Stdin = strings.NewReader(xmlText("package", tree))
		if said, err := lint.CombinedOutput(); err != nil {
			return fmt.Errorf("%w: %s", err, said)
		}
		return nil
	}
}

// withManifests is a release of all targets whose archives are only named.
func withManifests(t *testing.T) *release {
	t.Helper()
	r := &release{Out: t.TempDir(), Repo: "somebody/doctor", Version: testVersion,
		Time: time.Unix(1700000000, 0).UTC()}
	for i, target := range strings.Fields(allTargets) {
		system, arch, _ := strings.Cut(target, "/")
		folder := "doctor_1.2.3_" + system + "_" + arch
		file := folder + map[bool]string{true: ".zip", false: ".tar.gz"}[system == "windows"]
		sum := strings.Repeat(string("0123456789"[i]), 64)
		r.Archives = append(r.Archives, archive{system, arch, file, sum, folder})
	}
	if err := r.manifests(); err != nil {
		t.Fatal(err)
	}
	return r
}
