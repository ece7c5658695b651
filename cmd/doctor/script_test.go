package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// scriptCommands are what the scripts need beside the program itself.
var scriptCommands = map[string]func(ts *testscript.TestScript, neg bool, args []string){
	"exits": exits,
	"pack":  packFolder,
	"cut":   cut,
	"mode":  wantMode,

	"unpack":       extract,
	"same-results": sameResults,
}

// exits runs a program and compares its exit status, which says what the doctor found.
func exits(ts *testscript.TestScript, _ bool, args []string) {
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	err = ts.Exec(args[1], args[2:]...)
	if e := (*exec.ExitError)(nil); errors.As(err, &e) {
		got = e.ExitCode()
	} else {
		ts.Check(err)
	}
	if got != want {
		ts.Fatalf("%s: exit status %d, want %d", strings.Join(args[1:], " "), got, want)
	}
}

// packFolder writes a folder into a zip or tar.gz, below the folder's own name.
func packFolder(ts *testscript.TestScript, _ bool, args []string) {
	out, err := os.Create(ts.MkAbs(args[0]))
	ts.Check(err)
	defer out.Close()
	var add func(name string, content []byte) error
	if strings.HasSuffix(args[0], ".zip") {
		w := zip.NewWriter(out)
		defer w.Close()
		add = func(name string, content []byte) error {
			f, err := w.Create(name)
			if err == nil {
				_, err = f.Write(content)
			}
			return err
		}
	} else {
		z := gzip.NewWriter(out)
		defer z.Close()
		w := tar.NewWriter(z)
		defer w.Close()
		add = func(name string, content []byte) error {
			if err := w.WriteHeader(&tar.Header{Name: name, Mode: 0o644,
				Size: int64(len(content))}); err != nil {
				return err
			}
			_, err := w.Write(content)
			return err
		}
	}
	tree := os.DirFS(ts.MkAbs("."))
	ts.Check(fs.WalkDir(tree, args[1], func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		content, err := fs.ReadFile(tree, path)
		if err != nil {
			return err
		}
		return add(path, content)
	}))
}

// cut keeps the first part of a file, in percent.
func cut(ts *testscript.TestScript, _ bool, args []string) {
	percent, err := strconv.ParseInt(args[1], 10, 64)
	ts.Check(err)
	f, err := os.OpenFile(ts.MkAbs(args[0]), os.O_RDWR, 0)
	ts.Check(err)
	defer f.Close()
	size, err := f.Seek(0, io.SeekEnd)
	ts.Check(err)
	ts.Check(f.Truncate(size * percent / 100))
}

// wantMode compares the permissions of a file, in octal digits.
func wantMode(ts *testscript.TestScript, _ bool, args []string) {
	info, err := os.Stat(ts.MkAbs(args[1]))
	ts.Check(err)
	if got := strconv.FormatInt(int64(info.Mode().Perm()), 8); got != args[0] {
		ts.Fatalf("%s has the mode %s, want %s", args[1], got, args[0])
	}
}

// extract writes the files of a zip into a folder.
func extract(ts *testscript.TestScript, _ bool, args []string) {
	z, err := zip.OpenReader(ts.MkAbs(args[0]))
	ts.Check(err)
	defer z.Close()
	ts.Check(os.CopyFS(ts.MkAbs(args[1]), z))
}

// sameResults compares the results of two reports, byte for byte.
func sameResults(ts *testscript.TestScript, _ bool, args []string) {
	var results [2]json.RawMessage
	for i, name := range args {
		var report struct{ Results json.RawMessage }
		ts.Check(json.Unmarshal([]byte(ts.ReadFile(name)), &report))
		results[i] = report.Results
	}
	if len(results[0]) == 0 || !bytes.Equal(results[0], results[1]) {
		ts.Fatalf("%s and %s differ in their results", args[0], args[1])
	}
}
