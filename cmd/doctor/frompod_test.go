package main

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"doctor/checks"
	"doctor/fixtures/apibed"
)

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
