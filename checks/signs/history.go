package signs

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"doctor/checks/evidence"
)

// A fault is over when its log went on for this long, and is this many lines
// long from its last match on, without any error. A component that fails repeats itself sooner: kubelet and
// kube-proxy retry within five minutes, a crash loop backs off to five too.
const (
	quietTime  = 10 * time.Minute
	quietLines = 3
)

// aftermath reads the log once more, from behind its last match, to tell
// whether it has been well since. It stops at the first error, so on a sick
// node it costs little more than finding the place again.
func (c *scanner) aftermath(r io.Reader) error {
	if _, err := io.CopyN(io.Discard, r, c.trouble); err != nil {
		if errors.Is(err, io.EOF) {
			return nil // the log was cut short meanwhile
		}
		return err
	}
	buf := make([]byte, bufferSize)
	held, lines := 0, 0 // the first line break ends the line of the match itself
	var end time.Time
	for {
		n, err := io.ReadFull(r, buf[held:])
		n += held
		chunk := buf[:n]
		if sick(chunk) {
			return nil
		}
		lines += bytes.Count(chunk[held:], newline)
		if at := evidence.LastTime(chunk, c.clock()); !at.IsZero() {
			end = at
		}
		if err != nil {
			if !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
				return err
			}
			break
		}
		held = copy(buf, chunk[n-min(n, seam):])
	}
	if lines < quietLines {
		return nil
	}
	for k, m := range c.found {
		if !c.accuses(k.sign) {
			continue
		}
		last := evidence.LineTime(string(m.stamp), c.clock())
		if quiet := end.Sub(last); !last.IsZero() && quiet >= quietTime {
			m.Over = fmt.Sprintf("the log went on for %s without an error",
				quiet.Round(time.Minute))
		}
	}
	return nil
}

// clock is when the recording was made, or for a paste that does not say so the end of any year: a
// line of klog has none, and here only what lies between two lines counts.
func (c *scanner) clock() time.Time {
	if c.now.IsZero() {
		return time.Date(2000, time.December, 31, 23, 59, 59, 0, time.UTC)
	}
	return c.now
}

// seam is what a chunk shares with the one before it: more than a mark, and a line to take the time from.
const seam = 4 << 10

// marks are how components write that something is wrong. They are wide on
// purpose: a log is well only where nothing in it sounds like trouble.
var marks = [][]byte{
	[]byte("\nE0"), []byte("\nE1"), []byte("\nF0"), []byte("\nF1"), // klog's severity and month
	[]byte("rror"), []byte("RROR"), []byte("fail"), []byte("Fail"), []byte("FAIL"), []byte("fatal"),
	[]byte("panic"),
	[]byte("timeout"), []byte("timed out"), []byte("not found"), []byte("nable to"),
	[]byte("denied"), []byte("refused"),
	[]byte(evidence.LeftOut), // nobody can tell what stood there
}

func sick(chunk []byte) bool {
	return slices.ContainsFunc(marks, func(mark []byte) bool { return bytes.Contains(chunk, mark) })
}

// beforeBoot marks what happened before the node was last booted.
func beforeBoot(matches []evidence.SignMatch, booted time.Time) {
	for i := range matches {
		m := &matches[i]
		if m.Over == "" && !m.Last.IsZero() && m.Last.Before(booted) {
			m.Over = "the node has booted since, at " + booted.UTC().Format("2006-01-02 15:04 UTC")
		}
	}
}

// beforeRun marks what the log of an earlier run of a container says, where a later run goes on for
// longer than the time from start to start, and for longer than the kubelet remembers the end of a container.
// Their logs are called by the number of restarts.
func (c *scanner) beforeRun(matches []evidence.SignMatch) {
	for i := range matches {
		m := &matches[i]
		stem, number, ok := runOf(m.Path)
		for _, path := range slices.Sorted(maps.Keys(c.begun)) {
			begun := c.begun[path]
			if later, n, is := runOf(path); ok && is && m.Over == "" && later == stem && n > number &&
				!m.Last.IsZero() && begun.After(m.Last) &&
				c.now.Sub(begun) > max(quietTime, begun.Sub(c.begun[m.Path])) {
				m.Over = "the container was started again since, at " + begun.UTC().Format("2006-01-02 15:04 UTC")
			}
		}
	}
}

// runOf splits CONTAINER-RESTARTS.log.
func runOf(path string) (stem string, number int, ok bool) {
	name := strings.TrimSuffix(path, ".log")
	at := strings.LastIndexByte(name, '-') + 1
	number, err := strconv.Atoi(name[at:])
	return name[:at], number, err == nil && at > 0
}

// beforeReport marks what the kubelet's log says of the way to the API server, where the Node object
// has a later heartbeat: only a kubelet that the API server accepts writes one. It does so every five
// minutes, also where nothing changes (nodeStatusReportFrequency).
func (c *scanner) beforeReport(matches []evidence.SignMatch, s evidence.Snapshot) {
	node := evidence.Node.In(s)
	ready, told := node.Condition("Ready")
	if !told {
		return
	}
	for i := range matches {
		m := &matches[i]
		if m.Over == "" && !m.Last.IsZero() && m.Last.Before(ready.LastHeartbeatTime.Time) && c.inUTC(*m, s) &&
			evidence.SameLog("kubelet", m.Source()) && slices.ContainsFunc(c.list, func(sign evidence.Sign) bool {
			return sign.Check == m.Check && sign.Text == m.Text && slices.Contains(sign.Until, evidence.NodeRegistered)
		}) {
			m.Over = "the kubelet has reported its node since, at " +
				ready.LastHeartbeatTime.UTC().Format("2006-01-02 15:04 UTC")
		}
	}
}

// beforePods marks what logs say of sandboxes that could not be created, where one was created
// later: a pod of the node is Ready since, and no pod waits. A pod that was deleted meanwhile, as
// those of a Job, leaves nothing else to show that its sandbox was refused for a moment only.
func (c *scanner) beforePods(matches []evidence.SignMatch, s evidence.Snapshot) {
	latest, name, ok := latestReady(s)
	if !ok {
		return
	}
	for i := range matches {
		m := &matches[i]
		if m.Over == "" && !m.Last.IsZero() && m.Last.Before(latest) && ofSandbox(m.Found) && c.inUTC(*m, s) {
			m.Over = "pod " + name + " has been Ready since " +
				latest.UTC().Format("2006-01-02 15:04 UTC") + ", and no pod waits for its sandbox"
		}
	}
}

// unrepeated marks what a log or the events say of a pod that could not be started, where they go on for
// longer than the kubelet waits before it tries again. Where the pods are recorded, their states tell more.
func (c *scanner) unrepeated(matches []evidence.SignMatch, s evidence.Snapshot) {
	if evidence.Pods.Known(s) {
		return
	}
	ends := map[string]time.Time{}
	for k, of := range c.found {
		ends[k.path] = of.ends
	}
	for _, e := range evidence.PodEvents.In(s) {
		by := cmp.Or(e.Source.Component, e.ReportingController, e.ReportingComponent, "kubelet")
		if at := e.At(); e.About().Kind == "Pod" && by == "kubelet" && !e.OfOtherNode(evidence.Node.In(s).Metadata.Name) &&
			at.After(ends[evidence.PodEvents.Path()]) {
			ends[evidence.PodEvents.Path()] = at.Time
		}
	}
	for i := range matches {
		m := &matches[i]
		if quiet := ends[m.Path].Sub(m.Last); m.Over == "" && !m.Last.IsZero() && quiet > mostRetry && ofStart(m.Found) {
			m.Over = "it was not repeated for " + quiet.Round(time.Minute).String()
		}
	}
}

// mostRetry is four times as long as the kubelet waits before it tries again to start a pod (MaxContainerBackOff).
const mostRetry = 20 * time.Minute

// ofStart tells whether a line is about a pod that the kubelet could not start, which it tries again and again.
func ofStart(line string) bool {
	return ofSandbox(line) || slices.ContainsFunc([]string{"PullImage", "ailed to pull image", "MountVolume."},
		func(text string) bool { return strings.Contains(line, text) })
}

// inUTC tells that the times of a log can be compared with those of the API server. Many logs do not
// say of which zone their times are. But one that goes on ends when it was collected, and one that a
// program began has its first line when the program started, which is recorded in UTC.
func (c *scanner) inUTC(m evidence.SignMatch, s evidence.Snapshot) bool {
	for k, of := range c.found {
		if k.path != m.Path || of.ends.IsZero() {
			continue
		}
		return s.Now().Sub(of.ends).Abs() < leastZone ||
			slices.ContainsFunc(evidence.Processes.In(s), func(p evidence.Process) bool {
				return strings.HasPrefix(strings.ToLower(p.Name), m.Source()) &&
					c.begun[m.Path].Sub(p.StartedAt.Time).Abs() < leastZone
			})
	}
	return false
}

// leastZone is less than zones differ by.
const leastZone = 25 * time.Minute

// latestReady is the pod that became Ready last, of those that have a network of their own; ok is
// false where a pod of the node is not Ready.
func latestReady(s evidence.Snapshot) (latest time.Time, name string, ok bool) {
	if evidence.Pods.Gap(s).Kind != "" {
		return latest, "", false
	}
	since := readySince(s)
	for _, p := range evidence.Pods.In(s) {
		at := since[p.FullName()]
		switch {
		case p.Status.Phase == "Succeeded" || p.Status.Phase == "Failed":
		case at.IsZero():
			return latest, "", false
		case !p.Spec.HostNetwork && !p.HostProcess() && at.After(latest):
			latest, name = at, p.FullName()
		}
	}
	return latest, name, !latest.IsZero()
}

// ofSandbox tells whether a line is about a sandbox that could not be created.
func ofSandbox(line string) bool {
	return slices.ContainsFunc([]string{"RunPodSandbox", "CreatePodSandbox", "create pod sandbox",
		"network for sandbox"}, func(text string) bool { return strings.Contains(line, text) })
}
