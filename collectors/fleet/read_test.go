package fleet_test

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"doctor/checks/evidence"
	"doctor/collectors/cluster"
	"doctor/collectors/fleet"
	"doctor/fixtures/apibed"
	"doctor/fixtures/wait"
)

// nodes is how many there are; with 30 pods each their list has several pages.
const nodes = 40

var filled sync.Once

// bedOfMany is an API server with many nodes, which stay until it ends.
func bedOfMany(t *testing.T) *apibed.Bed {
	t.Helper()
	bed := apibed.Require(t)
	filled.Do(func() { bed.Fleet(t, 0, nodes) })
	return bed
}

// read reads the fleet as a login, through a front that spoils what it is asked.
func read(t *testing.T, bed *apibed.Bed, spoil func(http.Handler) http.Handler,
	o fleet.Options) (*fleet.Fleet, error) {
	t.Helper()
	front := bed.Front(t, apibed.Faults{Spoil: spoil})
	return readAs(t, bed.Kubeconfig(t, apibed.Login{Server: front.URL, CA: front.CA}), o)
}

func readAs(t *testing.T, kubeconfig string, o fleet.Options) (*fleet.Fleet, error) {
	t.Helper()
	client, err := cluster.Connect(cluster.Options{Kubeconfig: kubeconfig})
	if err != nil {
		t.Fatal(err)
	}
	return fleet.Read(t.Context(), client, o)
}

// snapshot is the evidence of a node as a check sees it.
func snapshot(t *testing.T, f *fleet.Fleet, node string) evidence.Snapshot {
	t.Helper()
	tree, _, err := f.Evidence(node)
	if err != nil {
		t.Fatal(err)
	}
	s, err := evidence.Load(tree)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// whole tells what is wrong where every node must have all of its pods and events.
func whole(t *testing.T, f *fleet.Fleet) {
	t.Helper()
	for _, name := range f.Names() {
		s := snapshot(t, f, name)
		if pods := evidence.Pods.In(s); len(pods) != 30 {
			t.Errorf("%s has %d pods (%s)", name, len(pods), evidence.Pods.Gap(s))
		}
		for _, p := range evidence.Pods.In(s) {
			if p.Spec.NodeName != name {
				t.Errorf("%s has a pod of %s", name, p.Spec.NodeName)
			}
		}
		if n := evidence.Node.In(s); n.Metadata.Name != name {
			t.Errorf("the node of %s is %s", name, n.Metadata.Name)
		}
		if all := evidence.Nodes.In(s); len(all) != nodes {
			t.Errorf("%s knows %d nodes", name, len(all))
		}
	}
	if s := snapshot(t, f, "fleet-0000"); len(evidence.PodEvents.In(s)) != 1 {
		t.Errorf("fleet-0000 has %d events", len(evidence.PodEvents.In(s)))
	}
	if s := snapshot(t, f, "fleet-0003"); len(evidence.PodEvents.In(s)) != 0 {
		t.Errorf("fleet-0003 has %d events", len(evidence.PodEvents.In(s)))
	}
}

func TestPagesAreSplitByNode(t *testing.T) {
	bed := bedOfMany(t)
	var progress []fleet.Progress
	f, err := readAs(t, bed.Kubeconfigs["admin"], fleet.Options{Progress: func(p fleet.Progress) {
		progress = append(progress, p)
	}})
	if err != nil {
		t.Fatal(err)
	}
	if len(f.Names()) != nodes || len(f.Notes) > 0 {
		t.Errorf("%d nodes, with notes %q", len(f.Names()), f.Notes)
	}
	whole(t, f)
	grown := false
	for _, p := range progress {
		// the API server says that its count of what is left is an estimate
		grown = grown || p.What == "pods" && p.Done == 500 && p.Left > 0
	}
	if !grown {
		t.Errorf("the progress was %+v", progress)
	}
}

func TestTheRoleOfOneNodeIsEnoughForAll(t *testing.T) {
	bed := bedOfMany(t)
	const rbac = "/apis/rbac.authorization.k8s.io/v1/"
	bed.Apply(t, rbac+"clusterroles/doctor-reader", cluster.ClusterRole)
	bed.Create(t, rbac+"clusterrolebindings", apibed.Object{
		"metadata": apibed.Object{"name": "fleet-reader"},
		"roleRef": apibed.Object{"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole",
			"name": "doctor-reader"},
		"subjects": []apibed.Object{{"apiGroup": "rbac.authorization.k8s.io", "kind": "User",
			"name": "reader"}}})
	// a grant reaches those who decide some time after it is answered
	wait.Until(t, "a fleet without gaps", func() bool {
		f, err := readAs(t, bed.Kubeconfigs["reader"], fleet.Options{})
		if err != nil {
			return false
		}
		s := snapshot(t, f, "fleet-0001")
		return !slices.ContainsFunc([]string{"api/version.json", "api/services.json",
			"api/endpointslices.json", "api/daemonsets.json", "api/servicecidrs.json",
			"api/configmaps.json", "api/pods.json", "api/events.json"}, func(path string) bool {
			return s.GapAt(path).Kind != ""
		})
	})
}

// onPage hands the requests for further pages of a list to a handler.
func onPage(path string, answer func(w http.ResponseWriter, r *http.Request,
	server http.Handler)) func(http.Handler) http.Handler {
	return func(server http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == path && r.URL.Query().Get("continue") != "" {
				answer(w, r, server)
				return
			}
			server.ServeHTTP(w, r)
		})
	}
}

// status answers as an API server does that refuses a request.
func status(w http.ResponseWriter, code int, reason, rest string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	json.NewEncoder(w).Encode(apibed.Object{"kind": "Status", "apiVersion": "v1",
		"status": "Failure", "reason": reason, "code": code, "message": "spoiled",
		"metadata": apibed.Object{"continue": rest}})
}

func TestAListWhoseStateExpiredGoesOn(t *testing.T) {
	bed := bedOfMany(t)
	expired := 0
	f, err := read(t, bed, onPage("/api/v1/pods", func(w http.ResponseWriter, r *http.Request,
		server http.Handler) {
		query := r.URL.Query()
		rest, resumed := strings.CutPrefix(query.Get("continue"), "resumed-")
		if !resumed {
			expired++
			status(w, http.StatusGone, "Expired", "resumed-"+rest)
			return
		}
		query.Set("continue", rest)
		r.URL.RawQuery = query.Encode()
		server.ServeHTTP(w, r)
	}), fleet.Options{})
	if err != nil || expired == 0 {
		t.Fatalf("%d pages expired: %v", expired, err)
	}
	whole(t, f)
}

func TestAListThatBreaksOffIsNone(t *testing.T) {
	bed := bedOfMany(t)
	for _, c := range []struct {
		name   string
		path   string
		answer func(w http.ResponseWriter, r *http.Request, server http.Handler)
		gap    string // in the place of which file
		says   string
	}{
		{"a page of pods that the server fails at", "/api/v1/pods",
			func(w http.ResponseWriter, _ *http.Request, _ http.Handler) {
				status(w, http.StatusInternalServerError, "InternalError", "")
			}, "api/pods.json", "spoiled"},
		{"a page that expires for ever", "/api/v1/pods",
			func(w http.ResponseWriter, r *http.Request, _ http.Handler) {
				status(w, http.StatusGone, "Expired", r.URL.Query().Get("continue"))
			}, "api/pods.json", "410"},
		{"a page that is cut", "/api/v1/pods",
			func(w http.ResponseWriter, _ *http.Request, _ http.Handler) {
				w.Header().Set("Content-Type", "application/json")
				w.Write([]byte(`{"kind":"PodList","items":[{"metadata":{"name":"x"`))
			}, "api/pods.json", "list pods"},
	} {
		t.Run(c.name, func(t *testing.T) {
			f, err := read(t, bed, onPage(c.path, c.answer), fleet.Options{})
			if err != nil {
				t.Fatal(err)
			}
			s := snapshot(t, f, "fleet-0000")
			if g := s.GapAt(c.gap); g.Kind == "" || !strings.Contains(g.String(), c.says) {
				t.Errorf("%s: %q", c.gap, g)
			}
			if evidence.Node.In(s).Metadata.Name != "fleet-0000" {
				t.Error("the Node is gone too")
			}
		})
	}
}

func TestAServerThatThrottlesIsWaitedFor(t *testing.T) {
	bed := bedOfMany(t)
	throttled := 0
	f, err := read(t, bed, onPage("/api/v1/pods", func(w http.ResponseWriter, r *http.Request,
		server http.Handler) {
		if throttled++; throttled == 1 {
			w.Header().Set("Retry-After", "1")
			status(w, http.StatusTooManyRequests, "TooManyRequests", "")
			return
		}
		server.ServeHTTP(w, r)
	}), fleet.Options{})
	if err != nil || throttled < 2 {
		t.Fatalf("%d requests for pages: %v", throttled, err)
	}
	whole(t, f)
}

func TestAnInterruptedReadingEnds(t *testing.T) {
	bed := bedOfMany(t)
	client, err := cluster.Connect(cluster.Options{Kubeconfig: bed.Kubeconfigs["admin"]})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	_, err = fleet.Read(ctx, client, fleet.Options{Progress: func(p fleet.Progress) {
		if p.What == "pods" {
			cancel()
		}
	}})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("the error is %v", err)
	}
	late, cancelLate := context.WithTimeout(t.Context(), time.Nanosecond)
	defer cancelLate()
	if _, err = fleet.Read(late, client, fleet.Options{}); err == nil {
		t.Error("a reading without time succeeds")
	}
}

func TestARecordingHoldsWhatIsSharedOnce(t *testing.T) {
	bed := bedOfMany(t)
	f, err := readAs(t, bed.Kubeconfigs["admin"], fleet.Options{
		Nodes: []string{"fleet-0000", "fleet-0007"},
		Gaps:  map[string]evidence.Gap{"cri.json": evidence.OnlyOnNode.Gap("the node")}})
	if err != nil {
		t.Fatal(err)
	}
	added := 0
	tree, err := f.Record(t.Context(), "test", func(string) { added++ })
	if err != nil || added != 2 || !fleet.IsRecording(tree) {
		t.Fatalf("%d nodes are recorded: %v", added, err)
	}
	again, err := fleet.Open(tree)
	if err != nil {
		t.Fatal(err)
	}
	if err := again.Has("fleet-0001"); err == nil {
		t.Error("it has a node that was not selected")
	}
	for _, name := range f.Names() {
		was, is := snapshot(t, f, name), snapshot(t, again, name)
		for _, path := range was.Paths() {
			a, errA := fs.ReadFile(must(t, f, name), path)
			b, errB := fs.ReadFile(must(t, again, name), path)
			if errA != nil || errB != nil || string(a) != string(b) {
				t.Errorf("%s of %s: %v %v\n%s\n%s", path, name, errA, errB, a, b)
			}
		}
		if evidence.CRI.Gap(is).Code != evidence.OnlyOnNode {
			t.Errorf("%s: %s", name, evidence.CRI.Gap(is))
		}
	}
	if _, err := fs.Stat(tree, "nodes/fleet-0000/api/nodes.json"); err == nil {
		t.Error("what all nodes share is recorded of one")
	}
}

func must(t *testing.T, f *fleet.Fleet, node string) fs.FS {
	t.Helper()
	tree, _, err := f.Evidence(node)
	if err != nil {
		t.Fatal(err)
	}
	return tree
}
