package api_test

import (
	"slices"
	"strings"
	"testing"

	"doctor/checks"
	"doctor/fixtures/apibed"
	"doctor/fixtures/program"
	"doctor/fixtures/wait"
)

// TestThePrintedRole applies what `doctor explain rbac` prints, and diagnoses as that account: the
// cluster's part is read, and the logs are denied, which is something else than absent.
func TestThePrintedRole(t *testing.T) {
	bed := apibed.Require(t)
	bed.Stage(t)
	const rbac = "/apis/rbac.authorization.k8s.io/v1/"
	role := program.Run(t, program.Build(t), "explain", "rbac").Stdout
	bed.Apply(t, rbac+"clusterroles/doctor-reader", role)
	bed.Create(t, rbac+"clusterrolebindings", apibed.Object{"metadata": apibed.Object{"name": "of-role"},
		"roleRef": apibed.Object{"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole",
			"name": "doctor-reader"},
		"subjects": []apibed.Object{{"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": "of-role"}}})
	as := []string{"--kubeconfig", bed.Kubeconfigs["admin"], "--as", "of-role", enough}
	rights := func() program.Result {
		return program.Run(t, program.Build(t), append(as, "explain", "rbac", "--check")...)
	}
	wait.Holds(func() bool { return rights().Status == program.Fine }) // until the server knows of the role
	if r := rights(); r.Status != program.Fine || !strings.Contains(r.Stdout, "no (optional)") {
		t.Errorf("explain rbac --check: exit status %d\n%s%s", r.Status, r.Stdout, r.Stderr)
	}
	r, _ := reportOf(t, append(as, "--node", apibed.WindowsNode)...)
	for _, g := range r.Gaps {
		if strings.HasPrefix(g.Path, "api/") {
			t.Errorf("a gap of the cluster's view: %+v", g)
		}
	}
	if one := result(t, r, "kubelet-port-in-use"); one.Status != checks.StatusUnknown ||
		!strings.HasPrefix(one.Gap, "denied: may not get nodes/proxy for the logs of kubelet") {
		t.Errorf("without the right to the logs it is %s: %s", one.Status, one.Gap)
	}
	if slices.ContainsFunc(r.Results, func(one checks.Result) bool {
		return strings.Contains(one.Gap, "a log of kubelet was not found")
	}) {
		t.Error("a log that may not be read is said to be absent")
	}
}
