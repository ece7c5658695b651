// Package onnode reads Windows nodes from inside, from anywhere: a short-lived HostProcess pod on each
// node prints its evidence, redacted, and the client takes that out of the pod's log.
//
// Everything that a run creates belongs to one Job that runs nothing, the anchor. Deleting it is the
// whole clean-up, and where the client is killed the anchor expires on its own. No namespace is created
// or labeled here: where one is missing or too strict, the error has the commands.
package onnode

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"doctor/checks/evidence"
	"doctor/collectors"
	"doctor/collectors/cluster"
)

// Options say what runs on the nodes, and where it belongs.
type Options struct {
	Image       string
	Namespace   string
	PullSecrets []string
	Parallel    int           // pods at a time; 1 where it is 0
	MaxZip      int64         // bytes of a node's evidence; MaxZip where it is 0
	Deadline    time.Duration // of the anchor; 15 minutes where it is 0
}

// DefaultNamespace is where pods run unless the user names another.
const DefaultNamespace = "doctor-system"

// A Run is one anchor with its pods.
type Run struct {
	client      *cluster.Client
	o           Options
	anchor, uid string
	slots       chan struct{}

	mu       sync.Mutex
	waiters  int
	pods     map[string]pod
	polled   chan struct{} // closed when pods is news
	pollErr  error
	stop     context.CancelFunc
	finished sync.WaitGroup
}

// Start asks whether pods may be created, and creates the anchor. node is one that a pod is for.
func Start(ctx context.Context, client *cluster.Client, o Options, node string) (*Run, error) {
	if err := preflight(ctx, client, o, node); err != nil {
		return nil, err
	}
	content, err := client.Do(ctx, cluster.Request{Method: http.MethodPost,
		Path: o.path("batch", "jobs"), Object: o.anchorJob(), Verb: "create", What: "jobs.batch"})
	if err != nil {
		return nil, o.refused(err)
	}
	var job struct{ Metadata struct{ Name, UID string } }
	if err := json.Unmarshal(content, &job); err != nil || job.Metadata.UID == "" {
		return nil, errors.New("the API server did not return the Job that it created; try again")
	}
	polling, stop := context.WithCancel(context.WithoutCancel(ctx))
	r := &Run{client: client, o: o, anchor: job.Metadata.Name, uid: job.Metadata.UID,
		slots: make(chan struct{}, max(o.Parallel, 1)), polled: make(chan struct{}), stop: stop}
	r.finished.Go(func() { r.poll(polling) })
	return r, nil
}

// cleanUp is how long the removal of a run may take. What it does not reach, the anchor's deadline
// removes.
const cleanUp = 15 * time.Second

// End removes all that the run created, whatever became of the context that it was started with.
func (r *Run) End() error {
	r.stop()
	r.finished.Wait()
	ctx, cancel := context.WithTimeout(context.Background(), cleanUp)
	defer cancel()
	return remove(ctx, r.client, r.o.path("batch", "jobs")+"/"+r.anchor, "jobs.batch "+r.anchor)
}

// remove deletes an object with all that it owns. One that is gone already is fine.
func remove(ctx context.Context, client *cluster.Client, path, what string) error {
	_, err := client.Do(ctx, cluster.Request{Method: http.MethodDelete, Path: path,
		Object: object{"apiVersion": "v1", "kind": "DeleteOptions",
			"propagationPolicy": "Background"}, Verb: "delete", What: what})
	if isCode(err, http.StatusNotFound) {
		return nil
	}
	return err
}

func (o Options) path(group, resource string) string {
	start := "/api/v1"
	if group != "" {
		start = "/apis/" + group + "/v1"
	}
	return start + "/namespaces/" + url.PathEscape(o.Namespace) + "/" + resource
}

func isCode(err error, code int) bool {
	refused, ok := errors.AsType[*cluster.Refusal](err)
	return ok && refused.Code == code
}

// Rights are what a run needs beside the right to read, in its namespace.
func Rights(namespace string) []cluster.Right {
	return []cluster.Right{
		{Verb: "create", Group: "batch", Resource: "jobs", Namespace: namespace},
		{Verb: "list", Group: "batch", Resource: "jobs", Namespace: namespace},
		{Verb: "delete", Group: "batch", Resource: "jobs", Namespace: namespace},
		{Verb: "create", Resource: "pods", Namespace: namespace},
		{Verb: "list", Resource: "pods", Namespace: namespace},
		{Verb: "delete", Resource: "pods", Namespace: namespace},
		{Verb: "get", Resource: "pods/log", Namespace: namespace},
	}
}

// A SetupError says why no pod can be sent to any node, and how to change that.
type SetupError struct {
	Why evidence.Gap
	Fix string // commands, a line each
}

// Error is the reason and the commands.
func (e *SetupError) Error() string {
	text := e.Why.Reason()
	if e.Fix != "" {
		text += "; run\n  " + strings.ReplaceAll(e.Fix, "\n", "\n  ")
	}
	return text
}

// Unwrap is the gap in the place of the evidence.
func (e *SetupError) Unwrap() error { return collectors.GapError(e.Why) }

// preflight asks for the rights, and lets the server judge a pod without storing it.
func preflight(ctx context.Context, client *cluster.Client, o Options, node string) error {
	var missing []string
	for _, right := range Rights(o.Namespace) {
		allowed, err := client.Allowed(ctx, right)
		if err != nil {
			return err
		}
		if !allowed {
			missing = append(missing, right.Verb+" "+right.What())
		}
	}
	if len(missing) > 0 {
		return noPod(fmt.Sprintf(`kubectl -n %[1]s create role doctor-on-node --verb=create,list,delete,get --resource=jobs.batch,pods,pods/log
kubectl -n %[1]s create rolebinding doctor-on-node --role=doctor-on-node --user=NAME`, o.Namespace),
			"no right in the namespace %s to %s", o.Namespace, strings.Join(missing, ", "))
	}
	dry := o.pod("doctor-run-preflight", "", node)
	_, err := client.Do(ctx, cluster.Request{Method: http.MethodPost, Path: o.path("", "pods"),
		Query: url.Values{"dryRun": {"All"}}, Object: dry, Verb: "create", What: "pods"})
	return o.refused(err)
}

// noPod is the error for all nodes, with the commands that change it.
func noPod(fix, format string, args ...any) error {
	return &SetupError{evidence.NoPodSent.OfKind(evidence.Denied,
		append([]any{format}, args...)...), fix}
}

// refused makes of the server's refusal of a pod the reason for all nodes, with its fix.
func (o Options) refused(err error) error {
	r, ok := errors.AsType[*cluster.Refusal](err)
	if !ok {
		return err
	}
	privileged := "kubectl label namespace " + o.Namespace +
		" pod-security.kubernetes.io/enforce=privileged"
	switch {
	case r.Code == http.StatusNotFound && strings.Contains(r.Message, "namespaces"):
		return noPod("kubectl create namespace "+o.Namespace+"\n"+privileged,
			"there is no namespace %s", o.Namespace)
	case strings.Contains(r.Message, "violates PodSecurity"):
		return noPod(privileged, "the Pod Security level of the namespace %s refuses HostProcess pods",
			o.Namespace)
	case r.Code == http.StatusUnprocessableEntity &&
		strings.Contains(r.Message, "disallowed by cluster policy"):
		return noPod("", "the API server refuses HostProcess pods; start it with --allow-privileged=true")
	case r.Code == http.StatusForbidden, r.Code == http.StatusBadRequest,
		r.Code == http.StatusUnprocessableEntity:
		return noPod("", "the API server refuses the pod: %s", evidence.Clip(r.Message, 300))
	}
	return err
}
