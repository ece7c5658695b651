package faults_test

import "testing"

func TestRuntimeTypeOfContainerd(t *testing.T) {
	file := func(text string) string {
		return "-- files/C/Program Files/containerd/config.toml --\nversion = 2\n[plugins.\"io.containerd.grpc.v1.cri\".containerd]\n" + text + "-- api/pods.json --\n{\"items\":[]}\n-- logs/containerd/c.log --\ntime=\"2026-11-20T09:55:00Z\" level=info msg=started\n"
	}
	const handler = "default_runtime_name = \"runhcs-wcow-process\"\n[plugins.\"io.containerd.grpc.v1.cri\".containerd.runtimes.runhcs-wcow-process]\nruntime_type = "
	runLooks(t, "containerd-shim-missing", []look{
		{"that of Windows", file(handler + "\"io.containerd.runhcs.v1\"\n"), "pass"},
		{"that of Linux", file(handler + "\"io.containerd.runc.v2\"\n"),
			"warn: runtime runhcs-wcow-process of containerd has the type io.containerd.runc.v2 (expected: io.containerd.runhcs.v1) [state]"},
		{"the path of a shim", file(handler + "'C:\\shims\\containerd-shim-own.exe'\n"), "pass"},
		{"of another runtime than the default", file("default_runtime_name = \"x\"\n[plugins.\"io.containerd.grpc.v1.cri\".containerd.runtimes.y]\nruntime_type = \"io.containerd.spin.v2\"\n"), "pass"},
	})
}
