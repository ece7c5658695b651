package windows_test

import (
	"encoding/json"
	"io/fs"
	"os"
	"os/exec"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"doctor/fixtures"
	"doctor/fixtures/program"
	"doctor/fixtures/server"
	"doctor/fixtures/wine"
)

// TestWineRuntime: doctor.exe calls a runtime on its named pipe, and records what that answered: on the
// usual pipe, and on one that stands in the kubelet's configuration alone.
func TestWineRuntime(t *testing.T) {
	wine.Require(t)
	recorded, err := fixtures.Open("healthy-flannel-overlay")
	if err != nil {
		t.Fatal(err)
	}
	content, err := fs.ReadFile(recorded.FS(), "cri.json")
	if err != nil {
		t.Fatal(err)
	}
	var want any
	if err := json.Unmarshal(content, &want); err != nil {
		t.Fatal(err)
	}
	exe := program.BuildFor(t, "windows", "amd64")
	for _, c := range []struct{ name, fixture, pipe string }{
		{"on the usual pipe", "healthy", "containerd-containerd"},
		{"on a pipe that stands in the kubelet's configuration alone", "runtime-in-config",
			"doctor-test-runtime"},
	} {
		t.Run(c.name, func(t *testing.T) {
			n := wine.Start(t, wineFixture(t, c.fixture), exe)
			buildServe(t, n.Path("serve.exe"))
			if err := os.WriteFile(n.Path("recorded.json"), content, 0o644); err != nil {
				t.Fatal(err)
			}
			n.Background(`C:\serve.exe`, c.pipe, `C:\recorded.json`)
			var got any
			said := collected(t, n, map[string]any{"cri.json": &got})
			if diff := cmp.Diff(want, got, cmpopts.IgnoreMapEntries(empty)); diff != "" {
				t.Errorf("what was recorded differs (- the runtime's):\n%s\n%s", diff, said)
			}
		})
	}
}

// empty tells what an answer has of a field that the recording leaves out.
func empty(_ string, v any) bool {
	m, isMap := v.(map[string]any)
	return v == nil || v == "" || v == false || isMap && len(m) == 0
}

func buildServe(t *testing.T, to string) {
	t.Helper()
	root, err := server.Root()
	if err != nil {
		t.Fatal(err)
	}
	build := exec.Command("go", "build", "-o", to, "./fixtures/runtimepipe/serve")
	build.Dir, build.Env = root, append(os.Environ(), "GOOS=windows", "GOARCH=amd64", "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}
