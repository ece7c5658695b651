package main

import (
	"archive/tar"
	"bytes"
	"encoding/base64"
	"fmt"
	"io"
	"path"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

// A program is doctor.exe for one architecture.
type program struct {
	architecture string
	content      []byte
}

// made is the time of everything in the image: the same program gives the same bytes.
var made = time.Unix(0, 0).UTC()

// index is the image for all architectures. It names no build of Windows: a HostProcess container runs
// on the host's own, so one image serves Server 2019 to 2025.
func index(version string, programs []program) (v1.ImageIndex, error) {
	all := mutate.IndexMediaType(empty.Index, types.OCIImageIndex)
	for _, p := range programs {
		img, err := image(version, p)
		if err != nil {
			return nil, err
		}
		all = mutate.AppendManifests(all, mutate.IndexAddendum{Add: img,
			Descriptor: v1.Descriptor{Platform: &v1.Platform{OS: "windows",
				Architecture: p.architecture}}})
	}
	return all, nil
}

func image(version string, p program) (v1.Image, error) {
	var base []file
	for _, name := range hives {
		base = append(base, file{"Windows/System32/config/" + name, hive(name)})
	}
	img := mutate.MediaType(empty.Image, types.OCIManifestSchema1)
	img = mutate.ConfigMediaType(img, types.OCIConfigJSON)
	for _, part := range []struct {
		files []file
		made  string
	}{{base, "the registry hives of a base layer"}, {[]file{{"doctor.exe", p.content}},
		"doctor.exe " + version}} {
		content, err := layer(part.files)
		if err != nil {
			return nil, err
		}
		l, err := tarball.LayerFromOpener(func() (io.ReadCloser, error) {
			return io.NopCloser(bytes.NewReader(content)), nil
		}, tarball.WithMediaType(types.OCILayer))
		if err != nil {
			return nil, err
		}
		img, err = mutate.Append(img, mutate.Addendum{Layer: l, MediaType: types.OCILayer,
			History: v1.History{Created: v1.Time{Time: made}, CreatedBy: part.made}})
		if err != nil {
			return nil, err
		}
	}
	config, err := img.ConfigFile()
	if err != nil {
		return nil, err
	}
	config = config.DeepCopy()
	config.OS, config.Architecture, config.Created = "windows", p.architecture, v1.Time{Time: made}
	// no working directory: Server 2019 looks for it below the mount
	config.Config = v1.Config{
		Entrypoint: []string{`%CONTAINER_SANDBOX_MOUNT_POINT%\doctor.exe`},
		Labels: map[string]string{"org.opencontainers.image.title": "doctor",
			"org.opencontainers.image.version": version}}
	return mutate.ConfigFile(img, config)
}

// A file lies below the folder Files of a layer.
type file struct {
	name    string
	content []byte
}

// The attributes of entries, as Windows counts them, and who owns them.
const (
	attributes = "MSWINDOWS.fileattr"
	descriptor = "MSWINDOWS.rawsd"
	isFolder   = "16"
	isArchive  = "32"
)

// layer is the tar of a Windows layer: its folders before what lies in them.
func layer(files []file) ([]byte, error) {
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	owner := base64.StdEncoding.EncodeToString(securityDescriptor(false))
	seen := map[string]bool{}
	put := func(h tar.Header, attribute string) error {
		h.ModTime, h.Format = made, tar.FormatPAX
		h.PAXRecords = map[string]string{attributes: attribute, descriptor: owner}
		return w.WriteHeader(&h)
	}
	var folder func(name string) error
	folder = func(name string) error {
		if name == "." || seen[name] {
			return nil
		}
		seen[name] = true
		if err := folder(path.Dir(name)); err != nil {
			return err
		}
		return put(tar.Header{Typeflag: tar.TypeDir, Name: name, Mode: 0o755}, isFolder)
	}
	if err := folder("Hives"); err != nil {
		return nil, err
	}
	for _, f := range files {
		name := "Files/" + f.name
		if err := folder(path.Dir(name)); err != nil {
			return nil, err
		}
		if err := put(tar.Header{Typeflag: tar.TypeReg, Name: name, Mode: 0o755,
			Size: int64(len(f.content))}, isArchive); err != nil {
			return nil, err
		}
		if _, err := w.Write(f.content); err != nil {
			return nil, fmt.Errorf("%s: %w", f.name, err)
		}
	}
	err := w.Close()
	return b.Bytes(), err
}
