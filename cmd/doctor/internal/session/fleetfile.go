package session

import (
	"cmp"
	"context"
	"io"
	"path/filepath"

	"doctor/checks"
	"doctor/checks/evidence"
	fleetreport "doctor/checks/fleet"
	"doctor/collectors/bundle"
	"doctor/collectors/fleet"
	"doctor/collectors/outfile"
	"doctor/collectors/pack"
	"doctor/ui"
)

// A FleetRecording is Open's error for a recording of a whole fleet where no node of it is named.
type FleetRecording struct {
	archive *bundle.Archive
	name    string
	by      string // how the user selects a node of it
}

// Error says what to do with it.
func (r *FleetRecording) Error() string {
	return "it is the recording of a fleet; name one of its nodes with " + r.by
}

// Close closes the archive.
func (r *FleetRecording) Close() error { return r.archive.Close() }

// Fleet opens the recording.
func (r *FleetRecording) Fleet(list *checks.Catalogue, program checks.Program) (*Fleet, error) {
	f, err := fleet.Open(r.archive.FS())
	if err != nil {
		return nil, err
	}
	return newFleet(f, list, checks.Source{Kind: kindOf(r.name), Name: filepath.Base(r.name),
		Format: evidence.Layout}, program)
}

func kindOf(path string) string {
	if IsFolder(path) {
		return "directory"
	}
	return "bundle"
}

// openOfFleet opens one node of a recorded fleet.
func openOfFleet(archive *bundle.Archive, path, node string) (Source, error) {
	f, err := fleet.Open(archive.FS())
	if err != nil {
		return Source{}, err
	}
	if err := f.Has(node); err != nil {
		return Source{}, err
	}
	tree, _, err := f.Evidence(node)
	if err != nil {
		return Source{}, err
	}
	s, err := evidence.Load(tree)
	return Source{Snapshot: s, Origin: checks.Source{Kind: kindOf(path), Name: filepath.Base(path),
		Format: evidence.Layout}}, err
}

// Save writes the fleet with its report into one zip without secrets, or leaves nothing.
func (f *Fleet) Save(ctx context.Context, name string, report fleetreport.Report,
	output outfile.Options) (pack.Result, error) {
	tree, err := f.Evidence.Record(ctx, f.program.Version, func(string) {})
	if err != nil {
		return pack.Result{}, err
	}
	s, err := evidence.Load(tree)
	if err != nil {
		return pack.Result{}, err
	}
	secrets := cmp.Or(f.Evidence.Secrets(), NewSecrets())
	written := func(format string) func(io.Writer) error {
		return func(w io.Writer) error { return ui.WriteFleet(w, format, report, ui.Style{Width: 100}) }
	}
	return pack.Write(ctx, name, s, pack.Options{Redactor: secrets, Output: output,
		Doctor: f.program.Version,
		Conclude: func(pack.Recorded) ([]pack.Document, error) {
			return []pack.Document{{Name: "fleet.json", Write: written("json")},
				{Name: "fleet.txt", Write: written("text")}}, nil
		}})
}

// DefaultName names the zip of a fleet by its time.
func (f *Fleet) DefaultName() string {
	return "doctor-fleet-" + f.Evidence.At.UTC().Format("20060102T150405Z") + ".zip"
}
