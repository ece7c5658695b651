package faults_test

import (
	"fmt"
	"strings"
	"testing"
)

func TestPauseOSVersionMismatch(t *testing.T) {
	config := func(image string) string {
		return "-- files/C/Program Files/containerd/config.toml --\nversion = 2\n[plugins.\"io.containerd.grpc.v1.cri\"]\nsandbox_image = \"" + image + "\"\n"
	}
	on := func(build string) string {
		return "-- os.json --\n{\"build\":" + build + ",\"ubr\":1}\n"
	}
	const containerd = "containerd://1.7.22"
	isolated := func(image, class string) string { // windows-testing 557
		return replace(podTelling("RunContainerError", "failed to create containerd task: failed to create shim task: failed to mount container storage: hcs::System::Modify 7c@vm: "+
			"The container operating system does not match the host operating system.: unknown", `,"runtimeClassName":"`+class+`"`),
			`"name":"web","state"`, `"name":"web","image":"`+image+`","state"`)
	}
	runLooks(t, "pause-os-version-mismatch", []look{
		{"Server 2025 runs the image of 2022", config("registry.k8s.io/pause:3.10") + on("26100") +
			nodeOf("v1.33.0", containerd), "pass"},
		{"for Linux only", config("k8s.gcr.io/pause:3.2") + on("17763") + nodeOf("v1.23.0",
			containerd),
			"fail: pause image k8s.gcr.io/pause:3.2 is for Linux only (the node is Windows 10.0.17763.1) [state]"},
		{"the virtual machine of Hyper-V isolation is of 2022", config("registry.k8s.io/pause:3.10") + on("26100") +
			nodeOf("v1.36.1", containerd) + isolated("corp/web:1", "runhcs-wcow-hypervisor"),
			"fail: Hyper-V isolated pod default/web fails: its virtual machine boots from pause image registry.k8s.io/pause:3.10 (Windows builds 17763, 20348), its containers are for 10.0.26100.1 [state]"},
		{"it is of 2025", config("registry.k8s.io/pause:3.10.2") + on("26100") +
			nodeOf("v1.36.1", containerd) + isolated("corp/web:1", "runhcs-wcow-hypervisor"), "pass"},
		{"an image of 2019 fails in both", config("registry.k8s.io/pause:3.10") + on("26100") +
			nodeOf("v1.36.1", containerd) + isolated("corp/web:1-ltsc2019", "runhcs-wcow-hypervisor"), "pass"},
		{"process isolation", config("registry.k8s.io/pause:3.10") + on("26100") +
			nodeOf("v1.36.1", containerd) + isolated("corp/web:1", "runhcs-wcow-process"), "pass"},
		{"a private mirror is not known", config("harbor.corp/mirror/pause:3.5") + on("20348") +
			nodeOf("v1.29.0", containerd), "unknown"},
		{"a private mirror, and the runtime's own word", config("harbor.corp/mirror/pause:3.5") +
			on("20348") + nodeOf("v1.29.0", containerd) +
			"-- logs/containerd/containerd.log --\nfailed to get sandbox image \"harbor.corp/mirror/pause:3.5\": no match for platform in manifest: not found\n",
			"fail: the pause image has no variant for this Windows version [text]"},
		{"a container in a sandbox that runs, by the log alone", logTelling("containerd",
			`CreateContainer within sandbox "7c3a" for &ContainerMetadata{Name:web} failed, error: hcs::CreateComputeSystem 7c3b: The container operating system does not match the host operating system.`),
			"unknown"},
		{"the sandbox itself, by the log alone", logTelling("containerd",
			`RunPodSandbox for &PodSandboxMetadata{Name:web} failed, error: failed to create containerd task: hcs::CreateComputeSystem 7c3b: The container operating system does not match the host operating system.`),
			"fail: a pod sandbox is for another Windows version [text]"},
		{"the kubelet's flag does not count for containerd", config("registry.k8s.io/pause:3.9") +
			on("20348") + nodeOf("v1.29.0", containerd) +
			"-- services.json --\n[{\"name\":\"kubelet\",\"state\":\"running\",\"args\":[\"--pod-infra-container-image=mcr.microsoft.com/k8s/core/pause:1.0.0\"]}]\n", "pass"},
		{"it does for docker", on("18363") + nodeOf("v1.18.0", "docker://19.3.5") +
			"-- services.json --\n[{\"name\":\"kubelet\",\"state\":\"running\",\"args\":[\"--pod-infra-container-image=mcr.microsoft.com/k8s/core/pause:1.2.0\"]}]\n",
			"fail: pause image mcr.microsoft.com/k8s/core/pause:1.2.0 is for Windows builds 17134, 17763, 18362 (the node is 10.0.18363.1) [state]"},
	})
}

// TestALineIsOfThePauseImageOrOfAnother: the call that a line names, or the image, tells which of
// the two checks it is for.
func TestALineIsOfThePauseImageOrOfAnother(t *testing.T) {
	const refused = "hcs::CreateComputeSystem x: The container operating system does not match the host operating system.: unknown"
	for _, row := range []struct{ name, line, pause, app string }{
		{"the kubelet's line about a sandbox",
			`"CreatePodSandbox for pod failed" err="rpc error: failed to create containerd task: ` + refused,
			"fail: a pod sandbox is for another Windows version [text]", "unknown"},
		{"containerd's line about a sandbox",
			`RunPodSandbox for &PodSandboxMetadata{Name:web} failed, error" error="failed to start sandbox container task: failed to create containerd task: ` + refused,
			"fail: a pod sandbox is for another Windows version [text]", "unknown"},
		{"containerd's line about a container in a sandbox",
			`StartContainer for "4f1c" within sandbox "9a2e" failed" error="failed to create containerd task: ` + refused,
			"unknown", "fail: a container image is for another Windows version [text]"},
		{"the kubelet's line about a container",
			`"Error syncing pod" err="failed to \"StartContainer\" for \"web\" with RunContainerError: failed to create containerd task: ` + refused,
			"unknown", "fail: a container image is for another Windows version [text]"},
		{"the end of the error alone, as people quote it",
			"``` The container operating system does not match the host operating system.: unknown ```",
			"unknown", "warn: an image is for another Windows version: that of a container, or the pause image [text]"},
		{"advice", "On Server 2019 you would see: The container operating system does not match the host operating system.",
			"unknown", "unknown"},
	} {
		tree := "-- os.json --\n{\"build\":20348}\n-- logs/kubelet/kubelet.log --\n" + row.line + "\n"
		runLooks(t, "pause-os-version-mismatch", []look{{row.name + ", pause", tree, row.pause}})
		runLooks(t, "app-image-os-version-mismatch", []look{{row.name + ", app", tree, row.app}})
	}
}

func TestAppImageOSVersionMismatch(t *testing.T) {
	pulls := func(later, earlier int) string { // as they are sorted: by the length of the value
		return fmt.Sprintf("-- stated.json --\n"+`[{"fact":"image","value":"a/longer:windowsservercore-1709","text":"docker pull x","file":"p","line":%d},{"fact":"image","value":"a/b:windowsservercore-1803","text":"docker pull y","file":"p","line":%d},`+
			`{"fact":"windows","value":"10.0.14393","text":"Windows Server 2016","file":"p","line":1}]`+"\n-- logs/other/p --\n", later, earlier) + strings.Repeat("\n", 7) +
			"failed to register layer: re-exec error: exit status 1: output: ProcessUtilityVMImage C:\\a\\UtilityVM: x\n"
	}
	pod := func(image, state, more string) string {
		return `-- api/pods.json --
{"items":[{"metadata":{"name":"web","namespace":"default"},"spec":{"containers":[{"name":"web","image":"` + image + `"}]` + more + `},
 "status":{"phase":"Pending","containerStatuses":[{"name":"web","image":"` + image + `",` + state + `}]}}]}
` + nodeOf("v1.29.9", "containerd://1.7.22")
	}
	tagged := func(image, more string) string {
		return pod(image, `"state":{"waiting":{"reason":"ContainerCreating"}}`, more) + noEvents
	}
	const creating, crashed = `"state":{"waiting":{"reason":"ContainerCreating"}}`,
		`"restartCount":4,"state":{"waiting":{"reason":"CrashLoopBackOff"}},"lastState":{"terminated":{"exitCode":1}}`
	runLooks(t, "app-image-os-version-mismatch", []look{
		{"a tag names another Windows", pod("contoso/web:1.2-windowsservercore-ltsc2019", creating,
			""),
			"fail: container web of default/web cannot run on 10.0.20348.2700: image contoso/web:1.2-windowsservercore-ltsc2019: its tag says Windows Server 2019 [state]"},
		{"a tag names another Windows, of a pod of another node", pod("contoso/web:1.2-windowsservercore-ltsc2019", creating,
			`,"nodeName":"lin-1"`), "unknown"},
		{"a tag names this Windows", tagged("contoso/web:1.2-nanoserver-ltsc2022", ""),
			"pass"},
		{"a tag names this Windows, and why the pod waits is not recorded",
			pod("contoso/web:1.2-nanoserver-ltsc2022", creating, ""), "unknown"},
		{"a number in a tag is not a version of Windows", tagged("contoso/web:build-2004", ""),
			"pass"},
		{"unless Windows is spoken of", pod("mcr.microsoft.com/windows/nanoserver:2004", creating,
			""),
			"fail: container web of default/web cannot run on 10.0.20348.2700: image mcr.microsoft.com/windows/nanoserver:2004: its tag says Windows Server 2004 [state]"},
		{"an image that ran is one for this Windows", pod("contoso/web:ltsc2019", crashed, ""),
			"pass"},
		{"Hyper-V isolation runs older images", tagged("contoso/web:ltsc2019",
			`,"runtimeClassName":"runhcs-wcow-hypervisor"`), "pass"},
		{"a tag with a digest", pod("contoso/web:ltsc2019@sha256:6f1b", creating, ""),
			"fail: container web of default/web cannot run on 10.0.20348.2700: image contoso/web:ltsc2019@sha256:6f1b: its tag says Windows Server 2019 [state]"},
		{"a HostProcess container runs on any Windows", tagged("contoso/agent:ltsc2019",
			`,"securityContext":{"windowsOptions":{"hostProcess":true}}`), "pass"},
		{"an image that is called sandbox itself",
			pod("corp/sandbox:1",
				`"state":{"waiting":{"reason":"ErrImagePull","message":"failed to pull corp/sandbox:1: no match for platform in manifest"}}`, ""),
			"fail: container web of default/web cannot run on 10.0.20348.2700: image corp/sandbox:1: no match for platform in manifest [state]"},
		{"only the pause image is refused, in a log alone",
			"-- os.json --\n{\"build\":20348}\n-- logs/containerd/containerd.log --\nfailed to get sandbox image \"registry.k8s.io/pause:3.5\": no match for platform in manifest: not found\n", "unknown"},
		{"an image is refused, in a log alone",
			"-- os.json --\n{\"build\":20348}\n-- logs/containerd/containerd.log --\nmsg=\"PullImage \\\"contoso/web:1\\\" failed\" error=\"no match for platform in manifest: not found\"\n",
			"fail: an image has no variant for this Windows version, or none for Windows at all [text]"},
		{"a port is no tag", tagged("registry.corp:5000/web", ""), "pass"},
		{"a sandbox error is the pause image's",
			pod("contoso/web:1",
				`"state":{"waiting":{"reason":"ContainerCreating","message":"sandbox: The container operating system does not match the host operating system."}}`, ""), "pass"},
		{"a container of containerd, in French, in a log alone",
			"-- os.json --\n{\"build\":20348}\n" + logTelling("containerd",
				`StartContainer for "7c" failed" error="failed to create containerd task: failed to create shim task: hcs::CreateComputeSystem 7c: Le système d'exploitation du conteneur ne correspond pas. (0xc0370101): unknown`),
			"fail: a container image is for another Windows version [text]"},
		{"a container of docker, in a log alone",
			"-- os.json --\n{\"build\":14393}\n" + logTelling("kubelet",
				`Error: failed to start container "web": Error response from daemon: container 7c encountered an error during CreateContainer: failure in a Windows system call: The operating system of the container does not match the operating system of the host. (0xc0370101)`),
			"fail: a container image is for another Windows version [text]"},
		{"the pull above the error, of several (dotnet-framework-docker 167)", pulls(30, 4), "fail: Windows Server 2016 cannot import the layers of image a/b:windowsservercore-1803: its tag says Windows Server 1803 [state+text]"},
		{"pulls below the error alone", pulls(30, 20), "unknown"},
		{"a sandbox of docker, which is the pause image's",
			"-- os.json --\n{\"build\":14393}\n" + logTelling("kubelet",
				`CreatePodSandbox for pod "web" failed: failed to start sandbox container for pod "web": Error response from daemon: hcsshim::CreateComputeSystem 7c: The container operating system does not match the host operating system. (0xc0370101)`),
			"unknown"},
	})
}

func TestPodsStuckCreating(t *testing.T) {
	event := func(reason, message, at string) string {
		return `{"reason":"` + reason + `","message":"` + message + `","lastTimestamp":"` + at +
			`","type":"Warning","involvedObject":{"kind":"Pod","name":"web","namespace":"default"}}`
	}
	events := func(list string) string {
		return "-- api/events.json --\n{\"items\":[" + list + "]}\n"
	}
	const sandbox = "Failed to create pod sandbox"
	const noTime = "-- meta.json --\n{\"layout\":\"evidence/v1\",\"node\":\"win-1\"}\n"
	waiting := func(reason string) string {
		return `-- api/pods.json --
{"items":[{"metadata":{"name":"web","namespace":"default"},"spec":{"nodeName":"win-1"},"status":{"phase":"Pending","startTime":"2026-11-20T09:00:00Z","containerStatuses":[{"name":"web","state":{"waiting":{"reason":"` + reason + `"}}}]}}]}
`
	}
	runLooks(t, "pods-stuck-creating", []look{
		{"no pods recorded, and the last event is a failure",
			events(event("FailedCreatePodSandBox", sandbox, "2026-11-20T09:58:00Z")),
			"fail: the last event of default/web is FailedCreatePodSandBox: Failed to create pod sandbox [text]"},
		{"a failure that a start followed",
			events(event("FailedCreatePodSandBox", sandbox, "2026-11-20T09:57:00Z") + "," +
				event("Started", "Started container web", "2026-11-20T09:58:00Z")), "unknown"},
		{"a failure of hours ago that nobody repeated",
			events(event("FailedCreatePodSandBox", sandbox, "2026-11-20T03:05:00Z")), "unknown"},
		{"a container that crashes is past creating",
			events(event("BackOff", "Back-off restarting failed container",
				"2026-11-20T09:58:00Z")), "unknown"},
		{"a pod of a minute ago has time",
			"-- api/pods.json --\n{\"items\":[{\"metadata\":{\"name\":\"web\",\"namespace\":\"default\",\"creationTimestamp\":\"2026-11-20T09:59:00Z\"},\"spec\":{\"nodeName\":\"win-1\"},\"status\":{\"phase\":\"Pending\"}}]}\n", "pass"},
		{"an init container is at work",
			"-- api/pods.json --\n{\"items\":[{\"metadata\":{\"name\":\"web\",\"namespace\":\"default\",\"creationTimestamp\":\"2026-11-20T09:00:00Z\"},\"spec\":{\"nodeName\":\"win-1\"},\"status\":{\"phase\":\"Pending\",\"initContainerStatuses\":[{\"name\":\"wait\",\"state\":{\"running\":{}}}],\"containerStatuses\":[{\"name\":\"web\",\"state\":{\"waiting\":{\"reason\":\"PodInitializing\"}}}]}}]}\n", "pass"},
		{"the runtime does not start the container", strings.Replace(waiting("CrashLoopBackOff"), `"state"`,
			`"lastState":{"terminated":{"exitCode":128,"reason":"StartError"}},"state"`, 1),
			"fail: default/web is stuck: CrashLoopBackOff [state]"},
		{"its program ends", strings.Replace(waiting("CrashLoopBackOff"), `"state"`,
			`"lastState":{"terminated":{"exitCode":1,"reason":"Error"}},"state"`, 1), "pass"},
		{"the pull of a big image goes on", waiting("ContainerCreating") +
			events(strings.Replace(event("Pulling", "Pulling image \\\"r/big:1\\\"", "2026-11-20T09:50:00Z"), "Warning", "Normal", 1)), "pass"},
		{"the pull goes on for too long", waiting("ContainerCreating") +
			events(strings.Replace(event("Pulling", "Pulling image \\\"r/big:1\\\"", "2026-11-20T09:30:00Z"), "Warning", "Normal", 1)),
			`fail: default/web is stuck: ContainerCreating: Pulling image "r/big:1" [state]`},
		{"a pod of another node", strings.Replace(waiting("ImagePullBackOff"), "win-1", "lin-1", 1), "pass"},
		{"a paste without a time: the back-off says that it failed more than once",
			noTime + waiting("ImagePullBackOff"), "fail: default/web is stuck: ImagePullBackOff [state]"},
		{"a paste without a time: each pod begins so", noTime + waiting("ContainerCreating"), "unknown"},
		{"a pod on its way out is not stuck",
			"-- api/pods.json --\n{\"items\":[{\"metadata\":{\"name\":\"web\",\"namespace\":\"default\",\"creationTimestamp\":\"2026-11-20T08:59:00Z\",\"deletionTimestamp\":\"2026-11-20T09:30:00Z\"},\"spec\":{\"nodeName\":\"win-1\"},\"status\":{\"phase\":\"Pending\"}}]}\n", "pass"},
	})
}

func TestWincatNotFound(t *testing.T) {
	config := func(image string) string {
		return "-- files/C/Program Files/containerd/config.toml --\nversion = 2\n[plugins.\"io.containerd.grpc.v1.cri\"]\nsandbox_image = \"" + image + "\"\n"
	}
	const failed = "-- logs/containerd/containerd.log --\nfailed to exec in sandbox: failed to start exec \"f0\": hcs::System::CreateProcess: wincat.exe 127.0.0.1 80 f0: The system cannot find the file specified.: unknown\n"
	runLooks(t, "wincat-not-found", []look{
		{"containerd 2 dials by itself", config("kubeletwin/pause") + nodeOf("v1.31.4",
			"containerd://2.1.4"), "skip"},
		{"the published image", config("registry.k8s.io/pause:3.9") + nodeOf("v1.29.9",
			"containerd://1.7.22"), "pass"},
		{"a home-made image of a mirror", config("harbor.corp/pause-win:1") + nodeOf("v1.29.9",
			"containerd://1.7.22"), "unknown"},
		{"and the error itself", config("harbor.corp/pause-win:1") + nodeOf("v1.29.9",
			"containerd://1.7.22") + failed,
			"fail: port-forward failed: wincat.exe is missing (pause image: harbor.corp/pause-win:1) [state+text]"},
		{"an old error of a runtime that was renewed", config("registry.k8s.io/pause:3.9") +
			nodeOf("v1.29.9", "containerd://2.0.1") + failed, "skip"},
		{"the same, with the image not recorded", nodeOf("v1.29.9", "containerd://2.0.1") + failed,
			"skip"},
		{"an error of an image that was replaced", config("registry.k8s.io/pause:3.9") +
			nodeOf("v1.29.9", "containerd://1.7.22") +
			strings.Replace(failed, "failed to", `time="2026-08-01T10:00:00Z" failed to`, 1),
			"info: the logs say: port-forward fails: wincat.exe is not in the pause image; the node's current state does not confirm it [text]"},
		{"an error of now contradicts the tag", config("registry.k8s.io/pause:3.9") +
			nodeOf("v1.29.9", "containerd://1.7.22") +
			strings.Replace(failed, "failed to", `time="2026-11-20T09:55:00Z" failed to`, 1),
			"fail: port-forward failed: wincat.exe is missing (pause image: registry.k8s.io/pause:3.9) [state+text]"},
		{"a mirror with the tag of a published image", config("harbor.corp/mirror/pause:3.9") +
			nodeOf("v1.29.9", "containerd://1.7.22"), "unknown"},
		{"a kubelet that looks for socat", config("registry.k8s.io/pause:3.6") + nodeOf("v1.14.0",
			"containerd://1.3.0") +
			"-- logs/kubelet/kubelet.log --\nerror forwarding port 80: unable to do port forwarding: socat not found.\n",
			"fail: port-forward failed: this kubelet requires socat, which Windows does not have [text]"},
	})
}

func TestProxyNotConfigured(t *testing.T) {
	const (
		bare    = "-- env.json --\n{\"OS\":\"Windows_NT\"}\n"
		env     = bare + "-- services.json --\n[{\"name\":\"containerd\",\"state\":\"running\"}]\n"
		proxied = "-- env.json --\n{\"https_proxy\":\"http://proxy:3128\"}\n"
		pull    = `-- api/events.json --
{"items":[{"reason":"Failed","message":"Failed to pull image \"mcr.microsoft.com/a:1\": dial tcp 204.79.197.219:443: i/o timeout","involvedObject":{"kind":"Pod","name":"web","namespace":"default"}}]}
`
		running = `-- api/pods.json --
{"items":[{"metadata":{"name":"web","namespace":"default"},"status":{"phase":"Running","containerStatuses":[{"name":"web","state":{"running":{}}}]}}]}
`
	)
	others := strings.Replace(running, `"web","namespace"`, `"other","namespace"`, 1)
	at := func(clock string) string {
		return strings.Replace(pull, `"reason"`, `"lastTimestamp":"2026-11-20T`+clock+`Z","reason"`, 1)
	}
	reach := func(target, outcome string) string {
		return "-- probes/reach.json --\n[{\"target\":\"" + target +
			"\",\"from\":\"node\",\"protocol\":\"tcp\",\"outcome\":\"" + outcome + "\"}]\n"
	}
	const found = "warn: no answer from mcr.microsoft.com, and HTTPS_PROXY is not set for the machine or a service [state]"
	runLooks(t, "proxy-not-configured", []look{
		{"a pull into nothing", env + pull, found},
		{"a probe into nothing", env + reach("mcr.microsoft.com:443", "timeout"), found},
		{"a registry inside answers, the one outside does not",
			env + pull + reach("registry.corp:5000", "ok"), found},
		{"the registry answers by now", env + pull + reach("mcr.microsoft.com:443", "ok"), "pass"},
		{"the pod came up", env + pull + running, "pass"},
		{"the pod is gone for half an hour", env + at("09:29:00") + others, "pass"},
		{"the pod is gone since a moment ago", env + at("09:55:00") + others, found},
		{"the pod is gone, and the newer form of events has a series", env + strings.NewReplacer(
			`"lastTimestamp":"2026-11-20T09:29:00Z"`, `"eventTime":"2026-11-20T09:29:00Z","series":{"lastObservedTime":"2026-11-20T09:58:00Z"}`,
			"message", "note", "involvedObject", "regarding").Replace(at("09:29:00")) + others, found},
		{"there is a proxy", proxied + pull, "pass"},
		{"the services were not recorded, and one may have a proxy", bare + pull, "unknown"},
		{"HTTP_PROXY alone is no proxy for https", strings.Replace(env, "OS", "HTTP_PROXY", 1) +
			pull, found},
		{"a probe without a host answers for nobody", env + pull + reach(":443", "ok"), found},
		{"the environment was not recorded", pull, "unknown"},
	})
}

func TestProxyNoProxyMissing(t *testing.T) {
	const (
		services = "-- services.json --\n[{\"name\":\"containerd\",\"state\":\"running\"}]\n"
		cluster  = "-- api/configmaps.json --\n{\"items\":[{\"metadata\":{\"name\":\"kubeadm-config\"},\"data\":{\"ClusterConfiguration\":\"networking:\\n  podSubnet: 10.244.0.0/16\\n  serviceSubnet: 10.96.0.0/12\\n\"}}]}\n"
		calico   = "-- services.json --\n[{\"name\":\"CalicoNode\",\"state\":\"running\"}]\n"
		own      = `-- services.json --
[{"name":"kubelet","state":"running","env":{"NO_PROXY":"10.96.0.0/12,10.244.0.0/16,.svc"}},
 {"name":"containerd","state":"running","env":{"NO_PROXY":"10.96.0.0/12,10.244.0.0/16,.svc"}},{"name":"CalicoNode","state":"running"}]
`
		asks  = "-- logs/kubelet/kubelet.log --\nerror getting ClusterInformation: Get \\\"https://10.96.0.1:443/apis/x"
		sends = ": NO_PROXY of the machine does not cover services (10.96.0.0/12), pods (10.244.0.0/16): requests go to the proxy http://proxy:3128 [state]"
	)
	env := func(vars string) string { return "-- env.json --\n{" + vars + "}\n" }
	runLooks(t, "proxy-no-proxy-missing", []look{
		{"no proxy at all", env("") + services, "pass"},
		{"a plugin that never asks the API server", env(`"HTTPS_PROXY":"http://proxy:3128"`) +
			services + cluster, "warn" + sends},
		{"Calico asks it", env(`"HTTPS_PROXY":"http://proxy:3128"`) + calico + cluster,
			"fail" + sends},
		{"HTTP_PROXY alone leaves https alone", env(`"HTTP_PROXY":"http://proxy:3128"`) + calico +
			cluster, "pass"},
		{"CIDRs cover everything",
			env(`"HTTPS_PROXY":"http://proxy:3128","NO_PROXY":"10.96.0.0/12, 10.244.0.0/16,.svc"`) +
				calico + cluster, "pass"},
		{"the pods alone are missing, as OpenShift's list leaves out those of Windows nodes",
			env(`"HTTPS_PROXY":"http://proxy:3128","NO_PROXY":"10.96.0.0/12,.svc"`) + services + cluster,
			"info: NO_PROXY of the machine does not cover pods (10.244.0.0/16): requests go to the proxy http://proxy:3128 [state]"},
		{"a star covers everything", env(`"HTTPS_PROXY":"http://proxy:3128","NO_PROXY":"*"`) +
			calico + cluster, "pass"},
		{"the kubelet and the runtime have settings of their own",
			env(`"HTTPS_PROXY":"http://proxy:3128"`) + own + cluster, "pass"},
		{"a pull through a dead proxy is another fault",
			"-- logs/containerd/containerd.log --\nproxyconnect tcp: dial tcp 10.9.9.9:443: i/o timeout\n", "unknown"},
		{"a proxy forbids it, in a log alone", asks + `\": Forbidden` + "\n",
			"fail: a CNI plugin's call to the API server was answered by a proxy: Forbidden [text]"},
		{"the API server forbids it", asks + `\": clusterinformations is forbidden: User` + "\n",
			"unknown"},
		{"the cluster's networks are not known", env(`"HTTPS_PROXY":"http://proxy:3128"`) + calico,
			"unknown"},
	})
}
