package faults_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/faults"
	"doctor/checks/signs"
	"doctor/fixtures"
)

// podJSON is one pod of the node; fields come before containers in its spec.
func podJSON(fields, container, status string) string {
	return podNamed("web", "", fields, container, status)
}

func podNamed(name, owner, fields, container, status string) string {
	if fields != "" {
		fields += ","
	}
	if container != "" {
		container = "," + container
	}
	if status == "" {
		status = `{"phase":"Running","containerStatuses":[{"name":"c","ready":true,"state":{"running":{}}}]}`
	}
	if owner != "" {
		owner = `,"ownerReferences":[` + owner + `]`
	}
	return `{"metadata":{"namespace":"shop","name":"` + name + `"` + owner +
		`},"spec":{"nodeName":"win-1",` + fields + `"containers":[{"name":"c","image":"shop/c:1"` +
		container + `}]},"status":` + status + `}`
}

func podsJSON(list string) string { return "-- api/pods.json --\n{\"items\":[" + list + "]}\n" }

func TestPodFieldUnsupported(t *testing.T) {
	security := func(fields string) string {
		return podsJSON(podJSON("", `"securityContext":{`+fields+`}`, ""))
	}
	const sets = "shop/web sets fields that Windows ignores: "
	runLooks(t, "pod-field-unsupported", []look{
		{"a read-only root file system", security(`"readOnlyRootFilesystem":true`),
			"warn: " + sets +
				"spec.containers[0].securityContext.readOnlyRootFilesystem (the registry and system processes must write) [state]"},
		{"a user by number", security(`"runAsUser":0`),
			"warn: " + sets +
				"spec.containers[0].securityContext.runAsUser (use windowsOptions.runAsUserName) [state]"},
		{"capabilities that are added", security(`"capabilities":{"add":["NET_ADMIN"]}`),
			"warn: " + sets +
				"spec.containers[0].securityContext.capabilities (Windows has no capabilities) [state]"},
		{"what policies ask of every pod is told",
			security(`"capabilities":{"drop":["ALL"]},"allowPrivilegeEscalation":false,"seccompProfile":{"type":"RuntimeDefault"}`),
			"info: " + sets +
				"spec.containers[0].securityContext.allowPrivilegeEscalation (Windows has no such privilege escalation), spec.containers[0].securityContext.capabilities (Windows has no capabilities), spec.containers[0].securityContext.seccompProfile [state]"},
		{"values that hold anyway",
			security(`"privileged":false,"procMount":"Default","capabilities":{},"allowPrivilegeEscalation":true,"seLinuxOptions":null`), "pass"},
		{"the pod's own securityContext",
			podsJSON(podJSON(
				`"securityContext":{"fsGroup":2000,"sysctls":[{"name":"a","value":"b"}]}`, "", "")),
			"warn: " + sets +
				"spec.securityContext.fsGroup (volumes have no group; use windowsOptions.runAsUserName), spec.securityContext.sysctls [state]"},
		{"the namespaces of Linux",
			podsJSON(podJSON(`"hostPID":true,"hostIPC":false,"shareProcessNamespace":true`, "",
				"")), "warn: " + sets +
				"spec.hostPID (use windowsOptions.hostProcess), spec.shareProcessNamespace [state]"},
		{"memory as a disk",
			podsJSON(podJSON(
				`"volumes":[{"name":"a","emptyDir":{}},{"name":"b","emptyDir":{"medium":"Memory"}}]`, "", "")),
			"warn: " + sets +
				"spec.volumes[1].emptyDir.medium (Windows has no memory file system; the folder is on disk) [state]"},
		{"propagation and huge pages",
			podsJSON(podJSON("",
				`"volumeMounts":[{"name":"a","mountPath":"/a","mountPropagation":"None"},{"name":"b","mountPath":"/b","mountPropagation":"Bidirectional"}],"resources":{"limits":{"hugepages-2Mi":"4Mi"}}`, "")),
			"warn: " + sets +
				"spec.containers[0].volumeMounts[1].mountPropagation, spec.containers[0].resources.limits.hugepages-2Mi (Windows has no huge pages for containers) [state]"},
		{"an init container",
			podsJSON(podJSON(
				`"initContainers":[{"name":"i","image":"i","securityContext":{"privileged":true}}]`,
				"", "")), "warn: " + sets +
				"spec.initContainers[0].securityContext.privileged (use windowsOptions.hostProcess) [state]"},
		{"a pod for Linux on its way out",
			podsJSON(podJSON(`"nodeSelector":{"kubernetes.io/os":"linux"}`,
				`"securityContext":{"privileged":true}`, "")), "pass"},
		{"pods of one owner are told once",
			podsJSON(podNamed("web-1", `{"kind":"ReplicaSet","name":"web"}`, `"hostPID":true`, "",
				"") + "," + podNamed("web-2", `{"kind":"ReplicaSet","name":"web"}`,
				`"hostPID":true`, "", "")),
			"warn: shop/web-1 (and 1 like it) sets fields that Windows ignores: spec.hostPID (use windowsOptions.hostProcess) [state]"},
		{"what the Windows way looks like",
			podsJSON(podJSON(
				`"securityContext":{"runAsNonRoot":true,"windowsOptions":{"runAsUserName":"ContainerUser"}}`, "", "")), "pass"},
		{"a manifest that the API server will refuse",
			"-- manifests.json --\n[{\"file\":\"web.yaml\",\"line\":1,\"kind\":\"Pod\",\"at\":\"spec\",\"lines\":{\"spec\":3},\"pod\":{\"metadata\":{\"name\":\"web\"},\"spec\":{\"os\":{\"name\":\"windows\"},\"hostPID\":true,\"containers\":[{\"name\":\"c\"}]}}}]\n",
			"fail: the API server rejects web: pods for Windows must not set spec.hostPID (use windowsOptions.hostProcess) [state]"},
		{"a manifest of a pod for Windows may not even say no",
			manifestJSON(`"os":{"name":"windows"},"shareProcessNamespace":false`),
			"fail: the API server rejects web: pods for Windows must not set spec.shareProcessNamespace [state]"},
		{"a manifest that does not say so may", manifestJSON(`"shareProcessNamespace":false`),
			"pass"},
		{"nobody recorded pods", nodeOf("v1.29.9", "containerd://1.7.22"), "unknown"},
	})
}

// signalfx/splunk-otel-collector-chart issue 382, kubernetes issue 93165 (with what kubelets of the time
// write in the status: kubelet.go and pkg/security/apparmor).
func TestFieldsThatTheKubeletRefuses(t *testing.T) {
	const user = `"securityContext":{"runAsUser":20000}`
	waits := func(reason, message, more string) string {
		return `{"phase":"Pending",` + more + `"containerStatuses":[{"name":"c","state":{"waiting":{"reason":"` + reason +
			`","message":"` + message + `"}}}]}`
	}
	event := func(named, text string) string {
		return "-- api/events.json --\n{\"items\":[{\"type\":\"Warning\",\"reason\":\"Failed\",\"metadata\":{\"namespace\":\"shop\"},\"lastTimestamp\":\"2026-11-20T09:58:00Z\"," +
			named + "\"" + text + "\"}]}\n"
	}
	const core = `"involvedObject":{"kind":"Pod","namespace":"shop","name":"web"},"message":`
	const series = `"regarding":{"kind":"Pod","namespace":"shop","name":"web"},"note":`
	runLooks(t, "pod-field-unsupported", []look{
		{"the kubelet names the user", podsJSON(podJSON(user, "", waits("CreateContainerConfigError",
			"run as uid (20000) is not supported on Windows", ""))),
			"fail: shop/web does not start: the kubelet does not start a container with runAsUser on Windows [state]"},
		{"another error of a pod with the field", podsJSON(podJSON(user, "", waits("CreateContainerConfigError",
			"secret \\\"web\\\" not found", ""))),
			"warn: shop/web sets fields that Windows ignores: spec.securityContext.runAsUser (use windowsOptions.runAsUserName) [state]"},
		{"a new pod without the field", podsJSON(podJSON("", "", "")) + event(core, "Error: run as uid (20000) is not supported on Windows"),
			"info: the logs say: the kubelet does not start a container with runAsUser on Windows; the node's current state does not confirm it [text]"},
		{"only the event", event(core, "Error: run as uid (20000) is not supported on Windows"),
			"fail: the kubelet does not start a container with runAsUser on Windows [text]"},
		{"only the event, of the other API", event(series, "Error: run as uid (20000) is not supported on Windows"),
			"fail: the kubelet does not start a container with runAsUser on Windows [text]"},
		{"an AppArmor annotation", podsJSON(podJSON("", "", waits("Blocked", "",
			`"reason":"AppArmor","message":"Cannot enforce AppArmor: Binary not compiled for linux",`))),
			"fail: shop/web does not start: the kubelet blocks a pod with an AppArmor annotation on Windows [state]"},
		{"blocked for another reason", podsJSON(podJSON("", "", waits("Blocked", "",
			`"reason":"Sysctl","message":"forbidden sysctl",`))), "pass"},
	})
}

// manifestJSON is one pod of a manifest.
func manifestJSON(fields string) string {
	return `-- manifests.json --
[{"file":"web.yaml","line":1,"kind":"Pod","at":"spec","lines":{"spec":3},"pod":{"metadata":{"name":"web"},"spec":{` + fields + `,"containers":[{"name":"c"}]}}}]
`
}

// The cluster autoscaler speaks of nodes that do not exist yet: kubernetes/autoscaler issue 2888.
func TestNoScaleUpIsNoShortage(t *testing.T) {
	events := func(reason, text, form string) string {
		if form == "core" {
			return `-- api/events.json --
{"items":[{"apiVersion":"v1","kind":"Event","reason":"` + reason + `","metadata":{"namespace":"shop"},"lastTimestamp":"2026-11-20T09:58:00Z","involvedObject":{"kind":"Pod","namespace":"shop","name":"web"},"message":"` + text + `"}]}
`
		}
		return `-- api/events.json --
{"items":[{"apiVersion":"events.k8s.io/v1","kind":"Event","reason":"` + reason + `","metadata":{"namespace":"shop"},"eventTime":"2026-11-20T09:58:00Z","regarding":{"kind":"Pod","namespace":"shop","name":"web"},"note":"` + text + `"}]}
`
	}
	const lacks = "1 Insufficient vpc.amazonaws.com/PrivateIPv4Address, 1 node(s) didn't match node selector"
	for _, form := range []string{"core", "events.k8s.io"} {
		runLooks(t, "eks-windows-addresses-insufficient", []look{
			{"the autoscaler, " + form, events("NotTriggerScaleUp",
				"pod didn't trigger scale-up (it wouldn't fit if a new node is added): "+lacks, form), "pass"},
			{"the scheduler, " + form, events("FailedScheduling", "0/2 nodes are available: "+lacks, form),
				"fail: the scheduler finds no Windows node with a free VPC address [text]"},
		})
	}
}

func TestDockerHostNetworkMissing(t *testing.T) {
	const waits = `{"phase":"Pending","containerStatuses":[{"name":"c","state":{"waiting":{"reason":"ContainerCreating"}}}]}`
	event := func(pod string) string {
		return `-- api/events.json --
{"items":[{"kind":"Event","type":"Warning","reason":"FailedCreatePodSandBox","metadata":{"namespace":"shop"},"lastTimestamp":"2026-11-20T09:58:00Z","involvedObject":{"kind":"Pod","namespace":"shop","name":"` + pod +
			`"},"message":"failed to start sandbox container for pod \"` + pod + `\": Error response from daemon: network host not found"}]}
-- api/node.json --
{"metadata":{"name":"win-1"},"status":{"nodeInfo":{"containerRuntimeVersion":"docker://19.3.14"}}}
`
	}
	const linux = `"hostNetwork":true,"volumes":[{"name":"m","hostPath":{"path":"/lib/modules"}}]`
	agent := podsJSON(podNamed("cilium-8xw2t", "", linux, "", waits)) + event("cilium-8xw2t") // cilium#14410
	runLooks(t, "docker-host-network-missing", []look{
		{"a pod for Windows", podsJSON(podJSON(`"hostNetwork":true`, "", waits)) + event("web"),
			"fail: shop/web is not running: docker has no network named host, which pods with hostNetwork need [state]"},
		{"an agent for Linux, which no selector keeps away, to this check alone", agent,
			"warn: the logs say: docker has no network named host, which pods with hostNetwork need; the node's state does not show it [text]"},
		{"a pod that selects Windows, whatever it mounts",
			podsJSON(podNamed("web", "", linux+`,"nodeSelector":{"kubernetes.io/os":"windows"}`, "", waits)) + event("web"),
			"fail: shop/web is not running: docker has no network named host, which pods with hostNetwork need [state]"},
	})
	s, err := evidence.Load(fixtures.Tree(txtar.Parse([]byte(shortMeta + agent))))
	if err != nil {
		t.Fatal(err)
	}
	s, _ = signs.Record(s, faults.Catalogue().Signs())
	all := diagnose(s)
	for id, want := range map[string]checks.Status{"docker-host-network-missing": "info", "linux-pod-on-windows": "fail"} {
		if got := all.Result(id).Status; got != want {
			t.Errorf("among all checks %s is %s of an agent for Linux, and should be %s", id, got, want)
		}
	}
}

func TestPodHostNetwork(t *testing.T) {
	hostProcess := `"hostNetwork":true,"securityContext":{"windowsOptions":{"hostProcess":true,"runAsUserName":"NT AUTHORITY\\SYSTEM"}}`
	noNetwork := func(runtime, words string) string {
		return `-- api/node.json --
{"metadata":{"name":"win-1"},"status":{"nodeInfo":{"containerRuntimeVersion":"` + runtime + `"},"conditions":[{"type":"Ready","status":"False","message":"NetworkReady=false reason:NetworkPluginNotReady message:` + words + `"}]}}
`
	}
	const waits = `{"phase":"Pending","containerStatuses":[{"name":"c","state":{"waiting":{"reason":"ContainerCreating"}}}]}`
	const antrea, none = "antrea-agent-windows-6lqzt", "cni plugin not initialized"
	plugin := podsJSON(podNamed(antrea, "", `"hostNetwork":true`, "", waits))
	runLooks(t, "pod-host-network", []look{
		{"the pod of the network plugin waits for its own network", // containerd#4856
			plugin + noNetwork("containerd://1.4.1", none),
			"fail: shop/" + antrea + " sets up the pod network and waits for it: spec.hostNetwork is for HostProcess pods only [state]"},
		{"the pod of the network plugin runs", podsJSON(podNamed(antrea, "", `"hostNetwork":true`, "", "")) +
			noNetwork("containerd://1.4.1", none),
			"warn: shop/" + antrea + " sets spec.hostNetwork but is not a HostProcess pod: Windows containers have no host network [state]"},
		{"docker has a network for such pods", plugin + noNetwork("docker://19.3.14", "cni config uninitialized"),
			"warn: shop/" + antrea + " sets spec.hostNetwork but is not a HostProcess pod: Windows containers have no host network [state]"},
		{"another pod waits for the network like all others", podsJSON(podJSON(`"hostNetwork":true`, "", waits)) +
			noNetwork("containerd://1.4.1", none),
			"warn: shop/web sets spec.hostNetwork but is not a HostProcess pod: Windows containers have no host network [state]"},
		{"an ordinary pod", podsJSON(podJSON(`"hostNetwork":true`, "", "")),
			"warn: shop/web sets spec.hostNetwork but is not a HostProcess pod: Windows containers have no host network [state]"},
		{"the DNS policy alone", podsJSON(podJSON(`"dnsPolicy":"ClusterFirstWithHostNet"`, "", "")),
			"warn: shop/web has DNS policy ClusterFirstWithHostNet (spec.dnsPolicy), which Windows does not support [state]"},
		{"a HostProcess pod must", podsJSON(podJSON(hostProcess, "", "")), "pass"},
		{"a manifest of a HostProcess pod that does not",
			manifestJSON(`"securityContext":{"windowsOptions":{"hostProcess":true}}`),
			"fail: web is a HostProcess pod without spec.hostNetwork: true: the API server rejects it [state]"},
		{"wins starts its program on the host, as in Antrea before 2.0", podsJSON(podJSON(
			`"hostNetwork":true,"volumes":[{"name":"wins","hostPath":{"path":"\\\\.\\pipe\\rancher_wins"}}]`, "", "")),
			"pass"},
		{"neither", podsJSON(podJSON(`"hostNetwork":false,"dnsPolicy":"ClusterFirst"`, "", "")),
			"pass"},
	})
}

func TestPodOSNotSelected(t *testing.T) {
	iis := `"image":"mcr.microsoft.com/windows/servercore/iis:windowsservercore-ltsc2022"`
	manifest := func(spec string) string {
		return "-- manifests.json --\n[{\"file\":\"w.yaml\",\"line\":1,\"kind\":\"Deployment\",\"at\":\"spec.template.spec\",\"lines\":{\"spec\":3},\"pod\":{\"metadata\":{\"name\":\"w\"},\"spec\":{" + spec + ",\"containers\":[{\"name\":\"c\",\"image\":\"c:1\"}]}}}]\n"
	}
	affinity := `"affinity":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[{"matchExpressions":[{"key":"kubernetes.io/os","operator":"In","values":["windows"]}]}]}}}`
	const byChance = "warn: shop/web is for Windows (spec.containers[0].image is mcr.microsoft.com/windows/servercore/iis:windowsservercore-ltsc2022) but has no node selector kubernetes.io/os: windows [state]"
	// a Linux node in the pool lin, and a Windows node in the given one
	pools := func(pool string) string {
		node := `{"metadata":{"name":%[1]q,"labels":{"kubernetes.io/os":%[1]q,"pool":%[2]q}}}`
		return "-- api/nodes.json --\n{\"items\":[" + fmt.Sprintf(node, "linux", "lin") + "," +
			fmt.Sprintf(node, "windows", pool) + "]}\n"
	}
	runLooks(t, "pod-os-not-selected", []look{
		{"a Windows image by chance", podsJSON(podJSON("", iis, "")), byChance},
		{"it waits on a Linux node, and another one runs here", podsJSON(podJSON(`"nodeName":"lin-1"`, iis, `{"phase":"Pending"}`)+","+
			podNamed("own", "", `"nodeName":"win-1","nodeSelector":{"kubernetes.io/os":"windows"}`, iis, "")) +
			"-- api/nodes.json --\n{\"items\":[{\"metadata\":{\"name\":\"lin-1\",\"labels\":{\"kubernetes.io/os\":\"linux\"}}}]}\n",
			"fail: shop/web is for Windows (spec.containers[0].image is mcr.microsoft.com/windows/servercore/iis:windowsservercore-ltsc2022) but has no node selector kubernetes.io/os: windows; it is on the Linux node lin-1 [state]"},
		{"it runs on another Windows node", podsJSON(podJSON(`"nodeName":"win-2"`, iis, "") + "," +
			podNamed("own", "", `"nodeName":"win-1","nodeSelector":{"kubernetes.io/os":"windows"}`, iis, "")), "pass"},
		{"it waits on a Linux node", podsJSON(podJSON(`"nodeName":"lin-1"`, iis, `{"phase":"Pending"}`)) +
			"-- api/nodes.json --\n{\"items\":[{\"metadata\":{\"name\":\"lin-1\",\"labels\":{\"kubernetes.io/os\":\"linux\"}}}]}\n",
			"fail: shop/web is for Windows (spec.containers[0].image is mcr.microsoft.com/windows/servercore/iis:windowsservercore-ltsc2022) but has no node selector kubernetes.io/os: windows; it is on the Linux node lin-1 [state]"},
		{"the system is named, which does not steer the scheduler",
			podsJSON(podJSON(`"os":{"name":"windows"}`, "", "")),
			"info: shop/web is for Windows (spec.os.name is windows) but has no node selector kubernetes.io/os: windows [state]"},
		{"a selector", podsJSON(podJSON(`"nodeSelector":{"kubernetes.io/os":"windows"}`, iis, "")),
			"pass"},
		{"a selector for a build",
			podsJSON(podJSON(`"nodeSelector":{"node.kubernetes.io/windows-build":"10.0.20348"}`,
				iis, "")), "pass"},
		{"a selector for one node, as in https://github.com/Mirantis/cri-dockerd/issues/372",
			podsJSON(podJSON(`"nodeSelector":{"kubernetes.io/hostname":"win2019-1"}`, iis, "")), "pass"},
		{"an affinity", podsJSON(podJSON(affinity, iis, "")), "pass"},
		{"the label of a pool of Windows nodes", podsJSON(podJSON(`"nodeSelector":{"pool":"win"}`, iis, "")) +
			pools("win"), "pass"},
		{"the affinity to a pool of Windows nodes", podsJSON(podJSON(strings.NewReplacer("kubernetes.io/os", "pool",
			`"In","values":["windows"]`, `"NotIn","values":["lin"]`).Replace(affinity), iis, "")) +
			pools("win"), "pass"},
		{"a label that a Linux node has too", podsJSON(podJSON(`"nodeSelector":{"pool":"lin"}`, iis, "")) +
			pools("lin"), byChance},
		{"a label that no node has", podsJSON(podJSON(`"nodeSelector":{"pool":"new"}`, iis, "")) +
			pools("win"), byChance},
		{"a pod that waits, on Windows nodes alone", podsJSON(podJSON(`"nodeName":"win-1","nodeSelector":{"pool":"win"}`,
			iis, `{"phase":"Pending"}`)) + pools("win"), byChance},
		{"a list of Windows nodes alone", podsJSON(podJSON(`"nodeSelector":{"pool":"win"}`, iis, "")) +
			strings.Replace(pools("win"), `:"linux"`, `:"windows"`, 2), byChance},
		{"a description, which shows no affinity", strings.Replace(podsJSON(podJSON("", iis, "")), `"metadata":{`,
			`"metadata":{"annotations":{"doctor/described":"true"},`, 1),
			"unknown"},
		{"an image that tells nothing", podsJSON(podJSON("", "", "")), "pass"},
		{"the old label on an old node", nodeOf("v1.18.3", "docker://19.3.5") +
			podsJSON(podJSON(`"nodeSelector":{"beta.kubernetes.io/os":"windows"}`, iis, "")),
			"pass"},
		{"the old label in a manifest",
			manifest(`"nodeSelector":{"beta.kubernetes.io/os":"windows"}`),
			"warn: Deployment w selects nodes by the deprecated label beta.kubernetes.io/os (expected: kubernetes.io/os) [state]"},
	})
}

func TestPodsOnDocker(t *testing.T) {
	docker, containerd := nodeOf("v1.19.7", "docker://19.3.14"),
		nodeOf("v1.29.9", "containerd://1.7.22")
	sub := podsJSON(podJSON("",
		`"volumeMounts":[{"name":"site","mountPath":"C:/site/web.config","subPath":"web.config"}]`,
		""))
	folder := strings.NewReplacer(`site/web.config`, `site/shop`, `"web.config"`, `"shop"`).Replace(sub)
	runLooks(t, "pod-subpath", []look{
		{"a single file on docker", docker + sub,
			"warn: shop/web mounts web.config of volume site at C:/site/web.config: Docker on Windows mounts only whole folders [state]"},
		{"a single file, and the pod does not start", docker + strings.Replace(sub, `"running":{}`,
			`"waiting":{"reason":"CreateContainerError"}`, 1),
			"warn: shop/web mounts web.config of volume site at C:/site/web.config: Docker on Windows mounts only whole folders [state]"},
		{"a folder that is mounted", docker + folder,
			"info: shop/web mounts shop of volume site at C:/site/shop: Docker on Windows mounts only whole folders [state]"},
		{"a folder, and the pod does not start", docker + strings.Replace(folder, `"running":{}`,
			`"waiting":{"reason":"CreateContainerError"}`, 1),
			"warn: shop/web mounts shop of volume site at C:/site/shop: Docker on Windows mounts only whole folders [state]"},
		{"containerd maps files", containerd + sub, "skip"},
		{"whole volumes",
			docker + podsJSON(podJSON("", `"volumeMounts":[{"name":"site","mountPath":"C:/site"}]`,
				"")), "pass"},
		{"the runtime is not known", sub, "unknown"},
	})
	grace := func(s string) string {
		return podsJSON(podJSON(`"terminationGracePeriodSeconds":`+s, "", ""))
	}
	runLooks(t, "pod-grace-ignored", []look{
		{"two minutes on docker", docker + grace("120"),
			"warn: shop/web has a grace period of 120 s, but Docker on Windows ends it after 5 s [state]"},
		{"what every pod has", docker + grace("30"), "pass"},
		{"five are given", docker + grace("5"), "pass"},
		{"containerd waits", containerd + grace("120"), "skip"},
	})
}

func TestPodLimitsUnequal(t *testing.T) {
	memory := func(used string) string {
		return "-- memory.json --\n{\"commitLimitBytes\":1000,\"commitUsedBytes\":" + used + "}\n"
	}
	pod := podsJSON(podJSON("",
		`"resources":{"requests":{"memory":"512Mi"},"limits":{"memory":"1Gi"}}`, ""))
	const may = "shop/web can use more memory than it requests: spec.containers[0].resources.limits.memory is 1Gi (request: 512Mi) [state]"
	runLooks(t, "pod-limits-unequal", []look{
		{"on a node with memory left", memory("500") + pod, "info: " + may},
		{"on a node that pages", memory("900") + pod, "warn: " + may},
		{"the same amount in other words",
			podsJSON(podJSON("",
				`"resources":{"requests":{"memory":1073741824},"limits":{"memory":"1Gi"}}`, "")),
			"pass"},
		{"a limit alone is the request too",
			podsJSON(podJSON("", `"resources":{"limits":{"memory":"1Gi"}}`, "")), "pass"},
		{"a pod that has ended", podsJSON(podJSON("", "", `{"phase":"Failed"}`)), "pass"},
		{"nothing is said", podsJSON(podJSON("", "", "")),
			"info: shop/web can use more memory than it requests: spec.containers[0].resources.limits.memory is not set [state]"},
	})
}

func TestPodsRestarting(t *testing.T) {
	status := func(state, last, count string) string {
		return podsJSON(podJSON("", "",
			`{"phase":"Running","containerStatuses":[{"name":"c","restartCount":`+count+
				`,"state":{`+state+`},"lastState":{`+last+`}}]}`))
	}
	loop := `"waiting":{"reason":"CrashLoopBackOff"}`
	ended := func(at string) string {
		return `"terminated":{"exitCode":2,"finishedAt":"` + at + `"}`
	}
	const says = `"terminated":{"exitCode":1,"finishedAt":"2026-11-20T09:50:00Z","message":"\nUnhandled exception. x\n   at y\n"}`
	const done = `"terminated":{"exitCode":0,"reason":"Completed","finishedAt":"2026-11-20T09:50:00Z"}`
	const ended0 = "fail: container c of shop/web keeps restarting: CrashLoopBackOff after 7 restarts, last exit code 0 [state]"
	podEventOf := func(reason, text string) string {
		return strings.Replace(podEvent(reason, text), `"web-1"`, `"web"`, 1)
	}
	runLooks(t, "pods-restarting", []look{
		{"it backs off", status(loop, ended("2026-11-20T09:50:00Z"), "7"),
			"fail: container c of shop/web keeps restarting: CrashLoopBackOff after 7 restarts, last exit code 2 [state]"},
		{"up at the moment, and down minutes ago",
			status(`"running":{}`, ended("2026-11-20T09:50:00Z"), "3"),
			"fail: container c of shop/web keeps restarting: 3 restarts, last exit code 2 [state]"},
		{"the program reports an error of its own", status(loop, says, "7"),
			"warn: container c of shop/web keeps restarting: CrashLoopBackOff after 7 restarts, last exit code 1; the program reports: Unhandled exception. x [state]"},
		{"the program of a pod on the host's network", strings.Replace(status(loop, says, "7"),
			`"spec":{`, `"spec":{"hostNetwork":true,`, 1),
			"fail: container c of shop/web keeps restarting: CrashLoopBackOff after 7 restarts, last exit code 1 [state]"},
		{"the program of a pod with a pipe of the host", strings.Replace(status(loop, says, "7"),
			`"spec":{`, `"spec":{"volumes":[{"name":"p","hostPath":{"path":"\\\\.\\pipe\\csi"}}],`, 1),
			"fail: container c of shop/web keeps restarting: CrashLoopBackOff after 7 restarts, last exit code 1 [state]"},
		{"the program ends by itself", status(loop, done, "7") + noEvents,
			"warn: container c of shop/web keeps restarting: CrashLoopBackOff after 7 restarts, last exit code 0: the program ends by itself, and the node does not stop it [state]"},
		{"the same, and nobody recorded events", status(loop, done, "7"), ended0},
		{"the same, and the kubelet stops it", status(loop, done, "7") + podEventOf("Killing", "Container c failed liveness probe, will be restarted"), ended0},
		{"the same, in a sandbox that is made again", status(loop, done, "7") + podEventOf("SandboxChanged", "Pod sandbox changed, it will be killed and re-created."), ended0},
		{"the same, of a component of the node", strings.Replace(status(loop, done, "7"), `"namespace":"shop"`, `"namespace":"kube-system"`, 1) + noEvents,
			strings.Replace(ended0, "shop/", "kube-system/", 1)},
		{"the runtime does not start it", status(loop, `"terminated":{"exitCode":128,"reason":"StartError","finishedAt":"2026-11-20T09:50:00Z"}`, "7"),
			"pass"},
		{"many restarts in a year", status(`"running":{}`, ended("2026-11-02T09:50:00Z"), "30"),
			"pass"},
		{"started once more", status(`"running":{}`, ended("2026-11-20T09:50:00Z"), "1"), "pass"},
		{"nobody recorded pods", "", "unknown"},
	})
}

func TestHypervAnnotation(t *testing.T) {
	annotated := func(a string) string {
		return "-- api/pods.json --\n{\"items\":[{\"metadata\":{\"namespace\":\"shop\",\"name\":\"web\",\"annotations\":{" + a + "}},\"spec\":{\"containers\":[{\"name\":\"c\"}]}}]}\n"
	}
	runLooks(t, "hyperv-annotation", []look{
		{"it is there", annotated(`"experimental.windows.kubernetes.io/isolation-type":"hyperv"`),
			"warn: shop/web requests hyperv isolation with an annotation that has no effect (expected: a RuntimeClass) [state]"},
		{"another annotation", annotated(`"a":"hyperv"`), "pass"},
		{"an old kubelet without its gate", annotated(`"experimental.windows.kubernetes.io/isolation-type":"hyperv"`) +
			"-- processes.json --\n[{\"name\":\"kubelet.exe\",\"args\":[\"--feature-gates=HyperVContainer=false\"]}]\n",
			"warn: shop/web requests hyperv isolation with an annotation that has no effect (expected: a RuntimeClass) [state]"},
		{"an old kubelet with its gate", annotated(`"experimental.windows.kubernetes.io/isolation-type":"hyperv"`) +
			"-- processes.json --\n[{\"name\":\"kubelet.exe\",\"args\":[\"--feature-gates=HyperVContainer=true\"]}]\n", "pass"},
	})
}

func TestFlexVolumeInUse(t *testing.T) {
	runLooks(t, "flexvolume-in-use", []look{
		{"one is mounted",
			podsJSON(podJSON(
				`"volumes":[{"name":"docs","flexVolume":{"driver":"microsoft.com/smb.cmd"}}]`, "",
				"")), "warn: shop/web mounts docs with the deprecated FlexVolume driver microsoft.com/smb.cmd [state]"},
		{"a CSI driver",
			podsJSON(podJSON(`"volumes":[{"name":"docs","csi":{"driver":"smb.csi.k8s.io"}}]`, "",
				"")), "pass"},
	})
}

func TestSecurityContextNonRoot(t *testing.T) {
	const refusal = `container has runAsNonRoot and image will run as root (pod: \"web_shop\")`
	waits := `{"phase":"Pending","containerStatuses":[{"name":"c","state":{"waiting":{"reason":"CreateContainerConfigError","message":"` + refusal + `"}}}]}`
	admin := `"securityContext":{"runAsNonRoot":true,"windowsOptions":{"runAsUserName":"ContainerAdministrator"}}`
	runLooks(t, "securitycontext-nonroot", []look{
		{"the kubelet refuses it", podsJSON(podJSON(`"securityContext":{"runAsNonRoot":true}`, "",
			waits)), "fail: shop/web is not running: the kubelet rejects a container that would run as administrator (runAsNonRoot is set) [state]"},
		{"a log line alone",
			"-- logs/kubelet/k.log --\nE1120 09:59:00.0 1 x.go:1] container has runAsNonRoot and image will run as root\n", "fail: the kubelet rejects a container that would run as administrator (runAsNonRoot is set) [text]"},
		{"a user and its contradiction, not started yet",
			podsJSON(podJSON(admin, "", `{"phase":"Pending"}`)),
			"fail: shop/web sets runAsNonRoot and the user ContainerAdministrator, which Kubernetes treats as root [state]"},
		{"a pod that runs was not refused", podsJSON(podJSON(admin, "", "")), "pass"},
		{"ContainerUser is fine",
			podsJSON(podJSON(
				`"securityContext":{"runAsNonRoot":true,"windowsOptions":{"runAsUserName":"ContainerUser"}}`, "", `{"phase":"Pending"}`)) + noEvents, "pass"},
	})
}

func TestLinuxDaemonSetOnWindows(t *testing.T) {
	const set = `{"kind":"DaemonSet","name":"exporter"}`
	waits := `{"phase":"Pending","containerStatuses":[{"name":"c","state":{"waiting":{"reason":"ImagePullBackOff"}}}]}`
	agent := func(fields, status string) string {
		return podsJSON(podNamed("exporter-1", set, fields,
			`"image":"quay.io/prometheus/node-exporter:v1.8.2"`, status))
	}
	const found = "fail: Linux pod shop/exporter-1 of DaemonSet exporter (image quay.io/prometheus/node-exporter:v1.8.2) is on this Windows node: the DaemonSet has no OS selector [state]"
	const refusedPull = "-- logs/containerd/containerd.log --\ntime=\"2026-11-20T09:58:00Z\" level=error msg=\"PullImage\" error=\"failed to pull and unpack image \\\"docker.io/otel/ebpf-instrument:v0.9.0\\\": no match for platform in manifest: not found\"\n"
	runLooks(t, "linux-daemonset-on-windows", []look{
		{"a well-known agent", agent("", waits), found},
		{"the DaemonSet selects Linux by now",
			agent("", waits) +
				"-- api/daemonsets.json --\n{\"items\":[{\"metadata\":{\"namespace\":\"shop\",\"name\":\"exporter\"},\"spec\":{\"template\":{\"spec\":{\"nodeSelector\":{\"kubernetes.io/os\":\"linux\"}}}}}]}\n" + noEvents, "pass"},
		{"it runs, so it has an image for Windows", agent("", ""), "pass"},
		{"it selects Windows", agent(`"nodeSelector":{"kubernetes.io/os":"windows"}`, waits) + noEvents,
			"pass"},
		{"a path that only Linux has",
			podsJSON(podNamed("x-1", set, `"volumes":[{"name":"p","hostPath":{"path":"/proc"}}]`,
				"", waits)),
			"fail: Linux pod shop/x-1 of DaemonSet exporter (hostPath /proc) is on this Windows node: the DaemonSet has no OS selector [state]"},
		{"its layer has the folders of Linux", podsJSON(podNamed("x-1", set, "", "", waits)) +
			"-- api/events.json --\n{\"items\":[{\"reason\":\"Failed\",\"involvedObject\":{\"kind\":\"Pod\",\"namespace\":\"shop\",\"name\":\"x-1\"},\"message\":\"failed to extract layer sha256:0303: Failed to safefile.OpenRelative failed in Win32: open \\\\\\\\?\\\\C:\\\\io.containerd.snapshotter.v1.windows\\\\snapshots\\\\38\\\\var\\\\lib\\\\dpkg: path contains invalid character\"}]}\n",
			`fail: Linux pod shop/x-1 of DaemonSet exporter (its layer has containerd.snapshotter.v1.windows\snapshots\38\var\lib) is on this Windows node: the DaemonSet has no OS selector [state]`},
		{"only the runtime says why its image is not pulled", podsJSON(podNamed("x-1", set, "", `"image":"otel/ebpf-instrument:v0.9.0"`, waits)) + noEvents + refusedPull,
			`fail: Linux pod shop/x-1 of DaemonSet exporter (no match for platform in manifest) is on this Windows node: the DaemonSet has no OS selector [state]`},
		{"the runtime says it of another image", podsJSON(podNamed("x-1", set, "", `"image":"otel/instrument:v0.9.0"`, waits)) + noEvents + refusedPull, "pass"},
		{"a layer of Windows cannot be unpacked", podsJSON(podNamed("x-1", set, "", "", waits)) +
			"-- api/events.json --\n{\"items\":[{\"reason\":\"Failed\",\"involvedObject\":{\"kind\":\"Pod\",\"namespace\":\"shop\",\"name\":\"x-1\"},\"message\":\"failed to extract layer sha256:0303: open C:\\\\io.containerd.snapshotter.v1.windows\\\\snapshots\\\\38\\\\Files\\\\Windows: Access is denied.\"}]}\n",
			"pass"},
		{"nothing says Linux", podsJSON(podNamed("x-1", set, "", "", waits)) + noEvents, "pass"},
		{"no DaemonSet", podsJSON(podNamed("x-1", `{"kind":"ReplicaSet","name":"x"}`, "",
			`"image":"quay.io/prometheus/node-exporter:v1.8.2"`, waits)) + noEvents, "pass"},
	})
}

func TestHostProcess(t *testing.T) {
	service := func(account string) string {
		return nodeOf("v1.29.9", "containerd://1.7.22") +
			"-- services.json --\n[{\"name\":\"containerd\",\"state\":\"running\",\"account\":\"" +
			account + "\",\"binPath\":\"C:\\\\containerd.exe\"}]\n"
	}
	const hp = `"securityContext":{"windowsOptions":{"hostProcess":true}}`
	waits := `{"phase":"Pending","containerStatuses":[{"name":"c","state":{"waiting":{"reason":"RunContainerError"}}}]}`
	const denied = `service containerd runs as .\svc (expected: LocalSystem or LocalService)`
	runLooks(t, "hostprocess-logon-denied", []look{
		{"a user's account, and pods that wait",
			service(`.\\svc`) + podsJSON(podJSON(hp, "", waits)), "fail: " + denied + " [state]"},
		{"a user's account", service(`.\\svc`), "warn: " + denied + " [state]"},
		{"LocalSystem", service("LocalSystem"), "pass"},
		{"the account is not recorded", service(""), "unknown"},
		{"docker has none of it", nodeOf("v1.19.7", "docker://19.3.14") +
			"-- services.json --\n[]\n", "skip"},
		{"the log alone",
			"-- logs/containerd/c.log --\nfailed to create user process token: failed to logon user: Access is denied.\n", "fail: containerd cannot log on as the user of a HostProcess container [text]"},
	})
	pipe := `"volumes":[{"name":"p","hostPath":{"path":"\\\\.\\pipe\\csi"}}],` + hp
	const hpReady = `{"phase":"Running","containerStatuses":[{"name":"c","ready":true,"state":{"running":{"startedAt":"2026-11-20T08:00:00Z"}}}]}`
	runLooks(t, "hostprocess-unsupported", []look{
		{"containerd 1.5", nodeOf("v1.22.4", "containerd://1.5.8") +
			podsJSON(podJSON(hp, "", waits)),
			"fail: shop/web is a HostProcess pod, but containerd v1.5.8 runs it as an ordinary container (required: v1.6.0 or later) [state]"},
		{"containerd 1.5, and the pod does its work", nodeOf("v1.22.4", "containerd://1.5.8") +
			podsJSON(podJSON(hp, "", hpReady)),
			"warn: shop/web is a HostProcess pod, but containerd v1.5.8 runs it as an ordinary container (required: v1.6.0 or later) [state]"},
		{"containerd 1.5, and the pod is not ready", nodeOf("v1.22.4", "containerd://1.5.8") +
			podsJSON(podJSON(hp, "", strings.Replace(hpReady, "true", "false", 1))),
			"fail: shop/web is a HostProcess pod, but containerd v1.5.8 runs it as an ordinary container (required: v1.6.0 or later) [state]"},
		{"docker", nodeOf("v1.22.4", "docker://20.10.9") + podsJSON(podJSON(hp, "", waits)),
			"fail: shop/web is a HostProcess pod, which Docker does not support [state]"},
		{"a kubelet that does not know them", nodeOf("v1.21.4", "containerd://1.6.8") +
			podsJSON(podJSON(hp, "", waits)),
			"fail: shop/web is a HostProcess pod, which kubelet v1.21.4 does not support (required: v1.22.0 or later) [state]"},
		{"a pipe is mounted", nodeOf("v1.29.9", "containerd://1.7.22") +
			podsJSON(podJSON(pipe, "", waits)),
			`fail: HostProcess pod shop/web mounts named pipe \\.\pipe\csi, which is not supported [state]`},
		{"current versions", nodeOf("v1.29.9", "containerd://1.7.22") +
			podsJSON(podJSON(hp, "", "")), "pass"},
		{"no such pod", nodeOf("v1.29.9", "containerd://1.7.22") + podsJSON(podJSON("", "", "")),
			"skip"},
		{"the event alone",
			"-- api/events.json --\n{\"items\":[{\"reason\":\"Failed\",\"message\":\"named pipe mounts not supported for job containers\",\"lastTimestamp\":\"2026-11-20T09:59:00Z\",\"involvedObject\":{\"kind\":\"Pod\",\"namespace\":\"shop\",\"name\":\"web\"}}]}\n",
			"fail: a HostProcess pod mounts a named pipe, which is not supported [text]"},
		{"a mount of a path that is not there", logTelling("containerd",
			"failed to create shim task: failed to setup mount for job container: symlink: The system cannot find the path specified."),
			"warn: a mount of a HostProcess pod failed [text]"},
	})
}

func TestImageTagOfPods(t *testing.T) {
	runLooks(t, "image-tag-latest", []look{
		{"a manifest is judged too",
			"-- manifests.json --\n[{\"file\":\"w.yaml\",\"line\":1,\"kind\":\"Deployment\",\"at\":\"spec.template.spec\",\"lines\":{\"spec.template.spec.containers[0].image\":7},\"pod\":{\"metadata\":{\"name\":\"w\"},\"spec\":{\"containers\":[{\"name\":\"c\",\"image\":\"shop/c\"}]}}}]\n",
			"warn: Deployment w uses image shop/c: its Windows version can change with each push [state]"},
	})
}

// What cmd.exe says in the log of a container: windows_exporter 1391.
func TestArgsRunAsTheProgram(t *testing.T) {
	const line = "2026-11-20T09:55:00.9Z stderr F '--config.file' is not recognized as an internal or external command,\n"
	pod := func(spec, state string) string {
		return `-- api/pods.json --
{"items":[{"metadata":{"name":"exporter","namespace":"m"},"spec":{"containers":[{"name":"main","image":"shop/exporter:1"` + spec + `}]},"status":{"phase":"Running","containerStatuses":[{"name":"main","restartCount":4,"state":` + state + `}]}}]}
`
	}
	log := func(name string) string { return "-- logs/pods/" + name + " --\n" + line }
	const args = `,"args":["--config.file=C:\\config.yml"]`
	const ended = `{"waiting":{"reason":"CrashLoopBackOff"}}`
	runLooks(t, "entrypoint-not-found", []look{
		{"args in place of the image's CMD", pod(args, ended) + log("m_exporter_main-4.log"),
			"fail: m/exporter is not running: container main runs its argument --config.file as the program, because its image has no ENTRYPOINT [state]"},
		{"the pod sets a command, which started something else", pod(args+`,"command":["cmd","/c","start.cmd"]`, ended) + log("m_exporter_main-4.log"), "pass"},
		{"a script of the image calls something", pod("", ended) + log("m_exporter_main-4.log"), "pass"},
		{"other args", pod(`,"args":["--web.config"]`, ended) + log("m_exporter_main-4.log"), "pass"},
		{"it runs now", pod(args, `{"running":{"startedAt":"2026-11-20T09:56:00Z"}}`) + log("m_exporter_main-4.log"), "pass"},
		{"the log of another container", pod(args, ended) + log("m_exporter_main-init-0.log"), "pass"},
		{"the log alone", "-- logs/other/1.log --\n" + line, "unknown"},
	})
}

// kubernetes/kubernetes 112885, in the message that the kubelet takes from the log, and in the log itself
func TestShellDoesNotFindTheProgram(t *testing.T) {
	pod := func(spec, message string) string {
		return `-- api/pods.json --
{"items":[{"metadata":{"name":"spect","namespace":"m"},"spec":{"securityContext":{"windowsOptions":{"hostProcess":true}},"containers":[{"name":"main","image":"shop/spect:1",` + spec + `}]},"status":{"phase":"Running","containerStatuses":[{"name":"main","restartCount":4,"state":{"waiting":{"reason":"CrashLoopBackOff"}},"lastState":{"terminated":{"exitCode":1,"message":` + strconv.Quote(message) + `}}}]}}]}
`
	}
	log := func(line string) string {
		return "-- logs/pods/m_spect_main-4.log --\n2026-11-20T09:55:00.9Z stderr F " + line + "\n"
	}
	const (
		relative = `"command":["powershell.exe","-command","./spectserv.exe -p 80"]`
		five     = "./spectserv.exe : The term './spectserv.exe' is not recognized as the name of a cmdlet, function, script file, \nor operable program."
		fault    = "fail: m/spect is not running: container main starts %s in a shell, which does not find it [state]"
	)
	runLooks(t, "entrypoint-not-found", []look{
		{"Windows PowerShell", pod(relative, five), fmt.Sprintf(fault, "./spectserv.exe")},
		{"PowerShell 7, in the log", pod(relative, "") + log("./spectserv.exe: The term './spectserv.exe' is not recognized as a name of a cmdlet, function, script file, or executable program."),
			fmt.Sprintf(fault, "./spectserv.exe")},
		{"cmd.exe, in the log", pod(`"command":["cmd","/c",".\\bin\\a.exe"]`, "") + log(`'.\bin\a.exe' is not recognized as an internal or external command,`),
			fmt.Sprintf(fault, `.\bin\a.exe`)},
		{"a script goes on without it", pod(`"command":["powershell.exe","-command","./spectserv.exe; ./other.exe"]`, five), "pass"},
		{"a script of the image calls it", pod(`"command":["powershell.exe","-file","start.ps1"]`, five), "pass"},
		{"a module is missing", pod(`"command":["powershell.exe","-command","Get-HnsNetwork"]`, strings.ReplaceAll(five, "./spectserv.exe", "Get-HnsNetwork")), "pass"},
	})
}

func TestPodsRestartingQuotesTheEndOfTheLog(t *testing.T) {
	const tree = shortMeta + `-- api/pods.json --
{"items":[{"metadata":{"name":"web","namespace":"d"},"spec":{"containers":[{"name":"web"}]},"status":{"phase":"Running","containerStatuses":[{"name":"web","restartCount":4,"state":{"waiting":{"reason":"CrashLoopBackOff"}}}]}}]}
-- logs/pods/d_web_web-4.log --
2026-11-20T09:55:00Z stdout F starting
2026-11-20T09:55:01Z stderr F fatal error: cannot open the database
-- logs/pods/d_web_sidecar-4.log --
2026-11-20T09:55:01Z stderr F fatal error: of another container
`
	s, err := evidence.Load(fixtures.Tree(txtar.Parse([]byte(tree))))
	if err != nil {
		t.Fatal(err)
	}
	only := faults.Catalogue().Only("pods-restarting")
	s, _ = signs.Record(s, only.Signs())
	var quoted []string
	for _, f := range checks.Diagnose(s, only, checks.Source{}, checks.Program{}).Results[0].Findings {
		for _, b := range f.Because {
			if strings.HasPrefix(b.Path, "logs/") {
				quoted = append(quoted, b.Text)
			}
		}
	}
	if len(quoted) != 1 || !strings.HasSuffix(quoted[0], "cannot open the database") {
		t.Errorf("it quotes %q", quoted)
	}
}

// microsoft/Windows-Containers issue 366
func TestHostProcessSideBySide(t *testing.T) {
	pods := func(version, options string) string {
		return `-- api/node.json --
{"metadata":{"name":"win-1"},"status":{"nodeInfo":{"containerRuntimeVersion":"containerd://` + version + `","operatingSystem":"windows"}}}
-- api/pods.json --
{"items":[{"metadata":{"namespace":"kube-system","name":"host-logs-9vt4m"},"spec":{"nodeName":"win-1","securityContext":{"windowsOptions":{` + options + `}},"containers":[{"name":"logs"}]},"status":{"phase":"Running"}}]}
`
	}
	const onHost = `"hostProcess":true`
	said := func(component, prefix string) string {
		return logTelling(component, prefix+"Program 'ruby.exe' failed to run: The application has failed to start because its side-by-side configuration is")
	}
	ofPod := func(pod string) string {
		return "-- logs/pods/kube-system_" + pod + "_logs_0.log --\n2026-11-20T09:50:36.41Z stdout F Program 'ruby.exe' failed to run: The application has failed to start because its side-by-side configuration is\n"
	}
	const found = "warn: a program of HostProcess pod kube-system/host-logs-9vt4m does not start: Windows does not find its side-by-side assemblies [state+text]"
	runLooks(t, "hostprocess-side-by-side", []look{
		{"in the log of a HostProcess pod", pods("1.7.1", onHost) + ofPod("host-logs-9vt4m"), found},
		{"of another pod", pods("1.7.1", onHost) + ofPod("app-1"),
			"info: the logs say: a program does not start: Windows does not find its side-by-side assemblies; the node's current state does not confirm it [text]"},
		{"of a pod that is none", pods("1.7.1", "") + ofPod("host-logs-9vt4m"),
			"info: the logs say: a program does not start: Windows does not find its side-by-side assemblies; the node's current state does not confirm it [text]"},
		{"containerd 1.6 has no bind mount", pods("1.6.28", onHost) + ofPod("host-logs-9vt4m"), "skip"},
		{"a paste", said("other", ""), "warn: a program does not start: Windows does not find its side-by-side assemblies [text]"},
		{"nobody says so", pods("1.7.1", onHost) + strings.Replace(ofPod("host-logs-9vt4m"), "Program", "Program x", 1)[:60] + "\n", "pass"},
		{"no log of a pod was collected", pods("1.7.1", onHost), "unknown"},
	})
}
