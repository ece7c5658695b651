package onnode_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus/testutil/promlint"
	"sigs.k8s.io/yaml"

	"doctor/collectors/cluster"
	"doctor/collectors/publish"
	"doctor/fixtures/apibed"
	"doctor/fixtures/program"
	"doctor/fixtures/wait"
)

// collections are where objects of the manifest are, by kind.
var collections = map[string]string{
	"Namespace":                "/api/v1/namespaces",
	"ServiceAccount":           "/api/v1/namespaces/%s/serviceaccounts",
	"Role":                     "/apis/rbac.authorization.k8s.io/v1/namespaces/%s/roles",
	"RoleBinding":              "/apis/rbac.authorization.k8s.io/v1/namespaces/%s/rolebindings",
	"ClusterRole":              "/apis/rbac.authorization.k8s.io/v1/clusterroles",
	"ClusterRoleBinding":       "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings",
	"DaemonSet":                "/apis/apps/v1/namespaces/%s/daemonsets",
	"ClusterReport":            clusterReportPath,
	"CustomResourceDefinition": "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
	"ValidatingAdmissionPolicy": "/apis/admissionregistration.k8s.io/v1/" +
		"validatingadmissionpolicies",
	"ValidatingAdmissionPolicyBinding": "/apis/admissionregistration.k8s.io/v1/" +
		"validatingadmissionpolicybindings",
}

// apply applies each document of the manifest, strictly, until the test ends.
func apply(t *testing.T, b *apibed.Bed, manifest string) (kinds []string) {
	t.Helper()
	for document := range strings.SplitSeq(manifest, "\n---\n") {
		var o struct {
			Kind     string
			Metadata struct{ Name, Namespace string }
		}
		if err := yaml.UnmarshalStrict([]byte(document), &map[string]any{}); err != nil {
			t.Fatalf("%v in\n%s", err, document)
		}
		if err := yaml.Unmarshal([]byte(document), &o); err != nil {
			t.Fatal(err)
		}
		path := collections[o.Kind]
		if strings.Contains(path, "%s") {
			path = fmt.Sprintf(path, o.Metadata.Namespace)
		}
		path += "/" + o.Metadata.Name
		text, status, err := b.Do(http.MethodPatch,
			path+"?fieldManager=test&force=true&fieldValidation=Strict", document)
		if err != nil || status >= 300 {
			t.Fatalf("%s %s: %d %v %s", o.Kind, o.Metadata.Name, status, err, text)
		}
		if o.Kind != "Namespace" {
			t.Cleanup(func() { b.Do(http.MethodDelete, path, nil) })
		}
		kinds = append(kinds, o.Kind)
	}
	return kinds
}

func manifestOf(t *testing.T, more ...string) string {
	t.Helper()
	r := program.Run(t, program.Build(t), append([]string{"fleet", "manifest", "--image", image},
		more...)...)
	if r.Status != program.Fine {
		t.Fatalf("exit status %d: %s", r.Status, r.Stderr)
	}
	return r.Stdout
}

// TestTheManifestIsAccepted: by a real API server, without an unknown field.
func TestTheManifestIsAccepted(t *testing.T) {
	b := stage(t)
	for _, args := range [][]string{nil, {"--image-pull-secret", "pull"}, {"--continuous"},
		{"--continuous", "--openreports", "--namespace", "doctor-system"}} {
		kinds := apply(t, b, manifestOf(t, args...))
		if kinds[0] != "Namespace" || kinds[len(kinds)-1] != "DaemonSet" {
			t.Errorf("%v: %v", args, kinds)
		}
		text := b.Get(t, collections["Namespace"]+"/"+namespace)
		if !bytes.Contains(text, []byte(`"pod-security.kubernetes.io/enforce":"privileged"`)) {
			t.Errorf("the namespace: %s", text)
		}
	}
	text := b.Get(t, "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies/doctor-own-node")
	if bytes.Contains(text, []byte("expressionWarnings")) {
		t.Errorf("the policy has warnings: %s", text)
	}
}

// agentAs is a kubeconfig of the agent's account, in a pod on a node.
func agentAs(t *testing.T, b *apibed.Bed, node string) string {
	t.Helper()
	return b.Kubeconfig(t, apibed.Login{User: apibed.Object{"token": b.Tokens["admin"],
		"as": "system:serviceaccount:" + namespace + ":doctor",
		"as-user-extra": apibed.Object{
			"authentication.kubernetes.io/node-name": []string{node}}}})
}

// TestAPodWritesItsOwnNodeAlone: the policy of the manifest, with the rights of its roles and no more.
func TestAPodWritesItsOwnNodeAlone(t *testing.T) {
	b := stage(t)
	b.Create(t, "/api/v1/nodes", apibed.Node("win-2", "windows", "10.240.0.5", "True"))
	apply(t, b, manifestOf(t, "--continuous"))
	client, err := cluster.Connect(cluster.Options{Kubeconfig: agentAs(t, b, "win-1")})
	if err != nil {
		t.Fatal(err)
	}
	patch := func(path string, object any) string {
		_, err := client.Do(t.Context(), cluster.Request{Method: http.MethodPatch, Path: path,
			Patch: "application/strategic-merge-patch+json", Object: object, Verb: "patch", What: "it"})
		if err != nil {
			return err.Error()
		}
		return ""
	}
	condition := func(kind string) apibed.Object {
		return apibed.Object{"status": apibed.Object{"conditions": []apibed.Object{{"type": kind,
			"status": "True", "reason": "Test", "message": "x"}}}}
	}
	event := func(node string) string {
		_, err := client.Do(t.Context(), cluster.Request{Method: http.MethodPost,
			Path: "/api/v1/namespaces/default/events", Verb: "create", What: "events",
			Object: apibed.Object{"metadata": apibed.Object{"generateName": "doctor-"},
				"involvedObject": apibed.Object{"kind": "Node", "name": node}, "reason": "Test"}})
		if err != nil {
			return err.Error()
		}
		return ""
	}
	// a role and a policy that were just created are not in force at once
	wait.Until(t, "the right to its own node", func() bool {
		return patch("/api/v1/nodes/win-1/status", condition(publish.Condition)) == ""
	})
	wait.Until(t, "the policy", func() bool {
		return patch("/api/v1/nodes/win-2/status", condition(publish.Condition)) != "" &&
			event("win-2") != ""
	})
	for _, c := range []struct{ name, got, says string }{
		{"its own node's condition", patch("/api/v1/nodes/win-1/status",
			condition(publish.Condition)), ""},
		{"an event of its own node", event("win-1"), ""},
		{"another node's condition", patch("/api/v1/nodes/win-2/status",
			condition(publish.Condition)), "status of its own node alone"},
		{"an event of another node", event("win-2"), "events of its own node alone"},
		{"another condition of its own node", patch("/api/v1/nodes/win-1/status",
			condition("Ready")), "the condition WindowsNodeProblem alone"},
		{"the capacity of its own node", patch("/api/v1/nodes/win-1/status", apibed.Object{
			"status": apibed.Object{"capacity": apibed.Object{"example.com/x": "1"}}}),
			"the condition WindowsNodeProblem alone"},
		{"a label of its own node", patch("/api/v1/nodes/win-1/status", apibed.Object{
			"metadata": apibed.Object{"labels": apibed.Object{"x": "y"}}}),
			"the condition WindowsNodeProblem alone"},
		{"a taint of its own node", patch("/api/v1/nodes/win-1", apibed.Object{
			"spec": apibed.Object{"unschedulable": true}}), "may not patch"},
	} {
		if c.says == "" && c.got != "" || !strings.Contains(c.got, c.says) {
			t.Errorf("%s: %q", c.name, c.got)
		}
	}
	other, err := cluster.Connect(cluster.Options{Kubeconfig: b.Kubeconfigs["admin"]})
	if err != nil {
		t.Fatal(err)
	}
	if client = other; patch("/api/v1/nodes/win-2/status", condition("Other")) != "" {
		t.Error("the policy is for doctor's pods alone")
	}
}

// TestAnAgentPublishesAndIsScraped: its metrics are what Prometheus expects, and the second run of a node
// that did not change writes nothing.
func TestAnAgentPublishesAndIsScraped(t *testing.T) {
	b := stage(t)
	apply(t, b, manifestOf(t, "--continuous", "--openreports"))
	clusterReports(t, b)
	front := b.Front(t, apibed.Faults{})
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	l.Close()
	cmd := exec.Command(program.Build(t), "fleet", "agent", "--demo", "kubelet-removed-flag",
		"--publish", "--openreports", "--node-name", "win-1", "--every", "1s", "--listen", address, "--kubeconfig",
		b.Kubeconfig(t, apibed.Login{Server: front.URL, CA: front.CA}))
	var said bytes.Buffer
	cmd.Stderr = &said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
	})
	scrape := func() string {
		r, err := http.Get("http://" + address + "/metrics")
		if err != nil {
			return ""
		}
		defer r.Body.Close()
		text, _ := io.ReadAll(r.Body)
		return string(text)
	}
	text := ""
	wait.Until(t, "three runs", func() bool {
		text = scrape()
		return strings.Contains(text, "\ndoctor_runs_total 3\n")
	})
	for _, line := range []string{`doctor_cause{id="kubelet-removed-flag"} 1`,
		`doctor_check_status{id="kubelet-removed-flag",status="fail"} 1`,
		`doctor_check_status{id="kubelet-removed-flag",status="pass"} 0`,
		`doctor_runs_failed_total 0`, `doctor_published_total{kind="condition"} 1`,
		`doctor_published_total{kind="event"} 1`, `doctor_published_total{kind="report"} 1`} {
		if !strings.Contains(text, line+"\n") {
			t.Errorf("the metrics have no %s; it said %s", line, said.String())
		}
	}
	problems, err := promlint.New(strings.NewReader(text)).Lint()
	if err != nil || len(problems) > 0 {
		t.Errorf("promlint: %v %v", err, problems)
	}
	wrote := 0
	for _, r := range front.Requests() {
		if !strings.HasPrefix(r, "GET ") {
			wrote++
		}
	}
	if wrote != 3 {
		t.Errorf("%d writes: %v", wrote, front.Requests())
	}
	if report := b.Get(t, clusterReportPath+"/doctor-win-1"); !bytes.Contains(report,
		[]byte("kubelet-removed-flag")) {
		t.Errorf("the report: %s", report)
	}
	type event struct{ Reason, Type string }
	var events struct{ Items []event }
	if err := json.Unmarshal(b.Get(t,
		"/api/v1/namespaces/default/events?fieldSelector=involvedObject.name=win-1"),
		&events); err != nil || !slices.ContainsFunc(events.Items, func(e event) bool {
		return e == event{Reason: "KubeletRemovedFlag", Type: "Warning"}
	}) {
		t.Errorf("the events: %+v %v", events, err)
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	cmd.Wait()
}

// openReports is the module whose CustomResourceDefinition a ClusterReport has to fit.
const openReports = "github.com/openreports/reports-api@v0.2.1"

// clusterReports makes the API server know the kind, until the test ends.
func clusterReports(t *testing.T, b *apibed.Bed) {
	t.Helper()
	out, err := exec.Command("go", "mod", "download", "-json", openReports).Output()
	var module struct{ Dir string }
	if err != nil || json.Unmarshal(out, &module) != nil {
		t.Fatalf("go mod download %s: %v %s", openReports, err, out)
	}
	content, err := os.ReadFile(module.Dir + "/config/crd/openreports.io_clusterreports.yaml")
	if err != nil {
		t.Fatal(err)
	}
	apply(t, b, strings.TrimPrefix(string(content), "---\n"))
	// The server serves a definition for a while after it is deleted, and would take the next test's
	// for this one.
	t.Cleanup(func() {
		wait.Until(t, "the end of ClusterReports", func() bool {
			b.Do(http.MethodDelete, collections["CustomResourceDefinition"]+"/clusterreports.openreports.io", nil)
			_, status, err := b.Do(http.MethodGet, clusterReportPath, nil)
			return err == nil && status == http.StatusNotFound
		})
	})
	wait.Until(t, "ClusterReports", func() bool {
		_, status, err := b.Do(http.MethodGet, clusterReportPath, nil)
		return err == nil && status == http.StatusOK
	})
}

const clusterReportPath = "/apis/openreports.io/v1alpha1/clusterreports"

// TestAClusterReportFitsItsDefinition: no field is unknown to it, and none of its own is missing.
func TestAClusterReportFitsItsDefinition(t *testing.T) {
	b := stage(t)
	clusterReports(t, b)
	for _, demo := range []string{"kubelet-removed-flag", "healthy-flannel-hostgw"} {
		r := program.Run(t, program.Build(t), "--demo", demo, "-o", "openreports")
		apply(t, b, r.Stdout)
	}
}

// TestCleanRemovesWhatAKilledRunLeft, and says what.
func TestCleanRemovesWhatAKilledRunLeft(t *testing.T) {
	b := stage(t)
	b.Pods(t, namespace, []string{address}, func(string, apibed.Object) apibed.PodRun {
		return apibed.PodRun{Hangs: true}
	})
	cmd := exec.Command(program.Build(t), "--node", "win-1", "--on-node", "--image", image,
		"--kubeconfig", b.Kubeconfigs["admin"], "-o", "text")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	wait.Until(t, "an anchor and a pod", func() bool { return len(left(t, b)) == 2 })
	cmd.Process.Kill()
	cmd.Wait()
	r := program.Run(t, program.Build(t), "fleet", "clean", "--kubeconfig", b.Kubeconfigs["admin"])
	if r.Status != program.Fine || !strings.Contains(r.Stdout, "removed jobs/doctor-run-") {
		t.Errorf("exit status %d: %s%s", r.Status, r.Stdout, r.Stderr)
	}
	nothingLeft(t, b)
	r = program.Run(t, program.Build(t), "fleet", "clean", "--kubeconfig", b.Kubeconfigs["admin"])
	if r.Status != program.Fine || r.Stdout != "nothing is left in the namespace doctor-system\n" {
		t.Errorf("exit status %d: %s%s", r.Status, r.Stdout, r.Stderr)
	}
}
