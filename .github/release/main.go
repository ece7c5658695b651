// Release builds what a release consists of, from the commit that is checked out, without a network:
// programs, archives, notices, an SBOM, an image, manifests of package managers, and SHA256SUMS. The same
// commit and the same Go give the same bytes.
package main

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// A release is what all parts of it need to know.
type release struct {
	Root     string // of the repository
	Out      string
	Repo     string // owner/name
	Version  string // with its v, as a tag has it
	Commit   string
	Time     time.Time // of the commit: the only time in a release
	Signed   string    // a folder with programs to take instead of building them
	Archives []archive

	notices, sbom []byte
	docs          map[string][]byte // completions and man pages, by their path in an archive
}

const allTargets = "windows/amd64 windows/arm64 linux/amd64 linux/arm64 darwin/amd64 darwin/arm64"

func main() {
	r := &release{}
	var targets string
	flag.StringVar(&r.Root, "root", "../..", "folder of the repository")
	flag.StringVar(&r.Out, "out", "", "folder to write; is emptied first")
	flag.StringVar(&r.Repo, "repo", "OWNER/doctor", "owner and name on GitHub")
	flag.StringVar(&r.Version, "version", "",
		"version; without it the tag of the commit, or v0.0.0 and the commit")
	flag.StringVar(&r.Signed, "signed", "",
		"folder with signed programs to pack instead of building")
	flag.StringVar(&targets, "targets", allTargets, "systems and architectures")
	flag.Parse()
	if err := r.run(strings.Fields(targets)); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

// run writes the release.
func (r *release) run(targets []string) error {
	if r.Out == "" {
		return fmt.Errorf("-out names the folder to write")
	}
	if err := r.identify(); err != nil {
		return err
	}
	if err := os.RemoveAll(r.Out); err != nil {
		return err
	}
	var err error
	if r.docs, err = r.documents(); err != nil {
		return err
	}
	var programs []program
	for _, target := range targets {
		system, arch, _ := strings.Cut(target, "/")
		p, err := r.build(system, arch)
		if err != nil {
			return fmt.Errorf("%s: %w", target, err)
		}
		programs = append(programs, p)
	}
	if err := r.describe(programs); err != nil {
		return err
	}
	for _, p := range programs {
		if err := r.pack(p); err != nil {
			return err
		}
	}
	if err := r.write("doctor.cdx.json", r.sbom); err != nil {
		return err
	}
	if err := r.image(programs); err != nil {
		return err
	}
	if err := r.manifests(); err != nil {
		return err
	}
	return r.sums()
}

var tag = regexp.MustCompile(`^v[0-9]+\.[0-9]+\.[0-9]+(-[0-9A-Za-z.-]+)?$`)

// identify asks git which commit this is.
func (r *release) identify() error {
	commit, err := r.git("log", "-1", "--format=%H %ct")
	if err != nil {
		return err
	}
	hash, seconds, _ := strings.Cut(commit, " ")
	n, err := strconv.ParseInt(seconds, 10, 64)
	if err != nil {
		return err
	}
	r.Commit, r.Time = hash, time.Unix(n, 0).UTC()
	if r.Version == "" {
		if changed, err := r.git("status", "--porcelain"); err != nil || changed != "" {
			return fmt.Errorf(
				"the working tree differs from the commit; commit first, or name a -version: %s %w",
				changed, cmp.Or(err, os.ErrInvalid))
		}
		if r.Version, _ = r.git("describe", "--tags", "--exact-match"); r.Version == "" {
			r.Version = "v0.0.0-g" + r.Commit[:12]
		}
	}
	if !tag.MatchString(r.Version) {
		return fmt.Errorf("the version %q is not like v1.2.3", r.Version)
	}
	return nil
}

func (r *release) git(args ...string) (string, error) {
	out, err := command(r.Root, nil, "git", args...)
	return strings.TrimSpace(string(out)), err
}

// command runs a program and returns what it prints.
func command(dir string, env []string, name string, args ...string) ([]byte, error) {
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		return out, fmt.Errorf("%s %s: %w\n%s", name, strings.Join(args, " "), err, errs.Bytes())
	}
	return out, nil
}

// Number is the version without its v, as most package managers want it.
func (r *release) Number() string { return strings.TrimPrefix(r.Version, "v") }

// Owner is the first part of the repository's name.
func (r *release) Owner() string { owner, _, _ := strings.Cut(r.Repo, "/"); return owner }

// Home is where the project can be seen.
func (r *release) Home() string { return "https://github.com/" + r.Repo }

// URL is where a file of the release can be downloaded.
func (r *release) URL(file string) string {
	return r.Home() + "/releases/download/" + r.Version + "/" + file
}

// Archive is the archive of a target.
func (r *release) Archive(system, arch string) (archive, error) {
	for _, a := range r.Archives {
		if a.System == system && a.Arch == arch {
			return a, nil
		}
	}
	return archive{}, fmt.Errorf("there is no archive for %s/%s", system, arch)
}

func (r *release) write(name string, content []byte) error {
	path := filepath.Join(r.Out, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, content, 0o644)
}

// sums lists all files that are downloaded.
func (r *release) sums() error {
	var list strings.Builder
	entries, err := os.ReadDir(r.Out)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if e.IsDir() {
			continue
		}
		content, err := os.ReadFile(filepath.Join(r.Out, e.Name()))
		if err != nil {
			return err
		}
		fmt.Fprintf(&list, "%x  %s\n", sha256.Sum256(content), e.Name())
	}
	return r.write("SHA256SUMS", []byte(list.String()))
}
