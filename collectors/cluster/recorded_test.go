package cluster_test

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"doctor/collectors/cluster"
	"doctor/fixtures"
)

// These tests ask a server that gives recorded answers, so that they take no time. The same is
// asked of a real API server in the other tests of this package, which -short leaves out.

const (
	recordedNode = "win-2022-1"
	leases       = "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/"
)

// An apiServer answers with what was recorded of a node's cluster.
type apiServer struct {
	url string

	mu       sync.Mutex
	requests []string
}

// recordedServer serves the recording; change may put handlers before its answers.
func recordedServer(t testing.TB, change ...func(http.Handler) http.Handler) *apiServer {
	t.Helper()
	recorded, err := fixtures.Open("healthy-flannel-overlay")
	if err != nil {
		t.Fatal(err)
	}
	answers := http.NewServeMux()
	for path, file := range map[string]string{"/api/v1/nodes/" + recordedNode: "node",
		"/version":     "version",
		"/api/v1/pods": "pods", "/api/v1/nodes": "nodes", "/api/v1/services": "services",
		"/apis/discovery.k8s.io/v1/endpointslices": "endpointslices",
		"/apis/apps/v1/daemonsets":                 "daemonsets"} {
		content, err := fs.ReadFile(recorded.FS(), "api/"+file+".json")
		if err != nil {
			t.Fatal(err)
		}
		answers.HandleFunc(path, func(w http.ResponseWriter, _ *http.Request) {
			answer(w,
				string(content))
		})
	}
	answers.HandleFunc("/apis/networking.k8s.io/v1/servicecidrs",
		func(w http.ResponseWriter, _ *http.Request) { answer(w, `{"items":null}`) })
	answers.HandleFunc(leases+recordedNode, func(w http.ResponseWriter, _ *http.Request) {
		answer(w, `{"metadata":{"name":"`+recordedNode+`"}}`)
	})
	answers.HandleFunc("/api/v1/events", recordedEvents(t, recorded.FS()))
	answers.HandleFunc("/api/v1/namespaces/kube-system/configmaps/", recordedConfigMaps(t,
		recorded.FS()))
	answers.HandleFunc("/api/v1/namespaces/kube-flannel/configmaps/", recordedConfigMaps(t,
		recorded.FS()))
	answers.HandleFunc("/api/v1/nodes/"+recordedNode+"/proxy/logs/", func(w http.ResponseWriter,
		r *http.Request) {
		queryKubelet(w, r)
	})
	answers.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) {
		status(w, http.StatusNotFound, "NotFound",
			"the server could not find the requested resource")
	})
	var handler http.Handler = answers
	for _, c := range change {
		handler = c(handler)
	}
	s := &apiServer{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		s.requests = append(s.requests, r.URL.RequestURI())
		s.mu.Unlock()
		handler.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	s.url = server.URL
	return s
}

func answer(w http.ResponseWriter, body string) {
	w.Header().Set("Content-Type", "application/json")
	fmt.Fprint(w, body)
}

// status answers as an API server does that refuses a request.
func status(w http.ResponseWriter, code int, reason, message string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	fmt.Fprintf(w, `{"kind":"Status","apiVersion":"v1","status":"Failure","message":%q,"reason":%q,
		"code":%d}`,
		message, reason, code)
}

func refusing(code int, reason, message string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { status(w, code, reason, message) }
}

type recordedObject = map[string]any

func recordedItems(t testing.TB, recorded fs.FS, path string) []recordedObject {
	t.Helper()
	content, err := fs.ReadFile(recorded, path)
	if err != nil {
		t.Fatal(err)
	}
	var list struct{ Items []recordedObject }
	if err := json.Unmarshal(content, &list); err != nil {
		t.Fatal(err)
	}
	return list.Items
}

// recordedEvents selects by kind and type, as the server does by the field selector.
func recordedEvents(t testing.TB, recorded fs.FS) http.HandlerFunc {
	items := recordedItems(t, recorded, "api/events.json")
	return func(w http.ResponseWriter, r *http.Request) {
		fields := map[string]string{}
		for field := range strings.SplitSeq(r.URL.Query().Get("fieldSelector"), ",") {
			key, value, _ := strings.Cut(field, "=")
			fields[key] = value
		}
		var selected []recordedObject
		for _, e := range items {
			kind := e["involvedObject"].(map[string]any)["kind"]
			if kind == fields["involvedObject.kind"] && (fields["type"] == "" ||
				e["type"] == fields["type"]) {
				selected = append(selected, e)
			}
		}
		content, _ := json.Marshal(recordedObject{"items": selected})
		answer(w, string(content))
	}
}

func recordedConfigMaps(t testing.TB, recorded fs.FS) http.HandlerFunc {
	items := recordedItems(t, recorded, "api/configmaps.json")
	return func(w http.ResponseWriter, r *http.Request) {
		for _, item := range items {
			m := item["metadata"].(map[string]any)
			if strings.HasSuffix(r.URL.Path, fmt.Sprint("/", m["namespace"], "/configmaps/",
				m["name"])) {
				m["managedFields"] = []any{recordedObject{"manager": "kubectl"}}
				m["annotations"] = recordedObject{"kept": "yes",
					"kubectl.kubernetes.io/last-applied-configuration": "hunter2"}
				content, _ := json.Marshal(item)
				answer(w, string(content))
				return
			}
		}
		status(w, http.StatusNotFound, "NotFound", "configmaps not found")
	}
}

// kubeconfigOf logs in with a token.
func kubeconfigOf(t testing.TB, url string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "config")
	content := fmt.Sprintf(`{"apiVersion":"v1","kind":"Config","current-context":"c",
		"clusters":[{"name":"c","cluster":{"server":%q}}],
		"users":[{"name":"u","user":{"token":"secret"}}],
		"contexts":[{"name":"c","context":{"cluster":"c","user":"u"}}]}`, url)
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func (s *apiServer) sent() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

func (s *apiServer) client(t testing.TB) *cluster.Client {
	t.Helper()
	client, err := cluster.Connect(cluster.Options{Kubeconfig: kubeconfigOf(t, s.url)})
	if err != nil {
		t.Fatal(err)
	}
	return client
}
