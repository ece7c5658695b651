package session

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"doctor/checks/evidence"
	"doctor/collectors"
	"doctor/collectors/cluster"
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
