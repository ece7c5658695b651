package onnode_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"doctor/checks"
	"doctor/checks/fleet"
	"doctor/fixtures/apibed"
	"doctor/fixtures/program"
	"doctor/fixtures/wait"
)

// fleetOf creates so many Windows nodes, and returns the addresses of their kubelets.
func fleetOf(t *testing.T, b *apibed.Bed, n int) (addresses []string) {
	t.Helper()
	for i := range n {
		ip := fmt.Sprintf("10.241.%d.%d", i/250, i%250+1)
		b.Create(t, "/api/v1/nodes", apibed.Node(fmt.Sprintf("fleet-%04d", i), "windows", ip, "True"))
		addresses = append(addresses, ip+":10250")
	}
	return addresses
}

// TestAFleetIsReadFromInside: 50 nodes, of which some have another fault than others, and some bring
// nothing, each in its own way. DOCTOR_FLEET_NODES=1000 measures more.
func TestAFleetIsReadFromInside(t *testing.T) {
	b := stage(t)
	n := 50
	if more, err := strconv.Atoi(os.Getenv("DOCTOR_FLEET_NODES")); err == nil {
		n = more
	}
	removed, flag := printed(t, "flannel-subnet-env-missing"), printed(t, "kubelet-removed-flag")
	addresses := fleetOf(t, b, n)
	b.Patch(t, "/api/v1/nodes/fleet-0001/status", apibed.Object{"status": apibed.Node("fleet-0001",
		"windows", "10.241.0.2", "Unknown")["status"]})
	var pods, most atomic.Int32
	var late sync.Once // a node that appears during the run is of the next one
	t.Cleanup(func() { b.Do(http.MethodDelete, "/api/v1/nodes/fleet-late", nil) })
	b.Pods(t, namespace, addresses, func(node string, pod apibed.Object) apibed.PodRun {
		most.Store(max(most.Load(), pods.Add(1)))
		late.Do(func() {
			b.Do(http.MethodPost, "/api/v1/nodes", apibed.Node("fleet-late", "windows", "10.241.9.9", "True"))
		})
		switch i, _ := strconv.Atoi(strings.TrimPrefix(node, "fleet-")); i {
		case 2:
			return apibed.PodRun{Waiting: "ImagePullBackOff", Message: "unauthorized"}
		case 3:
			return apibed.PodRun{Deadline: true}
		case 4:
			return apibed.PodRun{Log: flag[:len(flag)/3]}
		case 5:
			return apibed.PodRun{Removed: true}
		case 6, 7, 8:
			return apibed.PodRun{Log: flag, Exit: 3}
		}
		return apibed.PodRun{Log: removed, Exit: 3}
	})
	front, zip := b.Front(t, apibed.Faults{}), filepath.Join(t.TempDir(), "fleet.zip")
	began := time.Now()
	r := program.Run(t, program.Build(t), "fleet", "--on-node", "--image", image, "--kubeconfig",
		b.Kubeconfig(t, apibed.Login{Server: front.URL, CA: front.CA}), "-l",
		"kubernetes.io/hostname!=win-1", "-o", "json", "--save", zip)
	took := time.Since(began)
	var report fleet.Report
	if err := json.Unmarshal([]byte(r.Stdout), &report); err != nil {
		t.Fatalf("exit status %d, %v: %s", r.Status, err, r.Stderr)
	}
	count := func(id string) int {
		for _, c := range report.Causes {
			if c.ID == id {
				return c.Count
			}
		}
		return 0
	}
	if got := count("kubelet-removed-flag"); got != 3 {
		t.Errorf("%d nodes have the flag, and 3 should", got)
	}
	// of their own routes, which no API tells
	if got := count("route-missing-host-gw"); got != n-8 {
		t.Errorf("%d nodes have no route, and %d should", got, n-8)
	}
	for _, note := range []string{"the node is not ready; no pod was sent: fleet-0001",
		"unauthorized: fleet-0002", "did not finish within 1m30s: fleet-0003",
		"the log of the pod is incomplete", "the node may be gone: fleet-0005"} {
		if !slices.ContainsFunc(report.Notes, func(s string) bool { return strings.Contains(s, note) }) {
			t.Errorf("no note says %q: %q", note, report.Notes)
		}
	}
	if _, status, err := b.Do(http.MethodGet, "/api/v1/nodes/fleet-late", nil); err != nil || status != http.StatusOK {
		t.Errorf("no node appeared: %d %v", status, err)
	}
	if len(report.Nodes) != n || r.Status != program.Fail {
		t.Errorf("%d nodes, exit status %d: %s", len(report.Nodes), r.Status, r.Stderr)
	}
	writes := 0
	for _, request := range front.Requests() {
		if strings.HasPrefix(request, "POST /api/v1/namespaces") ||
			strings.HasPrefix(request, "DELETE ") {
			writes++
		}
	}
	if float64(writes) > 2.2*float64(n)+5 {
		t.Errorf("%d writes for %d nodes", writes, n)
	}
	t.Logf("%d nodes from inside: %s, %d requests of doctor, %d of them writes, peak memory %d MB",
		n, took.Round(100*time.Millisecond), len(front.Requests()), writes, r.Peak>>20)
	nothingLeft(t, b)
	for node, id := range map[string]string{"fleet-0006": "kubelet-removed-flag",
		"fleet-0009": "flannel-subnet-env-missing"} {
		one := program.Run(t, program.Build(t), "--from", zip, "--node", node, "--json")
		var r checks.Report
		if err := json.Unmarshal([]byte(one.Stdout), &r); err != nil {
			t.Fatalf("the recording of %s: exit status %d, %v: %s", node, one.Status, err, one.Stderr)
		}
		if found := result(t, r, id); found.Status != checks.StatusFail {
			t.Errorf("the recording of %s: %s is %s: %s", node, id, found.Status, found.Gap)
		}
	}
}

// TestAFleetIsInterrupted: Ctrl-C removes all pods that are out.
func TestAFleetIsInterrupted(t *testing.T) {
	b := stage(t)
	addresses := fleetOf(t, b, 12)
	b.Pods(t, namespace, addresses, func(string, apibed.Object) apibed.PodRun {
		return apibed.PodRun{Hangs: true}
	})
	cmd := exec.Command(program.Build(t), "fleet", "--on-node", "--image", image, "--parallel", "8",
		"--nodes", "fleet-0000,fleet-0001,fleet-0002,fleet-0003,fleet-0004,fleet-0005,fleet-0006,fleet-0007,fleet-0008,fleet-0009",
		"--kubeconfig", b.Kubeconfigs["admin"], "-o", "text")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	wait.Until(t, "an anchor and eight pods", func() bool { return len(left(t, b)) == 9 })
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	cmd.Wait()
	if status := cmd.ProcessState.ExitCode(); status != program.Interrupted {
		t.Errorf("exit status %d", status)
	}
	nothingLeft(t, b)
}

// TestAFleetWithoutTheRightToPods keeps what the API gave, and says once what is missing.
func TestAFleetWithoutTheRightToPods(t *testing.T) {
	b := stage(t)
	fleetOf(t, b, 3)
	r := program.Run(t, program.Build(t), "fleet", "--on-node", "--image", image, "--namespace",
		"nowhere", "--kubeconfig", b.Kubeconfigs["admin"], "-o", "json", "--nodes",
		"fleet-0000,fleet-0001,fleet-0002")
	var report fleet.Report
	if err := json.Unmarshal([]byte(r.Stdout), &report); err != nil {
		t.Fatalf("exit status %d, %v: %s", r.Status, err, r.Stderr)
	}
	if len(report.Nodes) != 3 || strings.Count(r.Stderr, "kubectl create namespace nowhere") != 1 {
		t.Errorf("%d nodes, and it says %s", len(report.Nodes), r.Stderr)
	}
}
