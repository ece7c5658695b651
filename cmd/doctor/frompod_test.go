package main

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/fixtures"
	"doctor/fixtures/apibed"
)

func TestAPodIsAskedWhatTheNodeIsAsked(t *testing.T) {
	r, err := fixtures.Open("healthy-flannel-overlay")
	if err != nil {
		t.Fatal(err)
	}
	s, err := evidence.Load(r.FS())
	if err != nil {
		t.Fatal(err)
	}
	plan, err := podPlan(s, "shop/web-1", nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"www.msftconnecttest.com", "www.msftconnecttest.com:80", "10.96.0.10:53"} {
		if !slices.Contains(plan.Targets, want) {
			t.Errorf("the pod is not asked for %s, but for %v", want, plan.Targets)
		}
	}
	if plan.Pod != "shop/web-1" || !slices.Contains(plan.Names, "kubernetes.default") {
		t.Errorf("%s resolves %v", plan.Pod, plan.Names)
	}
	empty, err := evidence.Load(fixtures.Tree(txtar.Parse([]byte("-- meta.json --\n{\"layout\":\"evidence/v1\",\"node\":\"win-1\"}\n"))))
	if err != nil {
		t.Fatal(err)
	}
	plan, err = podPlan(empty, "shop/web-1", []string{"10.1.2.3:80"})
	if err != nil || !slices.Equal(plan.Targets, []string{"10.1.2.3", "10.1.2.3:80"}) {
		t.Errorf("of a node that nothing is known of, %v is asked (%v)", plan.Targets, err)
	}
}

// TestAPodMeasuresForADiagnosis: the documentation's example, a ping that is
// lost where TCP works, told of a pod that a kubelet runs commands in.
func TestAPodMeasuresForADiagnosis(t *testing.T) {
	bed := apibed.Require(t)
	bed.Stage(t)
	bed.Create(t, "/api/v1/namespaces/shop/pods", apibed.Pod("web-2", apibed.WindowsNode, "registry.example/shop/web:1", "", 0))
	bed.Exec(t, apibed.KubeletAddress, func(_ context.Context, c apibed.Command) apibed.Ran {
		line := strings.Join(c.Argv, " ")
		switch {
		case strings.HasPrefix(line, "ping.exe"):
			return apibed.Ran{Stdout: []byte("Pinging 203.0.113.7 with 32 bytes of data:\r\nRequest timed out.\r\n"), Code: 1}
		case strings.HasPrefix(line, "curl.exe") && strings.Contains(line, "203.0.113.7"):
			return apibed.Ran{Stdout: []byte("|200|203.0.113.7|0.0|0.004|0.020|0.030|")}
		}
		return apibed.Ran{Error: "hcs::System::CreateProcess: The system cannot find the file specified."}
	})
	r, _, _ := reportOf(t, "--node", apibed.WindowsNode, "--kubeconfig", bed.Kubeconfigs["admin"], "--from-pod", "shop/web-2", "--target", "203.0.113.7:443")
	one := result(t, r, "icmp-external-not-snated")
	text, err := json.Marshal(one.Findings)
	if err != nil {
		t.Fatal(err)
	}
	if one.Status != checks.StatusInfo || !strings.Contains(string(text), "shop/web-2") {
		t.Errorf("the lost ping is %s: %s (%s)", one.Status, text, one.Gap)
	}
	r, _, _ = reportOf(t, "--node", apibed.WindowsNode, "--kubeconfig", bed.Kubeconfigs["admin"])
	if one := result(t, r, "icmp-external-not-snated"); one.Status != checks.StatusUnknown || !strings.Contains(one.Gap, "--from-pod") {
		t.Errorf("without a pod it is %s: %s", one.Status, one.Gap)
	}
}
