package bundle

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dsnet/compress/bzip2"
	"github.com/klauspost/compress/zstd"
	"github.com/ulikunitz/xz"
)

// A member is one entry of an archive that a table row asks for.
type member struct {
	name, content string
	kind          byte // of a tar; 0 is a regular file
}

func makeZip(t testing.TB, members ...member) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, m := range members {
		f, err := w.Create(m.name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(f, m.content); err != nil && m.content != "" {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// rawZip packs entries as their headers say, true or not.
func rawZip(t testing.TB, data string, headers ...zip.FileHeader) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, h := range headers {
		h.CompressedSize64 = uint64(len(data))
		f, err := w.CreateRaw(&h)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(f, data); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func makeTar(t testing.TB, members ...member) []byte {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, m := range members {
		h := &tar.Header{Name: m.name, Typeflag: m.kind, Mode: 0o644, Size: int64(len(m.content))}
		switch m.kind {
		case 0:
			h.Typeflag = tar.TypeReg
		case tar.TypeSymlink, tar.TypeLink:
			h.Linkname = "/etc/passwd"
		}
		if err := w.WriteHeader(h); err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(w, m.content); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func makeGzip(t testing.TB, content []byte) []byte {
	t.Helper()
	return makePacked(t, content, func(w io.Writer) (io.WriteCloser, error) { return gzip.NewWriter(w), nil })
}

func makeBzip2(t testing.TB, content []byte) []byte {
	t.Helper()
	return makePacked(t, content, func(w io.Writer) (io.WriteCloser, error) { return bzip2.NewWriter(w, nil) })
}

func makeXZ(t testing.TB, content []byte) []byte {
	t.Helper()
	return makePacked(t, content, func(w io.Writer) (io.WriteCloser, error) { return xz.NewWriter(w) })
}

func makeZstd(t testing.TB, content []byte) []byte {
	t.Helper()
	return makePacked(t, content, func(w io.Writer) (io.WriteCloser, error) { return zstd.NewWriter(w) })
}

func makePacked(t testing.TB, content []byte, writer func(io.Writer) (io.WriteCloser, error)) []byte {
	t.Helper()
	var b bytes.Buffer
	w, err := writer(&b)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(content); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// makeFolder writes files below a new folder; names are slash paths.
func makeFolder(t testing.TB, members ...member) string {
	t.Helper()
	dir := t.TempDir()
	for _, m := range members {
		path := filepath.Join(dir, filepath.FromSlash(m.name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(m.content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// save writes content to a file whose name says nothing about what it is.
func save(t testing.TB, content []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "node.bin")
	if err := os.WriteFile(path, content, 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func mustOpen(t testing.TB, path string, lim limits) *Archive {
	t.Helper()
	a, err := open(path, lim)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { a.Close() })
	return a
}

// contents lists the files of an archive as "path=content", in the order of a walk.
func contents(t testing.TB, a *Archive) string {
	t.Helper()
	var all []string
	err := fs.WalkDir(a.FS(), ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		content, err := fs.ReadFile(a.FS(), path)
		all = append(all, path+"="+string(content))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(all, " ")
}

func refusals(a *Archive) string {
	var all []string
	for _, r := range a.Refused() {
		all = append(all, r.Name+": "+r.Reason)
	}
	return strings.Join(all, "\n")
}

// checkRefusals wants one line for each refusal, each containing what is wanted.
func checkRefusals(t *testing.T, a *Archive, want []string) {
	t.Helper()
	got := a.Refused()
	if len(got) != len(want) {
		t.Fatalf("%d entries were left out, want %d:\n%s", len(got), len(want), refusals(a))
	}
	for i, r := range got {
		if line := r.Name + ": " + r.Reason; !strings.Contains(line, want[i]) {
			t.Errorf("left out %q, want %q in it", line, want[i])
		}
	}
}

// readError streams a file to its end, which it must not reach.
func readError(t *testing.T, a *Archive, path string) error {
	t.Helper()
	f, err := a.FS().Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = io.Copy(io.Discard, f)
	var pathError *fs.PathError
	if err != nil && (!errors.As(err, &pathError) || pathError.Path != path) {
		t.Errorf("the error %q does not name %s", err, path)
	}
	return err
}
