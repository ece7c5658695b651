package main

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/tc-hib/winres"
)

const testVersion = "v1.2.3"

// TestAReleaseIsReproducible builds one target twice, from the beginning, and opens what it got.
func TestAReleaseIsReproducible(t *testing.T) {
	if testing.Short() {
		t.Skip("links doctor.exe twice")
	}
	var sums [2]string
	var out string
	for i := range sums {
		out = t.TempDir()
		r := &release{Root: "../..", Out: out, Repo: "somebody/doctor", Version: testVersion}
		if err := r.run([]string{"windows/amd64"}); err != nil {
			t.Fatal(err)
		}
		sums[i] = read(t, filepath.Join(out, "SHA256SUMS"))
	}
	if sums[0] != sums[1] || strings.Count(sums[0], "\n") != 4 {
		t.Errorf("the same commit gives two releases:\n%s\n%s", sums[0], sums[1])
	}
	name := "doctor_1.2.3_windows_amd64"
	z, err := zip.OpenReader(filepath.Join(out, name+".zip"))
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	for file, want := range map[string]string{
		"LICENSE":                 "Apache License",
		"README.md":               "doctor",
		"THIRD-PARTY-NOTICES.txt": "github.com/spf13/cobra v1",
		"completions/doctor.bash": "bash completion V2 for doctor",
		"completions/_doctor":     "#compdef doctor",
		"completions/doctor.fish": "fish completion for doctor",
		"completions/doctor.ps1":  "powershell completion for doctor",
		"man/man1/doctor.1":       "doctor",
		"doctor.cdx.json":         "pkg:golang/github.com/spf13/cobra@v1",
	} {
		content, err := fs.ReadFile(z, name+"/"+file)
		if err != nil || !strings.Contains(string(content), want) {
			t.Errorf("%s does not hold %q: %v", file, want, err)
		}
	}
	exe, err := fs.ReadFile(z, name+"/doctor.exe")
	if err != nil {
		t.Fatal(err)
	}
	resources, err := winres.LoadFromEXE(bytes.NewReader(exe))
	if err != nil {
		t.Fatal(err)
	}
	manifest := string(resources.Get(winres.RT_MANIFEST, winres.ID(1), winres.LCIDDefault))
	for _, want := range []string{"<longPathAware", "asInvoker"} {
		if !strings.Contains(manifest, want) {
			t.Errorf("the manifest of doctor.exe has no %s:\n%s", want, manifest)
		}
	}
	if resources.Get(winres.RT_VERSION, winres.ID(1), englishUS) == nil {
		t.Error("doctor.exe has no version info")
	}
	if icon, err := resources.GetIcon(winres.ID(1)); err != nil || icon == nil {
		t.Errorf("doctor.exe has no icon: %v", err)
	}
	t.Run("the program runs", func(t *testing.T) { runsUnderWine(t, exe) })
	if image := read(t, filepath.Join(out, "doctor_1.2.3_image.tar")); !strings.Contains(image, `"os":"windows"`) ||
		!strings.Contains(image, "oci-layout") {
		t.Error("the tar holds no image for Windows")
	}
	t.Run("the SBOM keeps to its schema", func(t *testing.T) { validSBOM(t, read(t, filepath.Join(out, "doctor.cdx.json"))) })
}

func runsUnderWine(t *testing.T, exe []byte) {
	for _, needed := range []string{"wine", "x86_64-w64-mingw32-gcc"} {
		if _, err := exec.LookPath(needed); err != nil {
			t.Skip("runs doctor.exe under Wine: ", err)
		}
	}
	folder := t.TempDir()
	file, prefix := filepath.Join(folder, "doctor.exe"), filepath.Join(folder, "prefix")
	if err := os.WriteFile(file, exe, 0o755); err != nil {
		t.Fatal(err)
	}
	env := []string{"WINEPREFIX=" + prefix, "WINEDEBUG=-all", "DISPLAY="}
	if _, err := command(folder, env, "wine", "wineboot", "--init"); err != nil {
		t.Fatal(err)
	}
	// Go needs a library that this Wine may not have; fixtures/wine has one for the other tests.
	library := filepath.Join(prefix, "drive_c", "windows", "system32", "bcryptprimitives.dll")
	if _, err := command("../../fixtures/wine/standin", nil, "x86_64-w64-mingw32-gcc", "-shared", "bcryptprimitives.c",
		"-ladvapi32", "-o", library); err != nil {
		t.Fatal(err)
	}
	text, err := command(folder, env, "wine", file, "version", "-o", "json")
	var v struct{ Version, Commit, Built, Platform string }
	if err != nil || json.Unmarshal(text, &v) != nil || v.Version != testVersion || len(v.Commit) != 40 ||
		v.Platform != "windows/amd64" {
		t.Errorf("doctor.exe says %+v: %v\n%s", v, err, text)
	}
	if _, err := time.Parse(time.RFC3339, v.Built); err != nil {
		t.Errorf("built %q", v.Built)
	}
}

// validSBOM holds the SBOM to the schemas that cyclonedx-go brings.
func validSBOM(t *testing.T, document string) {
	dir, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/CycloneDX/cyclonedx-go").Output()
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	folder := filepath.Join(strings.TrimSpace(string(dir)), "schema")
	for name, file := range map[string]string{"bom-1.6.schema.json": "bom-1.6.schema.json",
		"spdx.schema.json": "spdx.schema.json", "jsf-0.82.schema.json": "jsf-0.82.schemax.json"} {
		v, err := jsonschema.UnmarshalJSON(strings.NewReader(read(t, filepath.Join(folder, file))))
		if err != nil {
			t.Fatal(err)
		}
		if err := c.AddResource("http://cyclonedx.org/schema/"+name, v); err != nil {
			t.Fatal(err)
		}
	}
	s, err := c.Compile("http://cyclonedx.org/schema/bom-1.6.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	validate := func(document string) error {
		v, err := jsonschema.UnmarshalJSON(strings.NewReader(document))
		if err != nil {
			t.Fatal(err)
		}
		return s.Validate(v)
	}
	if err := validate(document); err != nil {
		t.Error(err)
	}
	if err := validate(strings.Replace(document, `"type": "library"`, `"type": "book"`, 1)); err == nil {
		t.Error("the schema accepts a component of the type book: it does not judge")
	}
}

func read(t *testing.T, file string) string {
	t.Helper()
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

func TestManPagesAndCompletions(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the tests of cmd/doctor")
	}
	r := &release{Root: "../..", Version: testVersion, Time: time.Unix(1700000000, 0).UTC()}
	files, err := r.documents()
	if err != nil {
		t.Fatal(err)
	}
	for page, want := range map[string]string{"doctor.1": "--demo", "doctor-lint.1": "sarif", "doctor-probe-dns.1": "--server"} {
		if content := string(files["man/man1/"+page]); !strings.Contains(strings.ReplaceAll(content, `\-`, "-"), want) {
			t.Errorf("%s does not hold %s:\n%s", page, want, content)
		}
	}
	out, err := exec.Command("go", "run", "-C", "../..", "./cmd/doctor", "completion", "bash").Output()
	if err != nil || string(out) != string(files["completions/doctor.bash"]) {
		t.Errorf("the completions are not those of the program: %v", err)
	}
}

func TestArchivesHoldTheCommitsTime(t *testing.T) {
	r := &release{Time: time.Unix(1700000000, 0).UTC()}
	files := map[string][]byte{"doctor": []byte("program"), "LICENSE": []byte("text")}
	for name, write := range map[string]func(io.Writer, string, map[string][]byte) error{"zip": r.zip, "tar.gz": r.tarGz} {
		var twice [2]bytes.Buffer
		for i := range twice {
			if err := write(&twice[i], "folder", files); err != nil {
				t.Fatal(err)
			}
		}
		if twice[0].Len() == 0 || !bytes.Equal(twice[0].Bytes(), twice[1].Bytes()) {
			t.Errorf("%s: the same files give two archives", name)
		}
	}
}
