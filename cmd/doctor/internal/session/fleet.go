package session

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"doctor/checks"
	"doctor/checks/evidence"
	fleetreport "doctor/checks/fleet"
	"doctor/checks/signs"
	"doctor/collectors/bundle"
	"doctor/collectors/cluster"
	"doctor/collectors/fleet"
	"doctor/collectors/hostprocess"
	"doctor/collectors/outfile"
	"doctor/collectors/pack"
	"doctor/ui"
	"doctor/ui/tui"
)

// FleetOptions say which nodes of a cluster are looked at, and how.
type FleetOptions struct {
	Options
	Selector string
	Nodes    []string
	Inside   *InsideFleet // reads the nodes themselves, where OnNode says so
}

// DefaultFleetTimeout is for reading all lists of a large cluster.
const DefaultFleetTimeout = 3 * time.Minute

// A Fleet is the evidence of many nodes with what judges it.
type Fleet struct {
	Evidence *fleet.Fleet
	Client   *cluster.Client // nil: of a recording
	origin   checks.Source
	program  checks.Program
	list     *checks.Catalogue
	search   signs.Search
	base     evidence.Snapshot // what all nodes share, decoded once
}

// ReadFleet reads the Windows nodes of a cluster through its API.
func ReadFleet(ctx context.Context, o FleetOptions, list *checks.Catalogue,
	progress func(fleet.Progress)) (*Fleet, error) {
	client, err := o.Connect(ctx)
	if err != nil {
		return nil, err
	}
	reading, cancel := context.WithTimeoutCause(ctx, o.Timeout, context.DeadlineExceeded)
	defer cancel()
	f, err := fleet.Read(reading, client, fleet.Options{Selector: o.Selector, Nodes: o.Nodes,
		Gaps: onlyOn(anyOfThem, list), Doctor: o.Program.Version, Progress: progress})
	if err != nil {
		return nil, err
	}
	made, err := newFleet(f, list, checks.Source{Kind: "cluster", Name: aroundHost.ReplaceAllString(client.Host(), ""),
		Format: evidence.Layout}, o.Program)
	if err != nil {
		return nil, err
	}
	made.Client = client
	if o.OnNode {
		err = o.Inside.read(ctx, made, o.Options, progress)
	}
	return made, err
}

var aroundHost = regexp.MustCompile(`^.*://|/$`)

// onlyOn is the evidence of a node that the API does not have, and why.
func onlyOn(node string, list *checks.Catalogue) map[string]evidence.Gap {
	gaps, why := unprobed(evidence.NotProbedHere.Gap(node)), evidence.OnlyOnNode.Gap(node)
	for _, path := range insideAnswers() {
		if !strings.HasSuffix(path, "/") && gaps[path].Kind == "" {
			gaps[path] = why
		}
	}
	for _, component := range list.Logs() {
		gaps["logs/"+component] = why
	}
	return gaps
}

// anyOfThem stands for the name of a node in a text that all nodes share.
const anyOfThem = "the node"

func newFleet(f *fleet.Fleet, list *checks.Catalogue, origin checks.Source,
	program checks.Program) (*Fleet, error) {
	base, err := evidence.Load(f.Shared())
	if err != nil {
		return nil, err
	}
	return &Fleet{Evidence: f, origin: origin, program: program, list: list,
		search: signs.NewSearch(list.Signs()), base: base}, nil
}

// Node is one node of the fleet with its whole report.
func (f *Fleet) Node(name string) (checks.Report, evidence.Snapshot, error) {
	return f.diagnose(name, checks.Diagnose)
}

type diagnosis func(evidence.Snapshot, *checks.Catalogue, checks.Source, checks.Program) checks.Report

func (f *Fleet) diagnose(name string, by diagnosis) (checks.Report, evidence.Snapshot, error) {
	tree, isOwn, err := f.Evidence.Evidence(name)
	if err != nil {
		return checks.Report{}, evidence.Snapshot{}, err
	}
	s, err := evidence.LoadSharing(tree, f.base, isOwn)
	if err != nil {
		return checks.Report{}, s, err
	}
	s, _ = f.search.RecordRest(s, func(string) bool { return false })
	origin := f.origin
	if origin.Kind == "cluster" {
		origin.Name = name
	}
	r := by(s, f.list, origin, f.program)
	if f.Evidence.Secrets() == nil {
		r = Shareable(r)
	}
	return r, s, nil
}

// Diagnose judges all nodes, several at a time. Of each node only what the fleet needs of its report
// is kept. judged is called, by one goroutine at a time, with each node that is done.
func (f *Fleet) Diagnose(ctx context.Context, parallel int,
	judged func(fleetreport.Judged)) (fleetreport.Report, error) {
	if parallel <= 0 {
		parallel = runtime.GOMAXPROCS(0)
	}
	var all errgroup.Group
	all.SetLimit(parallel)
	var mu sync.Mutex
	var nodes []fleetreport.Judged
	for _, name := range f.Evidence.Names() {
		if ctx.Err() != nil {
			break
		}
		all.Go(func() error {
			j := f.judge(name)
			mu.Lock()
			defer mu.Unlock()
			nodes = append(nodes, j)
			judged(j)
			return nil
		})
	}
	_ = all.Wait() // a node that cannot be judged is a verdict of its own
	if ctx.Err() != nil {
		return fleetreport.Report{}, context.Cause(ctx)
	}
	return f.report(nodes), nil
}

func (f *Fleet) judge(name string) fleetreport.Judged {
	r, s, err := f.diagnose(name, checks.Verdicts)
	if err != nil {
		return fleetreport.Failed(name, err.Error())
	}
	return fleetreport.Judge(name, r, s)
}

// report groups the nodes that are judged so far.
func (f *Fleet) report(nodes []fleetreport.Judged) fleetreport.Report {
	r := fleetreport.Group(nodes)
	r.Doctor, r.Source, r.CollectedAt = f.program, f.origin, f.Evidence.At
	r.Notes = append(r.Notes, f.Evidence.Notes...)
	r.Notes = append(r.Notes, f.gaps()...)
	return r
}

// gaps are the lists of the cluster that could not be read: all nodes lack them.
func (f *Fleet) gaps() []string {
	var notes []string
	for _, path := range []string{"api/nodes.json", "api/services.json", "api/endpointslices.json",
		"api/daemonsets.json"} {
		if g := f.base.GapAt(path); g.Kind != "" {
			notes = append(notes, fmt.Sprintf("%s: %s", path, evidence.Shown(g.String())))
		}
	}
	return notes
}

// A FleetRun reads and judges a fleet in the background, for a screen that asks how far it is.
type FleetRun struct {
	mu    sync.Mutex
	state tui.FleetState
	fleet *Fleet
	nodes []fleetreport.Judged
}

// groupEvery is how often the nodes that are judged so far are grouped for the screen.
const groupEvery = 700 * time.Millisecond

// An OpenFleet reads a cluster or opens a recording.
type OpenFleet func(progress func(fleet.Progress)) (*Fleet, error)

// StartFleet begins. finished is called with the whole report before the screen has it.
func StartFleet(ctx context.Context, parallel int, open OpenFleet,
	finished func(*Fleet, fleetreport.Report) error) *FleetRun {
	r := &FleetRun{}
	go func() {
		report, err := r.run(ctx, parallel, open, finished)
		r.mu.Lock()
		defer r.mu.Unlock()
		r.state.What, r.state.Err, r.state.Finished = "", err, true
		if err == nil {
			r.state.Report = report
		}
		r.nodes = nil
	}()
	return r
}

func (r *FleetRun) run(ctx context.Context, parallel int, open OpenFleet,
	finished func(*Fleet, fleetreport.Report) error) (fleetreport.Report, error) {
	f, err := open(func(p fleet.Progress) {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.state.What, r.state.Done, r.state.Left = p.What, p.Done, p.Left
	})
	if err != nil {
		return fleetreport.Report{}, err
	}
	r.mu.Lock()
	r.fleet, r.state.What, r.state.Of = f, "", len(f.Evidence.Names())
	r.state.Report = f.report(nil)
	r.mu.Unlock()
	grouped := time.Now()
	report, err := f.Diagnose(ctx, parallel, func(j fleetreport.Judged) {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.nodes = append(r.nodes, j)
		if r.state.Judged++; time.Since(grouped) > groupEvery {
			grouped = time.Now()
			r.state.Report = f.report(slices.Clone(r.nodes))
		}
	})
	if err != nil {
		return report, err
	}
	return report, finished(f, report)
}

// State is how far it is.
func (r *FleetRun) State() tui.FleetState {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.state
}

// Node is a node of the fleet with its whole report.
func (r *FleetRun) Node(name string) (checks.Report, evidence.Snapshot, error) {
	r.mu.Lock()
	f := r.fleet
	r.mu.Unlock()
	return f.Node(name) // who names a node has seen it in a state, which has a fleet
}

// Save writes the zip of the fleet under its own name into the current folder.
func (r *FleetRun) Save(ctx context.Context) (path string, size int64, err error) {
	r.mu.Lock()
	f, report := r.fleet, r.state.Report
	r.mu.Unlock()
	folder, err := hostprocess.Folder()
	if err != nil {
		return "", 0, err
	}
	path = filepath.Join(folder, f.DefaultName())
	result, err := f.Save(ctx, path, report, outfile.Options{})
	return path, result.Size, err
}

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
