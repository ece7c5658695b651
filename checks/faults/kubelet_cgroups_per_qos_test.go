package faults_test

import "testing"

func TestKubeletCgroupsPerQOS(t *testing.T) {
	const (
		linux       = "-- files/C/var/lib/kubelet/config.yaml --\ncgroupsPerQOS: true\nenforceNodeAllocatable: [pods]\n"
		quiet       = "-- files/C/var/lib/kubelet/config.yaml --\nclusterDomain: cluster.local\n"
		down        = "-- services.json --\n[{\"name\":\"kubelet\",\"state\":\"paused\",\"args\":[\"--config=C:\\\\var\\\\lib\\\\kubelet\\\\config.yaml\"]}]\n-- processes.json --\n[]\n"
		refusedNone = "-- services.json --\n[{\"name\":\"kubelet\",\"state\":\"paused\",\"args\":[\"--cgroups-per-qos=false\",\"--enforce-node-allocatable=none\"]}]\n-- processes.json --\n[]\n"
		alive       = `-- processes.json --
[{"pid":7,"name":"kubelet.exe","startedAt":"2026-11-20T08:00:00Z","args":["--config=C:\\var\\lib\\kubelet\\config.yaml","--cgroups-per-qos=false","--enforce-node-allocatable="]}]
`
		elsewhere = `-- processes.json --
[{"pid":7,"name":"kubelet.exe","startedAt":"2026-11-20T08:00:00Z","args":["--kubeconfig=C:\\k\\config","--cgroups-per-qos=false"]}]
`
	)
	written := func(at string) string {
		return `-- files.json --
[{"path":"C:\\var\\lib\\kubelet\\config.yaml","outcome":"copied","modifiedAt":"2026-11-20T` + at + "Z\"}]\n"
	}
	old, mild := nodeOf("v1.29.9", "containerd://1.7.2"), nodeOf("v1.31.4", "containerd://2.1.4")
	runLooks(t, "kubelet-cgroups-per-qos", []look{
		{"the configuration of a Linux node", linux + down + old,
			"fail: cgroupsPerQOS is true (expected on Windows: false): the kubelet does not start [state]\n" +
				"fail: enforceNodeAllocatable is pods (expected on Windows: []): the kubelet does not start [state]"},
		{"a kubelet that logged its version since the file was written exits for another reason", linux + down + old + written("08:00:00") +
			logTelling("kubelet", `I1120 09:00:00.000000    1 server.go:413] "Kubelet version" kubeletVersion="v1.29.9"`),
			"warn: cgroupsPerQOS is true (expected on Windows: false): the kubelet will reject it at its next start [state]\n" +
				"warn: enforceNodeAllocatable is pods (expected on Windows: []): the kubelet will reject it at its next start [state]"},
		{"the file was written after that", linux + down + old + written("09:30:00") +
			logTelling("kubelet", `I1120 09:00:00.000000    1 server.go:413] "Kubelet version" kubeletVersion="v1.29.9"`),
			"fail: cgroupsPerQOS is true (expected on Windows: false): the kubelet does not start [state]\n" +
				"fail: enforceNodeAllocatable is pods (expected on Windows: []): the kubelet does not start [state]"},
		{"1.30 rejects it still", linux + down + nodeOf("v1.30.14", "containerd://1.7.2"),
			"fail: cgroupsPerQOS is true (expected on Windows: false): the kubelet does not start [state]\n" +
				"fail: enforceNodeAllocatable is pods (expected on Windows: []): the kubelet does not start [state]"},
		{"from 1.31 on it is ignored", linux + down + mild,
			"info: cgroupsPerQOS is true (expected on Windows: false): this version ignores the setting [state]\n" +
				"info: enforceNodeAllocatable is pods (expected on Windows: []): this version ignores the setting [state]"},
		{"from 1.31 on the one without the other is not", replace(linux, "true", "false") + down + mild,
			"fail: enforceNodeAllocatable is pods (expected on Windows: []): the kubelet does not start [state]"},
		{"and not with the default of the other", "-- files/C/var/lib/kubelet/config.yaml --\ncgroupsPerQOS: false\n" + down + mild,
			"fail: enforceNodeAllocatable is not set (default: pods, expected on Windows: []); the kubelet is not running [state]"},
		{"from 1.31 on none is nothing", refusedNone + quiet + mild,
			"info: enforceNodeAllocatable is none (expected on Windows: []): this version ignores the setting [state]"},
		{"the log of one from 1.31 on", // pkg/kubelet/apis/config/validation/validation.go
			logTelling("kubelet", `E1120 09:58:00.1 1 run.go:72] "command failed" err="failed to validate kubelet configuration, error: invalid configuration: cgroupsPerQOS (--cgroups-per-qos) must be set to true when \"pods\" contained in enforceNodeAllocatable (--enforce-node-allocatable), path: &TypeMeta{Kind:,APIVersion:,}"`),
			"fail: the kubelet rejects enforceNodeAllocatable without cgroupsPerQOS [text]"},
		{"flags overrule the file, and the kubelet runs", linux + alive + old, "pass"},
		{"a kubelet that does not read the file", linux + elsewhere + old, "pass"},
		{"even none is refused", refusedNone + quiet + old,
			"fail: enforceNodeAllocatable is none (expected on Windows: []): the kubelet does not start [state]"},
		{"nothing sets it, and the kubelet is down", quiet + down + old,
			"fail: cgroupsPerQOS is not set (default: true, expected on Windows: false); the kubelet is not running [state]"},
		{"nothing sets it, and the kubelet runs all the same", quiet + elsewhere + old, "pass"},
		{"the version is not known", linux + down, "unknown"},
		{"the log of a kubelet that exits",
			logTelling("kubelet", `"command failed" err="failed to validate kubelet configuration, error: invalid configuration: CgroupsPerQOS (--cgroups-per-qos) true is not supported on Windows"`),
			"fail: the kubelet rejects cgroupsPerQOS: true on Windows [text]"},
		{"the warning of one that does not",
			logTelling("kubelet", `ignored configuration option: CgroupsPerQOS (--cgroups-per-qos) true is not supported on Windows`),
			"unknown"},
	})
}
