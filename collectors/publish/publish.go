// Package publish tells a cluster what is wrong with one of its nodes: as a condition of the Node, as
// an Event, and as a ClusterReport where the cluster has that kind. It writes where something changed
// since the last time, and else sends nothing: a thousand nodes must not be felt by the API server.
package publish

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strings"
	"time"

	"doctor/checks/evidence"
	"doctor/collectors/cluster"
)

// Condition is the type of the node condition.
const Condition = "WindowsNodeProblem"

// Reason is that of the condition of a node without a fault.
const healthyReason = "NoProblemFound"

// A State is what is published of a node.
type State struct {
	Causes       []string // ids, the first cause first
	Message      string   // for people
	Report       any      // the ClusterReport; nil for none
	ReportDigest string   // of what counts as a change; its times do not
}

// A Publisher remembers what it published of its node.
type Publisher struct {
	Client *cluster.Client
	Node   string

	known     bool   // whether the Node was read
	uid       string // its own
	told      bool   // whether it has the condition, …
	causes    string // … with these causes
	unsent    bool   // an Event of that
	digest    string // of the report
	failures  int
	notBefore time.Time
	Writes    map[string]int // so far, by kind
}

// Publish writes what changed. After an error the next writes wait: twice as long each time, and some
// more, so that the nodes of a cluster do not come back together.
func (p *Publisher) Publish(ctx context.Context, now time.Time, s State) error {
	if now.Before(p.notBefore) {
		return nil
	}
	err := p.publish(ctx, now, s)
	if err == nil {
		p.failures = 0
		return nil
	}
	p.failures++
	pause := min(firstPause<<min(p.failures-1, 10), longestPause)
	p.notBefore = now.Add(pause + rand.N(pause))
	return err
}

// The pauses after errors.
const (
	firstPause   = 30 * time.Second
	longestPause = 30 * time.Minute
)

func (p *Publisher) publish(ctx context.Context, now time.Time, s State) error {
	if p.Writes == nil {
		p.Writes = map[string]int{}
	}
	if !p.known {
		if err := p.recall(ctx); err != nil {
			return err
		}
	}
	if causes := strings.Join(s.Causes, ","); !p.told || causes != p.causes {
		if err := p.condition(ctx, now, s); err != nil {
			return err
		}
		p.Writes["condition"]++
		p.unsent = p.told || len(s.Causes) > 0 // that a new node is well is no news
		p.told, p.causes = true, causes
	}
	if p.unsent {
		if err := p.event(ctx, now, s); err != nil {
			return err
		}
		p.Writes["event"]++
		p.unsent = false
	}
	if s.Report != nil && s.ReportDigest != p.digest {
		if err := p.report(ctx, s.Report); err != nil {
			return err
		}
		p.Writes["report"]++
		p.digest = s.ReportDigest
	}
	return nil
}

// recall reads what an earlier start published.
func (p *Publisher) recall(ctx context.Context) error {
	content, err := p.Client.Do(ctx, cluster.Request{Path: p.nodePath(), Verb: "get",
		What: "node " + p.Node})
	if err != nil {
		return err
	}
	var node evidence.NodeObject
	var uid struct{ Metadata struct{ UID string } }
	if err := cmp.Or(json.Unmarshal(content, &node), json.Unmarshal(content, &uid)); err != nil {
		return err
	}
	p.uid, p.known = uid.Metadata.UID, true
	if c, ok := node.Condition(Condition); ok {
		p.told = true
		if ids, _, told := strings.Cut(c.Message, ": "); told && c.Status == "True" {
			p.causes = strings.ReplaceAll(ids, ", ", ",")
		}
	}
	return nil
}

func (p *Publisher) nodePath() string { return "/api/v1/nodes/" + url.PathEscape(p.Node) }

func (p *Publisher) condition(ctx context.Context, now time.Time, s State) error {
	status := "False"
	if len(s.Causes) > 0 {
		status = "True"
	}
	at := now.UTC().Format(time.RFC3339)
	_, err := p.Client.Do(ctx, cluster.Request{Method: http.MethodPatch,
		Path: p.nodePath() + "/status", Patch: "application/strategic-merge-patch+json",
		Object: map[string]any{"status": map[string]any{"conditions": []map[string]any{{
			"type": Condition, "status": status, "reason": reasonOf(s.Causes),
			"message": s.Message, "lastHeartbeatTime": at, "lastTransitionTime": at}}}},
		Verb: "patch", What: "nodes/status"})
	return err
}

func (p *Publisher) event(ctx context.Context, now time.Time, s State) error {
	kind := "Normal"
	if len(s.Causes) > 0 {
		kind = "Warning"
	}
	at := now.UTC().Format(time.RFC3339)
	_, err := p.Client.Do(ctx, cluster.Request{Method: http.MethodPost,
		Path: "/api/v1/namespaces/default/events",
		Object: map[string]any{"apiVersion": "v1", "kind": "Event",
			"metadata": map[string]any{"generateName": "doctor-", "namespace": "default"},
			"involvedObject": map[string]any{"apiVersion": "v1", "kind": "Node", "name": p.Node,
				"uid": p.uid},
			"type": kind, "reason": reasonOf(s.Causes), "message": s.Message, "count": 1,
			"firstTimestamp": at, "lastTimestamp": at,
			"source": map[string]any{"component": "doctor", "host": p.Node}},
		Verb: "create", What: "events"})
	return err
}

// report applies the report. A cluster that does not know the kind gets no report, which is no error.
func (p *Publisher) report(ctx context.Context, report any) error {
	_, err := p.Client.Do(ctx, cluster.Request{Method: http.MethodPatch,
		Path:  "/apis/openreports.io/v1alpha1/clusterreports/" + url.PathEscape("doctor-"+p.Node),
		Query: url.Values{"fieldManager": {"doctor"}, "force": {"true"}}, Object: report,
		Patch: "application/apply-patch+yaml", Verb: "patch", What: "clusterreports.openreports.io"})
	if refused, ok := errors.AsType[*cluster.Refusal](err); ok && refused.Code == http.StatusNotFound {
		return nil
	}
	return err
}

// reasonOf is the first cause as a condition's reason is written: KubeletRemovedFlag.
func reasonOf(causes []string) string {
	if len(causes) == 0 {
		return healthyReason
	}
	var b bytes.Buffer
	for word := range strings.SplitSeq(causes[0], "-") {
		if word != "" {
			b.WriteString(strings.ToUpper(word[:1]) + word[1:])
		}
	}
	return b.String()
}

// MessageOf is the message of a condition: the ids of the causes, and what the first says.
func MessageOf(causes []string, first string) string {
	if len(causes) == 0 {
		return "doctor found no fault"
	}
	return evidence.Clip(strings.Join(causes, ", ")+": "+first, 900)
}
