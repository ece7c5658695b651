package cluster_test

import (
	"encoding/json"
	"io"
	"io/fs"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"doctor/checks/evidence"
	"doctor/collectors"
	"doctor/collectors/cluster"
	"doctor/collectors/tree"
	"doctor/fixtures/apibed"
	"doctor/fixtures/wait"
)

// A look is what a login sees of a node.
type look struct {
	tree     fs.FS
	client   *cluster.Client
	readings []collectors.Reading
}

// see runs all collectors, with logs or without.
func see(t testing.TB, kubeconfig, node string, logBytes int64) look {
	t.Helper()
	return seeUntil(t, kubeconfig, node, logBytes, func([]collectors.Reading) bool { return false })
}

// seeUntil is see with a deadline, which comes when the readings are as far as over tells.
func seeUntil(t testing.TB, kubeconfig, node string, logBytes int64,
	over func([]collectors.Reading) bool) look {
	t.Helper()
	client, err := cluster.Connect(cluster.Options{Kubeconfig: kubeconfig})
	if err != nil {
		t.Fatal(err)
	}
	target := cluster.Target{Client: client, Node: node, Since: time.Hour, LogBytes: logBytes}
	l := look{client: client}
	recorded := tree.New()
	recorded.JSON("meta.json", evidence.Meta{Layout: evidence.Layout, Node: node,
		CollectedAt: time.Now()})
	ctx, expire := wait.Deadline(t)
	collectors.Run(ctx, recorded,
		cluster.Collectors(func(evidence.Snapshot) (cluster.Target, error) {
			return target, nil
		}, nil, 0),
		func(r []collectors.Reading) {
			if l.readings = r; over(r) {
				expire()
			}
		})
	l.tree = recorded.FS()
	return l
}

// allBut tells that everything is read but one path.
func allBut(path string) func([]collectors.Reading) bool {
	return func(all []collectors.Reading) bool {
		return !slices.ContainsFunc(all, func(r collectors.Reading) bool {
			return r.State != collectors.Done && !slices.Contains(r.Answers, path)
		})
	}
}

// snapshot is the look as a check sees it.
func (l look) snapshot(t testing.TB) evidence.Snapshot {
	t.Helper()
	s, err := evidence.Load(l.tree)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// gaps maps what could not be read to the reason.
func (l look) gaps(t testing.TB) map[string]string {
	t.Helper()
	gaps := map[string]string{}
	for _, r := range l.readings {
		for _, path := range r.Answers {
			if strings.HasSuffix(path, "/") && r.Gap.Kind != "" {
				gaps[path] = r.Gap.String()
			}
			if content, err := fs.ReadFile(l.tree, path+".gap"); err == nil {
				gaps[path] = strings.TrimSpace(string(content))
			}
		}
	}
	if gaps["api/pods.json"] != "" {
		delete(gaps, "api/persistentvolumes.json") // the pods name them
	}
	return gaps
}

// text is a recorded file.
func (l look) text(t testing.TB, path string) string {
	t.Helper()
	content, err := fs.ReadFile(l.tree, path)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

// names lists the objects of a recorded list.
func (l look) names(t testing.TB, path string) []string {
	t.Helper()
	var list struct {
		Items []struct{ Metadata struct{ Name string } }
	}
	if err := json.Unmarshal([]byte(l.text(t, path)), &list); err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, item := range list.Items {
		names = append(names, item.Metadata.Name)
	}
	slices.Sort(names)
	return names
}

// queryKubelet is a kubelet of Kubernetes 1.27 and later whose log query is on.
var queryKubelet = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
	if c := r.URL.Query().Get("query"); c == "kubelet" || c == "containerd" {
		w.Write([]byte("I1121 10:00:00.000000    1 " + c + ".go:1] started\n"))
		return
	}
	http.Error(w, "service kube-proxy not found", http.StatusNotFound)
})

func TestANodeIsReadAsTheServerWroteIt(t *testing.T) {
	bed := apibed.Require(t)
	bed.Stage(t)
	bed.Kubelet(t, apibed.KubeletAddress, queryKubelet)
	front := bed.Front(t, apibed.Faults{})
	l := see(t, bed.Kubeconfig(t, apibed.Login{Server: front.URL, CA: front.CA}),
		apibed.WindowsNode, 1<<20)

	if gaps := l.gaps(t); len(gaps) > 0 {
		t.Errorf("gaps: %v", gaps)
	}
	for path, want := range map[string][]string{
		"api/nodes.json":             {apibed.LinuxNode, apibed.WindowsNode, apibed.LostNode},
		"api/pods.json":              {"batch-1", "log-agent-x7k2p", "web-1"},
		"api/configmaps.json":        {"kube-flannel-cfg", "kube-proxy", "kubeadm-config"},
		"api/services.json":          {"kubernetes", "web"},
		"api/endpointslices.json":    {"kubernetes", "web-abcde"},
		"api/daemonsets.json":        {"log-agent"},
		"api/servicecidrs.json":      {"kubernetes"},
		"api/persistentvolumes.json": {"pv-data"},
		"api/ippools.json":           nil, // there is no Calico
	} {
		if got := l.names(t, path); !slices.Equal(got, want) {
			t.Errorf("%s holds %v, not %v", path, got, want)
		}
	}
	s := l.snapshot(t)
	if n := evidence.Node.In(s); n.Metadata.Name != apibed.WindowsNode ||
		n.Status.NodeInfo.KernelVersion != "10.0.20348.2966" {
		t.Errorf("the node is %+v", n)
	}
	if v := evidence.APIVersion.In(s); !strings.HasPrefix(v.GitVersion, "v1.") {
		t.Errorf("the server's version is %q", v.GitVersion)
	}
	var about []string
	for _, e := range evidence.PodEvents.In(s) {
		about = append(about, e.About().Name)
	}
	slices.Sort(about)
	if want := []string{"batch-1", "log-agent-x7k2p", "web-1",
		apibed.WindowsNode}; !slices.Equal(about, want) {
		t.Errorf("there are events of %v, not of %v", about, want)
	}
	if !strings.Contains(l.text(t, "api/lease.json"), "f:renewTime") {
		t.Error("the lease does not say when the server wrote it")
	}
	for _, component := range []string{"kubelet", "containerd"} {
		if text := l.text(t, "logs/"+component+"/query.log"); !strings.Contains(text,
			component+".go:1") {
			t.Errorf("the log of %s is %q", component, text)
		}
	}
	modest(t, front.Requests())
	discreet(t, l.tree)
}

// maxRequests is what reading one node may cost the server.
const maxRequests = 24

// modest: few requests, each of them narrow, and none for a Secret.
func modest(t *testing.T, requests []string) {
	t.Helper()
	if len(requests) > maxRequests {
		t.Errorf("%d requests; at most %d may be sent:\n%s", len(requests), maxRequests,
			strings.Join(requests, "\n"))
	}
	for _, r := range requests {
		method, uri, _ := strings.Cut(r, " ")
		path, query, _ := strings.Cut(uri, "?")
		switch {
		case method != http.MethodGet:
			t.Errorf("%s would change the cluster", r)
		case strings.Contains(strings.ToLower(path), "secret"),
			strings.HasSuffix(path, "/configmaps"):
			t.Errorf("%s asks for what is nobody's business", r)
		case path == "/api/v1/pods" && query != "fieldSelector=spec.nodeName%3D"+apibed.WindowsNode+
			"&resourceVersion=0":
			t.Errorf("%s reads more pods than the node's, or all of them from etcd", r)
		case path == "/api/v1/events" &&
			!strings.Contains(query, "fieldSelector=involvedObject.kind") &&
			!strings.Contains(query, "fieldSelector=reason%3DFailedCreate"):
			t.Errorf("%s reads all events", r)
		case path == "/api/v1/nodes" && !strings.Contains(query, "limit="):
			t.Errorf("%s reads all nodes of whatever size a cluster has", r)
		case strings.HasPrefix(path, "/apis/") && !strings.Contains(path, "/leases/") &&
			query != "resourceVersion=0":
			t.Errorf("%s is not served from memory", r)
		}
	}
	t.Logf("%d requests:\n%s", len(requests), strings.Join(requests, "\n"))
}

// discreet: nothing that is recorded holds what no check reads and others must not.
func discreet(t *testing.T, recorded fs.FS) {
	t.Helper()
	err := fs.WalkDir(recorded, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		content, err := fs.ReadFile(recorded, path)
		for _, bad := range []string{"managedFields", apibed.Password} {
			// the lease's say when the server wrote it
			if strings.Contains(string(content), bad) && path != "api/lease.json" {
				t.Errorf("%s holds %s", path, bad)
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestAServerWithManyWarningsIsAskedForTheWorstPod(t *testing.T) {
	bed := apibed.Require(t)
	bed.Stage(t)
	for range 520 {
		bed.Event(t, "shop", "Pod", "aaa-elsewhere", "Warning", "FailedMount", "noise")
	}
	front := bed.Front(t, apibed.Faults{})
	l := see(t, bed.Kubeconfig(t, apibed.Login{Server: front.URL, CA: front.CA}),
		apibed.WindowsNode, 0)
	if text := l.text(t, "api/events.json"); !strings.Contains(text, "subnet.env") {
		t.Errorf("the event of the pod that does not come up is not there: %s\n%v", text, l.gaps(t))
	}
	modest(t, front.Requests())
}

func TestTheKubeletsLogsAreFetched(t *testing.T) {
	bed := apibed.Require(t)
	bed.Stage(t)
	files := t.TempDir()
	line := "I1121 10:00:00.000000    1 kubelet.go:1] a line of the log\n"
	write(t, files, map[string]string{"kubelet.log": line, "containerd.log": "x\n"})
	cases := []struct {
		name    string
		kubelet http.Handler
		path    string // of what is recorded
		want    string // its text
		gap     string
	}{
		{"a kubelet with log query answers for each component", queryKubelet,
			"logs/kubelet/query.log", "I1121 10:00:00.000000    1 kubelet.go:1] started\n", ""},
		{"an older kubelet lists its folder whatever it is asked, and has the log there",
			served(files), "logs/kubelet/kubelet.log", line, ""},
		{"a log that is cut in the middle is none", http.HandlerFunc(func(w http.ResponseWriter,
			_ *http.Request) {
			io.WriteString(w, line)
			w.(http.Flusher).Flush()
			panic(http.ErrAbortHandler)
		}), "", "",
			"error: the API server {server} closed the connection in the middle of the answer to get the logs of kubelet"},
		{"the kubelet of another node has another node's log", http.HandlerFunc(
			func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path == "/metrics" {
					io.WriteString(w, "# TYPE kubelet_node_name gauge\nkubelet_node_name{node=\"win-9\"} 1\n")
					return
				}
				queryKubelet(w, r)
			}), "", "", "error: the answer is about node win-9, and the question was about win-1"},
		{"a kubelet that refuses is quoted",
			http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				http.Error(w, "Forbidden", http.StatusForbidden)
			}), "", "",
			"denied: may not get nodes/proxy for the logs of kubelet: Forbidden; `doctor explain rbac` prints the required role"},
		{"a kubelet whose debugging handlers are off is quoted",
			http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				http.Error(w, "logs endpoint is disabled.", http.StatusMethodNotAllowed)
			}), "", "", "error: the API server {server} answered get nodes/proxy for the logs of kubelet with 405: logs endpoint is disabled."},
		{"a proxy's login page is no log", http.HandlerFunc(func(w http.ResponseWriter,
			_ *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			io.WriteString(w, "<!DOCTYPE html>\n<html><head><title>Log in</title></head></html>\n")
		}), "", "",
			"error: what answers for the logs of kubelet is a web page and no log; a proxy in between may require a login"},
		{"a refusal in JSON with status 200 is no log", http.HandlerFunc(func(w http.ResponseWriter,
			_ *http.Request) {
			io.WriteString(w, `{"error": "login required"}`)
		}), "", "",
			"error: what answers for the logs of kubelet is a JSON object and no log; a proxy in between may require a login"},
		{"a kubelet that is not reached is a gap", nil, "", "",
			"error: the API server {server} answered get nodes/proxy for the logs of kubelet with 503: error trying to reach service: "},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if c.kubelet != nil {
				bed.Kubelet(t, apibed.KubeletAddress, c.kubelet)
			}
			l := see(t, bed.Kubeconfigs["admin"], apibed.WindowsNode, 1000)
			want := strings.ReplaceAll(c.gap, "{server}", strings.TrimPrefix(bed.Server,
				"https://"))
			if gap := l.gaps(t)["logs/"]; !strings.HasPrefix(gap, want) || want == "" && gap != "" {
				t.Errorf("the gap is\n%s, not\n%s", gap, want)
			}
			if c.path != "" {
				if text := l.text(t, c.path); text != c.want {
					t.Errorf("the log is %q", text)
				}
			}
		})
	}
}

// served is what a kubelet does below /logs/ without log query.
func served(dir string) http.Handler {
	return http.StripPrefix("/logs/", http.FileServer(http.Dir(dir)))
}

func TestTheListOfWindowsNodes(t *testing.T) {
	bed := apibed.Require(t)
	bed.Stage(t)
	client, err := cluster.Connect(cluster.Options{Kubeconfig: bed.Kubeconfigs["admin"]})
	if err != nil {
		t.Fatal(err)
	}
	got, unread, err := client.WindowsNodes(t.Context())
	if err != nil || unread != nil {
		t.Fatal(err, unread)
	}
	two, none := 2, 0
	want := []cluster.WindowsNode{
		{Name: "win-1", Ready: "True", Kubelet: "v1.31.4", OS: "Windows Server 2022 Datacenter",
			Build: "10.0.20348.2966", Runtime: "containerd://1.7.22", Stuck: &two},
		{Name: "win-2", Ready: "Unknown", Kubelet: "v1.31.4", OS: "Windows Server 2022 Datacenter",
			Build: "10.0.20348.2966", Runtime: "containerd://1.7.22", Stuck: &none},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
