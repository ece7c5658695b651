// Package packed holds what the program carries compressed: texts that are edited as files, and read
// seldom. `make docs` packs them; tests read them where they are edited.
package packed

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

// Files are those of a package: the archive that is embedded in it, and in a test the folder, which
// is named from the package's own.
func Files(archive []byte, folder string) fs.FS {
	if _, file, _, _ := runtime.Caller(1); testing.Testing() && filepath.IsAbs(file) {
		return os.DirFS(filepath.Join(filepath.Dir(file), folder))
	}
	files, err := zip.NewReader(bytes.NewReader(archive), int64(len(archive)))
	if err != nil {
		panic(err) // it was read by a test
	}
	return files
}

// Pack makes the archive of the files that the pattern matches. A file that did not change has the
// same bytes as before, so that a version control keeps them once.
func Pack(files fs.FS, pattern string) ([]byte, error) {
	names, err := fs.Glob(files, pattern)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	w.RegisterCompressor(zip.Deflate, func(out io.Writer) (io.WriteCloser, error) {
		return flate.NewWriter(out, flate.BestCompression)
	})
	for _, name := range names {
		content, err := fs.ReadFile(files, name)
		if err != nil {
			return nil, err
		}
		f, err := w.Create(name)
		if err != nil {
			return nil, err
		}
		if _, err := f.Write(content); err != nil {
			return nil, err
		}
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// Check compares an archive with the files that it is made of, and writes it anew where the test is
// to update. It compares contents: another release of Go may compress in another way.
func Check(t testing.TB, name string, archive []byte, folder, pattern string, update bool) {
	t.Helper()
	files := os.DirFS(folder)
	if update {
		content, err := Pack(files, pattern)
		if err == nil {
			err = os.WriteFile(name, content, 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
		return
	}
	const again = "; run `make docs`"
	packed, err := zip.NewReader(bytes.NewReader(archive), int64(len(archive)))
	if err != nil {
		t.Fatal(err)
	}
	have := map[string]string{}
	for _, f := range packed.File {
		content, err := fs.ReadFile(packed, f.Name)
		if err != nil {
			t.Fatal(err)
		}
		have[f.Name] = string(content)
	}
	names, err := fs.Glob(files, pattern)
	if err != nil || len(names) == 0 {
		t.Fatalf("there are no files %s: %v", pattern, err)
	}
	for _, file := range names {
		content, err := fs.ReadFile(files, file)
		if err != nil {
			t.Fatal(err)
		}
		if packed, ok := have[file]; !ok || packed != string(content) {
			t.Errorf("%s has %s as it was, or not at all%s", name, file, again)
		}
		delete(have, file)
	}
	for file := range have {
		t.Errorf("%s has %s, which is gone%s", name, file, again)
	}
}
