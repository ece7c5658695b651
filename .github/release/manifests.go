package main

import (
	"bytes"
	"embed"
	"io/fs"
	"strings"
	"text/template"
)

// templates are the manifests, each at the path where its package manager has it.
//
//go:embed all:templates
var templates embed.FS

// manifests writes the manifests of package managers. Without archives of all systems there are none:
// a manifest names a file and its sum.
func (r *release) manifests() error {
	if len(r.Archives) < len(strings.Fields(allTargets)) {
		return nil
	}
	return fs.WalkDir(templates, "templates", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		content, err := templates.ReadFile(path)
		if err != nil {
			return err
		}
		t, err := template.New(path).Option("missingkey=error").Parse(string(content))
		if err != nil {
			return err
		}
		var b bytes.Buffer
		if err := t.Execute(&b, r); err != nil {
			return err
		}
		name := strings.TrimPrefix(path, "templates/")
		return r.write("manifests/"+strings.ReplaceAll(name, "PACKAGE", r.Package()), b.Bytes())
	})
}

// Package is the identifier of winget: publisher and name.
func (r *release) Package() string { return r.Owner() + ".doctor" }
