package main

import (
	"bytes"
	"crypto/sha1"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	cdx "github.com/CycloneDX/cyclonedx-go"
)

// notice is what a license asks to be kept: files of these names.
var notice = regexp.MustCompile(`(?i)^(licen[cs]e|copying|notice|copyright|patents)([-.].*)?$`)

// describe makes the notices and the SBOM from what the linker put into the programs.
func (r *release) describe(programs []program) error {
	linked := map[string]string{} // module → version
	goVersion := ""
	for _, p := range programs {
		goVersion = p.info.GoVersion
		for _, m := range p.info.Deps {
			if m.Replace != nil {
				m = m.Replace
			}
			linked[m.Path] = m.Version
		}
	}
	modules := slices.Sorted(maps.Keys(linked))
	out, err := command(r.Root, hermetic, "go", append([]string{"list", "-m", "-json=Path,Dir"},
		modules...)...)
	if err != nil {
		return err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "doctor %s contains the following software, each under its own license.\n",
		r.Version)
	for d := json.NewDecoder(bytes.NewReader(out)); d.More(); {
		var m struct{ Path, Dir string }
		if err := d.Decode(&m); err != nil {
			return err
		}
		if err := addNotices(&b, m.Path+" "+linked[m.Path], m.Dir); err != nil {
			return err
		}
	}
	root, err := command(r.Root, nil, "go", "env", "GOROOT")
	if err != nil {
		return err
	}
	if err := addNotices(&b, "The Go standard library "+goVersion,
		strings.TrimSpace(string(root))); err != nil {
		return err
	}
	r.notices = []byte(b.String())
	return r.describeParts(modules, linked, goVersion)
}

// stated are modules without a license file, and the page of theirs that states the license.
var stated = map[string]string{"github.com/mattn/go-localereader v0.0.1": "README.md"} // MIT

func addNotices(b *strings.Builder, name, dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return fmt.Errorf("%s: %w; `make modules` first", name, err)
	}
	found := false
	for _, e := range entries {
		if !notice.MatchString(e.Name()) && e.Name() != stated[name] || e.IsDir() {
			continue
		}
		content, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			return err
		}
		found = true
		fmt.Fprintf(b, "\n%s\n%s: %s\n%[1]s\n\n%[4]s\n", strings.Repeat("=", 80), name, e.Name(),
			strings.TrimSpace(string(content)))
	}
	if !found {
		return fmt.Errorf("%s has no license file: it must not be in a release", name)
	}
	return nil
}

// describeParts writes the SBOM, CycloneDX 1.6.
func (r *release) describeParts(modules []string, linked map[string]string,
	goVersion string) error {
	bom := cdx.NewBOM()
	// a name-based UUID: the same commit has the same
	id := sha1.Sum([]byte(r.Home() + "@" + r.Commit))
	id[6], id[8] = id[6]&0x0f|0x50, id[8]&0x3f|0x80
	bom.SerialNumber = fmt.Sprintf("urn:uuid:%x-%x-%x-%x-%x", id[:4], id[4:6], id[6:8], id[8:10],
		id[10:16])
	app := cdx.Component{Type: cdx.ComponentTypeApplication, Name: "doctor", Version: r.Version,
		BOMRef:   "doctor",
		Licenses: &cdx.Licenses{{License: &cdx.License{ID: "Apache-2.0"}}}}
	bom.Metadata = &cdx.Metadata{Timestamp: r.Time.Format(time.RFC3339), Component: &app}
	parts := []cdx.Component{{Type: cdx.ComponentTypeLibrary, Name: "std", BOMRef: "std",
		Version: strings.TrimPrefix(goVersion, "go"), PackageURL: "pkg:golang/std@" +
			strings.TrimPrefix(goVersion, "go")}}
	refs := []string{"std"}
	for _, m := range modules {
		url := "pkg:golang/" + m + "@" + linked[m]
		parts = append(parts, cdx.Component{Type: cdx.ComponentTypeLibrary, Name: m,
			Version: linked[m],
			BOMRef:  url, PackageURL: url})
		refs = append(refs, url)
	}
	bom.Components, bom.Dependencies = &parts,
		&[]cdx.Dependency{{Ref: "doctor", Dependencies: &refs}}
	var b bytes.Buffer
	err := cdx.NewBOMEncoder(&b, cdx.BOMFileFormatJSON).SetPretty(true).EncodeVersion(bom,
		cdx.SpecVersion1_6)
	r.sbom = b.Bytes()
	return err
}
