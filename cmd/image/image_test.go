package main

import (
	"archive/tar"
	"bytes"
	"encoding/base64"
	"errors"
	"io"
	"io/fs"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/registry"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/validate"
)

// build writes an image of two small programs.
func build(t *testing.T, more ...string) (folder string) {
	t.Helper()
	dir := t.TempDir()
	var programs []string
	for _, architecture := range []string{"amd64", "arm64"} {
		path := filepath.Join(dir, architecture+".exe")
		if err := os.WriteFile(path, []byte("MZ "+architecture), 0o644); err != nil {
			t.Fatal(err)
		}
		programs = append(programs, architecture+"="+path)
	}
	folder = filepath.Join(dir, "image")
	args := slices.Concat([]string{"-out", folder, "-version", "v1"}, more, programs)
	for range 2 { // the second takes the place of the first
		if err := run(args); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

// files are the names and contents of a folder.
func files(t *testing.T, folder string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		content, err := os.ReadFile(path)
		all[path[len(folder):]] = string(content)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestTwoBuildsAreTheSame(t *testing.T) {
	one, other := files(t, build(t)), files(t, build(t))
	if len(one) < 8 || len(one) != len(other) {
		t.Fatalf("%d and %d files", len(one), len(other))
	}
	for name, content := range one {
		if other[name] != content {
			t.Errorf("%s differs", name)
		}
	}
}

func opened(t *testing.T, folder string) v1.ImageIndex {
	t.Helper()
	all, err := layout.ImageIndexFromPath(folder)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// TestTheImageIsValid: as `crane validate` judges it, for both architectures, and for no build of
// Windows in particular.
func TestTheImageIsValid(t *testing.T) {
	folder := build(t)
	// layout.Write puts the descriptor of our index's manifests into its own
	all := opened(t, folder)
	if err := validate.Index(all); err != nil {
		t.Error(err)
	}
	manifest, err := all.IndexManifest()
	if err != nil {
		t.Fatal(err)
	}
	var platforms []string
	for _, m := range manifest.Manifests {
		platforms = append(platforms, m.Platform.String())
		img, err := all.Image(m.Digest)
		if err != nil {
			t.Fatal(err)
		}
		config, err := img.ConfigFile()
		if err != nil {
			t.Fatal(err)
		}
		if config.OS != "windows" || config.Architecture != m.Platform.Architecture ||
			config.OSVersion != "" || m.Platform.OSVersion != "" || config.Config.WorkingDir != "" ||
			len(config.Config.Entrypoint) != 1 {
			t.Errorf("the configuration is %+v", config)
		}
		judgeLayers(t, img, "MZ "+m.Platform.Architecture)
	}
	if !slices.Equal(platforms, []string{"windows/amd64", "windows/arm64"}) {
		t.Errorf("the platforms are %v", platforms)
	}
}

// judgeLayers looks at what Windows looks at when it unpacks them.
func judgeLayers(t *testing.T, img v1.Image, program string) {
	t.Helper()
	layers, err := img.Layers()
	if err != nil || len(layers) != 2 {
		t.Fatalf("%d layers, %v", len(layers), err)
	}
	found := map[string]string{}
	for _, l := range layers {
		content, err := l.Uncompressed()
		if err != nil {
			t.Fatal(err)
		}
		before := map[string]bool{".": true}
		for r := tar.NewReader(content); ; {
			h, err := r.Next()
			if errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Fatal(err)
			}
			want := isArchive
			if before[filepath.Clean(h.Name)] = true; h.Typeflag == tar.TypeDir {
				want = isFolder
			}
			if !before[filepath.Dir(filepath.Clean(h.Name))] {
				t.Errorf("%s comes before its folder", h.Name)
			}
			if h.PAXRecords[attributes] != want {
				t.Errorf("%s has the attributes %q", h.Name, h.PAXRecords[attributes])
			}
			if d, err := base64.StdEncoding.DecodeString(h.PAXRecords[descriptor]); err != nil ||
				len(d) != 20+2*len(administrators) {
				t.Errorf("%s has the descriptor %x, %v", h.Name, d, err)
			}
			body, err := io.ReadAll(r)
			if err != nil {
				t.Fatal(err)
			}
			if h.Typeflag == tar.TypeReg {
				found[h.Name] = string(body)
			}
		}
		content.Close()
	}
	if len(found) != len(hives)+1 || found["Files/doctor.exe"] != program {
		t.Errorf("the layers hold %d files", len(found))
	}
	for _, name := range hives {
		if found["Files/Windows/System32/config/"+name] != string(hive(name)) {
			t.Errorf("there is no hive %s", name)
		}
	}
}

// TestAHiveIsReadBack: by hivex, which is not of this project.
func TestAHiveIsReadBack(t *testing.T) {
	exe, err := exec.LookPath("hivexml")
	switch {
	case err == nil:
	case os.Getenv("DOCTOR_REQUIRE_ALL") != "":
		t.Fatal("needs hivexml; apt-get install libhivex-bin")
	default:
		t.Skip("needs hivexml; apt-get install libhivex-bin")
	}
	for _, name := range hives {
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, hive(name), 0o644); err != nil {
			t.Fatal(err)
		}
		out, err := exec.Command(exe, path).CombinedOutput()
		if err != nil || !bytes.Contains(out, []byte(`name="ROOT"`)) ||
			bytes.Count(out, []byte("<node ")) != 1 {
			t.Errorf("%s: %v %s", name, err, out)
		}
		broken := hive(name)
		copy(broken[baseBlock+binHeader+4:], "xx")
		if err := os.WriteFile(path, broken, 0o644); err != nil {
			t.Fatal(err)
		}
		if out, err := exec.Command(exe, path).CombinedOutput(); err == nil {
			t.Errorf("a broken %s is read: %s", name, out)
		}
	}
}

// TestTheImageIsPushed: what a registry gives back is what was written.
func TestTheImageIsPushed(t *testing.T) {
	server := httptest.NewServer(registry.New())
	defer server.Close()
	ref := strings.TrimPrefix(server.URL, "http://") + "/team/doctor:1"
	folder := build(t, "-push", ref)
	parsed, err := name.ParseReference(ref)
	if err != nil {
		t.Fatal(err)
	}
	pulled, err := remote.Index(parsed)
	if err != nil {
		t.Fatal(err)
	}
	if err := validate.Index(pulled); err != nil {
		t.Error(err)
	}
	got, err := pulled.Digest()
	if err != nil {
		t.Fatal(err)
	}
	want, err := opened(t, folder).Digest()
	if err != nil || got != want {
		t.Errorf("pulled %s, and wrote %s (%v)", got, want, err)
	}
}
