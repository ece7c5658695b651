package main

import (
	"bytes"
	"debug/buildinfo"
	"fmt"
	"image"
	"image/color"
	"os"
	"path/filepath"
	"time"

	"github.com/tc-hib/winres"
	"github.com/tc-hib/winres/version"
)

// A program is the doctor of one target.
type program struct {
	System, Arch string
	content      []byte
	info         *buildinfo.BuildInfo
}

// Name is the file's name in an archive.
func (p program) Name() string {
	if p.System == "windows" {
		return "doctor.exe"
	}
	return "doctor"
}

// hermetic keeps the build from the network and from what this machine is set to.
var hermetic = []string{"GOPROXY=off", "GOFLAGS=", "GOTOOLCHAIN=local", "GOWORK=off",
	"CGO_ENABLED=0",
	"GOAMD64=v1", "GOARM64=v8.0", "GOEXPERIMENT="}

// build builds a program, or takes the signed one, and keeps a copy of it in the folder bin.
func (r *release) build(system, arch string) (program, error) {
	p := program{System: system, Arch: arch}
	name := "doctor-" + system + "-" + arch + filepath.Ext(p.Name())
	file := filepath.Join(r.Signed, name)
	_, err := os.Stat(file)
	signed := r.Signed != "" && err == nil
	if !signed {
		out, err := filepath.Abs(r.Out)
		if err != nil {
			return p, err
		}
		file = filepath.Join(out, "bin", name)
		_, err = command(r.Root, append(hermetic, "GOOS="+system, "GOARCH="+arch), "go", "build",
			"-trimpath",
			"-buildvcs=false", "-ldflags",
			fmt.Sprintf("-s -w -buildid= -X main.version=%s -X main.commit=%s -X main.built=%s",
				r.Version, r.Commit, r.Time.Format(time.RFC3339)), "-o", file, "./cmd/doctor")
		if err != nil {
			return p, err
		}
	}
	if p.content, err = os.ReadFile(file); err != nil {
		return p, err
	}
	if p.info, err = buildinfo.Read(bytes.NewReader(p.content)); err != nil ||
		system != "windows" || signed {
		return p, err
	}
	if p.content, err = r.withResources(p.content); err != nil {
		return p, err
	}
	return p, os.WriteFile(file, p.content, 0o755)
}

const englishUS = 0x409

// withResources gives doctor.exe its icon, its version as Explorer shows it, and a manifest: long
// paths, and no elevation, since the doctor runs without Administrator too.
func (r *release) withResources(exe []byte) ([]byte, error) {
	var rs winres.ResourceSet
	icon, err := winres.NewIconFromResizedImage(cross(), []int{16, 32, 48, 256})
	if err != nil {
		return nil, err
	}
	if err := rs.SetIcon(winres.ID(1), icon); err != nil {
		return nil, err
	}
	rs.SetManifest(winres.AppManifest{ExecutionLevel: winres.AsInvoker, LongPathAware: true,
		Compatibility: winres.Win10AndAbove})
	var info version.Info
	info.SetFileVersion(r.Number())
	info.SetProductVersion(r.Number())
	for _, field := range [][2]string{{version.ProductName, "doctor"},
		{version.OriginalFilename, "doctor.exe"},
		{version.FileDescription, "Kubernetes Windows node doctor"},
		{version.CompanyName, r.Owner()},
		{version.LegalCopyright, "Apache-2.0"}, {version.FileVersion, r.Number()},
		{version.ProductVersion, r.Number()}, {version.Comments, "commit " + r.Commit}} {
		if err := info.Set(englishUS, field[0], field[1]); err != nil {
			return nil, err
		}
	}
	rs.SetVersionInfo(info)
	var out bytes.Buffer
	err = rs.WriteToEXE(&out, bytes.NewReader(exe), winres.ForceCheckSum())
	return out.Bytes(), err
}

// cross is the icon: a white cross on Kubernetes' blue.
func cross() image.Image {
	const size, arm, margin = 256, 56, 48
	img := image.NewNRGBA(image.Rect(0, 0, size, size))
	for y := range size {
		for x := range size {
			dx, dy := abs(2*x-size), abs(2*y-size)
			c := color.NRGBA{0x32, 0x6c, 0xe5, 0xff}
			if (dx < arm || dy < arm) && dx < size-2*margin && dy < size-2*margin {
				c = color.NRGBA{0xff, 0xff, 0xff, 0xff}
			}
			img.SetNRGBA(x, y, c)
		}
	}
	return img
}

func abs(n int) int { return max(n, -n) }
