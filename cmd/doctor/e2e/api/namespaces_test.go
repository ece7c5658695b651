package api_test

import (
	"encoding/json"
	"strings"
	"testing"

	"doctor/fixtures/apibed"
	"doctor/fixtures/program"
)

// TestAnAccountOfOneNamespace: what its pods show is reported, and no check acquits the others.
func TestAnAccountOfOneNamespace(t *testing.T) {
	bed := apibed.Require(t)
	bed.Stage(t)
	const user, rbac = "of-shop", "/apis/rbac.authorization.k8s.io/v1/namespaces/shop/"
	meta := apibed.Object{"name": user}
	bed.Create(t, rbac+"roles", apibed.Object{"metadata": meta, "rules": []apibed.Object{{
		"apiGroups": []string{""}, "resources": []string{"pods", "events"}, "verbs": []string{"list"}}}})
	bed.Create(t, rbac+"rolebindings", apibed.Object{"metadata": meta,
		"roleRef":  apibed.Object{"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": user},
		"subjects": []apibed.Object{{"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": user}}})

	r := program.Run(t, program.Build(t), "--kubeconfig", bed.Kubeconfig(t, apibed.Login{}), "--as", user,
		"-n", "shop", "--node", apibed.WindowsNode, "--json", enough)
	if r.Status != program.Fail {
		t.Fatalf("exit status %d\n%s", r.Status, r.Stderr)
	}
	var report struct {
		Results []struct {
			ID, Status string
			Gap        string
			Findings   []struct{ Message string }
		}
	}
	if err := json.Unmarshal([]byte(r.Stdout), &report); err != nil {
		t.Fatal(err)
	}
	const why = "denied: the account may list pods in these namespaces alone: shop"
	seen := map[string]string{}
	for _, res := range report.Results {
		seen[res.ID] = res.Status + " " + res.Gap
		for _, f := range res.Findings {
			if strings.Contains(f.Message, "log-agent") {
				t.Errorf("%s knows a pod of another namespace: %s", res.ID, f.Message)
			}
		}
	}
	if !strings.HasPrefix(seen["pods-stuck-creating"], "fail") {
		t.Errorf("pods-stuck-creating: %s", seen["pods-stuck-creating"])
	}
	if got := seen["image-not-found"]; !strings.HasPrefix(got, "unknown "+why) {
		t.Errorf("image-not-found: %s", got)
	}

	// Who may list no pods anywhere is told so.
	r = program.Run(t, program.Build(t), "--kubeconfig", bed.Kubeconfig(t, apibed.Login{}), "--as", "stranger",
		"-n", "shop", "--node", apibed.WindowsNode, "-o", "text", enough)
	if r.Status != program.Trouble || !strings.Contains(r.Stderr, "cannot be read") {
		t.Errorf("exit status %d\n%s", r.Status, r.Stderr)
	}
}
