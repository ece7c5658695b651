package onnode

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"doctor/checks/evidence"
	"doctor/collectors"
	"doctor/collectors/bundle"
	"doctor/collectors/cluster"
)

// pollEvery is how often the pods of a run are looked at, all in one request.
const pollEvery = 500 * time.Millisecond

// mostUnseen is how many lists may lack a pod that was just created: the server's memory comes after
// what it stores.
const mostUnseen = 10

// startTime is for what comes before a pod's own deadline begins: the kubelet hears of the pod.
const startTime = 30 * time.Second

// A pod is what is read of one.
type pod struct {
	evidence.Pod
}

func (p pod) over() bool { return p.Status.Phase == "Succeeded" || p.Status.Phase == "Failed" }

func (p pod) container() evidence.ContainerStatus {
	for _, c := range p.Status.ContainerStatuses {
		return c
	}
	return evidence.ContainerStatus{}
}

// poll reads the pods of the run for as long as anybody waits for one.
func (r *Run) poll(ctx context.Context) {
	tick := time.NewTicker(pollEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		r.mu.Lock()
		idle := r.waiters == 0
		r.mu.Unlock()
		if idle {
			continue
		}
		pods, err := r.list(ctx)
		r.mu.Lock()
		if r.pollErr = err; err == nil {
			r.pods = pods
			close(r.polled)
			r.polled = make(chan struct{})
		}
		r.mu.Unlock()
	}
}

func (r *Run) list(ctx context.Context) (map[string]pod, error) {
	content, err := r.client.Do(ctx, cluster.Request{Path: r.o.path("", "pods"),
		Query: url.Values{"labelSelector": {runLabel + "=" + r.anchor}, "resourceVersion": {"0"}},
		Verb:  "list", What: "pods"})
	if err != nil {
		return nil, err
	}
	var list struct{ Items []pod }
	if err := json.Unmarshal(content, &list); err != nil {
		return nil, err
	}
	pods := map[string]pod{}
	for _, p := range list.Items {
		pods[p.Metadata.Name] = p
	}
	return pods, nil
}

// noEvidence is the error for a node from which no evidence came.
//
//go:noinline
func noEvidence(kind, format string, args ...any) error {
	return collectors.GapError(evidence.NoPodEvidence.OfKind(kind, append([]any{format},
		args...)...))
}

// Evidence runs a pod on the node and returns the evidence tree that it printed.
func (r *Run) Evidence(ctx context.Context, node evidence.NodeObject) (fs.FS, error) {
	zip, err := r.Packed(ctx, node)
	if err != nil {
		return nil, err
	}
	return Open(zip)
}

// Packed is Evidence as the pod sent it, for Open.
func (r *Run) Packed(ctx context.Context, node evidence.NodeObject) (zip []byte, err error) {
	if err := Obstacle(node); err != nil {
		return nil, err
	}
	select {
	case r.slots <- struct{}{}:
		defer func() { <-r.slots }()
	case <-ctx.Done():
		return nil, noEvidence(evidence.Timeout, "the run ended before the pod's turn came")
	}
	name := node.Metadata.Name
	_, err = r.client.Do(ctx, cluster.Request{Method: http.MethodPost, Path: r.o.path("", "pods"),
		Object: r.o.pod(r.anchor, r.uid, name), Verb: "create", What: "pods"})
	if err != nil && !isCode(err, http.StatusConflict) { // which is the same pod
		return nil, r.o.refused(err)
	}
	p, err := r.wait(ctx, podName(r.anchor, name))
	if err != nil {
		return nil, err
	}
	zip, err = r.collect(ctx, p)
	// what is over is removed at once, so that the next list is short; the anchor removes the rest
	_ = remove(ctx, r.client, r.o.path("", "pods")+"/"+p.Metadata.Name, "pods")
	return zip, err
}

// wait returns the pod when it is over, or why it never will be.
func (r *Run) wait(ctx context.Context, name string) (pod, error) {
	r.mu.Lock()
	r.waiters++
	r.mu.Unlock()
	defer func() {
		r.mu.Lock()
		r.waiters--
		r.mu.Unlock()
	}()
	late := time.NewTimer(podTime + startTime)
	defer late.Stop()
	var last pod
	seen := false
	for looks := 0; ; looks++ {
		r.mu.Lock()
		p, there := r.pods[name]
		polled := r.polled
		r.mu.Unlock()
		switch {
		case there && p.over():
			return p, p.unfinished()
		case there:
			if err := p.stuck(); err != nil {
				return p, err
			}
			seen, last = true, p
		case seen, looks >= mostUnseen:
			return last, noEvidence(evidence.NotCollected,
				"the pod was removed during the run; the node may be gone")
		}
		select {
		case <-polled:
		case <-late.C:
			return last, r.tooLate(last)
		case <-ctx.Done():
			if errors.Is(context.Cause(ctx), context.Canceled) {
				return last, collectors.GapError(evidence.Interrupted.Gap())
			}
			return last, r.tooLate(last)
		}
	}
}

// tooLate says how far a pod came that is not waited for any longer.
func (r *Run) tooLate(p pod) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	waiting := p.container().State.Waiting
	switch {
	case r.pollErr != nil:
		return r.pollErr
	case p.container().State.Running != nil:
		return noEvidence(evidence.Timeout, "the pod did not finish in time")
	case waiting != nil && waiting.Message != "":
		return noEvidence(evidence.Timeout, "the pod did not start in time: %s",
			evidence.Clip(waiting.Message, 200))
	}
	return noEvidence(evidence.Timeout, "the kubelet did not start the pod in time")
}

// unfinished is why a pod that is over has printed nothing.
func (p pod) unfinished() error {
	switch {
	case p.Status.Reason == "DeadlineExceeded":
		return noEvidence(evidence.Timeout, "the pod did not finish within %s", podTime)
	case p.container().State.Terminated == nil && p.Status.Phase == "Failed":
		return noEvidence(evidence.NotCollected, "the kubelet refused the pod: %s",
			evidence.Clip(p.Status.Reason+": "+p.Status.Message, 300))
	}
	return nil
}

// stuck is why a pod will not start, as far as waiting would not help.
func (p pod) stuck() error {
	w := p.container().State.Waiting
	if w == nil {
		return nil
	}
	message := evidence.Clip(w.Message, 300)
	switch w.Reason {
	case "ErrImagePull", "ImagePullBackOff":
		if strings.Contains(w.Message, "no match for platform") ||
			strings.Contains(w.Message, "no matching manifest") {
			return noEvidence(evidence.NotCollected, "the image %s has no variant for this node: %s",
				p.container().Image, message)
		}
		if w.Reason == "ErrImagePull" {
			return nil // the kubelet tries again
		}
		fallthrough
	case "InvalidImageName", "ErrImageNeverPull":
		return noEvidence(evidence.NotCollected, "the image %s cannot be pulled: %s",
			p.container().Image, message)
	case "CreateContainerConfigError", "CreateContainerError", "RunContainerError":
		return noEvidence(evidence.NotCollected, "the container does not start: %s", message)
	}
	return nil
}

// collect takes the evidence out of the log, once more where it came cut.
func (r *Run) collect(ctx context.Context, p pod) (zip []byte, err error) {
	var log []byte
	for range 2 {
		log, err = r.client.Do(ctx, cluster.Request{
			Path:  r.o.path("", "pods") + "/" + p.Metadata.Name + "/log",
			Query: url.Values{"limitBytes": {strconv.Itoa(maxLog)}}, Verb: "get", What: "pods/log",
			Limit: maxLog + 1})
		if err != nil {
			return nil, withoutLog(p, err)
		}
		if zip, err = ReadFrame(log); err == nil {
			return zip, nil
		}
	}
	if errors.Is(err, errNoFrame) {
		said := strings.TrimSpace(string(log[max(0, len(log)-200):]))
		return nil, noEvidence(evidence.Error, "the pod printed no evidence: %s", said)
	}
	return nil, noEvidence(evidence.Error, "the log of the pod is incomplete: %s", err)
}

// withoutLog is the error where the log cannot be read. What the kubelet reported with the end of the
// container reaches the client all the same.
func withoutLog(p pod, err error) error {
	why := collectors.GapOf(err).Reason()
	if t := p.container().State.Terminated; t != nil {
		if ids, told := causesIn(t.Message); told && len(ids) > 0 {
			return noEvidence(evidence.Error, "the log of the pod cannot be read (%s); the pod itself found: %s",
				why, strings.Join(ids, ", "))
		} else if told || t.ExitCode == 0 {
			return noEvidence(evidence.Error,
				"the log of the pod cannot be read (%s); the pod itself found no fault", why)
		}
	}
	return noEvidence(evidence.Error, "the log of the pod cannot be read: %s", why)
}

// Open opens the evidence of a pod as any bundle of somebody else's.
func Open(zip []byte) (fs.FS, error) {
	archive, err := bundle.Read(strings.NewReader(string(zip)), "evidence.zip")
	if err != nil {
		return nil, noEvidence(evidence.Error, "the evidence of the pod cannot be opened: %s", err)
	}
	return archive.FS(), nil
}
