package bundle_test

import (
	"archive/zip"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"doctor/collectors/bundle"
)

// An archive in an archive is opened by making a folder of it.
func ExampleArchive_Mount() {
	dir, err := os.MkdirTemp("", "bundle")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	outer := filepath.Join(dir, "case-17.zip")
	if err := writeNested(outer); err != nil {
		fmt.Println(err)
		return
	}

	a, err := bundle.Open(outer)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer a.Close()
	for _, name := range a.Nested() {
		fmt.Println(name, a.Mount(name))
	}
	content, err := fs.ReadFile(a.FS(), "node.zip/meta.json")
	fmt.Println(string(content), err)
	// Output:
	// node.zip true
	// {} <nil>
}

func writeNested(path string) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer f.Close()
	outer := zip.NewWriter(f)
	w, err := outer.Create("node.zip")
	if err != nil {
		return err
	}
	inner := zip.NewWriter(w)
	if w, err = inner.Create("meta.json"); err != nil {
		return err
	}
	if _, err := io.WriteString(w, "{}"); err != nil {
		return err
	}
	if err := inner.Close(); err != nil {
		return err
	}
	return outer.Close()
}
