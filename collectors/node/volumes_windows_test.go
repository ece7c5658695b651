package node

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/windows"
)

// A program that writes its log and lets others only read must not be in the
// way, and may move its log away while it is read.
func TestLocalVolumesShareEverything(t *testing.T) {
	dir, err := os.MkdirTemp("", "doctor")
	if err != nil {
		t.Fatal(err)
	}
	p := filepath.Join(dir, "kubelet.log")
	t.Cleanup(func() { // not t.TempDir: Wine does not know the call by which that cleans up
		os.Remove(p)
		os.Remove(p + ".1")
		os.Remove(dir)
	})
	name, err := windows.UTF16PtrFromString(p)
	if err != nil {
		t.Fatal(err)
	}
	writer, err := windows.CreateFile(name, windows.GENERIC_WRITE,
		windows.FILE_SHARE_READ|windows.FILE_SHARE_DELETE, nil, windows.CREATE_NEW, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	var written uint32
	if err := windows.WriteFile(writer, []byte("a line\n"), &written, nil); err != nil {
		t.Fatal(err)
	}
	f, err := logCopy(localVolumes, p, 100)
	if err != nil {
		t.Fatal(err)
	}
	r, err := f.Open()
	if err != nil {
		t.Fatal(err)
	}
	windows.CloseHandle(writer)
	if err := os.Rename(p, p+".1"); err != nil {
		t.Errorf("a log that is being read cannot be moved: %v", err)
	}
	b := make([]byte, 100)
	n, _ := r.Read(b)
	r.Close()
	if string(b[:n]) != "a line\n" {
		t.Errorf("read %q", b[:n])
	}
	if entries, all, err := volumes(localVolumes).list(filepath.Dir(p)); len(entries) != 1 ||
		!all || err != nil {
		t.Errorf("listed %d, %t, %v", len(entries), all, err)
	}
}

func TestADriveThatIsNotThere(t *testing.T) {
	if _, err := localVolumes("Q"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("drive Q: %v", err)
	}
}
