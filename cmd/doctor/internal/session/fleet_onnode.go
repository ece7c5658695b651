package session

import (
	"context"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"doctor/checks/evidence"
	"doctor/collectors"
	"doctor/collectors/fleet"
	"doctor/collectors/onnode"
	"doctor/collectors/tree"
)

// InsideFleetTimeout is for reading a fleet with --on-node, where the user gives no --timeout.
const InsideFleetTimeout = 10 * time.Minute

// fleetZip bounds the evidence of one node of many, where its facts alone are not more.
const fleetZip = 256 << 10

// An InsideFleet reads the nodes of fleets by pods.
type InsideFleet struct {
	running sync.WaitGroup
	mu      sync.Mutex
	refused error
}

// Wait returns when nothing is left of what was created on the cluster, and then why no pod could be
// sent to any node, nil where one could. The context of the reading is over before.
func (w *InsideFleet) Wait() error {
	w.running.Wait()
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.refused
}

// read has pods read the nodes of a fleet. Where no pod can be sent, what the API gave remains.
func (w *InsideFleet) read(ctx context.Context, f *Fleet, o Options, progress func(fleet.Progress)) error {
	w.running.Add(1)
	defer w.running.Done()
	ctx, cancel := context.WithTimeoutCause(ctx, o.Timeout, context.DeadlineExceeded)
	defer cancel()
	i := &insideFleet{fleet: f, zips: map[string][]byte{}, gaps: map[string]evidence.Gap{},
		progress: progress}
	pods := o.Pods
	pods.MaxZip, pods.Deadline = fleetZip, max(15*time.Minute, o.Timeout+3*time.Minute)
	err := i.read(ctx, pods)
	if context.Cause(ctx) == context.Canceled {
		return context.Canceled
	}
	if err != nil {
		w.mu.Lock()
		w.refused = err
		w.mu.Unlock()
		f.Evidence.Notes = append(f.Evidence.Notes, "--on-node: "+collectors.GapOf(err).Reason())
	}
	f.Evidence.Notes = append(f.Evidence.Notes, i.notes()...)
	f.Evidence.Merge(i.evidence)
	return nil
}

// insideFleet is what pods brought, packed as they sent it.
type insideFleet struct {
	fleet    *Fleet
	progress func(fleet.Progress)

	mu   sync.Mutex
	zips map[string][]byte
	gaps map[string]evidence.Gap // of nodes from which nothing came
}

// read sends a pod to each node that can run one. An error is for all of them.
func (i *insideFleet) read(ctx context.Context, o onnode.Options) error {
	var able []evidence.NodeObject
	for _, name := range i.fleet.Evidence.Names() {
		node, err := i.node(name)
		if err == nil {
			err = onnode.Obstacle(node)
		}
		if err != nil {
			i.gaps[name] = collectors.GapOf(err)
			continue
		}
		able = append(able, node)
	}
	if len(able) == 0 {
		return nil
	}
	run, err := onnode.Start(ctx, i.fleet.Client, o, able[0].Metadata.Name)
	if err != nil {
		return err
	}
	// what is not removed now goes when the anchor expires
	defer func() { _ = run.End() }()
	var all errgroup.Group
	all.SetLimit(max(o.Parallel, 1))
	done := 0
	for _, node := range able {
		all.Go(func() error {
			zip, err := run.Packed(ctx, node)
			i.mu.Lock()
			defer i.mu.Unlock()
			if i.zips[node.Metadata.Name] = zip; err != nil {
				i.gaps[node.Metadata.Name] = collectors.GapOf(err)
			}
			done++
			i.progress(fleet.Progress{What: "pods on nodes", Done: done, Left: len(able) - done})
			return nil
		})
	}
	return all.Wait()
}

func (i *insideFleet) node(name string) (evidence.NodeObject, error) {
	from, _, err := i.fleet.Evidence.Evidence(name)
	if err != nil {
		return evidence.NodeObject{}, err
	}
	s, err := evidence.Load(from)
	if err != nil {
		return evidence.NodeObject{}, err
	}
	if gap := evidence.Node.Gap(s); gap.Kind != "" {
		return evidence.NodeObject{}, collectors.GapError(gap)
	}
	return evidence.Node.In(s), nil
}

// evidence is what a pod brought of a node, or why nothing came; nil where none was to be sent.
func (i *insideFleet) evidence(name string) (fs.FS, error) {
	i.mu.Lock()
	zip, why := i.zips[name], i.gaps[name]
	i.mu.Unlock()
	t := tree.Cleaned(i.fleet.Evidence.Secrets().Content)
	if why.Kind == "" && zip != nil {
		from, err := onnode.Open(zip)
		if err == nil {
			var inside evidence.Snapshot
			if inside, err = evidence.Load(from); err == nil {
				err = copyInside(inside, t.Add, t.Gap)
			}
		}
		if err == nil {
			return t.FS(), nil
		}
		why = evidence.NoPodEvidence.OfKind(evidence.Error, "%s", err)
	}
	if why.Kind == "" {
		return nil, nil
	}
	for _, path := range insideAnswers() {
		if !strings.HasSuffix(path, "/") {
			t.Gap(path, why)
		}
	}
	for _, component := range i.fleet.list.Logs() {
		t.Gap("logs/"+component, why)
	}
	return t.FS(), nil
}

// maxNamed is how many nodes a note names.
const maxNamed = 5

// notes say of which nodes nothing came, those with one reason together.
func (i *insideFleet) notes() (list []string) {
	nodes := map[string][]string{}
	for name, why := range i.gaps {
		nodes[why.Reason()] = append(nodes[why.Reason()], name)
	}
	for _, why := range slices.Sorted(maps.Keys(nodes)) {
		names := nodes[why]
		slices.Sort(names)
		named := strings.Join(names[:min(len(names), maxNamed)], ", ")
		if more := len(names) - maxNamed; more > 0 {
			named += fmt.Sprintf(" and %d more", more)
		}
		list = append(list, evidence.Clean(why+": "+named))
	}
	return list
}
