package faults_test

import (
	"strings"
	"testing"
)

func TestKubeletRemovedFlag(t *testing.T) {
	const (
		service = "-- services.json --\n[{\"name\":\"kubelet\",\"state\":\"paused\",\"wrapper\":\"nssm\",\"args\":[\"--v=2\",\"--network-plugin=cni\",\"--cni-bin-dir=C:\\\\k\\\\cni\"]}]\n"
		script  = `-- services.json --
[{"name":"kubelet","state":"paused","wrapper":"nssm","binPath":"powershell.exe","args":["-File","C:\\k\\StartKubelet.ps1"]}]
`
		refused = "-- logs/kubelet/kubelet.err.log --\nE1120 09:58:00.000000    5120 run.go:74] \"command failed\" err=\"failed to parse kubelet flag: unknown flag: --network-plugin\"\n"
		none    = "-- processes.json --\n[]\n"
		alive   = `-- processes.json --
[{"pid":7,"name":"kubelet.exe","startedAt":"2026-11-20T08:00:00Z","args":["--v=2","--pod-infra-container-image=pause:3.9"]}]
`
		upgraded = script + none + `-- files/C/k/StartKubelet.ps1 --
C:\k\kubelet.exe --v=2 --log-dir=C:\logs
-- api/node.json --
{"metadata":{"name":"win-1"},"status":{"nodeInfo":{"kubeletVersion":"v1.25.16","operatingSystem":"windows"},"conditions":[{"type":"Ready","status":"Unknown","lastHeartbeatTime":"2026-11-20T09:40:44Z"}]}}
`
		replaced = `-- files.json --
[{"path":"C:\\k\\kubelet.exe","outcome":"too-large","modifiedAt":"2026-11-20T09:41:02Z"}]
-- api/version.json --
{"gitVersion":"`
	)
	runLooks(t, "kubelet-removed-flag", []look{
		{"the Node shows the version before the upgrade, and the log knows better",
			service + refused + nodeOf("v1.23.17", "containerd://1.6.36"),
			"fail: --network-plugin was removed in Kubernetes 1.24; the kubelet (newer than the registered v1.23.17) exits at its start [state+text]\n" +
				"fail: --cni-bin-dir was removed in Kubernetes 1.24; the kubelet (newer than the registered v1.23.17) exits at its start [state]"},
		{"the flags are still known", service + nodeOf("v1.23.17", "docker://19.3.14"), "pass"},
		{"the version is not known, and the log convicts alone", service + refused,
			"fail: the kubelet exits: unknown flag [text]"},
		{"the version is not known, and no log was read", service, "unknown"},
		{"a kubelet that runs has accepted its flags",
			alive + nodeOf("v1.35.2", "containerd://2.1.4"), "pass"},
		{"a kubelet that runs without the flag of its service", service + alive + nodeOf("v1.28.15",
			"containerd://1.7.2"),
			"warn: --network-plugin was removed in Kubernetes 1.24 (kubelet: v1.28.15): the kubelet will exit at its next start [state]\n" +
				"warn: --cni-bin-dir was removed in Kubernetes 1.24 (kubelet: v1.28.15): the kubelet will exit at its next start [state]"},
		{"a script gives the flag to older versions only", script + none + nodeOf("v1.28.15",
			"containerd://1.7.2") +
			"-- files/C/k/StartKubelet.ps1 --\n$f = '--v=2'\nif ($old) {\n  $f += ' --log-dir=C:\\logs'\n}\nC:\\k\\kubelet.exe $f\n", "pass"},
		{"a script gives the flag to every version", script + none + nodeOf("v1.28.15",
			"containerd://1.7.2") +
			"-- files/C/k/StartKubelet.ps1 --\nC:\\k\\kubelet.exe --v=2 --log-dir=C:\\logs\n",
			"fail: --log-dir was removed in Kubernetes 1.26 (kubelet: v1.28.15): the kubelet exits at its start [state]"},
		{"the refused flag stands where nobody looked", script + none + refused + nodeOf("v1.28.15",
			"containerd://1.7.2") +
			"-- files/C/k/StartKubelet.ps1 --\nC:\\k\\kubelet.exe --v=2 @more\n",
			"fail: the kubelet exits: unknown flag --network-plugin (where it is set was not collected) [text]"},
		{"the refusal is from another year, and long mended", script + none + nodeOf("v1.28.15",
			"containerd://1.7.2") +
			"-- files/C/k/StartKubelet.ps1 --\nC:\\k\\kubelet.exe --v=2\n" +
			"-- logs/kubelet/kubelet.err.log --\nE0301 09:58:00.000000    5120 run.go:74] \"command failed\" err=\"failed to parse kubelet flag: unknown flag: --network-plugin\"\n", "info: the logs say: the kubelet exits: unknown flag; the node's current state does not confirm it [text]"},
		{"a kubelet of 1.22, by its log alone",
			"-- logs/kubelet/kubelet.err.log --\nE1120 09:58:00.000000    5120 server.go:158] \"Failed to parse kubelet flag\" err=\"unknown flag: --log-file\"\n",
			"fail: the kubelet exits: unknown flag [text]"},
		{"a kubelet of 1.18, by its log alone",
			"-- logs/kubelet/kubelet.err.log --\nF1120 09:58:00.000000    5120 server.go:156] unknown flag: --enable-host-ipc\n",
			"fail: the kubelet exits: unknown flag [text]"},
		{"a probe's program does not know its flag",
			"-- logs/kubelet/kubelet.err.log --\nI1120 09:58:00.000000    5120 prober.go:111] \"Probe failed\" output=\"Error: unknown flag: --addr\"\n",
			"unknown"},
		{"a flag that no release ever had",
			"-- services.json --\n[{\"name\":\"kubelet\",\"state\":\"stopped\",\"args\":[\"--hostname-overide=win-1\"]}]\n" + none + nodeOf("v1.29.9", "containerd://1.7.2") +
				"-- logs/kubelet/kubelet.err.log --\nE1120 09:58:00.000000    5120 run.go:74] \"command failed\" err=\"failed to parse kubelet flag: unknown flag: --hostname-overide\"\n",
			"fail: the kubelet exits: unknown flag --hostname-overide [state+text]"},
		// kubernetes/website issue 45499: no log is written
		{"the program was replaced after the kubelet last reported", upgraded + replaced + "v1.26.15\"}\n",
			"fail: --log-dir was removed in Kubernetes 1.26; the kubelet (newer than the registered v1.25.16) exits at its start [state]"},
		{"it was replaced, and the flag is in this release, too", upgraded + replaced + "v1.25.16\"}\n", "pass"},
		{"it was replaced before the kubelet last reported", upgraded +
			strings.Replace(replaced, "09:41:02", "07:41:02", 1) + "v1.26.15\"}\n", "pass"},
		{"the kubelet that was replaced runs", strings.Replace(upgraded, none, alive, 1) + replaced + "v1.26.15\"}\n", "pass"},
	})
}
