package windows_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"doctor/fixtures/program"
	"doctor/fixtures/wait"
	"doctor/fixtures/wine"
)

// TestWineWatch: the flight recorder as a Windows service. The network of the pods is taken away from
// HNS while it runs; the bundle holds the node as it was before.
func TestWineWatch(t *testing.T) {
	wine.Require(t)
	n := wine.Start(t, wineFixture(t, "healthy"), program.BuildFor(t, "windows", "amd64"))
	doctor := func(status int, says string, args ...string) {
		t.Helper()
		r := n.Run(append([]string{"watch"}, args...)...)
		if r.Status != status || !strings.Contains(r.Stdout+r.Stderr, says) {
			t.Fatalf("watch %q: exit status %d, not %d, with %q:\n%s%s", args, r.Status, status, says,
				r.Stdout, r.Stderr)
		}
	}
	doctor(1, "there is no service doctor-watch", "uninstall")
	install := []string{"install", "--bundle", `C:\rec`, "--until", "hns-network-missing", "--every", "1",
		"--full", "2s", "--after", "1s"}
	doctor(0, "installed and started the service doctor-watch", install...)
	doctor(1, "the service doctor-watch exists", install...)

	found := func(pattern string) []string {
		list, err := filepath.Glob(filepath.Join(n.Path("rec"), pattern))
		if err != nil {
			t.Fatal(err)
		}
		return list
	}
	if !wait.Holds(func() bool { return len(found("ring/*.zip")) > 0 }) {
		t.Fatal("the service keeps no reading")
	}
	if list := found("doctor-*.zip"); len(list) > 0 {
		t.Fatalf("bundles of a healthy node: %q", list)
	}
	for _, name := range []string{"hns/networks", "hns/v1/networks.json"} {
		takeNetworks(t, n.Path(name))
	}
	if !wait.Holds(func() bool { return len(found("doctor-*.zip")) > 0 }) {
		t.Fatalf("no bundle of the missing network; the folder has %q", found("*"))
	}
	doctor(0, "removed the service doctor-watch", "uninstall")
	doctor(1, "there is no service doctor-watch", "uninstall")

	bundle := found("doctor-*.zip")[0]
	here := program.Build(t)
	r := program.Run(t, here, bundle)
	if r.Status != program.Fail || !strings.Contains(r.Stdout, "hns-network-missing") {
		t.Errorf("the bundle gives exit status %d:\n%s%s", r.Status, r.Stdout, r.Stderr)
	}
	r = program.Run(t, here, "diff", bundle+"#2", bundle+"#1") // the oldest reading and the last
	if r.Status != program.Fail || !strings.Contains(r.Stdout, "hns-networks.json") {
		t.Errorf("the first reading and the last differ with exit status %d:\n%s%s", r.Status, r.Stdout, r.Stderr)
	}
}

// takeNetworks empties a folder of objects, or a file with a list of them.
func takeNetworks(t *testing.T, path string) {
	t.Helper()
	if filepath.Ext(path) == ".json" {
		program.Write(t, path, "[]")
		return
	}
	files, err := os.ReadDir(path)
	if err != nil || len(files) == 0 {
		t.Fatalf("HNS has no networks to take: %v", err)
	}
	for _, f := range files {
		if err := os.Remove(filepath.Join(path, f.Name())); err != nil {
			t.Fatal(err)
		}
	}
}
