package session

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/faults"
	"doctor/checks/signs"
	"doctor/collectors"
	"doctor/collectors/cluster"
	"doctor/collectors/hostprocess"
	"doctor/collectors/node"
	"doctor/collectors/probe"
	"doctor/collectors/redact"
	"doctor/collectors/tree"
)

const (
	DefaultTimeout = 9 * time.Second // of --timeout: for reading the whole node
	DefaultSince   = 24 * time.Hour  // of --since: how far back logs are read
	logBytes       = 64 << 20
	scanMargin     = 300 * time.Millisecond
	// for what the cluster says of the node at whose console the user sits
	apiDeadline = 4 * time.Second
)

// A Live run reads a node, this one or one behind an API server, and judges
// what it has read so far, at any time.
type Live struct {
	plan
	part bool // has logs and signs of another reading
	tree *tree.Tree

	mu       sync.Mutex
	readings []collectors.Reading
	unread   []evidence.UnsearchedLog
}

// A plan is what all readings of a node have.
type plan struct {
	checks     *checks.Catalogue
	collectors []collectors.Collector
	origin     checks.Source
	timeout    time.Duration
	program    checks.Program          // that reads
	decisive   []string                // collectors of which one has to answer; nil for any
	unasked    map[string]evidence.Gap // evidence that this way of reading cannot bring → why
	inside     *insideReading          // of a node behind the API; nil where no pod reads it
	secrets    *redact.Redactor        // keeps what it took out of the trees: a secret has one mark in all
}

// Start reads the node behind the API where the options name one, else this one.
func Start(ctx context.Context, o Options, list *checks.Catalogue) (*Live, error) {
	if o.Node != "" {
		return ThroughAPI(ctx, o, list)
	}
	return OnNode(o, list), nil
}

// OnNode reads the node that the program runs on, and the cluster's view of it
// with the kubelet's own credentials, or those that the user names.
func OnNode(o Options, list *checks.Catalogue) *Live {
	host, _ := os.Hostname() // "" where there is none
	files, folders := faults.Catalogue().Files()
	l := &Live{plan: plan{checks: list, program: o.Program, timeout: o.Timeout,
		origin: checks.Source{Kind: "live", Name: strings.ToLower(host), Format: evidence.Layout},
		collectors: node.Collectors(node.Options{Files: files, Folders: folders, Since: o.Since,
			LogBytes: logBytes})}}
	find := o.kubelet(host)
	if !o.WithoutAPI {
		l.collectors = append(l.collectors,
			cluster.Collectors(find, []string{"services", "processes", "files"}, apiDeadline)...)
	}
	lengthen(l.collectors, o.Timeout)
	if o.Passive {
		l.unasked = unprobed(evidence.Passive.Gap())
		return l.Fresh()
	}
	// After what tells whom to ask. What HNS or the runtime says is not among it,
	// so that one that hangs does not hold the probes up.
	told := []string{"services", "processes", "files", "adapters", "resolver"}
	if !o.WithoutAPI {
		told = append(told, "API: node", "API: nodes", "API: services", "API: endpoint slices")
	}
	dns := probe.DNSCollector(dnsPlan, told, DNSTimeout)
	reach := probe.ReachCollector(func(s evidence.Snapshot) (probe.ReachPlan, error) {
		return reachPlan(s, o.Targets)
	}, told, probe.ReachTimeout)
	l.collectors = append(l.collectors, dns, reach)
	l.collectors = append(l.collectors, o.fromInside(find, told, []string{dns.Name, reach.Name})...)
	return l.Fresh()
}

// lengthen gives each collector its share of a --timeout that is longer than the default: on a
// machine that needs more time for the whole, a part of it needs more too.
func lengthen(list []collectors.Collector, timeout time.Duration) {
	for i := range list {
		list[i].Deadline = max(list[i].Deadline,
			time.Duration(float64(list[i].Deadline)*timeout.Seconds()/DefaultTimeout.Seconds()))
	}
}

// unprobed tells of both kinds of probes why they were not sent.
func unprobed(why evidence.Gap) map[string]evidence.Gap {
	return map[string]evidence.Gap{evidence.ReachProbes.Path(): why, evidence.DNSProbes.Path(): why}
}

// Fresh is another reading of the same, of which nothing is read yet.
func (l *Live) Fresh() *Live {
	n := &Live{plan: l.plan}
	n.secrets = cmp.Or(n.secrets, NewSecrets())
	n.tree = tree.Cleaned(n.secrets.Content)
	for _, c := range append(n.collectors[:len(n.collectors):len(n.collectors)], n.searchLogs()) {
		n.readings = append(n.readings, collectors.Reading{Name: c.Name, Answers: c.Answers})
	}
	n.date()
	for path, why := range l.unasked {
		n.tree.Gap(path, why)
	}
	return n
}

// Read returns when all has been read or given up. It calls changed, which must
// not block, as the reading goes on.
func (l *Live) Read(ctx context.Context, changed func()) {
	ctx, cancel := context.WithTimeoutCause(ctx, l.timeout, context.DeadlineExceeded)
	defer cancel()
	list := l.collectors
	if !l.part {
		list = append(list[:len(list):len(list)], l.searchLogs())
	}
	collectors.Run(ctx, l.tree, list, func(r []collectors.Reading) {
		l.mu.Lock()
		l.readings = r
		l.mu.Unlock()
		changed()
	})
	l.date()
}

// date writes meta.json: its time is the "now" of all checks, with the zone of the node, in which most
// components write their logs.
func (l *Live) date() {
	meta := evidence.Meta{Layout: evidence.Layout, Node: l.origin.Name,
		CollectedAt: time.Now().Truncate(time.Second), Source: l.origin.Kind,
		Doctor: l.program.Version}
	if elevated, known := node.Elevated(); known && l.origin.Kind == "live" {
		meta.Elevated = &elevated
		if hostprocess.Mount() != "" {
			meta.Container = hostprocess.Container
		}
	} else if l.inside != nil {
		meta.Elevated = l.inside.elevated.Load()
	}
	l.tree.JSON("meta.json", meta)
}

// searchLogs looks for the signs of all checks as soon as the logs are found.
// It is a collector here, because the texts are the checks' knowledge.
func (l *Live) searchLogs() collectors.Collector {
	var after []string // those that bring logs
	for _, c := range l.collectors {
		if slices.Contains(c.Answers, "logs/") {
			after = append(after, c.Name)
		}
	}
	return collectors.Collector{Name: "log lines", Answers: []string{evidence.SignMatches.Path(),
		evidence.ErrorLines.Path()}, After: after,
		Read: func(ctx context.Context, r *collectors.Record) error {
			s, err := r.Snapshot()
			if err != nil {
				return err
			}
			ctx, cancel := collectors.BeforeDeadline(ctx, scanMargin)
			defer cancel()
			scan := signs.Logs(ctx, s, l.checks.Signs())
			l.mu.Lock()
			l.unread = scan.Unsearched
			l.mu.Unlock()
			scan = withRecorded(s, scan)
			r.JSON(evidence.SignMatches.Path(), append([]evidence.SignMatch{}, scan.Matches...))
			r.JSON(evidence.ErrorLines.Path(), append([]evidence.ErrorLine{}, scan.Errors...))
			for _, component := range l.checks.Logs() {
				if len(s.LogFiles(component)) == 0 && !l.tree.Has("logs/"+component) {
					r.Gap("logs/"+component,
						collectors.GapError(evidence.NotFound.Gap("a log of %s", component)))
				}
			}
			return nil
		}}
}

// Diagnose reads the node to its end and judges it. An error is also that nothing can be said of it.
func (l *Live) Diagnose(ctx context.Context) (checks.Report, evidence.Snapshot, error) {
	l.Read(ctx, func() {})
	if err := ctx.Err(); err != nil {
		return checks.Report{}, evidence.Snapshot{}, err
	}
	r, s, err := l.Report()
	if err == nil {
		err = l.Unread()
	}
	return r, s, err
}

// Report judges what has been read so far.
func (l *Live) Report() (checks.Report, evidence.Snapshot, error) {
	s, err := evidence.Load(l.tree.FS())
	if err != nil {
		return checks.Report{}, s, err
	}
	s = signs.Recorded(s, l.checks.Signs(), l.unsearched(s))
	return checks.Diagnose(s, l.checks, l.origin, l.program), s, nil
}

// unsearched is what the search of the logs did not get to: all of them where it
// was given up as a whole.
func (l *Live) unsearched(s evidence.Snapshot) []evidence.UnsearchedLog {
	l.mu.Lock()
	unread, readings := slices.Clone(l.unread), l.readings
	l.mu.Unlock()
	if why := evidence.SignMatches.Gap(s); why.Kind != "" {
		unread = nil
		for _, file := range s.LogFiles("") {
			unread = append(unread, evidence.UnsearchedLog{Path: file, Why: why.Reason()})
		}
	}
	return append(unread, unanswered(readings)...)
}

// unanswered are the event logs of which some may have answered, and others not.
func unanswered(readings []collectors.Reading) []evidence.UnsearchedLog {
	var list []evidence.UnsearchedLog
	for _, r := range readings {
		// a pod says itself which event logs did not answer
		if r.Gap.Kind != "" && r.Name != insideName && slices.Contains(r.Answers, evidence.WindowsEvents.Path()) {
			list = append(list, evidence.UnsearchedLog{Path: evidence.WindowsEvents.Path(),
				Why: r.Gap.Reason()})
		}
	}
	return list
}

// Unread is why nothing can be said about the node, or nil. Through the API that is so where neither
// the Node object nor its pods could be read, whatever else the API gave.
func (l *Live) Unread() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	var why evidence.Gap
	for _, r := range l.readings {
		asked := slices.ContainsFunc(l.collectors, func(c collectors.Collector) bool {
			return c.Name == r.Name && (l.decisive == nil || slices.Contains(l.decisive, r.Name))
		})
		switch {
		case !asked:
		case r.State == collectors.Done && (r.Gap.Kind == "" || r.Gap.Code == evidence.SomeNamespaces):
			return nil
		case why.Kind == "":
			why = r.Gap
		}
	}
	if l.decisive == nil {
		return errors.New("no part of the node could be read; the report says why")
	}
	return fmt.Errorf("node %s cannot be read through the Kubernetes API: %s", l.origin.Name,
		evidence.Shown(why.String()))
}

// Secrets is what took the secrets out of everything that was read.
func (l *Live) Secrets() *redact.Redactor { return l.secrets }

// Talk says which logs could not be read as a whole, and where it is verbose, what each collector took
// and could not bring.
func (l *Live) Talk(tell func(string), verbose bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, u := range l.unread {
		tell("could not read all of " + u.String())
	}
	if !verbose {
		return
	}
	for _, r := range l.readings {
		line := fmt.Sprintf("%s: %.1f ms", r.Name, float64(r.Took.Microseconds())/1000)
		if r.Gap.Kind != "" {
			line += "  (" + r.Gap.String() + ")"
		}
		tell(line)
	}
}
