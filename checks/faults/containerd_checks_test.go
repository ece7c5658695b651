package faults_test

import (
	"strings"
	"testing"
)

func TestContainerRequestUnsupported(t *testing.T) {
	const refused = "failed to create shim task: hcs::CreateComputeSystem a: The request is not supported.: unknown"
	const warns = "warn: default/web is not running: Windows does not support a setting of the container (0x80070032) [state]"
	runLooks(t, "container-request-unsupported", []look{
		{"a pod that does not run", podTelling("ContainerCreating", "", "") +
			eventTelling("FailedCreatePodSandBox", refused, now), warns},
		{"a pod that runs now", podRunning + eventTelling("FailedCreatePodSandBox", refused, now),
			"info: the logs say: Windows does not support a setting of the container (0x80070032); the node's current state does not confirm it [text]"},
		{"the words show Hyper-V isolation", podTelling("ContainerCreating", "", "") +
			eventTelling("FailedCreatePodSandBox", strings.Replace(refused, "System a", "System a@vm", 1), now),
			"pass"},
		{"another call", podTelling("ContainerCreating", "", "") +
			eventTelling("FailedCreatePodSandBox", "hcs::System::CreateProcess a: The request is not supported.", now),
			"pass"},
		{"another reason", podTelling("ContainerCreating", "", "") +
			eventTelling("FailedCreatePodSandBox", "hcs::CreateComputeSystem a: Access is denied.", now),
			"pass"},
	})
}

func TestContainerdSettingIgnored(t *testing.T) {
	file := func(text string) string {
		return "-- files/C/Program Files/containerd/config.toml --\n" + text + "\n"
	}
	runtime := func(version string) string {
		return "-- api/node.json --\n{\"metadata\":{\"name\":\"win-1\"},\"status\":{\"nodeInfo\":{\"operatingSystem\":\"windows\",\"containerRuntimeVersion\":\"" + version + "\"}}}\n"
	}
	const second = "[plugins.\"io.containerd.grpc.v1.cri\"]\nsandbox_image = 'p'\n"
	const moved = `warn: containerd ignores plugins."io.containerd.grpc.v1.cri".sandbox_image: version %s of its file does not have it there [state]`
	runLooks(t, "containerd-setting-ignored", []look{
		{"names of version 2 in version 3", file("version = 3\n" + second), strings.Replace(moved, "%s", "3", 1)},
		{"the settings of the server stay there in version 3",
			file("version = 3\n[plugins.'io.containerd.grpc.v1.cri']\ndisable_tcp_service = true\nstream_server_port = '0'\n"), "pass"},
		{"version 2", file("version = 2\n" + second), "pass"},
		{"no version, and containerd 1.7", file(second) + runtime("containerd://1.7.20"),
			strings.Replace(moved, "%s", "1", 1)},
		{"no version, and containerd 2 migrates it", file(second) + runtime("containerd://2.1.4"), "pass"},
		{"no version, and that of containerd is not recorded", file(second), "unknown"},
		{"names of version 3 in version 2, and containerd 2", runtime("containerd://2.1.4") +
			file("version = 2\n[plugins.'io.containerd.cri.v1.images'.registry]\nconfig_path = 'c'\n"), "pass"},
		{"a short name in version 2", file("version = 2\n[plugins.cri.cni]\nbin_dir = 'b'\n"),
			`warn: containerd ignores plugins."cri".cni.bin_dir: version 2 of its file does not have it there [state]`},
		{"a misspelled table", file("version = 2\n[plugin.'io.containerd.grpc.v1.cri']\nsandbox_image = 'p'\n"),
			"warn: containerd ignores plugin in its configuration (expected: plugins) [state]"},
		{"an old name of the plugins' folder", file("version = 3\n[plugins.'io.containerd.cri.v1.runtime'.cni]\nbin_dir = 'c:/opt/cni/bin'\n") + runtime("containerd://2.4.0"),
			"warn: containerd ignores bin_dir in its configuration (expected: bin_dirs) [state]"},
		{"which containerd 2.3 reads", file("version = 3\n[plugins.'io.containerd.cri.v1.runtime'.cni]\nbin_dir = 'c:/opt/cni/bin'\n") + runtime("containerd://2.3.1"), "pass"},
		{"beside the new name", file("version = 3\n[plugins.'io.containerd.cri.v1.runtime'.cni]\nbin_dir = 'b'\nbin_dirs = ['c:/opt/cni/bin']\n") + runtime("containerd://2.4.0"), "pass"},
		{"a key that resembles none", file("version = 3\nhooks_dir = 'h'\n"), "pass"},
		{"an empty table", file("version = 3\n[plugins.'io.containerd.grpc.v1.cri'.registry.mirrors]\n"), "pass"},
		{"docker runs, and containerd's file is a leftover",
			file("version = 3\n"+second) + runtime("docker://20.10.9"), "skip"},
		{"containerd's log of a key of its own", logTelling("containerd",
			`level=warning msg="Ignoring unknown key in TOML" column=1 error="strict mode: fields in the document are missing in the target struct" file="C:\\Program Files\\containerd\\config.toml" key=sandbox row=3`),
			"info: containerd ignores a key of its configuration file that it does not know [text]"},
	})
}
