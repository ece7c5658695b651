package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/flate"
	"compress/gzip"
	"crypto/sha256"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
)

// An archive is one download.
type archive struct {
	System, Arch string
	File, SHA256 string
	Folder       string // in which everything of it is
}

// pack writes the archive of a program: a zip for Windows, a tar.gz for the others.
func (r *release) pack(p program) error {
	a := archive{System: p.System, Arch: p.Arch,
		Folder: fmt.Sprintf("doctor_%s_%s_%s", r.Number(), p.System, p.Arch)}
	files := map[string][]byte{p.Name(): p.content, "THIRD-PARTY-NOTICES.txt": r.notices,
		"doctor.cdx.json": r.sbom}
	for _, name := range []string{"LICENSE", "README.md"} {
		content, err := os.ReadFile(filepath.Join(r.Root, name))
		if err != nil {
			return err
		}
		files[name] = content
	}
	maps.Copy(files, r.docs)
	write, suffix := r.tarGz, ".tar.gz"
	if p.System == "windows" {
		write, suffix = r.zip, ".zip"
		// Beside the zip, the program under a name without a version: one line downloads the newest.
		if err := r.write("doctor-windows-"+p.Arch+".exe", p.content); err != nil {
			return err
		}
	}
	var b bytes.Buffer
	if err := write(&b, a.Folder, files); err != nil {
		return err
	}
	a.File, a.SHA256 = a.Folder+suffix, fmt.Sprintf("%x", sha256.Sum256(b.Bytes()))
	r.Archives = append(r.Archives, a)
	return r.write(a.File, b.Bytes())
}

func mode(name string) int64 {
	if name == "doctor" || name == "doctor.exe" {
		return 0o755
	}
	return 0o644
}

func (r *release) zip(w io.Writer, folder string, files map[string][]byte) error {
	z := zip.NewWriter(w)
	z.RegisterCompressor(zip.Deflate, func(w io.Writer) (io.WriteCloser, error) {
		return flate.NewWriter(w, flate.BestCompression)
	})
	for _, name := range slices.Sorted(maps.Keys(files)) {
		h := &zip.FileHeader{Name: folder + "/" + name, Method: zip.Deflate, Modified: r.Time}
		h.SetMode(os.FileMode(mode(name)))
		f, err := z.CreateHeader(h)
		if err != nil {
			return err
		}
		if _, err := f.Write(files[name]); err != nil {
			return err
		}
	}
	return z.Close()
}

func (r *release) tarGz(w io.Writer, folder string, files map[string][]byte) error {
	g, _ := gzip.NewWriterLevel(w, gzip.BestCompression) // it refuses only a level that there is not
	if err := r.tar(g, folder+"/", files); err != nil {
		return err
	}
	return g.Close()
}

func (r *release) tar(w io.Writer, prefix string, files map[string][]byte) error {
	t := tar.NewWriter(w)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		err := t.WriteHeader(&tar.Header{Name: prefix + name, Mode: mode(name),
			ModTime: r.Time,
			Size:    int64(len(files[name])), Format: tar.FormatUSTAR})
		if err != nil {
			return err
		}
		if _, err := t.Write(files[name]); err != nil {
			return err
		}
	}
	return t.Close()
}

// image packs the image for Windows nodes as a tar, which a node without a registry imports.
func (r *release) image(programs []program) error {
	folder, err := os.MkdirTemp("", "doctor-image")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	layout := filepath.Join(folder, "layout")
	args := []string{"run", ".", "-out", layout, "-version", r.Version}
	for _, p := range programs {
		if p.System != "windows" {
			continue
		}
		file := filepath.Join(folder, p.Arch+".exe")
		if err := os.WriteFile(file, p.content, 0o644); err != nil {
			return err
		}
		args = append(args, p.Arch+"="+file)
	}
	if _, err := command(filepath.Join(r.Root, "cmd/image"), hermetic, "go", args...); err != nil {
		return err
	}
	files := map[string][]byte{}
	err = fs.WalkDir(os.DirFS(layout), ".", func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			files[path], err = os.ReadFile(filepath.Join(layout, path))
		}
		return err
	})
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if err := r.tar(&b, "", files); err != nil {
		return err
	}
	return r.write("doctor_"+r.Number()+"_image.tar", b.Bytes())
}
