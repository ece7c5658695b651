package hostprocess

import (
	"os"
	"path/filepath"
	"testing"
)

func TestWhatGoesWithTheContainer(t *testing.T) {
	mount, node := t.TempDir(), t.TempDir()
	t.Setenv("ProgramData", node)
	t.Setenv("CONTAINER_SANDBOX_MOUNT_POINT", "")
	t.Chdir(mount)
	if got, err := Folder(); err != nil || got != mount || Goes("x.zip") {
		t.Errorf("outside of a container files go to %s, %v", got, err)
	}
	t.Setenv("CONTAINER_SANDBOX_MOUNT_POINT", mount)
	if got, err := Folder(); err != nil || got != filepath.Join(node, "doctor") {
		t.Errorf("from the container's own folder files go to %s, %v", got, err)
	}
	if _, err := os.Stat(filepath.Join(node, "doctor")); err != nil {
		t.Error(err)
	}
	for name, want := range map[string]bool{
		"x.zip": true, "../x.zip": false, filepath.Join(mount, "a", "x.zip"): true,
		filepath.Join(node, "x.zip"): false, mount + "-2/x.zip": false, mount: true,
	} {
		if got := Goes(name); got != want || (Warning(name) != "") != want {
			t.Errorf("%s goes with the container: %v; %q", name, got, Warning(name))
		}
	}
	t.Chdir(node)
	if got, err := Folder(); err != nil || got != node {
		t.Errorf("from a folder of the node files go to %s, %v", got, err)
	}
	t.Chdir(mount)
	t.Setenv("ProgramData", filepath.Join(mount, "file"))
	if err := os.WriteFile("file", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if got, err := Folder(); err == nil {
		t.Errorf("without a place on the node files go to %s", got)
	}
}
