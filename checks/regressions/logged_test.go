package regressions_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"doctor/checks"
	"doctor/checks/regressions"
)

// TestALogStatesTheVersionOfItsComponent: a log with the line that the component writes at its
// start shows the regressions of that version, and none of another. Sources of the lines:
// containerd cmd/containerd/command/main.go, moby daemon/daemon.go, kube-proxy app/server.go,
// Antrea cmd/antrea-agent/agent.go (to 1.13 and from it), Calico felix/daemon/daemon.go and
// node/pkg/lifecycle/startup/startup.go, csi-proxy cmd/csi-proxy/main.go, kubernetes-sigs'
// azurefile-csi-driver issue 1050, azure-container-networking cni/network/network.go (to 1.4 and
// from 1.5), aws-ebs-csi-driver docs/install.md, k3s pkg/agent/run.go.
func TestALogStatesTheVersionOfItsComponent(t *testing.T) {
	for _, form := range []struct {
		of        regressions.Component
		log, line string
	}{
		{regressions.Containerd, "containerd", `time="2026-11-20T09:59:53.014766417Z" level=info msg="starting containerd" revision=77c8424 version=v%s`},
		{regressions.Containerd, "containerd", `time="2026-11-20T09:59:53.014766417Z" level=info msg="starting containerd" revision= version="%s-0ubuntu1~20.04.6"`},
		{regressions.Kubelet, "k3s", `I1120 09:59:53.822692    3300 server.go:535] "Kubelet version" kubeletVersion="v%s+k3s1"`},
		{regressions.KubeProxy, "kube-proxy", `I1120 09:59:53.337390    4936 server.go:872] "Version info" version="v%s"`},
		{regressions.KubeProxy, "kube-proxy", `I1120 09:59:53.337390    4936 server.go:650] Version: v%s`},
		{regressions.AzureVNet, "cni", `2026/11/20 09:59:53 [5356] [cni-net] Plugin azure-vnet version v%s.`},
		{regressions.AzureVNet, "azure-vnet", `{"level":"info","ts":"2026-11-20T09:59:53.610Z","caller":"network/network.go:151","msg":"Plugin Info","pid":5356,"component":"cni","name":"azure-vnet","version":"v%s"}`},
		{regressions.Antrea, "antrea", `I1120 09:59:53.836055       1 agent.go:85] Starting Antrea agent (version v%s)`},
		{regressions.Antrea, "antrea", `I1120 09:59:53.836055       1 agent.go:106] "Starting Antrea agent" version="v%s"`},
		{regressions.Calico, "calico-node", `2026-11-20 09:59:53.764 [INFO][2820] felix/daemon.go 379: Felix starting up GOMAXPROCS=4 builddate="" gitcommit="" version="v%s"`},
		{regressions.Calico, "calico-node", `2026-11-20 09:59:53.764 [INFO][2820] startup/startup.go 94: Starting node win-1 with version v%s`},
		{regressions.AzureFile, "csi-driver", `I1120 09:59:53.863988    5596 azurefile.go:282] driver userAgent: file.csi.azure.com/v%s gc/go1.18.3 (amd64-windows) OSS-helm`},
		{regressions.AzureDisk, "csi-driver", `I0218 00:03:35.165776    9572 utils.go:84] GRPC response: {"name":"disk.csi.azure.com","vendor_version":"v%s"}`},
		{regressions.AzureFile, "csi-driver", `I0218 00:03:35.165776    9572 utils.go:84] GRPC response: {"name":"file.csi.azure.com","vendor_version":"v%s"}`},
		{regressions.EBS, "csi-driver", `I1120 09:59:53.763926       1 driver.go:62] Driver: ebs.csi.aws.com Version: v%s`},
		{regressions.CSIProxy, "csi-proxy", `I1120 09:59:53.411205    3684 main.go:55] Version: v%s-0-g51a6f06`},
		{regressions.RKE2, "rke2", `time="2026-11-20T09:59:53Z" level=info msg="Starting rke2 agent v%s+rke2r1 (e7f87c6dd56fdd76a7dab58900aeea8946b2c008)"`},
	} {
		rows := regressions.Rows()
		at := slices.IndexFunc(rows, func(r regressions.Row) bool {
			return r.Of == form.of && len(r.Signs) > 0 && r.Backend == "" && r.Runtime == "" && r.Build == 0 &&
				!r.HostProcess && !strings.Contains(r.From, "+") &&
				(len(r.Signs[0].In) == 0 || slices.Contains(r.Signs[0].In, form.log))
		})
		if at < 0 {
			t.Errorf("%s has no row with a text in the log %s", form.of, form.log)
			continue
		}
		row := rows[at]
		first, rest, _ := strings.Cut(row.From, " < ")
		fixed, _, _ := strings.Cut(rest, ", ")
		shown := checks.StatusFail
		if row.Warn {
			shown = checks.StatusWarn
		}
		for version, want := range map[string]checks.Status{first: shown, fixed: checks.StatusPass} {
			line := fmt.Sprintf(form.line, version)
			tree := "-- logs/" + form.log + "/1.log --\n" + line + "\n" +
				strings.Join(append([]string{row.Signs[0].Text}, row.Signs[0].Also...), " ") + "\n"
			got := judgeTree(t, row.ID, tree)
			if got.Status != want {
				t.Errorf("%s after %q is %s, want %s (%s%s)", row.ID, line, got.Status, want, got.Reason, got.Gap)
			}
		}
	}
}

// TestTheFolderOfTheProgramsStatesTheVersion: rke2 5138 and 5183, and rancher 42781, which hides it.
func TestTheFolderOfTheProgramsStatesTheVersion(t *testing.T) {
	const start, end = `failed to extract runtime image: open C:\var\lib\rancher\rke2\data\`, `: The process cannot access the file because it is being used by another process.`
	escaped := strings.ReplaceAll(start+`v1.27.9-rke2r1-windows-amd64-ba8a6c67a880\bin\containerd-shim-runhcs-v1.exe`+end, `\`, `\\`)
	for _, row := range []struct {
		path, text string
		want       checks.Status
	}{
		{"logs/other/paste.txt", start + `v1.24.17-rke2r1-windows-amd64-e299ff00b44e\bin\containerd-shim-runhcs-v1.exe` + end, checks.StatusFail},
		{"logs/other/paste.txt", start + `v<dir>\bin\kube-proxy.exe` + end, checks.StatusWarn},
		{"logs/other/paste.txt", start + `v1.27.10-rke2r1-windows-amd64-ba8a6c67a880\bin\kubelet.exe` + end, checks.StatusPass},
		{"logs/rke2/rke2.log", `time="2026-11-20T09:59:53Z" level=fatal msg="` + escaped + `"`, checks.StatusFail},
		{"events.json", `[{"log":"Application","provider":"rke2","id":1,"level":"error","time":"2026-11-20T09:59:53Z","message":"` + escaped + `"}]`, checks.StatusFail},
	} {
		got := judgeTree(t, "rke2-bootstraps-again", "-- "+row.path+" --\n"+row.text+"\n")
		if got.Status != row.want {
			t.Errorf("%s is %s, want %s (%s%s)", row.text, got.Status, row.want, got.Reason, got.Gap)
		}
	}
}

// TestAVersionWithTheFixPasses, also where nothing shows the runtime that the regression is of.
func TestAVersionWithTheFixPasses(t *testing.T) {
	const line = `E1120 09:59:58.1 3912 handler.go:321] HTTP InternalServerError serving /stats/summary: failed to list all container stats: container x encountered an error during Properties: failure in a Windows system call`
	for version, want := range map[string]checks.Status{"1.17.4": checks.StatusPass, "1.18.8": checks.StatusWarn, "1.19.9": checks.StatusWarn, "1.19.12": checks.StatusPass} {
		got := judgeTree(t, "kubelet-docker-stats",
			"-- logs/kubelet/1.log --\nI1120 09:59:53.980771    3912 server.go:411] Version: v"+version+"\n"+line+"\n")
		if got.Status != want {
			t.Errorf("%s is %s, want %s (%s%s)", version, got.Status, want, got.Reason, got.Gap)
		}
	}
}

// TestMetricsServerTimesOut: kubernetes issues 74991 and 104283, with the line of the second; one that
// ends is a node that was busy, and metrics-server also speaks of the other nodes.
func TestMetricsServerTimesOut(t *testing.T) {
	const text = "unable to fully collect metrics: unable to fully scrape metrics from source kubelet_summary:NODE: unable to fetch metrics from Kubelet NODE (10.240.0.97): Get https://10.240.0.97:10250/stats/summary?only_cpu_and_memory=true: context deadline exceeded"
	log := func(node string, more string, times ...string) string {
		list := "-- logs/metrics-server/1.log --\n"
		for _, at := range times {
			list += "E1120 " + at + ".782895       1 manager.go:111] " + strings.ReplaceAll(text, "NODE", node) + "\n"
		}
		return list + more
	}
	const on = "-- api/node.json --\n" + `{"metadata":{"name":"win-1"},"status":{"nodeInfo":{"kubeletVersion":"v%s","containerRuntimeVersion":"%s"}}}` + "\n"
	for _, row := range []struct {
		name, version, runtime, log string
		want                        checks.Status
	}{
		{"every minute", "1.16.8", "docker://19.3.14", log("win-1", "", "09:40:07", "09:41:07", "09:58:07"), checks.StatusWarn},
		{"in another order", "1.16.8", "docker://19.3.14", log("win-1", "", "09:58:07", "09:41:07", "09:40:07"), checks.StatusWarn},
		{"once", "1.16.8", "docker://19.3.14", log("win-1", "I1120 09:58:07.782895       1 x.go:1] x\n", "09:01:07"), checks.StatusInfo},
		{"another node", "1.16.8", "docker://19.3.14", log("win-2", "", "09:40:07", "09:58:07"), checks.StatusInfo},
		{"with the fix", "1.16.9", "docker://19.3.14", log("win-1", "", "09:40:07", "09:58:07"), checks.StatusPass},
		{"containerd", "1.16.8", "containerd://1.3.2", log("win-1", "", "09:40:07", "09:58:07"), checks.StatusSkip},
	} {
		if got := judgeTree(t, "kubelet-metrics-time-out", fmt.Sprintf(on, row.version, row.runtime)+row.log); got.Status != row.want {
			t.Errorf("%s: %s, want %s (%s%s)", row.name, got.Status, row.want, got.Reason, got.Gap)
		}
	}
}
