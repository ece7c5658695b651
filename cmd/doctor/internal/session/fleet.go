package session

import (
	"context"
	"fmt"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"doctor/checks"
	"doctor/checks/evidence"
	fleetreport "doctor/checks/fleet"
	"doctor/checks/signs"
	"doctor/collectors/cluster"
	"doctor/collectors/fleet"
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
