package checks

import (
	"slices"
	"strings"
	"time"

	"doctor/checks/evidence"
	"doctor/checks/node"
)

// atLast is within what the logs repeat a fault that goes on: the kubelet tries each pod about that often.
const atLast = 3 * time.Minute

// doubted makes findings of what the logs tell where the state looks well and
// need not be.
func (c *Check) doubted(matches []evidence.SignMatch, s evidence.Snapshot) []*Finding {
	memory, ofSandbox := Recently, Recently
	if !c.Partial {
		memory, ofSandbox = atLast, atLast
	} else if node.About(s).Unhealthy(s) {
		memory, ofSandbox = LongAgo, LongAgo // something ails the node, and this may be it
	} else if evidence.Pods.Known(s) {
		ofSandbox = sandboxTried // no pod waits for one
	}
	var findings []*Finding
	for _, m := range matches {
		sign := c.SignOf(m)
		if sign == nil || sign.ConfirmOnly || sign.Level == Info || m.Over != "" ||
			m.Last.IsZero() || s.Now().Sub(m.Last) > memory || !c.Partial && ofRunningPods(s, m.Found) ||
			strings.Contains(m.Found, "RunPodSandbox") && s.Now().Sub(m.Last) > ofSandbox {
			continue
		}
		findings = quoted(findings,
			&Finding{Level: Warn, Format: "the logs say: %s; the node's state does not show it",
				Args: []any{evidence.Phrasef(sign.Says)}, Basis: ByText, Fix: sign.Fix.Clone(), doubt: !c.Partial}, m)
	}
	if len(findings) > 0 {
		return findings
	}
	return c.history(matches, wellBorne)
}

// ofRunningPods tells whether a text is about pods, and all of them run by now.
func ofRunningPods(s evidence.Snapshot, text string) (run bool) {
	for _, p := range evidence.Pods.In(s) {
		if p.Metadata.Name == "" || !strings.Contains(text, p.Metadata.Name) {
			continue
		}
		if run = !node.PodDown(p); !run {
			return false
		}
	}
	return run
}

// A verdict is what a check says of a node.
type verdict struct {
	check    *Check
	status   Status
	findings []*Finding
	why      reason
}

// dropDoubts makes history of doubts where another check found what ails the node.
func dropDoubts(verdicts []verdict) {
	known := slices.ContainsFunc(verdicts, func(v verdict) bool {
		return !v.check.Symptom && len(v.check.Breaks) > 0 && slices.ContainsFunc(v.findings,
			func(f *Finding) bool { return f.Level > Info && !f.doubt })
	})
	for i, v := range verdicts {
		for _, f := range v.findings {
			if known && f.doubt {
				f.Level, f.Fix = Info, Fix{}
				f.Format, f.Args = historyFormat, []any{f.Args[0], wellBorne}
			}
		}
		if v.status == StatusWarn {
			verdicts[i].status = statusOf(v.findings)
		}
	}
}
