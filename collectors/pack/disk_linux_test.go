package pack

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// smallDisk is a file system of its own, of so many bytes.
func smallDisk(t *testing.T, size string) string {
	t.Helper()
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size="+size); err != nil {
		if os.Getenv("DOCTOR_REQUIRE_ALL") != "" {
			t.Fatalf("no small disk: %v", err)
		}
		t.Skipf("a small disk needs root: %v", err)
	}
	t.Cleanup(func() { syscall.Unmount(dir, syscall.MNT_DETACH) })
	return dir
}

func TestADiskThatIsNearlyFull(t *testing.T) {
	s := node(t, map[string]string{"logs/kubelet/kubelet.log": noise(20 << 20)})
	t.Run("has room for a smaller bundle", func(t *testing.T) {
		name := filepath.Join(smallDisk(t, "68m"), "b.zip")
		result, err := Write(context.Background(), name, s, options())
		if err != nil || result.Size > 4<<20 || result.Size < 1<<20 {
			t.Errorf("it has %d bytes: %v", result.Size, err)
		}
		only(t, name)
	})
	t.Run("has no room that a node could spare", func(t *testing.T) {
		name := filepath.Join(smallDisk(t, "60m"), "b.zip")
		if _, err := Write(context.Background(), name, s, options()); err == nil ||
			!strings.Contains(err.Error(),
				"leaves 64.0 MiB of it to the node; write to another disk") {
			t.Errorf("the error is %v", err)
		}
		nothing(t, name)
	})
}

func TestADiskThatFillsUpMidway(t *testing.T) {
	dir := smallDisk(t, "100m")
	name := filepath.Join(dir, "b.zip")
	other, err := os.Create(filepath.Join(dir, "other"))
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	o := options()
	filled := false
	o.Progress = func(p Progress) {
		for block := make([]byte, 1<<20); !filled && p.Bytes > 0; {
			_, err := other.Write(block)
			filled = err != nil
		}
	}
	_, err = Write(context.Background(), name,
		node(t, map[string]string{"logs/kubelet/kubelet.log": noise(40 << 20)}), o)
	if !filled || err == nil || !strings.Contains(err.Error(),
		"is full; nothing was left on it, write to another disk") {
		t.Errorf("the error is %v", err)
	}
	os.Remove(other.Name())
	nothing(t, name)
}
