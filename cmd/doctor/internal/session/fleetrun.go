package session

import (
	"context"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"doctor/checks"
	"doctor/checks/evidence"
	fleetreport "doctor/checks/fleet"
	"doctor/collectors/fleet"
	"doctor/collectors/hostprocess"
	"doctor/collectors/outfile"
	"doctor/ui/tui"
)

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
