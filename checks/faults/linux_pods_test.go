package faults_test

import (
	"strings"
	"testing"
)

func TestAPodForLinuxWithoutAnError(t *testing.T) {
	const (
		waits = `{"phase":"Pending","containerStatuses":[{"name":"c","image":"shop/c:1","state":{"waiting":{"reason":"ContainerCreating"}}}]}`
		pulls = `{"phase":"Pending","containerStatuses":[{"name":"c","image":"IMAGE","state":{"waiting":{"reason":"ImagePullBackOff"}}}]}`
		on    = " and is on this Windows node: it has no OS selector [state]"

		onNode = "-- api/node.json --\n{\"metadata\":{\"name\":\"win-1\"}}\n"
	)
	image := func(name string) string { return `"image":"` + name + `"` }
	runLooks(t, "linux-pod-on-windows", []look{
		{"the network of the host", podsJSON(podJSON(`"hostNetwork":true`, "", waits)),
			"fail: pod shop/web is for Linux (hostNetwork is true)" + on},
		{"the network of the host, for Windows", noEvents + podsJSON(podJSON(
			`"hostNetwork":true,"nodeSelector":{"kubernetes.io/os":"windows"}`, "", waits)), "pass"},
		{"a HostProcess pod", noEvents + podsJSON(podJSON(
			`"hostNetwork":true,"securityContext":{"windowsOptions":{"hostProcess":true}}`, "", waits)), "pass"},
		{"the network of the host, and it runs", noEvents + podsJSON(podJSON(`"hostNetwork":true`, "", "")), "pass"},
		{"an image that is for Linux only", podsJSON(podJSON("", image("gcr.io/kubernetes-helm/tiller:v2.14.0"), pulls)),
			"fail: pod shop/web is for Linux (image gcr.io/kubernetes-helm/tiller:v2.14.0)" + on},
		{"an image for Linux in a pod for Windows", noEvents + podsJSON(podJSON(
			`"initContainers":[{"name":"i","image":"mcr.microsoft.com/windows/servercore:ltsc2019"}]`,
			image("gcr.io/kubernetes-helm/tiller:v2.14.0"), pulls)), "pass"},
		{"an image that may have a variant for Windows", noEvents + podsJSON(podJSON("", image("shop/tills:1"), pulls)), "pass"},
		{"a path of Linux", podsJSON(podJSON(`"volumes":[{"name":"m","hostPath":{"path":"/lib/modules"}}]`, "", waits)),
			"fail: pod shop/web is for Linux (hostPath /lib/modules)" + on},
		{"a catalog of operators", podsJSON(podJSON("", image("quay.io/operatorhubio/catalog:latest"), waits)),
			"fail: pod shop/web is for Linux (image quay.io/operatorhubio/catalog:latest)" + on},
		{"a shell of Linux", onNode + podsJSON(podJSON("", `"command":["/bin/sh","-c","x"]`, waits)),
			"warn: pod shop/web does not start on this Windows node, has no OS selector, and runs /bin/sh, which only Linux has [state]"},
		{"a probe with a program of Linux", onNode + podsJSON(podJSON("", `"readinessProbe":{"exec":{"command":["/bin/grpc_health_probe"]}}`, pulls)),
			"warn: pod shop/web does not start on this Windows node, has no OS selector, and runs /bin/grpc_health_probe, which only Linux has [state]"},
		{"a program at the root", noEvents + onNode + podsJSON(podJSON("", `"command":["/server"]`, waits)), "pass"},
		{"a shell of Linux, for Windows", noEvents + onNode + podsJSON(podJSON(`"nodeSelector":{"kubernetes.io/os":"windows"}`, `"command":["/bin/sh"]`, waits)), "pass"},
		{"a shell of Linux in an image for Windows", noEvents + onNode + podsJSON(podJSON("", `"command":["/bin/sh"],"image":"mcr.microsoft.com/windows/servercore:ltsc2019"`, waits)), "pass"},
		{"a shell of Linux, and it runs", noEvents + onNode + podsJSON(podJSON("", `"command":["/bin/sh"]`, "")), "pass"},
		{"a shell of Linux that does not start", noEvents + onNode + podsJSON(podJSON("", `"command":["/bin/sh"]`, strings.Replace(waits, "ContainerCreating", "RunContainerError", 1))), "pass"},
		{"it only waits", noEvents + podsJSON(podJSON("", "", waits)), "pass"},
	})
}

// TestAnImageForLinuxThatIsUnpacked: github.com/ColinIanKing/stress-ng/issues/389 and containerd 9071.
func TestAnImageForLinuxThatIsUnpacked(t *testing.T) {
	const (
		layer = `failed to extract layer sha256:02f2: hcsshim::ProcessBaseLayer \\?\C:\ProgramData\containerd\root\io.containerd.snapshotter.v1.windows\snapshots\167: The system cannot find the path specified.: unknown`
		file  = `failed to extract layer sha256:f446: Failed to safefile.OpenRelative failed in Win32: open \\?\C:\ProgramData\containerd\root\io.containerd.snapshotter.v1.windows\snapshots\4\var\lib\dpkg\info\gcc-10-base:amd64.list: path contains invalid character ` + "`:`" + ` (0x1f)`
		why   = "the layers of an image have no files of Windows: most often it is an image for Linux"
		found = "fail: default/web waits for its image: " + why + " [state]"
	)
	runLooks(t, "linux-pod-on-windows", []look{
		{"a pod waits for it", podTelling("ErrImagePull", layer, ""), found},
		{"an event tells it", podTelling("ImagePullBackOff", "Back-off pulling image", "") + eventTelling("Failed", "Failed to pull image: "+layer, now), found},
		{"a log of docker", logTelling("docker", `failed to register layer: re-exec error: exit status 1: output: ProcessBaseLayer C:\ProgramData\docker\windowsfilter\7875: The system cannot find the path specified.`),
			"fail: " + why + " [text]"},
		{"in German", logTelling("containerd", strings.Replace(layer, "The system cannot find the path specified", "Das System kann den angegebenen Pfad nicht finden", 1)),
			"fail: " + why + " [text]"},
		{"a file with a colon", logTelling("containerd", file), "fail: " + why + " [text]"},
		{"antivirus", podTelling("ErrImagePull", strings.Replace(layer, "The system cannot find the path specified", "Access is denied", 1), ""), "pass"},
		{"a later layer", podTelling("ErrImagePull", `hcsshim::ImportLayer failed in Win32: The system cannot find the path specified. (0x3)`, ""), "pass"},
		{"a file of Windows that is held", podTelling("ErrImagePull", strings.Replace(file, "path contains invalid character", "Access is denied", 1), ""), "pass"},
	})
}

// TestAPodForLinuxByItsEvents: acs-engine issue 3001.
func TestAPodForLinuxByItsEvents(t *testing.T) {
	const pull = `{"reason":"Failed","lastTimestamp":"2026-11-20T09:58:00Z","source":{"component":"kubelet","host":"HOST"},"involvedObject":{"kind":"Pod"},"message":"MESSAGE"}`
	const newer = `{"reason":"Failed","deprecatedLastTimestamp":"2026-11-20T09:58:00Z","reportingController":"kubelet","reportingInstance":"HOST","regarding":{"kind":"Pod"},"note":"MESSAGE"}`
	const back, failed = `Back-off pulling image \"k8s-gcrio.azureedge.net/addon-resizer:1.8.1\"`, `Failed to pull image \"k8s-gcrio.azureedge.net/addon-resizer:1.8.1\": x`
	events := func(form, host, message string, more ...string) string {
		return strings.ReplaceAll(`-- meta.json --
{"layout":"evidence/v1","collectedAt":"2026-11-20T10:00:00Z"}
-- api/events.json --
{"items":[`+strings.Join(append(more, strings.NewReplacer("HOST", host, "MESSAGE", message).Replace(form)), ",")+"]}\n", "\n\n", "\n")
	}
	found := func(host string) string {
		return "warn: the Windows node " + host + " does not pull the image k8s-gcrio.azureedge.net/addon-resizer:1.8.1, which has no Windows variant [text]"
	}
	const to = `{"reason":"Scheduled","involvedObject":{"kind":"Pod"},"message":"Successfully assigned heapster-74c5b5d595-bg2rb to HOST"}`
	runLooks(t, "linux-pod-on-windows", []look{
		{"a node of acs-engine", events(pull, "10934k8s9001", back), found("10934k8s9001")},
		{"a node of AKS", events(newer, "akswin000000", failed), found("akswin000000")},
		{"rows of kubectl describe", events(pull, "", back, strings.ReplaceAll(to, "HOST", "10934k8s9001")), found("10934k8s9001")},
		{"rows of two nodes", events(pull, "", back, strings.ReplaceAll(to, "HOST", "10934k8s9001"), strings.ReplaceAll(to, "HOST", "k8s-a-1")), "unknown"},
		{"a node of another name", events(pull, "k8s-linuxpool1-32785198-2", back), "unknown"},
		{"a Linux node of AKS", events(pull, "aks-nodepool1-12345678-vmss000000", back), "unknown"},
		{"an image that may have a variant for Windows", events(pull, "akswin000000", strings.ReplaceAll(back, "addon-resizer", "web")), "unknown"},
		{"it is pulled", events(pull, "akswin000000", strings.ReplaceAll(back, "Back-off pulling", "Successfully pulled")), "unknown"},
		{"the pods are recorded", noEvents + podsJSON(podJSON("", "", "")), "pass"},
	})
}

// TestAPodForLinuxByItsName: nothing but its name and its node is shown.
func TestAPodForLinuxByItsName(t *testing.T) {
	events := func(list ...string) string {
		return "-- meta.json --\n" + `{"layout":"evidence/v1","collectedAt":"2026-11-20T10:00:00Z"}` + "\n-- api/events.json --\n" +
			`{"items":[` + strings.Join(list, ",") + "]}\n"
	}
	assigned := func(pod, node string) string {
		return `{"reason":"Scheduled","message":"Successfully assigned ` + pod + " to " + node + `"}`
	}
	logon := func(pod, user string) string {
		return logTelling("kubelet", `E0811 18:30:43.773679 2792 kuberuntime_manager.go:693] createPodSandbox for pod "`+pod+`_mon(6c7b7e9a)" failed: `+
			`rpc error: code = Unknown desc = failed to start sandbox container for pod "`+pod+`": Error response from daemon: container 1beb284b encountered an error `+
			`during CreateProcess: failure in a Windows system call: The user name or password is incorrect. (0x52e) extra info: {"CommandLine":"cmd /S /C cmd /c ping -t localhost","User":"`+user+`"}`)
	}
	said := func(text string) string { return logTelling("other", text) }
	found := func(pod string) string {
		return "warn: pod " + pod + " is on a Windows node, and its name is that of a program for Linux [text]"
	}
	const mic, job = "kube-system/mic-669596b74f-brczm", "mon-prometheus-oper-admission-create-lqnwd"
	runLooks(t, "linux-pod-on-windows", []look{
		{"a node of aks-engine", events(assigned(mic, "2941k8s06000000")), found(mic)}, // aks-engine 3288
		{"a Linux node of aks-engine", events(assigned(mic, "k8s-linuxpool-29414235-vmss000000")), "unknown"},
		{"a pod of the same name elsewhere", events(assigned("shop/mic-669596b74f-brczm", "2941k8s06000000")), "unknown"},
		{"its image is pulled", events(assigned(mic, "2941k8s06000000"), `{"reason":"Pulled","message":"Successfully pulled image"}`), "unknown"},
		{"the image of another pod is pulled", events(assigned(mic, "2941k8s06000000"),
			`{"reason":"Pulled","involvedObject":{"kind":"Pod","name":"web"},"message":"Successfully pulled image"}`), found(mic)},
		{"another Windows node", strings.Replace(events(assigned(mic, "2941k8s06000000")), `v1",`, `v1","node":"2941k8s06000001",`, 1), "unknown"},
		{"a pod for Windows", events(assigned("kube-system/kube-proxy-windows-x2v7k", "2941k8s06000000")), "unknown"},
		{"a user that is a number", logon(job, "2000"), found(job)}, // helm/charts 16263
		{"a user with a name", logon(job, "svc2000"), "unknown"},
		{"a user that is a number, in a pod that may be for Windows", logon("web-7d9f8b5c6-x2v7k", "2000"), "unknown"},
		{"a person says it", said("I now have the pod `ingress-nginx-admission-create-8hlv4` stuck on a Windows node."),
			found("ingress-nginx-admission-create-8hlv4")},
		{"a person says it of the other pod", said("metrics-server-56684f94d6-h9btz gets no metrics of pods scheduled on a Windows node."), "unknown"},
		{"a person says it of the client", said("coredns-56684f94d6-h9btz is not reached by pods on a Windows node."), "unknown"},
		{"a person says it of a pod that may be for Windows", said("web-56684f94d6-h9btz is stuck on a Windows node."), "unknown"},
	})
}

// TestAPodForLinuxByItsRow: github.com/Azure/AKS/issues/1905, of which nothing but a row is shown.
func TestAPodForLinuxByItsRow(t *testing.T) {
	row := func(name, node, state string) string {
		return noEvents + podsJSON(`{"metadata":{"name":"`+name+`","namespace":"shop"},"spec":{"nodeName":"`+node+`"},"status":{"phase":"Pending",`+
			`"startTime":"2026-11-20T09:59:50Z","containerStatuses":[{"name":"(not shown)","state":`+state+`}]}}`)
	}
	const (
		waits = `{"waiting":{"reason":"ContainerCreating"}}`
		pulls = `{"waiting":{"reason":"ImagePullBackOff"}}`
	)
	found := func(name string) string {
		return "warn: pod " + name + " does not start on this Windows node: its name is that of a program for Linux [state]"
	}
	var looks []look
	for _, name := range []string{"nginx-ingress-ingress-nginx-admission-create-jcp6x", "coredns-56684f94d6-h9btz",
		"kubecost-kube-state-metrics-57f8864f5b-sxkjp", "dapr-dashboard-dcd7cc8fb-nhbgg", "gatekeeper-update-namespace-label-cd6vz"} {
		looks = append(looks, look{name, row(name, "akswin000002", waits), found(name)})
	}
	runLooks(t, "linux-pod-on-windows", append(looks,
		look{"it cannot be pulled", row("coredns-56684f94d6-h9btz", "win2019min", pulls), found("coredns-56684f94d6-h9btz")},
		look{"it runs", row("coredns-56684f94d6-h9btz", "akswin000002", `{"running":{}}`), "pass"},
		look{"a Linux node of AKS", row("coredns-56684f94d6-h9btz", "aks-nodepool1-12345678-vmss000000", pulls), "pass"},
		look{"a node whose name begins like that of Windows", row("coredns-56684f94d6-h9btz", "winter-1", pulls), "pass"},
		look{"a name that says Windows", row("win-coredns-56684f94d6-h9btz", "akswin000002", pulls), "pass"},
		look{"a name that goes on", row("coredns-test-56684f94d6-h9btz", "akswin000002", pulls), "pass"},
		look{"a young pod whose image is for Linux only and is refused", noEvents + podsJSON(podJSON(`"nodeName":"10932k8s9013"`,
			`"image":"k8s-gcrio.azureedge.net/metrics-server-amd64:v0.2.1"`, `{"phase":"Pending","startTime":"2026-11-20T09:59:50Z",`+
				`"containerStatuses":[{"name":"c","image":"k8s-gcrio.azureedge.net/metrics-server-amd64:v0.2.1","state":`+pulls+`}]}`)),
			"fail: pod shop/web is for Linux (image k8s-gcrio.azureedge.net/metrics-server-amd64:v0.2.1) and is on this Windows node: it has no OS selector [state]"},
		look{"a young pod, and the system of the node is not known", noEvents + podsJSON(podJSON(`"nodeName":"n1"`,
			`"image":"k8s-gcrio.azureedge.net/metrics-server-amd64:v0.2.1"`, `{"phase":"Pending","startTime":"2026-11-20T09:59:50Z",`+
				`"containerStatuses":[{"name":"c","image":"k8s-gcrio.azureedge.net/metrics-server-amd64:v0.2.1","state":`+pulls+`}]}`)), "pass"},
	))
}

func TestADaemonSetWithoutTheToleration(t *testing.T) {
	const node = `-- api/node.json --
{"metadata":{"name":"win-1","labels":{"kubernetes.io/os":"windows"}},"spec":{"taints":[{"key":"node.kubernetes.io/os","value":"Windows","effect":"NoSchedule"}]}}
`
	set := func(selector, tolerations string) string {
		return noEvents + `-- api/daemonsets.json --
{"items":[{"metadata":{"namespace":"mon","name":"exporter"},"spec":{"template":{"spec":{"nodeSelector":` + selector +
			`,"tolerations":[` + tolerations + `],"containers":[{"name":"c","image":"x/y:1"}]}}}}]}
`
	}
	const (
		windows = `{"kubernetes.io/os":"windows"}`
		found   = "warn: DaemonSet mon/exporter selects Windows nodes and has no pod on this one: it does not tolerate the taint node.kubernetes.io/os=Windows:NoSchedule [state]"
	)
	runLooks(t, "windows-taint-not-tolerated", []look{
		{"no toleration", node + set(windows, ""), found},
		{"one of another value", node + set(windows, `{"key":"node.kubernetes.io/os","value":"windows","effect":"NoSchedule"}`), found},
		{"one of another effect", node + set(windows, `{"key":"node.kubernetes.io/os","operator":"Exists","effect":"NoExecute"}`), found},
		{"the same value", node + set(windows, `{"key":"node.kubernetes.io/os","value":"Windows"}`), "pass"},
		{"any value", node + set(windows, `{"key":"node.kubernetes.io/os","operator":"Exists"}`), "pass"},
		{"any taint", node + set(windows, `{"operator":"Exists"}`), "pass"},
		{"a DaemonSet for Linux", node + set(`{"kubernetes.io/os":"linux"}`, ""), "pass"},
		{"for other Windows nodes", node + set(`{"kubernetes.io/os":"windows","pool":"b"}`, ""), "pass"},
		{"it has a pod here", node + set(windows, "") + podsJSON(
			`{"metadata":{"namespace":"mon","name":"exporter-x","ownerReferences":[{"kind":"DaemonSet","name":"exporter"}]}}`), "pass"},
		{"the scheduler refuses another pod", node + `-- api/events.json --
{"items":[{"involvedObject":{"kind":"Pod","namespace":"shop","name":"web"},"reason":"FailedScheduling","lastTimestamp":"2026-11-20T09:58:00Z",
"message":"0/3 nodes are available: 1 node(s) had untolerated taint {os: windows}, 2 node(s) didn't match Pod's node affinity/selector."}]}
-- api/daemonsets.json --
{"items":[]}
`, "fail: the scheduler finds no node: pods do not tolerate the taint of Windows nodes [text]"},
		{"the node has no such taint", nodeOf("v1.30.0", "containerd://1.7.20") + set(windows, ""), "pass"},
	})
	pool := `-- api/node.json --
{"metadata":{"name":"win-1","labels":{"kubernetes.io/os":"windows"}},"spec":{"taints":[{"key":"pool","value":"win","effect":"NoSchedule"},{"key":"node.kubernetes.io/unschedulable","effect":"NoSchedule"}]}}
`
	pending := func(selector, tolerations, says string) string {
		return noEvents + "-- api/daemonsets.json --\n{\"items\":[]}\n" + pool + podsJSON(podJSON(`"nodeName":"","nodeSelector":`+selector+`,"tolerations":[`+tolerations+`]`, "",
			`{"phase":"Pending","conditions":[{"type":"PodScheduled","status":"False","reason":"Unschedulable","message":"0/3 nodes are available: `+
				says+`2 node(s) didn't match Pod's node affinity/selector."}]}`))
	}
	deleted := func(effect, tolerations string) string {
		return noEvents + "-- api/daemonsets.json --\n{\"items\":[]}\n" + strings.Replace(pool, `{"key":"pool","value":"win","effect":"NoSchedule"}`, `{"key":"os","value":"windows","effect":"`+effect+`"}`, 1) +
			podsJSON(podJSON(`"nodeName":"win-1","nodeSelector":`+windows+`,"tolerations":[`+tolerations+`]`, "",
				`{"phase":"Pending","conditions":[{"type":"DisruptionTarget","status":"True","reason":"DeletionByTaintManager"}]}`))
	}
	const says = "1 node(s) had untolerated taint {pool: win}, "
	runLooks(t, "windows-taint-not-tolerated", []look{
		{"a pod waits for any taint of the node", pending(windows, "", says),
			"fail: the scheduler finds no node for shop/web: it does not tolerate the taint pool=win:NoSchedule [state]"},
		{"it tolerates the taint", pending(windows, `{"key":"pool","operator":"Exists"}`, says), "pass"},
		{"it waits for something else", pending(windows, "", "1 Insufficient cpu, "), "pass"},
		{"another Windows node has no room", pending(windows, "", says+"1 Insufficient memory, "), "pass"},
		{"a pod for Linux", pending(`{"kubernetes.io/os":"linux"}`, "", says), "pass"},
		{"the taint deletes it as soon as it comes (velero issue 9140)", deleted("NoExecute", `{"key":"os","value":"windows","effect":"NoSchedule"}`),
			"fail: shop/web is deleted as soon as it is on the node: it does not tolerate the taint os=windows:NoExecute [state]"},
		{"it tolerates every effect", deleted("NoExecute", `{"key":"os","value":"windows"}`), "pass"},
		{"the node was unreachable for a while", deleted("NoSchedule", `{"key":"os","value":"windows"}`), "pass"},
		{"the node is drained", pending(windows, "", "1 node(s) had untolerated taint {node.kubernetes.io/unschedulable: }, "), "pass"},
	})
}

func TestAPodWaitsForThePauseImage(t *testing.T) {
	const waits = `{"phase":"Pending","startTime":"2026-11-20T09:00:00Z","containerStatuses":[{"name":"c","state":{"waiting":{"reason":"ContainerCreating"}}}]}`
	cri := func(image, has string) string {
		return `-- cri.json --
{"version":{"runtimeName":"containerd"},"config":{"sandboxImage":"` + image + `"},"images":[` + has + `]}
`
	}
	const (
		one  = `{"repoTags":["docker.io/shop/c:1"]}`
		gone = "fail: shop/web waits: the pause image kubletwin/pause is not on the node [state]"
	)
	failed := `-- api/events.json --
{"items":[{"involvedObject":{"kind":"Pod","namespace":"shop","name":"web"},"reason":"FailedMount","message":"x","lastTimestamp":"2026-11-20T09:50:00Z"}]}
`
	web := podsJSON(podJSON("", "", waits))
	runLooks(t, "sandbox-image-missing", []look{
		{"the runtime does not have it", web + noEvents + cri("kubletwin/pause", one), gone},
		{"the runtime has it under its full name", web + noEvents +
			cri("kubletwin/pause", one+`,{"repoTags":["docker.io/kubletwin/pause:latest"]}`), "pass"},
		{"under its short name", web + noEvents + cri("pause:3.9", `{"repoTags":["docker.io/library/pause:3.9"]}`), "pass"},
		{"another tag", web + noEvents + cri("kubletwin/pause", `{"repoTags":["docker.io/kubletwin/pause:1.0"]}`), gone},
		{"an image without a name may be it", web + noEvents + cri("kubletwin/pause", one+`,{"id":"sha256:1"}`), "pass"},
		{"an event tells another reason", web + failed + cri("kubletwin/pause", one), "pass"},
		{"no pod waits", noEvents + podsJSON(podJSON("", "", "")) + noEvents + cri("kubletwin/pause", one), "pass"},
	})
}
