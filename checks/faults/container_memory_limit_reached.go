package faults

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

var _ = register(&checks.Check{
	ID:       "container-memory-limit-reached",
	Title:    "Container is refused memory at its limit",
	Healthy:  "Containers get the memory that they request",
	Category: checks.CategoryWorkloads,
	Doc: `Windows applies the memory limit of a container to committed memory: what its programs requested, used or
not, and what the processes of Windows in the container committed. That is more than on Linux, where used
memory counts, so a limit that is right on Linux can be too low. Windows does not kill the container: it
refuses memory with error 1455 (ERROR_COMMITMENT_LIMIT), and the program exits with an error of its own.
OOMKilled is never set.

The check looks for a container with a memory limit that is down or restarts, and whose last words are
such a refusal. It is a failure if the program quotes Windows and the node can commit more than the
limit. It is a warning if the node's memory is not recorded, if Windows refused memory elsewhere on the
node too, or if the words can have another reason: a process of 32 bits, or one very large request. If the
memory of the node is committed, paging-file-too-small is the cause.`,
	Fix: checks.Steps(
		checks.Inspect("kubectl top pod POD -n NAMESPACE --containers",
			"Compare the memory of the container with its limit. Committed memory is more than this figure."),
		checks.Do("Raise resources.limits.memory of the container, and set the request to the same value.").
			Costs("The pods of the workload are recreated."),
		checks.Do("If the program has a setting for its own heap, such as -Xmx, keep the heap well below the limit."),
		checks.Verify("kubectl get pods -A --field-selector spec.nodeName={node}",
			"RESTARTS does not increase")),
	Links: []string{
		"https://github.com/kubernetes-csi/csi-driver-smb/pull/524",
		"https://github.com/DataDog/datadog-agent/pull/5638",
		"https://github.com/signalfx/splunk-otel-collector-chart/pull/1848",
		"https://github.com/kubernetes/kubernetes/issues/95226",
		"https://github.com/microsoft/hcsshim/issues/2083",
		"https://github.com/kubernetes/website/pull/48535",
		"https://learn.microsoft.com/en-us/windows/win32/api/winnt/ns-winnt-jobobject_extended_limit_information",
	},
	Breaks: []*checks.Effect{effectContainers},
	Needs:  []evidence.Need{evidence.Pods},
	Uses:   []evidence.Need{evidence.Logs("pods"), evidence.MemoryInfo},
	Signs: []checks.Sign{
		// Go: runtime/mem_windows.go
		{Text: "bytes failed with errno=1455", Also: []string{"VirtualAlloc of "}, In: inContainers, ConfirmOnly: true},
		{Text: pagingFileText, Or: []string{"0x800705AF", "DOS error/errno=1455", "[WinError 1455]", "(os error 1455)"}, ConfirmOnly: true},
		{Text: "Resource-Exhaustion-Detector", In: []string{evidence.InEvents}, ConfirmOnly: true},
		{Text: dotnetMemory, Or: []string{"Insufficient memory to continue the execution of the program"},
			In: inContainers, ConfirmOnly: true},
		{Text: "There is insufficient memory for the Java Runtime Environment to continue", In: inContainers, ConfirmOnly: true},
		{Text: "memory allocation of ", Also: []string{" bytes failed"}, In: inContainers, ConfirmOnly: true}, // Rust: library/std/src/alloc.rs
	},
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		var findings []*checks.Finding
		m := evidence.MemoryInfo.In(s)
		if m.CommitLimitBytes > 0 && m.CommitUsedBytes*100 >= m.CommitLimitBytes*commitNarrow {
			return nil, checks.Skip("the memory of the node is committed")
		}
		silent := false
		for _, p := range evidence.Pods.In(s) {
			for i, c := range slices.Concat(p.Spec.InitContainers, p.Spec.Containers) {
				limit := c.Resources.Limits["memory"]
				ended, down := endOfDown(s, p, c.Name)
				if limit == "" || !down {
					continue
				}
				said, quotes, ok := refusedMemory(s, p, c, ended)
				if !ok {
					silent = silent || unheard(s, p)
					continue
				}
				level := checks.Warn
				if quotes && roomFor(m, limit) && !refusedElsewhere(s) {
					level = checks.Fail
				}
				f := checks.Findingf(level, p.FullName(), "container %s of %s is refused memory (its limit: %s)", c.Name, p.FullName(), limit).
					With(checks.Quote(said)).
					At(p.ContainerField(i, "resources", "limits", "memory"), "container %s: memory limit %s", c.Name, limit)
				if m.CommitLimitBytes > 0 {
					f = f.At(evidence.MemoryInfo.Field(s, "commitUsedBytes"), "the node has committed %s of %s",
						gib(m.CommitUsedBytes), gib(m.CommitLimitBytes))
				}
				f.Basis = checks.ByBoth
				findings = append(findings, f)
			}
		}
		if silent && len(findings) == 0 {
			return nil, notHeard(s)
		}
		return findings, nil
	},
})

const dotnetMemory = "Exception of type 'System.OutOfMemoryException' was thrown"

// endOfDown tells whether a container is down or restarts, and how it ended last. One that ended longer ago,
// as that of a Job, is of the past.
func endOfDown(s evidence.Snapshot, p evidence.Pod, container string) (*evidence.TerminatedState, bool) {
	for _, st := range p.Statuses() {
		if st.Name == container && (node.ContainerDown(st) || restartReason(st, s.Now()).Format != "") {
			ended := cmp.Or(st.State.Terminated, st.LastState.Terminated)
			return ended, ended == nil || ended.FinishedAt.IsZero() || s.Now().Sub(ended.FinishedAt.Time) <= restartRecent
		}
	}
	return nil, false
}

// refusedMemory are the last words of a container, where they are of a refusal, and whether they quote
// Windows. What it said long before it ended may be a line of another log that it collects.
func refusedMemory(s evidence.Snapshot, p evidence.Pod, c evidence.Container, ended *evidence.TerminatedState) (said evidence.SignMatch, quotes, ok bool) {
	for _, m := range saidIn(s, "container-memory-limit-reached", p, c.Name) {
		at := m.Last
		if at.IsZero() {
			at = m.Time
		}
		ofWindows := strings.Contains(m.Found, "1455") || strings.Contains(m.Found, pagingFileText) || strings.Contains(strings.ToLower(m.Found), "0x800705af")
		switch {
		case ended != nil && !at.IsZero() && !ended.FinishedAt.IsZero() && at.Before(ended.FinishedAt.Add(-time.Minute)):
		case !ofWindows && (ok || m.Text == dotnetMemory && hasHeapLimit(c)):
		default:
			if said, ok = m, true; ofWindows {
				return said, true, true
			}
		}
	}
	return said, false, ok
}

// hasHeapLimit tells whether .NET has a limit of its own.
func hasHeapLimit(c evidence.Container) bool {
	for _, e := range c.Env {
		if strings.Contains(strings.ToLower(e.Name), "gcheaphardlimit") {
			return true
		}
	}
	return false
}

// roomFor tells whether the node can commit so much that the container meets its limit first.
func roomFor(m evidence.Memory, limit evidence.Quantity) bool {
	bytes, err := evidence.ParseQuantity(string(limit))
	return err == nil && m.CommitLimitBytes > 0 && bytes <= m.CommitLimitBytes-m.CommitUsedBytes
}

// refusedElsewhere tells whether Windows refused memory on the node within the last day, to others than
// containers that have a limit.
func refusedElsewhere(s evidence.Snapshot) bool {
	return slices.ContainsFunc(s.Signs("container-memory-limit-reached"), func(m evidence.SignMatch) bool {
		return m.Over == "" && !m.Last.IsZero() && s.Now().Sub(m.Last) < refusedLately && m.Path != evidence.Pods.Path() && !refusedAtLimit(s, m)
	})
}

// refusedAtLimit tells whether a container said so whose limit is below what the node can commit.
func refusedAtLimit(s evidence.Snapshot, m evidence.SignMatch) bool {
	return slices.ContainsFunc(evidence.Pods.In(s), func(p evidence.Pod) bool {
		return slices.ContainsFunc(slices.Concat(p.Spec.InitContainers, p.Spec.Containers), func(c evidence.Container) bool {
			return isLogOf(m.Path, p, c.Name) && roomFor(evidence.MemoryInfo.In(s), c.Resources.Limits["memory"])
		})
	})
}
