package bundle

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestOneTextIsATreeOfOneFile(t *testing.T) {
	const line = "E0409 13:33:53.461032 3560 kubelet.go:2347] failed\n"
	for name, content := range map[string]string{
		"kubelet.log": line, "utf16.txt": "\xff\xfeE\x000\x00\n\x00",
		"big endian.txt": "\x00E\x000\x00\n", "no end of line": "text",
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), name)
			if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
				t.Fatal(err)
			}
			a, err := Open(path)
			if err != nil {
				t.Fatal(err)
			}
			defer a.Close()
			got, err := fs.ReadFile(a.FS(), name)
			if err != nil || string(got) != content {
				t.Errorf("it holds %q, %v", got, err)
			}
		})
	}
}

func TestATextWhoseNameIsNoNameOfAFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "kubelet.log.zip")
	if err := os.WriteFile(path, []byte("E0409 text\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	a, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	if _, err := fs.Stat(a.FS(), "text of kubelet.log.zip.txt"); err != nil {
		t.Error(err)
	}
}

func TestReadTakesATextOrAnArchive(t *testing.T) {
	for _, row := range []struct{ name, content, file, want string }{
		{"a paste", "line\n", "pasted.txt", "line\n"},
		{"a zip", string(makeZip(t, member{name: "a/b.log", content: "x"})), "a/b.log", "x"},
	} {
		a, err := Read(strings.NewReader(row.content), "pasted.txt")
		if err != nil {
			t.Fatal(err)
		}
		got, err := fs.ReadFile(a.FS(), row.file)
		if err != nil || string(got) != row.want {
			t.Errorf("%s: %s holds %q, %v", row.name, row.file, got, err)
		}
		a.Close()
	}
}

type endless struct{}

func (endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'x'
	}
	return len(p), nil
}

type brokenPipe struct{}

var errBroken = errors.New("the pipe broke")

func (brokenPipe) Read([]byte) (int, error) { return 0, errBroken }

func TestReadIsBounded(t *testing.T) {
	for want, in := range map[string]interface{ Read([]byte) (int, error) }{
		"standard input holds more than 64 MiB":                            endless{},
		"standard input is empty; paste a log":                             strings.NewReader(" \n\n"),
		"the pipe broke":                                                   brokenPipe{},
		"standard input: it is no folder and no archive that doctor reads": strings.NewReader("\x7fELF\x00\x00\x00\x01\x02"),
	} {
		if _, err := Read(in, "pasted.txt"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("the error is %v, want %q", err, want)
		}
	}
}
