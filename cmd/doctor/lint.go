package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/faults"
	"doctor/checks/node"
	"doctor/cmd/doctor/internal/session"
	"doctor/collectors/bundle"
	"doctor/collectors/manifest"
	"doctor/ui"
)

func lintCommand(std streams) *cobra.Command {
	var f flags
	cmd := &cobra.Command{
		Use:   "lint FILE…",
		Short: "Checks manifests for what Windows ignores or rejects in pods",
		Long: `lint runs the checks of pod specs over manifests: YAML or JSON, several documents,
Lists, and workloads of any kind that hold a pod template. "-" reads standard
input, and a folder stands for the manifests in it. Pods that say they are for
Linux (spec.os.name, or the node selector kubernetes.io/os) are left out.

Report and exit status are those of a diagnosis.` + "\n" + exitHelp,
		Example: `  doctor lint deploy/web.yaml
  helm template ./chart | doctor lint -
  doctor lint --fail-on warn -o junit --output-file report.xml deploy/
  doctor lint -o sarif deploy/ > doctor.sarif    for code scanning`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return errors.New(
					"lint needs manifests: name files or a folder, or - for standard input")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			f.inputs = args
			if slices.Contains(args, "-") {
				f.stdin = std.in
			}
			if err := f.validateFile(cmd); err != nil {
				return err
			}
			return lint(cmd.Context(), std, f, args)
		},
	}
	f.addFormats(cmd, "write %s", ui.LintFormats)
	f.addOutput(cmd, "write to this file instead of standard output")
	f.addSelection(cmd, linterIDs)
	f.addLooks(cmd)
	return cmd
}

func linterIDs() []string { return idsOf(faults.Catalogue().Linters().All()) }

func lint(ctx context.Context, std streams, f flags, args []string) error {
	f.noScreen = true // a manifest is judged once, in a pipeline
	if err := f.validateOutput(ui.LintFormats()); err != nil {
		return err
	}
	list, err := f.selected()
	if err != nil {
		return err
	}
	list = list.Linters()
	if len(list.All()) == 0 {
		return errors.New("none of these checks judges manifests; those that do are " +
			strings.Join(linterIDs(), ", "))
	}
	var manifests manifest.Manifests
	unread := readManifests(&manifests, std.in, args)
	if len(manifests.Pods) == 0 && unread != nil {
		return trouble(unread)
	}
	tree, err := manifests.FS()
	if err != nil {
		return trouble(err)
	}
	snapshot, err := evidence.Load(tree)
	if err != nil {
		return trouble(err)
	}
	origin := checks.Source{Kind: "manifest", Name: filepath.Base(args[0]),
		Format: "kubernetes-manifest"}
	if len(args) > 1 {
		origin.Name = fmt.Sprintf("%s and %d more", origin.Name, len(args)-1)
	}
	for _, note := range readingNotes(manifests) {
		std.tell(note)
	}
	report := checks.Diagnose(snapshot, list, origin, program())
	out := f.displayOn(std)
	defer out.close()
	if err := out.show(ctx, report, snapshot); err != nil {
		return err
	}
	return cmp.Or(trouble(unread), verdict(report, f.failOn))
}

// readingNotes tells what was read, and what was taken for granted.
func readingNotes(m manifest.Manifests) []string {
	linux, silent := 0, 0
	for _, p := range m.Pods {
		switch node.PodSystem(p.Pod) {
		case "linux":
			linux++
		case "":
			silent++
		}
	}
	notes := []string{fmt.Sprintf("read %s, %d of them for Linux and left out, and %s without pods",
		count(len(m.Pods), "pod or template", "pods and templates"), linux,
		count(m.Others, "other object", "other objects"))}
	if silent > 0 {
		notes = append(notes,
			fmt.Sprintf("taking %s for Windows that named no system; spec.os.name does",
				count(silent, "pod", "pods")))
	}
	return notes
}

func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// readManifests reads all that the arguments name; what cannot be read does not keep the rest from being judged.
func readManifests(m *manifest.Manifests, in io.Reader, args []string) error {
	var problems []error
	for _, arg := range args {
		if arg == "-" {
			problems = append(problems, m.Read("-", in))
			continue
		}
		files, err := manifestFiles(arg)
		problems = append(problems, err)
		for _, file := range files {
			problems = append(problems, readManifest(m, file))
		}
	}
	return errors.Join(problems...)
}

func readManifest(m *manifest.Manifests, file string) error {
	f, err := os.Open(file)
	if err != nil {
		return bundle.CannotRead(evidence.Clean(file), err)
	}
	defer f.Close()
	return m.Read(filepath.ToSlash(file), f)
}

// manifestFiles is the file itself, or the manifests that lie in a folder, as kubectl takes them.
func manifestFiles(arg string) ([]string, error) {
	if !session.IsFolder(arg) {
		return []string{arg}, nil
	}
	entries, err := os.ReadDir(arg)
	if err != nil {
		return nil, bundle.CannotRead(arg, err)
	}
	var files []string
	for _, e := range entries {
		if ext := strings.ToLower(filepath.Ext(e.Name())); e.Type()&fs.ModeDir == 0 &&
			slices.Contains([]string{".yaml", ".yml", ".json"}, ext) {
			files = append(files, filepath.Join(arg, e.Name()))
		}
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("%s: the folder contains no .yaml, .yml or .json file", arg)
	}
	return files, nil
}
