package onnode_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/fixtures/apibed"
	"doctor/fixtures/program"
	"doctor/fixtures/server"
	"doctor/fixtures/term"
	"doctor/fixtures/wait"
)

const (
	image     = "registry.example/doctor:1"
	namespace = "doctor-system"
	address   = "10.240.0.4:10250"
)

var bed = sync.OnceValues(func() (*apibed.Bed, error) {
	return apibed.Start("--allow-privileged=true")
})

// stage is a cluster in which HostProcess pods may run, with one Windows node.
func stage(t *testing.T) *apibed.Bed {
	t.Helper()
	server.APIServer.Require(t)
	b, err := bed()
	if err != nil {
		t.Fatal(err)
	}
	b.Controllers(t)
	b.Namespace(t, namespace)
	b.Create(t, "/api/v1/nodes", apibed.Node("win-1", "windows", "10.240.0.4", "True"))
	return b
}

// printed is what the pod of a recorded node prints.
func printed(t *testing.T, demo string) []byte {
	t.Helper()
	r := program.Run(t, program.Build(t), "pod-evidence", "--demo", demo)
	if r.Status != program.Fail || !strings.Contains(r.Stdout, "doctor-evidence/v1 end size=") {
		t.Fatalf("exit status %d\n%s", r.Status, r.Stderr)
	}
	return []byte(r.Stdout)
}

// onNode runs the doctor with a pod on win-1.
func onNode(t *testing.T, kubeconfig string, more ...string) (checks.Report, program.Result) {
	t.Helper()
	r := program.Run(t, program.Build(t), append([]string{"--node", "win-1", "--on-node", "--image",
		image, "--kubeconfig", kubeconfig, "--json"}, more...)...)
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

// left are the Jobs and pods that runs left behind.
func left(t *testing.T, b *apibed.Bed) (names []string) {
	t.Helper()
	for _, collection := range []string{"/apis/batch/v1/namespaces/" + namespace + "/jobs",
		"/api/v1/namespaces/" + namespace + "/pods"} {
		var list struct {
			Items []struct{ Metadata struct{ Name string } }
		}
		if err := json.Unmarshal(b.Get(t, collection), &list); err != nil {
			t.Fatal(err)
		}
		for _, item := range list.Items {
			names = append(names, item.Metadata.Name)
		}
	}
	return names
}

func nothingLeft(t *testing.T, b *apibed.Bed) {
	t.Helper()
	wait.Until(t, "an end of all that the run created", func() bool { return len(left(t, b)) == 0 })
}

func TestANodeIsReadFromInside(t *testing.T) {
	b := stage(t)
	log := printed(t, "kubelet-removed-flag")
	var spec atomic.Value
	b.Pods(t, namespace, []string{address}, func(node string, pod apibed.Object) apibed.PodRun {
		spec.Store(pod)
		return apibed.PodRun{Log: log, Exit: 3}
	})
	report, r := onNode(t, b.Kubeconfigs["admin"])
	if r.Status != program.Fail {
		t.Errorf("exit status %d: %s", r.Status, r.Stderr)
	}
	if one := result(t, report, "kubelet-removed-flag"); one.Status != checks.StatusFail ||
		one.Findings[0].Because[0].Path != "services.json" ||
		!slices.ContainsFunc(one.Findings[0].Because, func(b evidence.Because) bool {
			return strings.HasPrefix(b.Path, "logs/")
		}) {
		t.Errorf("what only the node's services and logs show is %s: %+v", one.Status, one)
	}
	if one := result(t, report, "kubelet-not-running"); one.Status == checks.StatusSkip {
		t.Errorf("what only the node's services show is skipped: %s", one.Reason)
	}
	if report.Source.Kind != "cluster" || report.Node.Name != "win-1" {
		t.Errorf("the report is of %+v, %+v", report.Source, report.Node)
	}
	if !strings.Contains(r.Stderr, "log agents of the cluster may ship") {
		t.Errorf("it does not say who reads what a pod prints: %s", r.Stderr)
	}
	pod, _ := spec.Load().(apibed.Object)
	text, err := json.Marshal(pod["spec"])
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{`"hostProcess":true`, `"runAsUserName":"NT AUTHORITY\\SYSTEM"`,
		`"hostNetwork":true`, `"nodeName":"win-1"`, `"activeDeadlineSeconds":90`,
		`"automountServiceAccountToken":false`, `"restartPolicy":"Never"`,
		`"%CONTAINER_SANDBOX_MOUNT_POINT%\\doctor.exe"`,
		`"terminationMessagePolicy":"FallbackToLogsOnError"`} {
		if !bytes.Contains(text, []byte(part)) {
			t.Errorf("the pod has no %s: %s", part, text)
		}
	}
	if bytes.Contains(text, []byte("workingDir")) {
		t.Error("the pod has a working directory, which Server 2019 looks for below the mount")
	}
	nothingLeft(t, b)
}

// TestWhatBecomesOfAPod: each way in which a pod brings no evidence is the reason of what is
// missing, and the cluster's own view stays.
func TestWhatBecomesOfAPod(t *testing.T) {
	b := stage(t)
	log := printed(t, "kubelet-removed-flag")
	altered := bytes.Clone(log)
	at := len(altered)/2 + 1
	if altered[at] = 'A'; log[at] == 'A' {
		altered[at] = 'B'
	}
	var run atomic.Pointer[apibed.PodRun]
	b.Pods(t, namespace, []string{address}, func(string, apibed.Object) apibed.PodRun {
		return *run.Load()
	})
	for _, c := range []struct {
		name string
		run  apibed.PodRun
		gap  string
	}{
		{"the image cannot be pulled", apibed.PodRun{Waiting: "ImagePullBackOff",
			Message: `Back-off pulling image "registry.example/doctor:1": unauthorized`},
			"not-collected: no evidence from inside the node: the image registry.example/doctor:1 cannot be pulled: Back-off pulling"},
		{"the image has another architecture", apibed.PodRun{Waiting: "ErrImagePull",
			Message: "rpc error: no match for platform in manifest: not found"},
			"not-collected: no evidence from inside the node: the image registry.example/doctor:1 has no variant for this node"},
		{"the pod hangs", apibed.PodRun{Deadline: true},
			"timeout: no evidence from inside the node: the pod did not finish within 1m30s"},
		{"the kubelet refuses it", apibed.PodRun{Refused: "Node didn't have enough resource: memory"},
			"not-collected: no evidence from inside the node: the kubelet refused the pod: OutOfmemory"},
		{"the log is cut", apibed.PodRun{Log: log[:bytes.LastIndexByte(log[:len(log)/2], '\n')+1]},
			"error: no evidence from inside the node: the log of the pod is incomplete: it ends after"},
		{"the log is altered", apibed.PodRun{Log: altered},
			"error: no evidence from inside the node: the log of the pod is incomplete: its digest"},
		{"the program does not start", apibed.PodRun{Log: []byte("hcsshim: not found\n"), Exit: 1},
			"error: no evidence from inside the node: the pod printed no evidence: hcsshim: not found"},
		{"the log cannot be read, and the end tells the causes", apibed.PodRun{NoLog: true, Exit: 3,
			Termination: string(log[len(log)-300:])}, "the pod itself found: kubelet-removed-flag"},
		{"the node goes during the run", apibed.PodRun{Removed: true},
			"the pod was removed during the run; the node may be gone"},
	} {
		t.Run(c.name, func(t *testing.T) {
			run.Store(&c.run)
			report, r := onNode(t, b.Kubeconfigs["admin"], "--timeout", "40s")
			one := result(t, report, "kubelet-not-running")
			if one.Status != checks.StatusUnknown || !strings.Contains(one.Gap, c.gap) {
				t.Errorf("it is %s: %s", one.Status, one.Gap)
			}
			if report.Node.Kubelet != "v1.31.4" || r.Status != program.Fine && r.Status != program.Fail {
				t.Errorf("the cluster's view is gone: exit status %d, %s", r.Status, r.Stderr)
			}
			nothingLeft(t, b)
		})
	}
}

// TestWherePodsAreRefused: why is said once, with the commands that change it, and nothing is created.
func TestWherePodsAreRefused(t *testing.T) {
	b := stage(t)
	psa := func(level string) apibed.Object {
		return apibed.Object{"metadata": apibed.Object{"labels": apibed.Object{
			"pod-security.kubernetes.io/enforce": level}}}
	}
	label := "kubectl label namespace strict pod-security.kubernetes.io/enforce=privileged"
	b.Namespace(t, "strict")
	for _, c := range []struct {
		name, namespace, level, user string
		says                         []string
	}{
		{"Pod Security baseline", "strict", "baseline", "admin", []string{
			"the Pod Security level of the namespace strict refuses HostProcess pods", label}},
		{"Pod Security restricted", "strict", "restricted", "admin", []string{
			"the Pod Security level of the namespace strict refuses HostProcess pods", label}},
		{"no namespace", "nowhere", "", "admin", []string{"there is no namespace nowhere",
			"kubectl create namespace nowhere",
			"kubectl label namespace nowhere pod-security.kubernetes.io/enforce=privileged"}},
		{"no right to create pods", "strict", "privileged", "reader", []string{
			"no right in the namespace strict to create jobs.batch", "create pods, list pods",
			"kubectl -n strict create role doctor-on-node"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.level != "" {
				b.Patch(t, "/api/v1/namespaces/strict", psa(c.level))
			}
			if c.user == "reader" {
				b.Create(t, "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings",
					apibed.Object{"metadata": apibed.Object{"name": "reader-views"},
						"roleRef": apibed.Object{"apiGroup": "rbac.authorization.k8s.io",
							"kind": "ClusterRole", "name": "system:node-problem-detector"},
						"subjects": []apibed.Object{{"kind": "User", "name": "reader",
							"apiGroup": "rbac.authorization.k8s.io"}}})
				mayRead(t, b, "reader")
			}
			_, r := onNode(t, b.Kubeconfigs[c.user], "--namespace", c.namespace)
			for _, part := range c.says {
				if strings.Count(r.Stderr, part) != 1 {
					t.Errorf("%q is not there once in\n%s", part, r.Stderr)
				}
			}
			if names := left(t, b); len(names) > 0 {
				t.Errorf("it created %v", names)
			}
		})
	}
	t.Run("an admission policy", func(t *testing.T) {
		refusesPods(t, b, "strict", "only the images of the registry are allowed")
		_, r := onNode(t, b.Kubeconfigs["admin"], "--namespace", "strict")
		if strings.Count(r.Stderr, "only the images of the registry are allowed") != 1 {
			t.Errorf("it says %s", r.Stderr)
		}
		if names := left(t, b); len(names) > 0 {
			t.Errorf("it created %v", names)
		}
	})
	t.Run("an API server without --allow-privileged", func(t *testing.T) {
		plain := apibed.Require(t)
		plain.Namespace(t, namespace)
		plain.Create(t, "/api/v1/nodes", apibed.Node("win-1", "windows", "10.240.0.4", "True"))
		_, r := onNode(t, plain.Kubeconfigs["admin"])
		if strings.Count(r.Stderr, "start it with --allow-privileged=true") != 1 {
			t.Errorf("it says %s", r.Stderr)
		}
	})
	nothingLeft(t, b)
}

// refusesPods has the API server's own policies refuse the pods of a namespace, as a webhook does.
func refusesPods(t *testing.T, b *apibed.Bed, in, why string) {
	t.Helper()
	const group = "/apis/admissionregistration.k8s.io/v1/"
	name := apibed.Object{"name": "no-pods"}
	for _, o := range []struct {
		kind string
		spec apibed.Object
	}{
		{"validatingadmissionpolicies", apibed.Object{
			"failurePolicy": "Fail",
			"matchConstraints": apibed.Object{"resourceRules": []apibed.Object{{
				"apiGroups": []string{""}, "apiVersions": []string{"v1"},
				"operations": []string{"CREATE"}, "resources": []string{"pods"}}}},
			"validations": []apibed.Object{{"expression": "false", "message": why}}}},
		{"validatingadmissionpolicybindings", apibed.Object{
			"policyName": "no-pods", "validationActions": []string{"Deny"},
			"matchResources": apibed.Object{"namespaceSelector": apibed.Object{"matchLabels": apibed.Object{
				"kubernetes.io/metadata.name": in}}}}},
	} {
		b.Create(t, group+o.kind, apibed.Object{"metadata": name, "spec": o.spec})
	}
	wait.Until(t, "the policy", func() bool {
		text, _, err := b.Do(http.MethodPost, "/api/v1/namespaces/"+in+"/pods?dryRun=All",
			apibed.Pod("probe", "win-1", "registry.example/probe:1", "", 0))
		return err == nil && bytes.Contains(text, []byte(why))
	})
}

// mayRead waits until the server has heard that the user may get nodes.
func mayRead(t *testing.T, b *apibed.Bed, user string) {
	t.Helper()
	wait.Until(t, "the right of "+user, func() bool {
		text, _, err := b.Do(http.MethodPost, "/apis/authorization.k8s.io/v1/subjectaccessreviews",
			apibed.Object{"spec": apibed.Object{"user": user, "resourceAttributes": apibed.Object{
				"verb": "get", "resource": "nodes"}}})
		return err == nil && bytes.Contains(text, []byte(`"allowed":true`))
	})
}

// TestNoPodIsSentWhereNoneWouldRun: the node's own account decides, before anything is asked.
func TestNoPodIsSentWhereNoneWouldRun(t *testing.T) {
	b := stage(t)
	for _, c := range []struct{ name, ready, runtime, kubelet, gap string }{
		{"not ready", "False", "containerd://1.7.22", "v1.31.4", "the node is not ready; no pod was sent"},
		{"not heard of", "Unknown", "containerd://1.7.22", "v1.31.4", "the node is not ready"},
		{"Docker", "True", "docker://20.10.9", "v1.31.4", "the node runs Docker"},
		{"an old containerd", "True", "containerd://1.5.13", "v1.31.4", "containerd 1.5.13 has no"},
		{"an old kubelet", "True", "containerd://1.7.22", "v1.22.9", "kubelet v1.22.9 has no"},
	} {
		t.Run(c.name, func(t *testing.T) {
			node := apibed.Node("win-1", "windows", "10.240.0.4", c.ready)
			info := node["status"].(apibed.Object)["nodeInfo"].(apibed.Object)
			info["containerRuntimeVersion"], info["kubeletVersion"] = c.runtime, c.kubelet
			b.Patch(t, "/api/v1/nodes/win-1/status", apibed.Object{"status": node["status"]})
			front := b.Front(t, apibed.Faults{})
			report, _ := onNode(t, b.Kubeconfig(t, apibed.Login{Server: front.URL, CA: front.CA}))
			if one := result(t, report, "kubelet-not-running"); one.Status != checks.StatusUnknown ||
				!strings.Contains(one.Gap, c.gap) {
				t.Errorf("it is %s: %s", one.Status, one.Gap)
			}
			if i := slices.IndexFunc(front.Requests(), func(r string) bool {
				return !strings.HasPrefix(r, "GET ")
			}); i >= 0 {
				t.Errorf("it sent %s", front.Requests()[i])
			}
		})
	}
}

// TestARunIsInterrupted: Ctrl-C removes everything, and where the client is killed the anchor expires.
func TestARunIsInterrupted(t *testing.T) {
	b := stage(t)
	b.Pods(t, namespace, []string{address}, func(string, apibed.Object) apibed.PodRun {
		return apibed.PodRun{Hangs: true}
	})
	for _, c := range []struct {
		name string
		send os.Signal
	}{{"Ctrl-C", os.Interrupt}, {"killed", syscall.SIGKILL}} {
		t.Run(c.name, func(t *testing.T) {
			cmd := exec.Command(program.Build(t), "--node", "win-1", "--on-node", "--image", image,
				"--kubeconfig", b.Kubeconfigs["admin"], "-o", "text")
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			wait.Until(t, "an anchor and a pod", func() bool { return len(left(t, b)) == 2 })
			if err := cmd.Process.Signal(c.send); err != nil {
				t.Fatal(err)
			}
			cmd.Wait()
			if c.send == os.Interrupt {
				if status := cmd.ProcessState.ExitCode(); status != program.Interrupted {
					t.Errorf("exit status %d", status)
				}
				nothingLeft(t, b)
				return
			}
			names := left(t, b)
			if len(names) != 2 {
				t.Fatalf("the killed client left %v", names)
			}
			job := "/apis/batch/v1/namespaces/" + namespace + "/jobs/" + names[0]
			if !bytes.Contains(b.Get(t, job), []byte(`"activeDeadlineSeconds":900`)) {
				t.Errorf("the anchor does not expire: %s", b.Get(t, job))
			}
			b.Patch(t, job, apibed.Object{"spec": apibed.Object{"activeDeadlineSeconds": 1}})
			nothingLeft(t, b)
		})
	}
}

// TestAScreenIsLeft while the pod runs: the program ends when the pod is removed.
func TestAScreenIsLeft(t *testing.T) {
	term.Require(t)
	b := stage(t)
	b.Pods(t, namespace, []string{address}, func(string, apibed.Object) apibed.PodRun {
		return apibed.PodRun{Hangs: true}
	})
	for name, args := range map[string][]string{"one node": {"--node", "win-1"}, "a fleet": {"fleet"}} {
		t.Run(name, func(t *testing.T) {
			s := term.Start(t, t.TempDir(), 80, 24, term.Environ(),
				append(append([]string{program.Build(t)}, args...), "--on-node", "--image", image,
					"--kubeconfig", b.Kubeconfigs["admin"]))
			wait.Until(t, "an anchor and a pod", func() bool { return len(left(t, b)) == 2 })
			t.Log(s.Text())
			s.Press("q")
			s.Wait("the shell", func(text string) bool { return strings.Contains(text, term.After) })
			nothingLeft(t, b)
		})
	}
}

// TestAServerThatThrottles: what it puts off is sent again.
func TestAServerThatThrottles(t *testing.T) {
	b := stage(t)
	log := printed(t, "kubelet-removed-flag")
	b.Pods(t, namespace, []string{address}, func(string, apibed.Object) apibed.PodRun {
		return apibed.PodRun{Log: log, Exit: 3}
	})
	var refused atomic.Int32
	front := b.Front(t, apibed.Faults{Spoil: func(server http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if strings.Contains(r.URL.Path, "/namespaces/"+namespace+"/") && refused.Add(1)%4 != 0 {
				w.Header().Set("Content-Type", "application/json")
				w.Header().Set("Retry-After", "1")
				w.WriteHeader(http.StatusTooManyRequests)
				w.Write([]byte(`{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"TooManyRequests","code":429,"details":{"retryAfterSeconds":1}}`))
				return
			}
			server.ServeHTTP(w, r)
		})
	}})
	report, r := onNode(t, b.Kubeconfig(t, apibed.Login{Server: front.URL, CA: front.CA}))
	if one := result(t, report, "kubelet-removed-flag"); one.Status != checks.StatusFail ||
		refused.Load() < 8 {
		t.Errorf("after %d refusals it is %s: %s\n%s", refused.Load(), one.Status, one.Gap, r.Stderr)
	}
	nothingLeft(t, b)
}

// TestTwoRunsAtOnce: each has an anchor of its own, and the end of one leaves the other's pods alone.
func TestTwoRunsAtOnce(t *testing.T) {
	b := stage(t)
	log := printed(t, "kubelet-removed-flag")
	both := make(chan bool)
	var pods atomic.Int32
	b.Pods(t, namespace, []string{address}, func(string, apibed.Object) apibed.PodRun {
		if pods.Add(1) == 2 {
			close(both)
		}
		return apibed.PodRun{Log: log, Exit: 3}
	})
	var runs sync.WaitGroup
	for range 2 {
		runs.Go(func() {
			r := program.Run(t, program.Build(t), "--node", "win-1", "--on-node", "--image", image,
				"--kubeconfig", b.Kubeconfigs["admin"], "-o", "text", "--only", "kubelet-removed-flag")
			if r.Status != program.Fail {
				t.Errorf("exit status %d: %s%s", r.Status, r.Stdout, r.Stderr)
			}
		})
	}
	runs.Wait()
	<-both
	nothingLeft(t, b)
}
