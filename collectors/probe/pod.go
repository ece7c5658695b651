package probe

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"doctor/checks/evidence"
	"doctor/collectors"
)

// Exec runs one command in a container, without a shell, and returns what it
// said and its exit code. Its error means that nothing was run; where a program
// does not start, the error has the method NotStarted.
type Exec func(ctx context.Context, argv []string) (stdout, stderr string, code int, err error)

// A PodPlan is what a pod is made to ask, with the programs that its image has.
type PodPlan struct {
	Pod  string // namespace/name
	Exec Exec
	// HOST:PORT and URLs, which curl.exe connects to, and hosts alone, which are pinged
	Targets []string
	Names   []string      // that are resolved
	Timeout time.Duration // for all together; 0 stands for five seconds
}

// The most that one pod is made to do: each is a process in it.
const (
	maxPodTargets = 8
	maxPodNames   = 4
)

const podTimeout = 5 * time.Second

// Pod asks all that the plan holds side by side, and returns what the pod's own
// programs measured. What could not be asked is a row of outcome denied or
// error that says why; err is that reason where nothing at all was measured.
func Pod(ctx context.Context, plan PodPlan) (reach []evidence.ReachProbe, names []evidence.DNSProbe,
	err error) {
	ctx, cancel := context.WithTimeout(ctx, plan.timeout())
	defer cancel()
	rows := make([][]evidence.ReachProbe, len(plan.Targets))
	errs := make([]error, len(plan.Targets))
	var all sync.WaitGroup
	for i, t := range plan.Targets {
		all.Go(func() {
			if i >= maxPodTargets {
				rows[i] = plan.unsent(t, podTooMany)
				return
			}
			rows[i], errs[i] = plan.reach(ctx, t)
		})
	}
	var why error
	all.Go(func() { names, why = plan.resolve(ctx) })
	all.Wait()
	errs = errs[:min(len(errs), maxPodTargets)]
	if len(plan.Names) > 0 {
		errs = append(errs, why)
	}
	if len(errs) == 0 {
		errs = append(errs, collectors.GapError(evidence.NotAskedFromPod.Gap()))
	}
	return slices.Concat(rows...), names, podFirst(errs...)
}

// podFirst is the reason of calls of which none came about, or nil. It prefers
// a refusal, which tells most.
func podFirst(errs ...error) error {
	var first error
	for _, err := range errs {
		switch {
		case err == nil:
			return nil
		case first == nil || collectors.GapOf(err).Kind == evidence.Denied:
			first = err
		}
	}
	return first
}

func (p PodPlan) timeout() time.Duration { return cmp.Or(p.Timeout, podTimeout) }

// patience is what the programs are told to wait: less than the plan has, for
// they take a moment to start.
func (p PodPlan) patience(part float64) string {
	return strconv.FormatFloat(p.timeout().Seconds()*part, 'f', 1, 64)
}

var podTooMany = collectors.GapError(
	evidence.PodUnusable.Gap("a pod is probed for no more than %d targets and %d names",
		maxPodTargets, maxPodNames))

// unsent are the rows of a target that nobody was asked about.
func (p PodPlan) unsent(target string, why error) []evidence.ReachProbe {
	row := evidence.ReachProbe{Target: evidence.Clean(target), From: p.Pod, Protocol: "tcp"}
	if t, err := parsePodTarget(target); err == nil {
		row = t.row(p.Pod, "tcp")
		if t.Port == 0 {
			row = t.row(p.Pod, "icmp")
		}
	}
	row.Outcome, row.Why = podWhy(why)
	return []evidence.ReachProbe{row}
}

// unasked is the row of a name that nobody was asked for.
func (p PodPlan) unasked(name string, why error) evidence.DNSProbe {
	row := p.nameRow(name, "windows")
	row.Outcome, row.Why = podWhy(why)
	return row
}

// nameRow is a row of the pod's own resolver.
func (p PodPlan) nameRow(name, form string) evidence.DNSProbe {
	return evidence.DNSProbe{Name: evidence.Clean(name), Type: "A", Server: "system",
		Transport: "udp", From: p.Pod, Form: form, Sent: []string{}, Answers: []string{}}
}

// podWhy is how the want of an answer is recorded.
func podWhy(err error) (outcome, why string) {
	gap := collectors.GapOf(err)
	if gap.Kind == evidence.Denied {
		return denied, gap.Reason()
	}
	return outcomeError, gap.Reason()
}

func (p PodPlan) reach(ctx context.Context, target string) ([]evidence.ReachProbe, error) {
	t, err := parsePodTarget(target)
	if err != nil {
		return p.unsent(target, err), err
	}
	argv, read := p.curl(t), t.readCurl
	if t.Port == 0 {
		argv, read = pingArgs(t), t.readPing
	}
	stdout, stderr, code, err := p.run(ctx, argv)
	if err != nil {
		return p.unsent(target, err), err
	}
	return read(p.Pod, stdout, stderr, code), nil
}

// run is Exec, with an error of a program that Windows ended: its exit code is a status of NT,
// such as that a DLL is missing in a small image.
func (p PodPlan) run(ctx context.Context, argv []string) (stdout, stderr string, code int, err error) {
	stdout, stderr, code, err = p.Exec(ctx, argv)
	if err != nil || uint32(code) < 0xC0000000 {
		return stdout, stderr, code, err
	}
	return "", "", 0, podStarts{
		collectors.GapError(evidence.PodUnusable.Gap(
			"%s ended with 0x%08X, which is an exit code of Windows, not of the program",
			argv[0], uint32(code)))}
}

type podStarts struct{ error }

func (p podStarts) Unwrap() error  { return p.error }
func (podStarts) NotStarted() bool { return true }

// podAbsent tells whether the program did not start: mostly it is not in the image.
func podAbsent(err error) bool {
	var n interface{ NotStarted() bool }
	return errors.As(err, &n) && n.NotStarted()
}

// podLines are the lines of what a program of Windows says.
func podLines(text string) []string {
	return strings.Split(strings.ReplaceAll(text, "\r", ""), "\n")
}
