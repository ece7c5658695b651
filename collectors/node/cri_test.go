package node

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"doctor/checks/evidence"
	"doctor/collectors"
	"doctor/collectors/cri"
	"doctor/collectors/tree"
	"doctor/fixtures/wait"
)

func TestKubeletRuntime(t *testing.T) {
	services := func(binPath string, args ...string) map[string]any {
		return map[string]any{"services.json": []map[string]any{{"name": "kubelet",
			"binPath": binPath, "args": args}}}
	}
	for _, row := range []struct {
		name  string
		files map[string]any
		want  string
	}{
		{"nothing is known", nil, ""},
		{"a kubelet that is not told", services(`C:\k\kubelet.exe`, "--v=4"), ""},
		{"its service says",
			services(`C:\k\kubelet.exe`,
				"--container-runtime-endpoint=npipe:////./pipe/cri-dockerd"),
			"npipe:////./pipe/cri-dockerd"},
		{"without a scheme",
			services(`C:\k\kubelet.exe`, `--container-runtime-endpoint=\\.\pipe\x`),
			`npipe:\\.\pipe\x`},
		{"RKE2 runs the kubelet", services(`C:\usr\local\bin\rke2.exe`, "agent",
			"--container-runtime-endpoint", "npipe:////./pipe/y"), "npipe:////./pipe/y"},
		{"another program's flag", map[string]any{"services.json": []map[string]any{{
			"name": "cri-dockerd", "binPath": `C:\cri-dockerd.exe`,
			"args": []string{"--container-runtime-endpoint=npipe:////./pipe/z"}}}}, ""},
		{"the process comes before the service", map[string]any{
			"services.json": []map[string]any{{"name": "kubelet", "binPath": `C:\k\kubelet.exe`,
				"args": []string{"--container-runtime-endpoint=npipe:////./pipe/a"}}},
			"processes.json": []map[string]any{{"pid": 1, "name": "kubelet.exe",
				"args": []string{"--container-runtime-endpoint=npipe:////./pipe/b"}}}},
			"npipe:////./pipe/b"},
		{"the kubelet's configuration file says", map[string]any{
			"services.json": []map[string]any{{"name": "kubelet", "binPath": `C:\k\kubelet.exe`,
				"args": []string{`--config=C:\k\config.yaml`}}},
			"files/C/k/config.yaml": map[string]string{
				"containerRuntimeEndpoint": "npipe:////./pipe/named-in-file"}},
			"npipe:////./pipe/named-in-file"},
	} {
		t.Run(row.name, func(t *testing.T) {
			s, err := evidence.Load(evidenceTree(row.files).FS())
			if err != nil {
				t.Fatal(err)
			}
			if got := kubeletRuntime(s); got != row.want {
				t.Errorf("got %q, want %q", got, row.want)
			}
		})
	}
}

func evidenceTree(files map[string]any) *tree.Tree {
	tr := tree.New()
	tr.JSON("meta.json", map[string]string{"layout": "evidence/v1", "node": "n",
		"collectedAt": "2026-01-31T10:00:00Z", "source": "live"})
	for name, v := range files {
		tr.JSON(name, v)
	}
	return tr
}

// criOf runs the collector against one endpoint, for as long as it takes.
func criOf(t *testing.T, endpoint string) (*tree.Tree, evidence.Gap) {
	t.Helper()
	tr := evidenceTree(map[string]any{"services.json": []map[string]any{{"name": "kubelet",
		"binPath": "kubelet", "args": []string{"--container-runtime-endpoint=" + endpoint}}}})
	list := slices.DeleteFunc(networkCollectors(Options{}), func(c collectors.Collector) bool {
		return c.Name != "container runtime"
	})
	list[0].After, list[0].Deadline = nil, wait.Limit
	var gap evidence.Gap
	collectors.Run(context.Background(), tr, list, func(r []collectors.Reading) { gap = r[0].Gap })
	return tr, gap
}

func TestRuntimeGaps(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the sockets of this test are Unix's")
	}
	dir := t.TempDir()
	hangup, err := net.Listen("unix", filepath.Join(dir, "hangup"))
	if err != nil {
		t.Fatal(err)
	}
	defer hangup.Close()
	go func() {
		for {
			c, err := hangup.Accept()
			if err != nil {
				return
			}
			c.Close()
		}
	}()
	at := func(name string) string { return "unix://" + filepath.Join(dir, name) }
	for _, row := range []struct{ name, endpoint, want string }{
		{"nobody serves", at("none"), "absent: a container runtime at " + at("none") +
			" was not found"},
		{"it hangs up", at("hangup"), "error: the container runtime at " + at("hangup") + ": "},
		{"nothing that can be asked", "vsock://1",
			"unsupported: the runtime's endpoint vsock://1 cannot be called from here"},
	} {
		t.Run(row.name, func(t *testing.T) {
			tr, gap := criOf(t, row.endpoint)
			if !strings.HasPrefix(gap.String(), row.want) || !tr.Has(evidence.CRI.Path()) {
				t.Errorf("got  %q\nwant %q", gap, row.want)
			}
		})
	}
}

// TestASilentRuntimeCostsItsOwnTime: who takes the connection and says nothing is given up early
// enough to tell so.
func TestASilentRuntimeCostsItsOwnTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		near, far := net.Pipe()
		go io.Copy(io.Discard, far)
		ctx, cancel := context.WithTimeout(t.Context(), deadline)
		defer cancel()
		began := time.Now()
		client, err := cri.NewClient(near)
		if err != nil {
			t.Fatal(err)
		}
		_, err = askRuntime(ctx, client)
		if took := time.Since(began); took >= deadline || took < deadline/2 {
			t.Errorf("it took %v of %v", took, deadline)
		}
		client.Close()
		if gap, want := collectors.GapOf(runtimeGap("npipe:////./pipe/x", err)),
			"timeout: the container runtime at npipe:////./pipe/x did not answer in time"; gap.String() != want {
			t.Errorf("got  %q\nwant %q", gap, want)
		}
	})
}

func TestContainerd(t *testing.T) {
	missing := t.Skipf
	if os.Getenv("DOCTOR_REQUIRE_ALL") == "1" {
		missing = t.Fatalf
	}
	if _, err := exec.LookPath("containerd"); err != nil {
		missing("containerd is missing: apt-get install -y --no-install-recommends containerd")
	}
	if os.Geteuid() != 0 {
		missing("containerd starts as root only")
	}
	socket := startContainerd(t)
	var (
		tr  *tree.Tree
		gap evidence.Gap
	)
	if !wait.Holds(func() bool { // until it serves, and its plugins too
		tr, gap = criOf(t, "unix://"+socket)
		return gap.Kind == ""
	}) {
		t.Fatal(gap)
	}
	s, err := evidence.Load(tr.FS())
	if err != nil {
		t.Fatal(err)
	}
	state := evidence.CRI.In(s)
	if gap := evidence.CRI.Gap(s); gap.Kind != "" || state.Version.RuntimeName != "containerd" ||
		state.Version.RuntimeVersion == "" {
		t.Errorf("version: %+v, %s", state.Version, gap)
	}
	names := []string{}
	for _, c := range state.Status.Conditions {
		names = append(names, fmt.Sprint(c.Type, " ", c.Status))
	}
	// no CNI configuration
	if got := strings.Join(names, ", "); got != "RuntimeReady true, NetworkReady false" {
		t.Errorf("conditions: %s", got)
	}
	if got := state.ConfigValue("sandboxImage"); got != "registry.test/pause:3.9" {
		t.Errorf("sandboxImage is %q", got)
	}
	if got := state.ConfigValue("containerdEndpoint"); got != socket {
		t.Errorf("containerdEndpoint is %q", got)
	}
	if state.Images == nil || state.Sandboxes == nil {
		t.Errorf("images %v, sandboxes %v", state.Images, state.Sandboxes)
	}
	var raw map[string]json.RawMessage
	content, err := readAll(tr, evidence.CRI.Path())
	if err != nil || json.Unmarshal(content, &raw) != nil || string(raw["containers"]) != "[]" {
		t.Errorf("containers: %s, %v", raw["containers"], err)
	}
}

func readAll(tr *tree.Tree, name string) ([]byte, error) {
	f, err := tr.FS().Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var v json.RawMessage
	err = json.NewDecoder(f).Decode(&v)
	return v, err
}

// startContainerd serves CRI in the test's own folder, and returns the socket.
func startContainerd(t *testing.T) string {
	dir, err := os.MkdirTemp("", "cri") // a socket's path must be short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	at := func(name string) string { return filepath.Join(dir, name) }
	config := `version = 2
root = "` + at("root") + `"
state = "` + at("state") + `"
disabled_plugins = ["io.containerd.internal.v1.opt", "io.containerd.snapshotter.v1.btrfs", "io.containerd.snapshotter.v1.zfs", "io.containerd.snapshotter.v1.devmapper", "io.containerd.internal.v1.tracing"]
[grpc]
  address = "` + at("sock") + `"
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "registry.test/pause:3.9"
  disable_tcp_service = true
  [plugins."io.containerd.grpc.v1.cri".containerd]
    snapshotter = "native"
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = "` + at("bin") + `"
    conf_dir = "` + at("net") + `"
`
	if err := os.WriteFile(at("config.toml"), []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	var log strings.Builder
	cmd := exec.Command("containerd", "--config", at("config.toml"))
	cmd.Stdout, cmd.Stderr = &log, &log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Signal(os.Interrupt)
		cmd.Wait()
		if t.Failed() {
			t.Log(log.String())
		}
	})
	return at("sock")
}
