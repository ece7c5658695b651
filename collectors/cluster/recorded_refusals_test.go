package cluster_test

import (
	"fmt"
	"io/fs"
	"net/http"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"doctor/checks/evidence"
)

func TestARecordedNodeIsReadWithoutGaps(t *testing.T) {
	server := recordedServer(t)
	l := see(t, kubeconfigOf(t, server.url), recordedNode, 1<<20)
	if gaps := l.gaps(t); len(gaps) > 0 {
		t.Errorf("gaps: %v", gaps)
	}
	s := l.snapshot(t)
	if n := evidence.Node.In(s); n.Metadata.Name != recordedNode ||
		n.Status.NodeInfo.OperatingSystem != "windows" {
		t.Errorf("the node is %+v", n)
	}
	want := []string{"kube-flannel-cfg", "kube-proxy", "kubeadm-config"}
	if diff := cmp.Diff(want, l.names(t, "api/configmaps.json")); diff != "" {
		t.Errorf("config maps:\n%s", diff)
	}
	for path, atLeast := range map[string]int{"api/nodes.json": 2, "api/pods.json": 2,
		"api/services.json":       2,
		"api/endpointslices.json": 1, "api/daemonsets.json": 1} {
		if got := l.names(t, path); len(got) < atLeast {
			t.Errorf("%s holds %v", path, got)
		}
	}
	if text := l.text(t, "api/configmaps.json"); strings.Contains(text, "managedFields") ||
		strings.Contains(text, "hunter2") || !strings.Contains(text, `"kept": "yes"`) {
		t.Errorf("they hold what no check reads, or an annotation is lost: %s", text)
	}
	if got := l.text(t, "logs/kubelet/query.log"); got != "I1121 10:00:00.000000    1 "+
		"kubelet.go:1] started\n" {
		t.Errorf("the kubelet's log is %q", got)
	}
	if sent := server.sent(); len(sent) > maxRequests {
		t.Errorf("%d requests:\n%s", len(sent), strings.Join(sent, "\n"))
	}
}

func TestWhatARecordedServerRefusesBecomesAGap(t *testing.T) {
	const pods = "/api/v1/pods"
	notHere := func(path string) func(http.Handler) http.Handler {
		return instead(path, refusing(http.StatusNotFound, "NotFound", "not found"))
	}
	for _, row := range []struct {
		name   string
		change func(http.Handler) http.Handler
		path   string
		want   string // its gap; {server} is the address
	}{
		{"403: it quotes the server, and says how to get the right", instead(pods,
			refusing(http.StatusForbidden, "Forbidden", `User "x" cannot list pods`)),
			"api/pods.json",
			"denied: may not list pods: User \"x\" cannot list pods; `doctor explain rbac` " +
				"prints the required role"},
		{"401: the credentials are not taken", instead(pods,
			refusing(http.StatusUnauthorized, "Unauthorized", "Unauthorized")), "api/pods.json",
			"denied: the API server {server} does not accept the kubeconfig's credentials (401); " +
				"renew them, or name another --context"},
		{"404: an older server has no such kind",
			notHere("/apis/networking.k8s.io/v1/servicecidrs"), "api/servicecidrs.json",
			"absent: the API server {server} has no servicecidrs"},
		{"404: an object is not there", notHere(leases + recordedNode), "api/lease.json",
			"absent: the API server {server} has no lease win-2022-1"},
		{"410: a list whose place is gone", instead(pods, refusing(http.StatusGone, "Expired",
			"The provided continue parameter is too old")), "api/pods.json",
			"error: the API server {server} answered list pods with 410: The provided continue " +
				"parameter is too old"},
		{"500 without a Status: its text is quoted", instead(pods,
			func(w http.ResponseWriter, _ *http.Request) {
				http.Error(w, "etcdserver: leader changed", http.StatusInternalServerError)
			}), "api/pods.json", "error: the API server {server} answered list pods with 500: " +
			"etcdserver: leader changed"},
		{"429 with more patience than there is time", instead(pods, busy("3600")),
			"api/pods.json",
			"error: the API server {server} has too many requests (429) and did not answer list " +
				"pods; try again later"},
		{"an answer that is cut in the middle", cut(pods), "api/pods.json",
			"error: the API server {server} closed the connection in the middle of the answer to " +
				"list pods"},
		{"a web page", instead(pods, func(w http.ResponseWriter, _ *http.Request) {
			fmt.Fprint(w,
				"<html>log in</html>")
		}), "api/pods.json",
			"error: what answers at the API server {server} to list pods is not an API " +
				"server (invalid character '<' looking for beginning of value); it may be a proxy " +
				"that requires a login"},
		{"a list in which something else than a list lies", instead(pods,
			func(w http.ResponseWriter, _ *http.Request) { answer(w, `{"items":"none"}`) }),
			"api/pods.json",
			"error: the API server {server}: list pods: items is none, not a list"},
		{"one config map may not be " +
			"read", instead("/api/v1/namespaces/kube-system/configmaps/kubeadm-config",
			refusing(http.StatusForbidden, "Forbidden", "no")), "api/configmaps.json",
			"denied: may not get configmap kube-system/kubeadm-config: no; `doctor explain rbac` prints " +
				"the required role"},
		{"events of the node alone may not be read", eventsOf("Node"), "api/events.json",
			"denied: may not list events: no; `doctor explain rbac` prints the required role"},
		{"events of pods alone may not be read", eventsOf("Pod"), "api/events.json",
			"denied: may not list events: no; `doctor explain rbac` prints the required role"},
		{"no events may be read", instead("/api/v1/events", refusing(http.StatusForbidden,
			"Forbidden", "no")), "api/events.json",
			"denied: may not list events: no; `doctor explain rbac` prints the required role"},
		{"the kubelet's logs may not be read", instead("/api/v1/nodes/"+recordedNode+"/proxy",
			refusing(http.StatusForbidden, "Forbidden", "no")), "logs/",
			"denied: may not get nodes/proxy for the logs of kubelet: no; `doctor explain rbac` " +
				"prints the required role"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			server := recordedServer(t, row.change)
			l := see(t, kubeconfigOf(t, server.url), recordedNode, 1<<20)
			want := map[string]string{row.path: strings.ReplaceAll(row.want, "{server}",
				strings.TrimPrefix(server.url, "http://"))}
			gaps := l.gaps(t)
			if row.path == "api/nodes.json" { // which serves the node too
				gaps = map[string]string{row.path: gaps[row.path]}
			}
			if diff := cmp.Diff(want, gaps); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestAnAnswerThatDoesNotComeCostsItsOwnEvidenceAlone: the time is over when all else is read.
func TestAnAnswerThatDoesNotComeCostsItsOwnEvidenceAlone(t *testing.T) {
	const path = "api/services.json"
	for name, change := range map[string]func(string) func(http.Handler) http.Handler{
		"no answer": silent, "an answer that stops in the middle": stalled} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := recordedServer(t, change("/api/v1/services"))
			l := seeUntil(t, kubeconfigOf(t, server.url), recordedNode, 1<<20, allBut(path))
			if gaps := l.gaps(t); len(gaps) != 1 || !strings.HasPrefix(gaps[path], "timeout: ") {
				t.Errorf("the gaps are %v", gaps)
			}
		})
	}
}

// TestALostNodesLogsAreNotWaitedFor: the kubelet of a node that is not heard of keeps nobody waiting,
// and here no deadline ends the wait.
func TestALostNodesLogsAreNotWaitedFor(t *testing.T) {
	server := recordedServer(t, instead("/api/v1/nodes/"+recordedNode, func(w http.ResponseWriter,
		r *http.Request) {
		if strings.Contains(r.URL.Path, "/proxy/") {
			<-r.Context().Done()
			return
		}
		answer(w, `{"metadata":{"name":"`+recordedNode+`"},"status":{"conditions":[{"type":"Ready",
			"status":"Unknown"}]}}`)
	}))
	l := see(t, kubeconfigOf(t, server.url), recordedNode, 1<<20)
	if gap := l.gaps(t)["logs/"]; !strings.HasPrefix(gap, "timeout: ") {
		t.Errorf("the logs of a lost node: %q", gap)
	}
}

// TestManyNodesAreReadThin: above 500 nodes all are read, without what no check compares.
func TestManyNodesAreReadThin(t *testing.T) {
	server := recordedServer(t, instead("/api/v1/nodes", func(w http.ResponseWriter,
		r *http.Request) {
		if r.URL.Query().Get("limit") != "" {
			answer(w, `{"metadata":{"continue":"next"},"items":[{"metadata":{"name":"a"}}]}`)
			return
		}
		answer(w, `{"metadata":{},"items":[{"metadata":{"name":"a","managedFields":[]},
			"status":{"images":[{"names":["x"]}],"addresses":[{"type":"InternalIP","address":"10.0.0.1"}]}},
			{"metadata":{"name":"b"}}]}`)
	}))
	l := see(t, kubeconfigOf(t, server.url), recordedNode, 0)
	content, err := fs.ReadFile(l.tree, "api/nodes.json")
	want := `"address": "10.0.0.1"`
	if text := string(content); err != nil || strings.Contains(text, "images") ||
		strings.Contains(text, "managedFields") || !strings.Contains(text, want) ||
		!strings.Contains(text, `"name": "b"`) {
		t.Errorf("%v: %s", err, text)
	}
}

func TestAProxyThatDoesNotAnswerIsNamed(t *testing.T) {
	proxy := "http://somebody:secret@" + deaf(t)
	path := filepath.Join(t.TempDir(), "kubeconfig")
	write(t, filepath.Dir(path), map[string]string{"kubeconfig": `{"current-context":"x",
"contexts":[{"name":"x","context":{"cluster":"x"}}],
"clusters":[{"name":"x","cluster":{"server":"https://api.example.test:6443","proxy-url":"` + proxy + `"}}]}`})
	for name, gap := range see(t, path, recordedNode, 0).gaps(t) {
		if !strings.Contains(gap, "cannot be reached through the proxy http://somebody:xxxxx@127.0.0.1:") ||
			!strings.Contains(gap, "proxy-url") {
			t.Errorf("%s: %s", name, gap)
		}
	}
}

// eventsOf refuses the events of one kind of object.
func eventsOf(kind string) func(http.Handler) http.Handler {
	return func(server http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if asked(r, "/api/v1/events") && strings.Contains(r.URL.RawQuery, "kind%3D"+kind) {
				status(w, http.StatusForbidden, "Forbidden", "no")
				return
			}
			server.ServeHTTP(w, r)
		})
	}
}

// stalled sends the beginning of an answer, and then nothing more.
func stalled(path string) func(http.Handler) http.Handler {
	return instead(path, func(w http.ResponseWriter, r *http.Request) {
		answer(w, `{"items":[`)
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	})
}

func TestABusyServerIsAskedAgainAfterTheTimeThatItSays(t *testing.T) {
	t.Parallel()
	server := recordedServer(t, once("/api/v1/pods", busy("1")))
	began := time.Now()
	l := see(t, kubeconfigOf(t, server.url), recordedNode, 0)
	if gaps := l.gaps(t); len(gaps) > 0 {
		t.Errorf("gaps: %v", gaps)
	}
	if took := time.Since(began); took < time.Second {
		t.Errorf("it was asked again after %s, and not after the second that it wants", took)
	}
}

func TestAServerThatStaysBusyIsAskedThreeTimes(t *testing.T) {
	t.Parallel()
	var asked atomic.Int32
	server := recordedServer(t, instead("/api/v1/pods", func(w http.ResponseWriter,
		r *http.Request) {
		asked.Add(1)
		busy("1")(w, r)
	}))
	l := see(t, kubeconfigOf(t, server.url), recordedNode, 0)
	if gap := l.gaps(t)["api/pods.json"]; asked.Load() != 3 || !strings.Contains(gap,
		"too many requests (429)") {
		t.Errorf("it was asked %d times, and the gap is %q", asked.Load(), gap)
	}
}

// TestManyWarningsOfAClusterAreReadForTheWorstPod: the list of warnings goes on, so the events of
// the pod that fares worst are read by its name, and none of them twice.
func TestManyWarningsOfAClusterAreReadForTheWorstPod(t *testing.T) {
	event := func(pod, reason string) string {
		return fmt.Sprintf(`{"metadata":{"name":%q},"reason":%q,"involvedObject":{"kind":"Pod",
			"namespace":"web","name":%q}}`, pod+"."+reason, reason, pod)
	}
	waiting := func(name, phase, reason string, restarts int) string {
		return fmt.Sprintf(`{"metadata":{"namespace":"web","name":%q},"status":{"phase":%q,
			"containerStatuses":[{"name":"c","restartCount":%d,"state":{"waiting":{"reason":%q}}}]}}`,
			name, phase, restarts, reason)
	}
	fine := `{"metadata":{"namespace":"web","name":"fine"},"status":{"phase":"Running",
		"containerStatuses":[{"name":"c","restartCount":%d,"state":{"running":{}}}]}}`
	for _, row := range []struct {
		name  string
		pods  []string
		goOn  string
		worst string // whose events are asked for; "" for none
	}{
		{"a pod that cannot be created before one that cannot pull",
			[]string{waiting("pull", "Running", "ErrImagePull", 0), waiting("bad", "Running",
				"ContainerCreating", 0)}, "next", "bad"},
		{"a pending pod before one that waits",
			[]string{waiting("wait", "Running", "ContainerCreating", 0), waiting("bad", "Pending",
				"ErrImagePull", 0)}, "next", "bad"},
		{"a waiting pod before one that was restarted often", []string{fmt.Sprintf(fine, 5000),
			waiting("bad", "Running", "CrashLoopBackOff", 0)}, "next", "bad"},
		{"of waiting pods the one that was restarted more often",
			[]string{waiting("bad", "Running", "CrashLoopBackOff", 2), waiting("less", "Running",
				"CrashLoopBackOff", 1)}, "next", "bad"},
		{"no pod fares badly", []string{fmt.Sprintf(fine, 0)}, "next", ""},
		{"there is no pod", nil, "next", ""},
		{"the list of warnings is complete", []string{waiting("bad", "Pending",
			"ContainerCreating", 0)}, "", ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			var named atomic.Value
			named.Store("")
			server := recordedServer(t, instead("/api/v1/pods", func(w http.ResponseWriter,
				_ *http.Request) {
				answer(w, `{"items":[`+strings.Join(row.pods, ",")+`]}`)
			}), instead("/api/v1/events", func(w http.ResponseWriter, r *http.Request) {
				if !strings.Contains(r.URL.RawQuery, "kind%3DPod") {
					answer(w, `{"items":[]}`)
					return
				}
				answer(w, `{"metadata":{"continue":"`+row.goOn+`"},"items":[`+event("bad",
					"Seen")+`,`+event("elsewhere", "Seen")+`]}`)
			}), instead("/api/v1/namespaces/web/events", func(w http.ResponseWriter,
				r *http.Request) {
				named.Store(strings.TrimPrefix(r.URL.Query().Get("fieldSelector"),
					"involvedObject.name="))
				answer(w, `{"items":[`+event("bad", "Seen")+`,`+event("bad", "Older")+`]}`)
			}))
			l := see(t, kubeconfigOf(t, server.url), recordedNode, 0)
			if named.Load() != row.worst {
				t.Errorf("the events of %q were asked for, want those of %q", named.Load(),
					row.worst)
			}
			var want []string
			switch {
			case row.worst != "":
				want = []string{"bad.Older", "bad.Seen"}
			case row.goOn == "":
				want = []string{"bad.Seen"}
			}
			if diff := cmp.Diff(want, l.names(t, "api/events.json")); diff != "" {
				t.Error(diff)
			}
		})
	}
}
