package main

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"doctor/checks"
	"doctor/collectors"
	"doctor/collectors/node"
	"doctor/fixtures/apibed"
)

// kubeletLog answers the log query of the staged Windows node.
var kubeletLog = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
	w.Write([]byte("E1121 10:00:00.000000    1 run.go:72] \"command failed\" err=\"failed to parse kubelet flag: unknown flag: --network-plugin\"\n"))
})

// reportOf runs the doctor on a node and returns its JSON report.
func reportOf(t *testing.T, args ...string) (checks.Report, string, int) {
	t.Helper()
	out, errs, status := doctor(t, append(args, "--json")...)
	var r checks.Report
	if err := json.Unmarshal([]byte(out), &r); err != nil {
		t.Fatalf("no report: %v\n%s%s", err, out, errs)
	}
	return r, out, status
}

func result(t *testing.T, r checks.Report, id string) checks.Result {
	t.Helper()
	for _, one := range r.Results {
		if one.ID == id {
			return one
		}
	}
	t.Fatalf("no result of %s", id)
	return checks.Result{}
}

func TestANodeIsDiagnosedThroughTheAPI(t *testing.T) {
	bed := apibed.Require(t)
	bed.Stage(t)
	bed.Kubelet(t, apibed.KubeletAddress, kubeletLog)
	r, out, status := reportOf(t, "--node", apibed.WindowsNode, "--kubeconfig", bed.Kubeconfigs["admin"])
	if status != exitFail {
		t.Errorf("exit status %d", status)
	}
	if r.Source.Kind != "cluster" || r.Source.Name != apibed.WindowsNode {
		t.Errorf("the source is %+v", r.Source)
	}
	if r.Node.Name != apibed.WindowsNode || r.Node.Build != "10.0.20348.2966" || r.Node.Kubelet != "v1.31.4" {
		t.Errorf("the node is %+v", r.Node)
	}
	for id, want := range map[string]struct{ subject, because string }{
		"pods-stuck-creating":        {"shop/web-1", "FailedCreatePodSandBox"},
		"pods-restarting":            {"shop/batch-1", "Back-off restarting"},
		"linux-daemonset-on-windows": {"log-agent", "no matching manifest for windows"},
		"flannel-subnet-env-missing": {"", "open /run/flannel/subnet.env: The system cannot find"},
		"kubelet-removed-flag":       {"", "unknown flag: --network-plugin"},
	} {
		one := result(t, r, id)
		text, err := json.Marshal(one.Findings)
		if err != nil {
			t.Fatal(err)
		}
		if one.Status != checks.StatusFail || !strings.Contains(string(text), want.subject) || !strings.Contains(string(text), want.because) {
			t.Errorf("%s is %s: %s (%s)", id, one.Status, text, one.Gap)
		}
	}
	one := result(t, r, "kubelet-not-running")
	asked := slices.ContainsFunc(node.Collectors(node.Options{}), func(c collectors.Collector) bool { return slices.Contains(c.Answers, "services.json") })
	if one.Status != checks.StatusUnknown || asked && !strings.Contains(one.Gap, "only the node itself tells this; run doctor on win-1 as Administrator") {
		t.Errorf("what only the node can tell is %s: %s", one.Status, one.Gap)
	}
	if strings.Contains(out, apibed.Password) || strings.Contains(out, "elsewhere-1") {
		t.Error("the report holds what is none of its business")
	}
	for _, g := range r.Gaps {
		if strings.HasPrefix(g.Path, "api/") {
			t.Errorf("a gap of the cluster's view: %+v", g)
		}
	}
}

func TestTheListOfWindowsNodes(t *testing.T) {
	bed := apibed.Require(t)
	bed.Stage(t)
	front := bed.Front(t, apibed.Faults{})
	kubeconfig := bed.Kubeconfig(t, apibed.Login{Server: front.URL, CA: front.CA})
	out, errs, status := doctor(t, "--kubeconfig", kubeconfig, "--node")
	want := `NAME   READY    KUBELET  BUILD            OS                              STUCK PODS
win-1  True     v1.31.4  10.0.20348.2966  Windows Server 2022 Datacenter  2
win-2  Unknown  v1.31.4  10.0.20348.2966  Windows Server 2022 Datacenter  0
`
	if status != exitFine || out != want {
		t.Errorf("exit status %d, %s\n%s", status, errs, out)
	}
	if n := len(front.Requests()); n != 2 {
		t.Errorf("%d requests: %v", n, front.Requests())
	}
	out, _, status = doctor(t, "--kubeconfig", kubeconfig, "--json", "--node")
	var list struct {
		Schema string
		Nodes  []struct {
			Name, Ready string
			StuckPods   int
		}
	}
	if err := json.Unmarshal([]byte(out), &list); err != nil || status != exitFine || list.Schema != "doctor.nodes/v1" || len(list.Nodes) != 2 || list.Nodes[0].StuckPods != 2 {
		t.Errorf("exit status %d, %v: %s", status, err, out)
	}
}

func TestWhatIsNoWindowsNodeIsToldAtOnce(t *testing.T) {
	bed := apibed.Require(t)
	bed.Stage(t)
	gone := filepath.Join(t.TempDir(), "kubeconfig")
	server := strings.TrimPrefix(bed.Server, "https://")
	cases := []struct {
		name   string
		args   []string
		status int
		says   string
	}{
		{"a node that runs Linux", []string{"--node", apibed.LinuxNode}, exitUsage, "doctor: node \"linux-1\" runs linux, and doctor knows Windows nodes alone; `doctor --node` lists them\n"},
		{"a node that is not there", []string{"--node", "win-9"}, exitUsage, "doctor: the cluster at " + server + " has no node \"win-9\"; `doctor --node` lists its Windows nodes\n"},
		{"a name that would be a path", []string{"--node", "../secrets"}, exitUsage, "doctor: \"../secrets\" is no name that a node can have; `doctor --node` lists the cluster's Windows nodes\n"},
		{"a context that is not there", []string{"--node", "win-1", "--context", "nowhere"}, exitUsage, "doctor: the kubeconfig: context \"nowhere\" does not exist\n"},
		{"a kubeconfig that is not there", []string{"--node", "win-1", "--kubeconfig", gone}, exitUsage, "doctor: the kubeconfig: stat " + gone + ": no such file or directory\n"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			out, errs, status := doctor(t, append([]string{"--kubeconfig", bed.Kubeconfigs["admin"]}, c.args...)...)
			if status != c.status || out != "" || c.says != "" && errs != c.says {
				t.Errorf("exit status %d\n%s%s", status, errs, out)
			}
		})
	}
}

func TestTheTimeoutHoldsForAllOfTheRun(t *testing.T) {
	bed := apibed.Require(t)
	bed.Stage(t)
	front := bed.Front(t, apibed.Faults{Spoil: func(server http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			select {
			case <-time.After(10 * time.Second):
			case <-r.Context().Done():
			}
		})
	}})
	kubeconfig := bed.Kubeconfig(t, apibed.Login{Server: front.URL, CA: front.CA})
	began := time.Now()
	r, _, status := reportOf(t, "--node", apibed.WindowsNode, "--kubeconfig", kubeconfig, "--timeout", "2s")
	if took := time.Since(began); took > 3*time.Second {
		t.Errorf("a run of at most 2s took %s", took)
	}
	if status != exitUnknown || r.Count(checks.StatusFail) > 0 {
		t.Errorf("exit status %d, %+v", status, r.Summary)
	}
	if gap := result(t, r, "pods-stuck-creating").Gap; !strings.Contains(gap, "timeout") {
		t.Errorf("the gap is %q", gap)
	}
	began = time.Now()
	_, errs, status := doctor(t, "--kubeconfig", kubeconfig, "--timeout", "1s", "--node")
	if took := time.Since(began); took > 2*time.Second || status != exitTrouble || !strings.Contains(errs, "gave no answer to list pods in time") {
		t.Errorf("the list took %s, exit status %d: %s", took, status, errs)
	}
}

// TestNoVerdictRestsOnHalfAList: the pods that would show the fault come first,
// and the connection breaks after them.
func TestNoVerdictRestsOnHalfAList(t *testing.T) {
	bed := apibed.Require(t)
	bed.Stage(t)
	front := bed.Front(t, apibed.Faults{Spoil: func(server http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if !slices.Contains([]string{"/api/v1/pods", "/api/v1/events"}, r.URL.Path) {
				server.ServeHTTP(w, r)
				return
			}
			r.Header.Del("Accept-Encoding")
			whole := httptest.NewRecorder()
			server.ServeHTTP(whole, r)
			w.Write(whole.Body.Bytes()[:whole.Body.Len()-20])
			w.(http.Flusher).Flush()
			panic(http.ErrAbortHandler)
		})
	}})
	r, _, _ := reportOf(t, "--node", apibed.WindowsNode, "--kubeconfig", bed.Kubeconfig(t, apibed.Login{Server: front.URL, CA: front.CA}))
	for _, id := range []string{"pods-stuck-creating", "pods-restarting", "linux-daemonset-on-windows"} {
		if one := result(t, r, id); one.Status != checks.StatusUnknown || !strings.Contains(one.Gap, "cut the connection in the middle of the answer to list") {
			t.Errorf("%s is %s: %s", id, one.Status, one.Gap)
		}
	}
}
