// Package packed holds what the program carries compressed: texts that are edited as files, and read
// seldom. `make docs` packs them (fixtures/packing); tests read them where they are edited.
package packed

import (
	"archive/zip"
	"bytes"
	"compress/bzip2"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
)

// Files are those of a package: the archive that is embedded in it, unpacked at the first use, and in
// a test the folder, which is named from the package's own.
func Files(archive []byte, folder string) fs.FS {
	if _, file, _, _ := runtime.Caller(1); inTest && filepath.IsAbs(file) {
		return os.DirFS(filepath.Join(filepath.Dir(file), folder))
	}
	return lazy(sync.OnceValue(func() *zip.Reader {
		files, err := Open(archive)
		if err != nil {
			panic(err) // it was read by a test
		}
		return files
	}))
}

// inTest tells a test by the name that go test gives its program: package testing stays out of the doctor.
var inTest = strings.HasSuffix(strings.TrimSuffix(os.Args[0], ".exe"), ".test")

// Text is one of the files, which is read at the first use.
func Text(files fs.FS, name string) func() []byte {
	return sync.OnceValue(func() []byte {
		content, err := fs.ReadFile(files, name)
		if err != nil {
			panic(err) // it was read by a test
		}
		return content
	})
}

type lazy func() *zip.Reader

func (l lazy) Open(name string) (fs.File, error) { return l().Open(name) }

// Open reads an archive.
func Open(archive []byte) (*zip.Reader, error) {
	content, err := io.ReadAll(bzip2.NewReader(bytes.NewReader(archive)))
	if err != nil {
		return nil, err
	}
	return zip.NewReader(bytes.NewReader(content), int64(len(content)))
}
