package session

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"doctor/checks/evidence"
	"doctor/collectors"
	"doctor/collectors/cluster"
	"doctor/collectors/fleet"
	"doctor/collectors/hostprocess"
	livenode "doctor/collectors/node"
	"doctor/collectors/onnode"
	"doctor/collectors/tree"
)

// InsideTimeout is for reading a node with --on-node, where the user gives no --timeout: the node may
// have to pull the image.
const InsideTimeout = 3 * time.Minute

// insideAnswers is the evidence that only the node itself has.
func insideAnswers() []string {
	list := []string{evidence.ReachProbes.Path(), evidence.DNSProbes.Path()}
	for _, c := range livenode.Collectors(livenode.Options{}) {
		list = append(list, c.Answers...)
	}
	return list
}

// An insideReading reads a node by a pod on it.
type insideReading struct {
	client   *cluster.Client
	options  onnode.Options
	elevated atomic.Pointer[bool]
	setup    atomic.Pointer[onnode.SetupError] // why no pod could be sent
	running  sync.WaitGroup
}

const insideName = "pod on the node"

// collector comes after what the cluster says of the node: it decides whether a pod can run there,
// and the pod is not among its pods.
func (i *insideReading) collector(answers []string) collectors.Collector {
	return collectors.Collector{Name: insideName, Answers: answers,
		After: []string{cluster.NodeReading, cluster.PodsReading, "API: events"},
		Read: func(ctx context.Context, r *collectors.Record) error {
			i.running.Add(1)
			defer i.running.Done()
			s, err := r.Snapshot()
			if err != nil {
				return err
			}
			ctx, cancel := collectors.BeforeDeadline(ctx, scanTime)
			defer cancel()
			from, err := i.evidence(ctx, s)
			if err != nil {
				return err
			}
			return i.take(r, from)
		}}
}

// scanTime is left of a run's time for what is done with a pod's evidence.
const scanTime = 5 * time.Second

func (i *insideReading) evidence(ctx context.Context, s evidence.Snapshot) (fs.FS, error) {
	if gap := evidence.Node.Gap(s); gap.Kind != "" {
		return nil, collectors.GapError(gap)
	}
	node := evidence.Node.In(s)
	if err := onnode.Obstacle(node); err != nil {
		return nil, err
	}
	run, err := onnode.Start(ctx, i.client, i.options, node.Metadata.Name)
	if setup, ok := errors.AsType[*onnode.SetupError](err); ok {
		i.setup.Store(setup)
	}
	if err != nil {
		return nil, err
	}
	// what is not removed now goes when the anchor expires
	defer func() { _ = run.End() }()
	return run.Evidence(ctx, node)
}

// Close waits until what was created on the cluster is removed.
func (l *Live) Close() {
	if l.inside != nil {
		l.inside.running.Wait()
	}
}

// SetupError is why no pod could be sent, with the commands that change that; nil where one could.
func (l *Live) SetupError() error {
	if l.inside == nil || l.inside.setup.Load() == nil {
		return nil
	}
	return l.inside.setup.Load()
}

// take records what a pod brought, as far as it is the node's own account: what the cluster says, the
// client has read itself, and documents about the evidence are none.
func (i *insideReading) take(r *collectors.Record, from fs.FS) error {
	inside, err := evidence.Load(from)
	if err != nil {
		return collectors.GapError(evidence.NoPodEvidence.OfKind(evidence.Error, "%s", err))
	}
	if elevated, known := inside.Elevated(); known {
		i.elevated.Store(&elevated)
	}
	return copyInside(inside, func(path string, f tree.File) { r.File(path, f) },
		func(path string, why evidence.Gap) { r.Gap(path, collectors.GapError(why)) })
}

// copyInside hands on the node's own part of an evidence tree.
func copyInside(inside evidence.Snapshot, file func(string, tree.File),
	gap func(string, evidence.Gap)) error {
	answers := append(insideAnswers(), evidence.SignMatches.Path(), evidence.ErrorLines.Path(),
		"logs.json")
	records := inside.GapRecords()
	for _, name := range inside.Paths() {
		of, isGap := strings.CutSuffix(name, ".gap")
		if !slices.ContainsFunc(answers, func(a string) bool {
			return a == of || strings.HasSuffix(a, "/") && strings.HasPrefix(of, a)
		}) || path.Clean(name) != name {
			continue
		}
		content, info, err := contentOf(inside, name)
		switch {
		case err != nil:
			gap(of, evidence.Unreadable.Gap(of, err))
		case isGap && records[of].Kind != "":
			gap(of, records[of].Gap())
		case isGap:
			gap(of, inside.GapAt(of))
		default:
			file(name, tree.File{Content: content, Modified: info.ModTime()})
		}
	}
	return nil
}

func contentOf(s evidence.Snapshot, name string) ([]byte, fs.FileInfo, error) {
	info, err := s.Stat(name)
	if err != nil {
		return nil, nil, err
	}
	f, err := s.Open(name)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	content, err := io.ReadAll(io.LimitReader(f, maxInside))
	return content, info, err
}

// maxInside bounds one file of a pod's evidence.
const maxInside = 64 << 20

// withRecorded adds what was found by whoever had the logs as a whole: a pod sends parts of them.
func withRecorded(s evidence.Snapshot, scan evidence.LogScan) evidence.LogScan {
	recorded := evidence.SignMatches.In(s)
	for _, m := range scan.Matches {
		if !slices.ContainsFunc(recorded, func(r evidence.SignMatch) bool {
			return r.Check == m.Check && r.Text == m.Text && r.Path == m.Path
		}) {
			recorded = append(recorded[:len(recorded):len(recorded)], m)
		}
	}
	scan.Matches = recorded
	if lines := evidence.ErrorLines.In(s); len(lines) > 0 {
		scan.Errors = lines
	}
	return scan
}

// PodEvidence packs a source as a pod on a node does: the evidence alone, in maxSize bytes where that
// is enough for the facts. It returns the ids of the causes that the evidence shows, too.
func PodEvidence(ctx context.Context, src Source, maxSize int64, o Options) (zip []byte,
	causes []string, err error) {
	// the container's own folder, which goes with it, where it has one
	dir, err := os.MkdirTemp(hostprocess.Mount(), "doctor-*")
	if err != nil {
		return nil, nil, err
	}
	defer os.RemoveAll(dir)
	name := filepath.Join(dir, "evidence.zip")
	for _, size := range []int64{min(maxSize, onnode.MaxZip), onnode.MaxZip} {
		b := NewBundling(ctx, src, Packing{MaxSize: size, EvidenceOnly: true}, o)
		if _, err = b.Write(ctx, name); err != nil {
			continue // the facts alone may be larger
		}
		for _, c := range b.report.Causes {
			causes = append(causes, c.ID)
		}
		zip, err = os.ReadFile(name)
		return zip, causes, err
	}
	return nil, nil, err
}

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
