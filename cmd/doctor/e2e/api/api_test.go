package api_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"doctor/checks"
	"doctor/fixtures/apibed"
	"doctor/fixtures/program"
)

// kubeletLog answers the log query of the staged Windows node.
var kubeletLog = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
	w.Write([]byte(
		"E1121 10:00:00.000000    1 run.go:72] \"command failed\" err=\"failed to parse kubelet flag: unknown flag: --network-plugin\"\n"))
})

// enough is a time limit that a busy machine meets too.
const enough = "--timeout=5m"

// reportOf runs the doctor on a node and returns its JSON report.
func reportOf(t *testing.T, args ...string) (checks.Report, program.Result) {
	t.Helper()
	r := program.Run(t, program.Build(t), append(args, "--json")...)
	var report checks.Report
	if err := json.Unmarshal([]byte(r.Stdout), &report); err != nil {
		t.Fatalf("no report: %v\n%s%s", err, r.Stdout, r.Stderr)
	}
	return report, r
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
	r, run := reportOf(t, "--node", apibed.WindowsNode, "--kubeconfig", bed.Kubeconfigs["admin"],
		enough)
	if run.Status != program.Fail {
		t.Errorf("exit status %d", run.Status)
	}
	if r.Source.Kind != "cluster" || r.Source.Name != apibed.WindowsNode {
		t.Errorf("the source is %+v", r.Source)
	}
	if r.Node.Name != apibed.WindowsNode || r.Node.Build != "10.0.20348.2966" ||
		r.Node.Kubelet != "v1.31.4" {
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
		if one.Status != checks.StatusFail || !strings.Contains(string(text), want.subject) ||
			!strings.Contains(string(text), want.because) {
			t.Errorf("%s is %s: %s (%s)", id, one.Status, text, one.Gap)
		}
	}
	one := result(t, r, "kubelet-not-running")
	if one.Status != checks.StatusSkip ||
		one.Reason != "only the node itself shows this, not the Kubernetes API" {
		t.Errorf("what only the node can tell is %s: %s", one.Status, one.Reason)
	}
	if strings.Contains(run.Stdout, apibed.Password) ||
		strings.Contains(run.Stdout, "elsewhere-1") {
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
	exe := program.Build(t)
	r := program.Run(t, exe, "--kubeconfig", kubeconfig, enough, "--node")
	want := `NAME   READY    KUBELET  BUILD            OS                              STUCK PODS
win-1  True     v1.31.4  10.0.20348.2966  Windows Server 2022 Datacenter  2
win-2  Unknown  v1.31.4  10.0.20348.2966  Windows Server 2022 Datacenter  0
`
	if r.Status != program.Fine || r.Stdout != want {
		t.Errorf("exit status %d, %s\n%s", r.Status, r.Stderr, r.Stdout)
	}
	if n := len(front.Requests()); n != 2 {
		t.Errorf("%d requests: %v", n, front.Requests())
	}
	r = program.Run(t, exe, "--kubeconfig", kubeconfig, enough, "--json", "--node")
	var list struct {
		Schema string
		Nodes  []struct {
			Name, Ready string
			StuckPods   int
		}
	}
	if err := json.Unmarshal([]byte(r.Stdout), &list); err != nil || r.Status != program.Fine ||
		list.Schema != "doctor.nodes/v1" || len(list.Nodes) != 2 || list.Nodes[0].StuckPods != 2 {
		t.Errorf("exit status %d, %v: %s", r.Status, err, r.Stdout)
	}
}

func TestWhatIsNoWindowsNodeIsToldAtOnce(t *testing.T) {
	bed := apibed.Require(t)
	bed.Stage(t)
	exe := program.Build(t)
	gone := filepath.Join(t.TempDir(), "kubeconfig")
	server := strings.TrimPrefix(bed.Server, "https://")
	cases := []struct {
		name   string
		args   []string
		status int
		says   string
	}{
		{"a node that runs Linux", []string{"--node", apibed.LinuxNode}, program.Usage,
			"doctor: node \"linux-1\" runs linux, and doctor knows Windows nodes alone; `doctor --node` lists them\n"},
		{"a node that is not there", []string{"--node", "win-9"}, program.Usage,
			"doctor: the cluster at " + server +
				" has no node \"win-9\"; `doctor --node` lists its Windows nodes; did you mean win-1 or win-2?\n"},
		{"a name that would be a path", []string{"--node", "../secrets"}, program.Usage,
			"doctor: \"../secrets\" is no name that a node can have; `doctor --node` lists the cluster's Windows nodes\n"},
		{"a context that is not there", []string{"--node", "win-1", "--context", "nowhere"},
			program.Usage,
			"doctor: --context: the kubeconfig has no context \"nowhere\"; it has bed\n"},
		{"a kubeconfig that is not there", []string{"--node", "win-1", "--kubeconfig", gone},
			program.Trouble, "doctor: there is no kubeconfig " + gone +
				"; name one with --kubeconfig\n"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			r := program.Run(t, exe,
				append([]string{"--kubeconfig", bed.Kubeconfigs["admin"], enough}, c.args...)...)
			if r.Status != c.status || r.Stdout != "" || c.says != "" && r.Stderr != c.says {
				t.Errorf("exit status %d\n%s%s", r.Status, r.Stderr, r.Stdout)
			}
		})
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
	r, _ := reportOf(t, "--node", apibed.WindowsNode, "--kubeconfig",
		bed.Kubeconfig(t, apibed.Login{Server: front.URL, CA: front.CA}), enough)
	for _, id := range []string{"pods-stuck-creating", "pods-restarting",
		"linux-daemonset-on-windows"} {
		if one := result(t, r, id); one.Status != checks.StatusUnknown ||
			!strings.Contains(one.Gap,
				"closed the connection in the middle of the answer to list") {
			t.Errorf("%s is %s: %s", id, one.Status, one.Gap)
		}
	}
}

// TestAPodMeasuresForADiagnosis: the documentation's example, a ping that is
// lost where TCP works, told of a pod that a kubelet runs commands in.
func TestAPodMeasuresForADiagnosis(t *testing.T) {
	bed := apibed.Require(t)
	bed.Stage(t)
	bed.Create(t, "/api/v1/namespaces/shop/pods", apibed.Pod("web-2", apibed.WindowsNode,
		"registry.example/shop/web:1", "", 0))
	bed.Exec(t, apibed.KubeletAddress, func(_ context.Context, c apibed.Command) apibed.Ran {
		line := strings.Join(c.Argv, " ")
		switch {
		case strings.HasPrefix(line, "ping.exe"):
			return apibed.Ran{
				Stdout: []byte(
					"Pinging 203.0.113.7 with 32 bytes of data:\r\nRequest timed out.\r\n"),
				Code: 1}
		case strings.HasPrefix(line, "curl.exe") && strings.Contains(line, "203.0.113.7"):
			return apibed.Ran{Stdout: []byte("|200|203.0.113.7|0.0|0.004|0.020|0.030|")}
		}
		return apibed.Ran{
			Error: "hcs::System::CreateProcess: The system cannot find the file specified."}
	})
	r, _ := reportOf(t, "--node", apibed.WindowsNode, "--kubeconfig", bed.Kubeconfigs["admin"],
		enough, "--from-pod", "shop/web-2", "--target", "203.0.113.7:443")
	one := result(t, r, "icmp-external-not-snated")
	text, err := json.Marshal(one.Findings)
	if err != nil {
		t.Fatal(err)
	}
	if one.Status != checks.StatusInfo || !strings.Contains(string(text), "shop/web-2") {
		t.Errorf("the lost ping is %s: %s (%s)", one.Status, text, one.Gap)
	}
	r, _ = reportOf(t, "--node", apibed.WindowsNode, "--kubeconfig", bed.Kubeconfigs["admin"],
		enough)
	if one := result(t, r, "icmp-external-not-snated"); one.Status != checks.StatusSkip ||
		!strings.Contains(one.Reason, "--from-pod") {
		t.Errorf("without a pod it is %s: %s", one.Status, one.Reason)
	}
}

// TestWhatOnlyTheClusterShows: events of those who could not create a pod, and the lease, whose time is
// the node's and which the server dates itself.
func TestWhatOnlyTheClusterShows(t *testing.T) {
	bed := apibed.Require(t)
	bed.Stage(t)
	bed.Event(t, "shop", "DaemonSet", "csi-win", "Warning", "FailedCreate", `Error creating: pods "csi-win-7x2vq" is forbidden: violates PodSecurity "baseline:latest": hostProcess (pod must not set securityContext.windowsOptions.hostProcess=true)`)
	const quota = `Error creating: pods "%s-1" is forbidden: exceeded quota: compute`
	bed.Event(t, "kube-system", "DaemonSet", "log-agent", "Warning", "FailedCreate", fmt.Sprintf(quota, "log-agent"))
	bed.Event(t, "shop", "ReplicaSet", "of-linux", "Warning", "FailedCreate", fmt.Sprintf(quota, "of-linux"))
	// A minute more than the hour that the report names: the server dates what it received in whole seconds.
	bed.Patch(t, apibed.Leases+"/"+apibed.WindowsNode, apibed.Lease(apibed.WindowsNode,
		time.Now().Add(-time.Hour-time.Minute)))
	r, _ := reportOf(t, "--node", apibed.WindowsNode, "--kubeconfig", bed.Kubeconfigs["admin"], enough)
	for id, want := range map[string]string{"pod-security-denies-hostprocess": "csi-win",
		"pod-quota-exceeded": "log-agent", "cert-expired-or-clock-skew": "API server by 1h"} {
		one := result(t, r, id)
		text, err := json.Marshal(one.Findings)
		if err != nil || one.Status != checks.StatusFail || !strings.Contains(string(text), want) ||
			strings.Contains(string(text), "of-linux") {
			t.Errorf("%s is %s: %s (%s)", id, one.Status, text, one.Gap)
		}
	}
}

// TestAHealthyNodeThroughTheAPI: what only the node itself shows is no open question.
func TestAHealthyNodeThroughTheAPI(t *testing.T) {
	bed := apibed.Require(t)
	bed.Stage(t)
	well := apibed.Node("win-well", "windows", "10.240.0.9", "True")
	var server struct{ GitVersion string }
	if err := json.Unmarshal(bed.Get(t, "/version"), &server); err != nil {
		t.Fatal(err)
	}
	well["status"].(apibed.Object)["nodeInfo"].(apibed.Object)["kubeletVersion"] = server.GitVersion
	bed.Create(t, "/api/v1/nodes", well)
	r := program.Run(t, program.Build(t), "--node", "win-well", "--kubeconfig",
		bed.Kubeconfigs["admin"], "-o", "text", enough)
	said := strings.Join(strings.Fields(r.Stdout), " ")
	if r.Status != program.Fine || !strings.Contains(said, "run only on the node itself") {
		t.Errorf("exit status %d\n%s%s", r.Status, r.Stderr, r.Stdout)
	}
}

// TestALoginTakesTheTimeThatItTakes: somebody may have to type a code, so the login is no part of
// --timeout, is told, and ends with Ctrl-C.
func TestALoginTakesTheTimeThatItTakes(t *testing.T) {
	bed := apibed.Require(t)
	bed.Stage(t)
	login := func(script string) string {
		return bed.Kubeconfig(t, apibed.Login{User: apibed.Object{"exec": apibed.Object{
			"apiVersion": "client.authentication.k8s.io/v1", "interactiveMode": "Never",
			"command": "sh", "args": []string{"-c", script}}}})
	}
	slow := login("sleep 5; echo '" + `{"apiVersion": "client.authentication.k8s.io/v1",
"kind": "ExecCredential", "status": {"token": "` + bed.Tokens["admin"] + `"}}` + "'")
	r := program.Run(t, program.Build(t), "--node", apibed.WindowsNode, "--kubeconfig", slow,
		"--timeout", "4s", "-o", "text", "--only", "pods-stuck-creating")
	if r.Status != program.Fail || r.Stderr !=
		"doctor: waiting for sh to log in; Ctrl-C ends it\n" {
		t.Errorf("a slow login: exit status %d: %s%s", r.Status, r.Stderr, r.Stdout)
	}

	never := exec.Command(program.Build(t), "--node", apibed.WindowsNode, "--kubeconfig",
		login("exec sleep 60"), "-o", "text")
	said, err := never.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := never.Start(); err != nil {
		t.Fatal(err)
	}
	line, _ := bufio.NewReader(said).ReadString('\n')
	if !strings.Contains(line, "waiting for sh") {
		t.Errorf("it says %q", line)
	}
	began := time.Now()
	if err := never.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	never.Wait()
	if status, took := never.ProcessState.ExitCode(), time.Since(began); status !=
		program.Interrupted || took > 30*time.Second {
		t.Errorf("Ctrl-C: exit status %d after %v", status, took)
	}
}
