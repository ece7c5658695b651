package publish_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"doctor/collectors/cluster"
	"doctor/collectors/publish"
	"doctor/fixtures/apibed"
)

var start = time.Date(2026, 11, 1, 10, 0, 0, 0, time.UTC)

func client(t testing.TB, kubeconfig string) *cluster.Client {
	t.Helper()
	c, err := cluster.Connect(cluster.Options{Kubeconfig: kubeconfig})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func sick(ids ...string) publish.State {
	return publish.State{Causes: ids, Message: publish.MessageOf(ids, "kubelet exits")}
}

// writes are the requests of a front that are no readings.
func writes(f *apibed.Front) (list []string) {
	for _, r := range f.Requests() {
		if !strings.HasPrefix(r, "GET ") {
			list = append(list, r)
		}
	}
	return list
}

// TestWhatChangesIsPublishedOnce: the condition with each change of the causes, and an event with each
// but the first of a node that is well.
func TestWhatChangesIsPublishedOnce(t *testing.T) {
	bed := apibed.Require(t)
	bed.Create(t, "/api/v1/nodes", apibed.Node("win-p", "windows", "10.240.0.8", "True"))
	front := bed.Front(t, apibed.Faults{})
	kubeconfig := bed.Kubeconfig(t, apibed.Login{Server: front.URL, CA: front.CA})
	p := &publish.Publisher{Client: client(t, kubeconfig), Node: "win-p"}
	now := start
	for i, step := range []struct {
		name   string
		state  publish.State
		anew   bool // by a program that was just started
		writes int  // of this step
		reason string
	}{
		{"a healthy node", sick(), false, 1, "NoProblemFound"},
		{"the same again", sick(), false, 0, "NoProblemFound"},
		{"a restart", sick(), true, 0, "NoProblemFound"},
		{"a fault", sick("kubelet-removed-flag", "time-service-not-running"), false, 2, "KubeletRemovedFlag"},
		{"the fault in other words", publish.State{Causes: []string{"kubelet-removed-flag",
			"time-service-not-running"}, Message: "changed"}, false, 0, "KubeletRemovedFlag"},
		{"a restart with the fault", sick("kubelet-removed-flag", "time-service-not-running"), true, 0,
			"KubeletRemovedFlag"},
		{"one cause less", sick("kubelet-removed-flag"), false, 2, "KubeletRemovedFlag"},
		{"it is well", sick(), false, 2, "NoProblemFound"},
	} {
		if step.anew {
			p = &publish.Publisher{Client: client(t, kubeconfig), Node: "win-p"}
		}
		before := len(writes(front))
		now = now.Add(5 * time.Minute)
		if err := p.Publish(t.Context(), now, step.state); err != nil {
			t.Fatalf("%s: %v", step.name, err)
		}
		if n := len(writes(front)) - before; n != step.writes {
			t.Errorf("step %d, %s: %d writes, and should be %d", i, step.name, n, step.writes)
		}
		var node struct {
			Status struct {
				Conditions []struct{ Type, Status, Reason, LastTransitionTime string }
			}
		}
		if err := json.Unmarshal(bed.Get(t, "/api/v1/nodes/win-p"), &node); err != nil {
			t.Fatal(err)
		}
		found, ready := "", false
		for _, c := range node.Status.Conditions {
			if c.Type == publish.Condition {
				found = c.Reason
				if (c.Status == "True") != (len(step.state.Causes) > 0) {
					t.Errorf("%s: the condition is %+v", step.name, c)
				}
			}
			ready = ready || c.Type == "Ready"
		}
		if found != step.reason || !ready {
			t.Errorf("%s: the reason is %q, other conditions are there: %v", step.name, found, ready)
		}
	}
}

// TestAnEventThatFailedIsSentLater: the condition that came before it was written, and is not again.
func TestAnEventThatFailedIsSentLater(t *testing.T) {
	bed := apibed.Require(t)
	bed.Create(t, "/api/v1/nodes", apibed.Node("win-e", "windows", "10.240.0.9", "True"))
	refused := 0
	front := bed.Front(t, apibed.Faults{Spoil: func(server http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodPost && refused < 2 {
				refused++
				w.WriteHeader(http.StatusServiceUnavailable)
				return
			}
			server.ServeHTTP(w, r)
		})
	}})
	p := &publish.Publisher{Node: "win-e",
		Client: client(t, bed.Kubeconfig(t, apibed.Login{Server: front.URL, CA: front.CA}))}
	state := sick("kubelet-removed-flag")
	now := start
	for p.Writes["event"] == 0 && now.Before(start.Add(2*time.Hour)) {
		now = now.Add(time.Minute)
		_ = p.Publish(t.Context(), now, state) // fails while the events are refused
	}
	now = now.Add(time.Hour)
	if err := p.Publish(t.Context(), now, state); err != nil {
		t.Fatal(err)
	}
	if refused != 2 || p.Writes["condition"] != 1 || p.Writes["event"] != 1 {
		t.Errorf("%d events were refused; then the writes are %v", refused, p.Writes)
	}
}

// TestErrorsAreWaitedOut: after each error the pause is at least as long as the one before was planned,
// and no request is sent in it.
func TestErrorsAreWaitedOut(t *testing.T) {
	bed := apibed.Require(t)
	front := bed.Front(t, apibed.Faults{Spoil: func(http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusServiceUnavailable)
		})
	}})
	p := &publish.Publisher{Node: "win-p",
		Client: client(t, bed.Kubeconfig(t, apibed.Login{Server: front.URL, CA: front.CA}))}
	tries, last := 0, start
	for now := start; now.Before(start.Add(6 * time.Hour)); now = now.Add(10 * time.Second) {
		before := len(front.Requests())
		if err := p.Publish(t.Context(), now, sick()); err == nil {
			if len(front.Requests()) > before {
				t.Fatal("a request in the pause")
			}
			continue
		}
		if least := 30 * time.Second << min(max(tries-1, 0), 10); tries > 0 &&
			now.Sub(last) < min(least, 30*time.Minute) {
			t.Errorf("try %d comes %s after the one before", tries, now.Sub(last))
		}
		tries, last = tries+1, now
	}
	if tries < 8 || tries > 20 {
		t.Errorf("%d tries in six hours", tries)
	}
}

// TestAThousandNodes measures the writes of a simulated hour: 1,000 nodes that are read every five
// minutes, of which one in a hundred changes its causes each time. Without a change there is none.
func TestAThousandNodes(t *testing.T) {
	bed := apibed.Require(t)
	const nodes, rounds = 1000, 12
	bed.Crowd(t, nodes, 0, 0)
	publishers := make([]*publish.Publisher, nodes)
	var shared *cluster.Client
	for i := range publishers {
		if i%50 == 0 { // each client limits its own requests
			shared = client(t, bed.Kubeconfigs["admin"])
		}
		publishers[i] = &publish.Publisher{Client: shared, Node: fmt.Sprintf("crowd-%d", i)}
	}
	total := func() (n int) {
		for _, p := range publishers {
			n += p.Writes["condition"] + p.Writes["event"] + p.Writes["report"]
		}
		return n
	}
	states := make([]publish.State, nodes)
	r := rand.New(rand.NewPCG(1, 2))
	round := func(now time.Time) {
		var all sync.WaitGroup
		next := make(chan int)
		for range 8 {
			all.Go(func() {
				for i := range next {
					if err := publishers[i].Publish(t.Context(), now, states[i]); err != nil {
						t.Errorf("%s: %v", publishers[i].Node, err)
					}
				}
			})
		}
		for i := range publishers {
			next <- i
		}
		close(next)
		all.Wait()
	}
	now := start
	round(now)
	first := total()
	for range rounds {
		now = now.Add(5 * time.Minute)
		round(now)
	}
	quiet := total() - first
	changes := 0
	for range rounds {
		now = now.Add(5 * time.Minute)
		for range nodes / 100 {
			i := r.IntN(nodes)
			if states[i].Causes == nil {
				states[i] = sick("kubelet-not-running")
			} else {
				states[i] = sick()
			}
			changes++
		}
		round(now)
	}
	busy := total() - first - quiet
	t.Logf("1,000 nodes: %d writes when all start, %d in an hour without a change, %d in an hour with %d changes",
		first, quiet, busy, changes)
	if first != nodes || quiet != 0 || busy > 2*changes {
		t.Errorf("writes: %d at the start, %d in a quiet hour, %d for %d changes", first, quiet, busy,
			changes)
	}
}
