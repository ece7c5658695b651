package faults_test

import (
	"fmt"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/faults"
	"doctor/fixtures"
)

func TestHyperVFeatureMissing(t *testing.T) {
	const (
		available, installed = "-- features.json --\n{\"Containers\":\"installed\",\"Hyper-V\":\"available\"}\n", "-- features.json --\n{\"Hyper-V\":\"installed\"}\n"
		silent               = "-- features.json --\n{\"Containers\":\"installed\"}\n"
		class                = `,"runtimeClassName":"runhcs-wcow-hypervisor"`
		refused              = "CreateComputeSystem a@vm: The virtual machine could not be started because a required feature is not installed."
		unsupported          = "failed to create shim task: hcs::CreateComputeSystem a@vm: The request is not supported.: unknown"
		wantsIt              = "fail: default/web uses RuntimeClass runhcs-wcow-hypervisor (Hyper-V isolation), but Hyper-V is available (expected: installed) [state]"
	)
	config := "-- files/C/Program Files/containerd/config.toml --\nversion = 2\n[plugins.\"io.containerd.grpc.v1.cri\".containerd]\ndefault_runtime_name = \"runhcs-wcow-hypervisor\"\n"
	runLooks(t, "hyperv-feature-missing", []look{
		{"a runtime class asks for it", available + podTelling("ContainerCreating", "", class),
			wantsIt},
		{"the runtime's default asks for it", available + podRunning + config,
			"fail: Container runtime isolates every pod with runhcs-wcow-hypervisor, but Hyper-V is available (expected: installed) [state]"},
		{"a pod of such a class that runs shows that it works",
			available + strings.Replace(podRunning, `"nodeName":"win-1"`,
				`"nodeName":"win-1"`+class, 1), "pass"},
		{"the class of process isolation", available + podTelling("ContainerCreating", "",
			`,"runtimeClassName":"runhcs-wcow-process"`) + noEvents, "pass"},
		{"installed, and the host exposes no virtualisation",
			installed + podTelling("ContainerCreating", "", class) +
				eventTelling("FailedCreatePodSandBox",
					"hcsshim::CreateComputeSystem a: No hypervisor is present on this system. (0xc0351000)", now),
			"fail: default/web is not running: a Hyper-V isolated container failed: no hypervisor is running on this machine [state]"},
		{"installed, and the pod waits for something else",
			installed + podTelling("ContainerCreating", "", class) + noEvents, "pass"},
		{"the recording does not speak of Hyper-V, and a pod wants it",
			silent + podTelling("ContainerCreating", "", class), "unknown"},
		{"the recording does not speak of Hyper-V, and nobody wants it", silent + podRunning,
			"pass"},
		{"a log alone", logTelling("docker", refused),
			"fail: a Hyper-V isolated container failed: Hyper-V is not installed or not exposed to this machine [text]"},
		{"not supported, and Hyper-V is recorded as missing",
			available + podTelling("ContainerCreating", "", "") +
				eventTelling("FailedCreatePodSandBox", unsupported, now),
			"fail: default/web is not running: a Hyper-V isolated container failed: the request is not supported, most often because Hyper-V is not installed [state]"},
		{"not supported, and Hyper-V is installed",
			installed + podTelling("ContainerCreating", "", "") +
				eventTelling("FailedCreatePodSandBox", unsupported, now),
			"warn: default/web is not running: a Hyper-V isolated container failed: the request is not supported, most often because Hyper-V is not installed [state]"},
		{"another call that is not supported", logTelling("docker",
			"failed to set the priority of a@vm: The request is not supported."), "unknown"},
		{"the hypervisor does not start, and nobody isolates with it", installed + podRunning +
			"-- events.json --\n[{\"log\":\"System\",\"provider\":\"Microsoft-Windows-Hyper-V-Hypervisor\",\"id\":41,\"level\":\"error\",\"time\":\"2026-11-20T09:00:00Z\",\"message\":\"Hypervisor launch failed; Either VMX not present or not enabled in BIOS.\"}]\n",
			"pass"},
		{"a code alone", logTelling("docker", "failure in a Windows system call (0xc0370102)"),
			"fail: a Hyper-V isolated container failed: Hyper-V is not installed or not exposed to this machine [text]"},
	})
}

func TestContainersFeatureMissing(t *testing.T) {
	feature := func(state string) string {
		return "-- features.json --\n{\"Containers\":\"" + state + "\"}\n"
	}
	const (
		noDLL = "-- files.json --\n[{\"path\":\"C:\\\\Windows\\\\System32\\\\vmcompute.dll\",\"outcome\":\"absent\"}]\n"
		dll   = "-- files.json --\n[{\"path\":\"C:\\\\Windows\\\\System32\\\\vmcompute.dll\",\"outcome\":\"too-large\"}]\n"
		line  = `hcsshim::ProcessBaseLayer \\?\C:\a: The specified module could not be found.: unknown`
	)
	hostProcess := strings.Replace(podRunning, `"nodeName":"win-1"`,
		`"nodeName":"win-1","securityContext":{"windowsOptions":{"hostProcess":true}}`, 1)
	runLooks(t, "containers-feature-missing", []look{
		{"it can be installed, and is not", feature("available"),
			"fail: Windows feature Containers is available (expected: installed) [state]"},
		{"the reboot is still to come", feature("pending"),
			"fail: Windows feature Containers is pending: a reboot is required [state]"},
		{"installed", feature("installed"), "pass"},
		{"written with a capital", feature("Installed"), "pass"},
		{"features were not recorded, and the library is not there", noDLL,
			`fail: C:\Windows\System32\vmcompute.dll is missing: Windows feature Containers is not installed [state]`},
		{"features were not recorded, and the library is there", dll, "pass"},
		{"a pod in a container of its own runs all the same", feature("available") + podRunning,
			"pass"},
		{"a HostProcess pod proves nothing", feature("available") + hostProcess,
			"fail: Windows feature Containers is available (expected: installed) [state]"},
		{"the recording speaks of other features only",
			"-- features.json --\n{\"Hyper-V\":\"available\"}\n", "unknown"},
		{"a log alone", logTelling("containerd", line),
			"fail: the host compute service call found no vmcompute.dll: the Containers feature is not installed [text]"},
		{"an old line on a node that has it by now", feature("installed") + logTelling("containerd",
			line), "info: the logs say: the host compute service call found no vmcompute.dll: the Containers feature is not installed; the node's current state does not confirm it [text]"},
		{"a module of somebody else",
			logTelling("kubelet", "plugin.dll: The specified module could not be found."),
			"unknown"},
		{"an exporter of metrics misses it in its container", logTelling("other",
			`msg="collector container failed after 0.001s: hcsshim::GetComputeSystems: The specified module could not be found."`), "unknown"},
		{"a program in a container misses a library of its own", logTelling("docker",
			"hcsshim::Process::CreateProcess app.exe: The specified module could not be found."), "unknown"},
	})
}

func TestRuntimePipeMissing(t *testing.T) {
	services := func(endpoint string, more ...string) string {
		list := append(
			[]string{fmt.Sprintf(
				`{"name":"kubelet","state":"running","binPath":"C:\\k\\kubelet.exe","args":[%q]}`,
				endpoint)}, more...)
		return "-- services.json --\n[" + strings.Join(list, ",\n") + "]\n"
	}
	processes := func(names ...string) string {
		list := []string{`{"pid":4,"name":"System"}`, `{"pid":8,"name":"services.exe"}`,
			`{"pid":12,"name":"lsass.exe"}`, `{"pid":16,"name":"kubelet.exe"}`}
		for _, name := range names {
			list = append(list, fmt.Sprintf(`{"pid":20,"name":%q}`, name))
		}
		return "-- processes.json --\n[" + strings.Join(list, ",") + "]\n"
	}
	const (
		containerd = `{"name":"containerd","state":"running","binPath":"C:\\containerd.exe"}`
		docker     = `{"name":"docker","state":"running","binPath":"C:\\dockerd.exe"}`
		usual      = "--container-runtime-endpoint=npipe:////./pipe/containerd-containerd"
		cri        = "--container-runtime-endpoint=npipe:////./pipe/cri-dockerd"
		shim       = "--container-runtime-endpoint=npipe:////./pipe/dockershim"
		line       = `transport: Error while dialing: open //./pipe/containerd-containerd: The system cannot find the file specified.`
		exits      = `"command failed" err="failed to run Kubelet: validate service connection: ` + line
	)
	grpc := "-- files/C/Program Files/containerd/config.toml --\nversion = 2\n[grpc]\naddress = \"\\\\\\\\.\\\\pipe\\\\other\"\n"
	ready := "-- api/node.json --\n{\"metadata\":{\"name\":\"win-1\"},\"status\":{\"conditions\":[{\"type\":\"Ready\",\"status\":\"True\"}]}}\n"
	runLooks(t, "runtime-pipe-missing", []look{
		{"containerd serves the pipe", services(usual, containerd) + strings.Replace(grpc, "other", "containerd-containerd", 1),
			"pass"},
		{"at which pipe containerd listens is not recorded", services(usual, containerd), "unknown"},
		{"containerd serves another one", services(usual, containerd) + grpc,
			"fail: kubelet uses pipe containerd-containerd, but containerd listens on other [state]"},
		{"the kubelet is told of that one in backslashes",
			services(`--container-runtime-endpoint=npipe:\\.\pipe\other`, containerd) + grpc,
			"pass"},
		{"a kubelet that reports Ready has its runtime", services(usual, containerd) + grpc + ready,
			"pass"},
		{"docker runs, and the kubelet wants containerd",
			services(usual, docker) + processes("dockerd.exe"),
			"fail: kubelet uses containerd pipe containerd-containerd, but the running runtime is docker [state]"},
		{"the same, and containerd may be a process that nobody listed", services(usual, docker),
			"unknown"},
		{"cri-dockerd is not there", services(cri, docker) + processes("dockerd.exe"),
			"fail: kubelet uses pipe cri-dockerd, but cri-dockerd is not on this node [state]"},
		{"cri-dockerd is there", services(cri, docker) + processes("dockerd.exe",
			"cri-dockerd.exe"), "pass"},
		{"dockershim in a kubelet that has it", services(shim, docker) + nodeOf("v1.20.15",
			"docker://20.10.9"), "pass"},
		{"dockershim in a kubelet that has it no more", services(shim, docker) + nodeOf("v1.24.2",
			"docker://20.10.9"),
			"fail: kubelet v1.24.2 uses pipe dockershim, which is supported only up to v1.23 [state]"},
		{"the endpoint stands in the kubelet's configuration",
			services("--config=C:\\\\var\\\\lib\\\\kubelet\\\\config.yaml", containerd) + grpc +
				"-- files/C/var/lib/kubelet/config.yaml --\nkind: KubeletConfiguration\ncontainerRuntimeEndpoint: npipe:////./pipe/containerd-containerd\n",
			"fail: kubelet uses pipe containerd-containerd, but containerd listens on other [state]"},
		{"no endpoint is written anywhere", services("--v=4", containerd), "unknown"},
		{"no runtime runs, which is another fault",
			services(usual, strings.Replace(containerd, "running", "stopped", 1)) +
				logTelling("kubelet", line), "skip"},
		{"a log of a kubelet that exits", logTelling("kubelet", exits),
			"fail: the containerd pipe that the kubelet uses does not exist [text]"},
		{"a log of a kubelet that exited, and reached it at the next start", logTelling("kubelet",
			exits+"\nI1120 09:50:09.1 1 kuberuntime_manager.go:258] \"Container runtime initialized\" containerRuntime=\"containerd\""),
			"info: the logs say: the containerd pipe that the kubelet uses does not exist; it is over: a later line says: \"Container runtime initialized\" [text]"},
		{"a log of a kubelet whose runtime restarts", logTelling("kubelet",
			"E1120 09:50:00.1 1 remote.go:1] "+line+"\nE1120 09:50:04.1 1 remote.go:1] "+line),
			"info: the logs say: the containerd pipe that the kubelet uses does not exist; it may be over: it lasted 4s, as at a start [text]"},
		{"a log of a kubelet whose runtime stays away", logTelling("kubelet",
			"E1120 09:50:00.1 1 remote.go:1] "+line+"\nE1120 09:54:04.1 1 remote.go:1] "+line),
			"fail: the containerd pipe that the kubelet uses does not exist [text]"},
		{"a pipe that is there and refuses, in German",
			logTelling("kubelet", "failed to run Kubelet: open //./pipe/containerd-containerd: Zugriff verweigert"),
			"unknown"},
		{"another program looks for a pipe",
			logTelling("telegraf",
				"open //./pipe/docker_engine: The system cannot find the file specified."),
			"unknown"},
		{"a pipe that is there and refuses",
			logTelling("kubelet", "open //./pipe/containerd-containerd: Access is denied."),
			"unknown"},
		{"a kubelet without any endpoint",
			logTelling("kubelet",
				"the container runtime endpoint address was not specified or empty, use --container-runtime-endpoint to set"), "fail: the kubelet has no container runtime endpoint [text]"},
	})
}

func TestRuntimeTooOld(t *testing.T) {
	const processes = "-- services.json --\n[{\"name\":\"docker\",\"state\":\"running\"}]\n-- processes.json --\n[{\"name\":\"System\"},{\"name\":\"services.exe\"},{\"name\":\"dockerd.exe\"},{\"name\":\"kubelet.exe\"}%s]\n"
	runLooks(t, "runtime-too-old", []look{
		{"containerd before its first release for Kubernetes on Windows",
			nodeOf("v1.20.4", "containerd://1.3.9"),
			"warn: containerd version is v1.3.9 (required: v1.4.0 or later) [state]"},
		{"the first one", nodeOf("v1.20.4", "containerd://1.4.0"), "pass"},
		{"a current one", nodeOf("v1.33.1", "containerd://2.1.4"), "pass"},
		{"docker of 2018", nodeOf("v1.19.7", "docker://18.9.11"),
			"warn: docker version is v18.9.11 (required: v19.3.0 or later) [state]"},
		{"docker of 2018 with a Kubernetes of its time", nodeOf("v1.14.3", "docker://18.9.4"),
			"pass"},
		{"docker 19.03 and dockershim", nodeOf("v1.19.7", "docker://19.3.14"), "pass"},
		{"a kubelet without dockershim, and no cri-dockerd", nodeOf("v1.28.9", "docker://25.0.8") +
			fmt.Sprintf(processes, ""),
			"fail: cri-dockerd is missing: kubelet v1.28.9 uses docker only through it [state]"},
		{"with cri-dockerd", nodeOf("v1.28.9", "docker://25.0.8") + fmt.Sprintf(processes,
			`,{"name":"cri-dockerd.exe"}`), "pass"},
		{"the processes were not recorded", nodeOf("v1.28.9", "docker://25.0.8"), "pass"},
		{"a runtime of which nothing is known", nodeOf("v1.28.9", "cri-o://1.28.1"), "unknown"},
		{"a version is not recorded", nodeOf("v1.28.9", "containerd://"), "unknown"},
		{"the node is not recorded",
			"-- services.json --\n[{\"name\":\"containerd\",\"state\":\"running\"}]\n", "unknown"},
	})
}

func TestImageTagLatest(t *testing.T) {
	pod := func(image string) string {
		return "-- api/pods.json --\n{\"items\":[{\"metadata\":{\"name\":\"web\",\"namespace\":\"default\"},\"spec\":{\"containers\":[{\"name\":\"web\",\"image\":\"" + image + "\"}]},\"status\":{\"phase\":\"Running\"}}]}\n"
	}
	found := func(image string) string {
		return "warn: default/web uses image " + image +
			": its Windows version can change with each push [state]"
	}
	runLooks(t, "image-tag-latest", []look{
		{"the log alone", logTelling("containerd",
			"failed to resolve reference \"mcr.microsoft.com/windows/nanoserver:latest\": mcr.microsoft.com/windows/nanoserver:latest: not found"),
			"fail: Windows base images have no tag latest [text]"},
		{"the registry's name was not found", logTelling("containerd",
			"failed to resolve reference \"mcr.microsoft.com/windows/nanoserver:latest\": dial tcp: lookup mcr.microsoft.com: host not found"),
			"unknown"},
		{"the tag latest", pod("contoso/web:latest"), found("contoso/web:latest")},
		{"no tag at all", pod("contoso/web"), found("contoso/web")},
		{"the port of a registry is no tag", pod("registry.corp:5000/web"),
			found("registry.corp:5000/web")},
		{"a tag", pod("registry.corp:5000/web:1.2-ltsc2022"), "pass"},
		{"a digest", pod("contoso/web@sha256:6f1b"), "pass"},
		{"a digest behind latest", pod("contoso/web:latest@sha256:6f1b"), "pass"},
		{"a tag that only begins so", pod("contoso/web:latest-ltsc2022"), "pass"},
		{"a job that is done", strings.Replace(pod("contoso/web:latest"), "Running", "Succeeded",
			1), "pass"},
		{"a base image that has no latest, in a log alone",
			logTelling("docker",
				"manifest for mcr.microsoft.com/windows/servercore:latest not found"),
			"fail: Windows base images have no tag latest [text]"},
		{"nothing recorded", "", "unknown"},
	})
}

func TestImagePullTooSlow(t *testing.T) {
	events := func(began, failed, message string) string {
		event := func(reason, text, at string) string {
			return fmt.Sprintf(
				`{"reason":%q,"message":%q,"firstTimestamp":%q,"lastTimestamp":%q,"involvedObject":{"kind":"Pod","name":"web","namespace":"default"}}`, reason, text, at, at)
		}
		return "-- api/events.json --\n{\"items\":[" + event("Pulling", "Pulling image a", began) +
			"," + event("Failed", message, failed) + "]}\n"
	}
	const (
		cancelled = "Failed to pull image: rpc error: code = Canceled desc = context canceled"
		began     = "2026-11-20T09:50:00Z"
		line      = `msg="cancel pulling image contoso/web:1 because of no progress in 5m0s"`
	)
	waits := podTelling("ImagePullBackOff", "", "")
	containerd, docker := nodeOf("v1.29.9", "containerd://1.7.22"),
		nodeOf("v1.19.7", "docker://19.3.14")
	deadline := "-- services.json --\n[{\"name\":\"kubelet\",\"state\":\"running\",\"args\":[\"--image-pull-progress-deadline=20m\"]}]\n"
	found := func(took, deadline string) string {
		return "fail: image pull for default/web was canceled after " + took +
			" without progress (deadline: " + deadline + ") [state]"
	}
	runLooks(t, "image-pull-too-slow", []look{
		{"cancelled after a minute", docker + waits + events(began, "2026-11-20T09:51:02Z",
			cancelled), found("1m2s", "1m0s")},
		{"on containerd", containerd + waits + events(began, "2026-11-20T09:51:10Z", cancelled),
			found("1m10s", "1m0s")},
		{"cancelled at once, by somebody else", docker + waits + events(began,
			"2026-11-20T09:50:05Z", cancelled),
			"info: the logs say: an image pull was canceled; the node's current state does not confirm it [text]"},
		{"cancelled after a minute, with a deadline of twenty",
			docker + deadline + waits + events(began, "2026-11-20T09:51:02Z", cancelled),
			"info: the logs say: an image pull was canceled; the node's current state does not confirm it [text]"},
		{"cancelled after these twenty", docker + deadline + waits + events("2026-11-20T09:30:00Z",
			"2026-11-20T09:50:30Z", cancelled), found("20m30s", "20m0s")},
		{"containerd says what its deadline is",
			containerd + "-- cri.json --\n{\"config\":{\"imagePullProgressTimeout\":\"5m0s\"}}\n" +
				waits + events(began, "2026-11-20T09:51:10Z", cancelled),
			"info: the logs say: an image pull was canceled; the node's current state does not confirm it [text]"},
		{"the network is the reason", docker + waits + events(began, "2026-11-20T09:51:02Z",
			"Failed to pull image: net/http: request canceled while waiting for connection (Client.Timeout exceeded while awaiting headers)"), "pass"},
		{"the registry was not reached", containerd + waits + events(began, "2026-11-20T09:51:02Z",
			"Failed to pull image: failed to do request: Head: dial tcp 10.0.0.1:443: i/o timeout: context deadline exceeded"), "pass"},
		{"the image is there by now", docker + podRunning + events(began, "2026-11-20T09:51:02Z",
			cancelled), "info: the logs say: an image pull was canceled; the node's current state does not confirm it [text]"},
		{"it was hours ago", docker + waits + events("2026-11-20T06:50:00Z", "2026-11-20T06:51:02Z",
			cancelled), "fail: image pull for default/web was canceled after 1m2s without progress (deadline: 1m0s) [state]"},
		{"nobody recorded when the pull began", docker + waits + eventTelling("Failed", cancelled,
			now), "fail: an image pull was canceled, and pods wait for their images [state+text]"},
		{"a log alone", logTelling("containerd", line),
			"fail: the runtime canceled an image pull without progress [text]"},
		{"a log beside pods that run",
			containerd + podRunning + "-- api/events.json --\n{\"items\":[]}\n" +
				logTelling("containerd", line),
			"info: the logs say: the runtime canceled an image pull without progress; the node's current state does not confirm it [text]"},
		{"the pods were not recorded", docker + events(began, "2026-11-20T09:51:02Z", cancelled),
			"warn: an image pull was canceled [text]"},
		{"the kubelet's log alone, of a kubelet that may have been stopped", logTelling("kubelet",
			`"PullImage from image service failed" err="rpc error: code = Canceled desc = context canceled" image="web:1"`),
			"warn: an image pull was canceled [text]"},
		{"the registry did not answer", logTelling("kubelet",
			`Failed to pull image "r/web:1": failed to pull and unpack image "r/web:1": failed to resolve reference "r/web:1": failed to do request: Head "https://r/v2/web/manifests/1": context deadline exceeded`),
			"unknown"},
	})
}

// TestFixesFitWhatIsThere: the same fault is mended differently by what is found beside it.
func TestFixesFitWhatIsThere(t *testing.T) {
	const crashed = `-- api/pods.json --
{"items":[{"metadata":{"name":"web","namespace":"default"},"spec":{"nodeName":"win-1"},
 "status":{"phase":"Running","containerStatuses":[{"name":"web","state":{"waiting":{"reason":"CrashLoopBackOff"}},"lastState":{"terminated":{"exitCode":3221225794}}}]}}]}
`
	for _, f := range []struct{ name, id, tree, want string }{
		{"the commit limit is reached", "dll-init-failed-0xc0000142",
			crashed + "-- memory.json --\n{\"commitLimitBytes\":1000,\"commitUsedBytes\":990}\n",
			"AutomaticManagedPagefile"},
		{"there is memory, so it is the desktop heap", "dll-init-failed-0xc0000142",
			crashed + "-- memory.json --\n{\"commitLimitBytes\":1000,\"commitUsedBytes\":400}\n",
			"SubSystems"},
		{"a HostProcess pod starts programs of the node", "entrypoint-not-found",
			podTelling("RunContainerError",
				"failed to get application name from commandline \"a\": failed to find executable \"a\"", `,"securityContext":{"windowsOptions":{"hostProcess":true}}`), "CONTAINER_SANDBOX_MOUNT_POINT"},
	} {
		t.Run(f.name, func(t *testing.T) {
			s, err := evidence.Load(fixtures.Tree(txtar.Parse([]byte(shortMeta + f.tree))))
			if err != nil {
				t.Fatal(err)
			}
			c := faults.Catalogue().ByID(f.id)
			r := checks.Diagnose(s, faults.Catalogue().Only(c.ID), checks.Source{},
				checks.Program{}).Results[0]
			fix := c.Fix
			if len(r.Findings) > 0 && len(r.Fix.Steps) > 0 {
				fix = r.Fix
			}
			if text := strings.Join(fix.Script(evidence.Phrase.String),
				"\n"); len(r.Findings) == 0 || !strings.Contains(text, f.want) {
				t.Errorf("the fix of %v is\n%s\nand should speak of %s", r.Findings, text, f.want)
			}
		})
	}
}
