package faults_test

import "testing"

func TestComponentsThatDoNotRun(t *testing.T) {
	const prepared = `-- services.json --
[{"name":"kubelet","state":"paused","wrapper":"nssm","binPath":"powershell.exe","args":["-File","C:\\k\\StartKubelet.ps1"]}]
-- processes.json --
[]
-- files/C/k/StartKubelet.ps1 --
C:\k\kubelet.exe --config=C:/var/lib/kubelet/config.yaml
`
	missing := func(file string) string {
		return `-- files.json --
[{"path":"C:\\var\\lib\\kubelet\\` + file + `","outcome":"absent"}]
`
	}
	const wrappedKubelet = "-- services.json --\n[{\"name\":\"kubelet\",\"state\":\"running\",\"binPath\":\"C:\\\\k\\\\nssm.exe\"}]\n"
	machineOf := func(more string) string {
		return "-- processes.json --\n[{\"name\":\"System\"},{\"name\":\"services.exe\"},{\"name\":\"nssm.exe\"},{\"name\":\"" + more + "\"}]\n"
	}
	runLooks(t, "kubelet-not-running", []look{
		{"no service, and the processes were not recorded",
			"-- services.json --\n[{\"name\":\"containerd\",\"state\":\"running\"}]\n", "unknown"},
		{"no service, but a console started it",
			"-- services.json --\n[]\n-- processes.json --\n[{\"pid\":7,\"name\":\"kubelet.exe\"}]\n", "pass"},
		{"a child of rke2",
			"-- services.json --\n[{\"name\":\"rke2\",\"state\":\"running\"}]\n-- processes.json --\n[{\"pid\":7,\"name\":\"kubelet.exe\"}]\n", "pass"},
		{"AKS writes the service with a capital",
			"-- services.json --\n[{\"name\":\"Kubelet\",\"state\":\"Running\"}]\n", "pass"},
		// Azure/acs-engine#4118
		{"nssm runs the script of a kubelet that ends", wrappedKubelet + machineOf("powershell.exe"), "unknown"},
		{"nssm runs the kubelet", wrappedKubelet + machineOf("kubelet.exe"), "pass"},
		{"a list of processes that somebody began", wrappedKubelet + "-- processes.json --\n[{\"name\":\"nssm.exe\"}]\n", "pass"},
		{"the service is the program", replace(wrappedKubelet, "nssm.exe", "kubelet.exe") + machineOf("powershell.exe"), "pass"},
		{"neither service nor process", "-- services.json --\n[]\n-- processes.json --\n[]\n",
			"fail: kubelet is not running; pods on this node are not started or reported [state]"},
		// docker/for-win#3972
		{"a docker host without Kubernetes", dockerHost("absent"), "skip"},
		{"a node that lost its service has files", dockerHost("copied"),
			"fail: kubelet is not running; pods on this node are not started or reported [state]"},
		{"nobody looked for its files", "-- services.json --\n[]\n-- processes.json --\n[]\n-- files.json --\n[{\"path\":\"C:\\\\ProgramData\\\\docker\\\\config\\\\daemon.json\",\"outcome\":\"copied\"}]\n",
			"fail: kubelet is not running; pods on this node are not started or reported [state]"},
		{"the cluster knows the machine", dockerHost("absent") + nodeOf("v1.29.9", "docker://20.10.9"),
			"fail: kubelet is not running; pods on this node are not started or reported [state]"},
		{"before kubeadm join", prepared + missing("config.yaml"),
			"info: kubelet is not running: expected before kubeadm join [state]"},
		{"the API server knows the node", prepared + missing("config.yaml") + nodeOf("v1.29.9", "containerd://1.7.2"),
			"fail: service kubelet is paused; pods on this node are not started or reported [state]"},
		{"the machine has joined and lost the file", prepared + missing("config.yaml") +
			"-- files/C/etc/kubernetes/kubelet.conf --\nkind: Config\n",
			"fail: service kubelet is paused; pods on this node are not started or reported [state]"},
		{"the machine has its configuration", prepared + missing("another.yaml") +
			"-- files/C/var/lib/kubelet/config.yaml --\nkind: KubeletConfiguration\n",
			"fail: service kubelet is paused; pods on this node are not started or reported [state]"},
	})
	const hostProcess = `-- api/pods.json --
{"items":[{"metadata":{"name":"kube-proxy-windows-5jxkm","namespace":"kube-system"},"spec":{"securityContext":{"windowsOptions":{"hostProcess":true}}},
 "status":{"phase":"PHASE","conditions":[{"type":"Ready","status":"READY"}],"containerStatuses":[{"name":"kube-proxy","state":STATE}]}}]}
`
	pod := func(phase, ready, state string) string {
		return replace(hostProcess, "PHASE", phase, "READY", ready, "STATE", state)
	}
	const (
		ovn     = "-- files/C/etc/cni/net.d/ovn.conf --\n{\"name\":\"net\",\"type\":\"ovn_cni.exe\"}\n"
		noProxy = "-- services.json --\n[{\"name\":\"ovs-vswitchd\",\"state\":\"running\"}]\n-- processes.json --\n[]\n"
	)
	runLooks(t, "kube-proxy-not-running", []look{
		{"a HostProcess pod stands in for the service", "-- services.json --\n[]\n" + pod("Running",
			"True", `{"running":{}}`), "pass"},
		{"the HostProcess pod crashes", "-- services.json --\n[]\n" + pod("Running", "False",
			`{"waiting":{"reason":"CrashLoopBackOff"}}`),
			"fail: HostProcess pod of kube-proxy is not running: container kube-proxy is waiting: CrashLoopBackOff; Services are not programmed on this node [state]"},
		{"the node is NotReady, and its pod runs on", "-- services.json --\n[]\n" + pod("Running",
			"False", `{"running":{}}`), "pass"},
		{"its pod is reported as it was before the boot", "-- services.json --\n[]\n-- os.json --\n{\"bootedAt\":\"2026-11-20T06:00:00Z\"}\n" +
			"-- processes.json --\n[]\n" + pod("Running", "False", `{"running":{"startedAt":"2026-11-19T06:00:00Z"}}`),
			"fail: kube-proxy is not running; Services are not programmed on this node [state]"},
		{"its pod was started after the boot", "-- services.json --\n[]\n-- os.json --\n{\"bootedAt\":\"2026-11-20T06:00:00Z\"}\n" +
			"-- processes.json --\n[]\n" + pod("Running", "False", `{"running":{"startedAt":"2026-11-20T06:01:00Z"}}`), "pass"},
		{"no service, and neither pods nor processes were recorded", "-- services.json --\n[]\n",
			"unknown"},
		{"OVN's recipe of 2018 has none", nodeOf("v1.10.2", "docker://17.6.2") + ovn + noProxy, "skip"},
		{"OVN, and a kube-proxy that is stopped", nodeOf("v1.10.2", "docker://17.6.2") + ovn +
			"-- services.json --\n[{\"name\":\"kube-proxy\",\"state\":\"stopped\",\"startType\":\"automatic\"}]\n",
			"fail: service kube-proxy is stopped; Services are not programmed on this node [state]"},
		{"OVN of OpenShift, which has one", nodeOf("v1.29.9", "containerd://1.7.2") +
			"-- services.json --\n[{\"name\":\"hybrid-overlay-node\",\"state\":\"running\"},{\"name\":\"kube-proxy\",\"state\":\"stopped\",\"startType\":\"automatic\"}]\n",
			"fail: service kube-proxy is stopped; Services are not programmed on this node [state]"},
		{"Antrea runs, beside a configuration of another plugin",
			"-- services.json --\n[]\n-- processes.json --\n[{\"name\":\"antrea-agent.exe\"}]\n-- files/C/k/cni/config/cni.conf --\n{\"name\":\"cbr0\",\"type\":\"win-bridge\"}\n", "skip"},
		{"before kubeadm join", prepared + missing("config.yaml"),
			"info: kube-proxy is not running: expected before kubeadm join [state]"},
		{"Antrea proxies by itself",
			"-- services.json --\n[{\"name\":\"antrea-agent\",\"state\":\"running\"}]\n-- processes.json --\n[]\n", "skip"},
	})
	runLooks(t, "flanneld-not-running", []look{
		{"a Calico node has no flanneld",
			"-- services.json --\n[{\"name\":\"CalicoNode\",\"state\":\"running\"}]\n-- processes.json --\n[]\n", "skip"},
		{"nothing tells which plugin the node uses",
			"-- services.json --\n[]\n-- processes.json --\n[]\n", "unknown"},
		{"flannel's configuration is there, flanneld is not",
			"-- services.json --\n[]\n-- processes.json --\n[]\n-- files/C/k/net-conf.json --\n{\"Network\":\"10.244.0.0/16\",\"Backend\":{\"Type\":\"vxlan\"}}\n",
			"fail: flanneld is not running; the pod network is not created or updated [state]"},
	})
	silent := func(at string) string { // the text of the event of AKS 1487 in the kubelet's own log
		return "E1120 " + at + ".1 3912 remote_runtime.go:1] rpc error: code = Unknown desc = Cannot connect to the Docker daemon at npipe:////./pipe/docker_engine. Is the docker daemon running?\n"
	}
	runLooks(t, "runtime-not-running", []look{
		{"docker is stopped beside a running containerd",
			"-- services.json --\n[{\"name\":\"docker\",\"state\":\"stopped\"},{\"name\":\"containerd\",\"state\":\"running\"}]\n", "pass"},
		{"the agent that starts it runs",
			"-- services.json --\n[{\"name\":\"k3s\",\"state\":\"running\"}]\n-- processes.json --\n[{\"pid\":7,\"name\":\"k3s.exe\"},{\"pid\":1},{\"pid\":2},{\"pid\":3}]\n",
			"fail: the container runtime is not running; containers cannot start [state]"},
		{"docker was killed",
			"-- services.json --\n[{\"name\":\"docker\",\"state\":\"stopped\",\"startType\":\"automatic\",\"exitCode\":1067}]\n-- processes.json --\n[]\n",
			"fail: service docker is stopped; containers cannot start [state]"},
		{"docker does not answer", logTelling("kubelet", silent("09:40:00")+silent("09:58:00")),
			"fail: the kubelet cannot connect to Docker: it is not running or does not answer [text]"},
		{"docker was restarted", logTelling("kubelet", silent("08:40:00")+silent("08:40:05")+
			"I1120 09:58:00.1 3912 kubelet.go:1] it goes on\n"),
			"info: the logs say: the kubelet cannot connect to Docker: it is not running or does not answer; it is over: the log went on for 1h18m0s without an error [text]"},
		{"docker of a workstation", logTelling("other",
			"Cannot connect to the Docker daemon at unix:///var/run/docker.sock. Is the docker daemon running?"), "unknown"},
	})
}

func TestComponentNotAService(t *testing.T) {
	runLooks(t, "component-not-a-service", []look{
		{"native services that are restarted", `-- services.json --
[{"name":"kubelet","state":"running","startType":"automatic","recovery":[{"action":"restart"}]},{"name":"containerd","state":"running","startType":"delayed","recovery":[{"action":"run-command"}]}]
`, "pass"},
		{"manual start on AKS, whose script starts its services", `-- services.json --
[{"name":"Kubelet","state":"running","startType":"manual","wrapper":"nssm","args":["C:\\k\\kubeletstart.ps1"]},{"name":"containerd","state":"running","startType":"manual","wrapper":"nssm"}]
`, "pass"},
		{"a service that is disabled on AKS", `-- services.json --
[{"name":"Kubelet","state":"running","startType":"disabled","wrapper":"nssm","args":["C:\\k\\kubeletstart.ps1"]}]
`, "warn: service Kubelet has start type disabled (expected: automatic): it stays down after a reboot [state]"},
		{"manual start of flanneld on K2s, which starts it when its network is ready", `-- services.json --
[{"name":"kubelet","state":"running","startType":"automatic","wrapper":"nssm","args":["-NoProfile","Invoke-Command {&'C:\\k2s\\smallsetup\\common\\StartKubelet.ps1'}"]},{"name":"flanneld","state":"running","startType":"manual","wrapper":"nssm"},{"name":"containerd","state":"running","startType":"automatic","wrapper":"nssm"}]
`, "pass"},
		{"manual start without recovery on OpenShift, whose daemon starts its services", `-- services.json --
[{"name":"windows-instance-config-daemon","state":"running","startType":"automatic"},{"name":"kubelet","state":"running","startType":"manual","recovery":[]},{"name":"containerd","state":"running","startType":"manual","recovery":[]}]
`, "pass"},
		{"a service as the script of EKS makes it", `-- services.json --
[{"name":"kubelet","state":"running","startType":"automatic","recovery":[],"binPath":"C:\\Program Files\\Amazon\\EKS\\EKS-WindowsServiceHost.exe"}]
`, "pass"},
		{"a service as RestartKubelet.ps1 of image-builder makes it", `-- services.json --
[{"name":"kubelet","state":"running","startType":"automatic","recovery":[],"binPath":"C:\\k\\kube-log-runner.exe"}]
`, "pass"},
		{"a native service that nothing restarts", `-- services.json --
[{"name":"kubelet","state":"running","startType":"automatic","recovery":[]}]
`, "warn: service kubelet has no recovery action: it is not restarted when it fails [state]"},
		{"nssm restarts by itself, and recovery was not recorded", `-- services.json --
[{"name":"kubelet","state":"running","startType":"automatic","recovery":[],"wrapper":"nssm"},{"name":"kube-proxy","state":"running","startType":"automatic"}]
`, "pass"},
		{"a service that is started by hand", `-- services.json --
[{"name":"kubelet","state":"running","startType":"manual","recovery":[{"action":"restart"}]}]
`, "warn: service kubelet has start type manual (expected: automatic): it stays down after a reboot [state]"},
		{"docker by hand beside the containerd that the node uses", nodeOf("v1.29.9", "containerd://1.7.2") + `-- services.json --
[{"name":"containerd","state":"running","startType":"automatic","recovery":[{"action":"restart"}]},{"name":"docker","state":"running","startType":"manual","recovery":[]}]
`, "pass"},
		{"a child of a service host", `-- services.json --
[{"name":"k8s","state":"running","pid":4}]
-- processes.json --
[{"pid":9,"ppid":4,"name":"kubelet.exe","startedAt":"2026-11-20T08:00:02Z"},{"pid":4,"ppid":1,"name":"host.exe","startedAt":"2026-11-20T08:00:01Z"}]
`, "pass"},
		{"a recorder that does not see parents",
			"-- services.json --\n[]\n-- processes.json --\n[{\"pid\":9,\"name\":\"kubelet.exe\"}]\n", "unknown"},
		{"an orphan of a console that is closed",
			"-- services.json --\n[]\n-- processes.json --\n[{\"pid\":9,\"ppid\":5,\"name\":\"kubelet.exe\"}]\n",
			"warn: kubelet.exe (process 9) was not started by a service: it stops at the next reboot or logoff [state]"},
	})
}

// dockerHost is a machine of docker, whose only file of Kubernetes came out so.
func dockerHost(kubelet string) string {
	return "-- services.json --\n[{\"name\":\"docker\",\"state\":\"running\"}]\n" +
		"-- processes.json --\n[{\"name\":\"System\"},{\"name\":\"services.exe\"},{\"name\":\"svchost.exe\"},{\"name\":\"dockerd.exe\"}]\n" +
		"-- files.json --\n[{\"path\":\"C:\\\\ProgramData\\\\docker\\\\config\\\\daemon.json\",\"outcome\":\"copied\"},{\"path\":\"C:\\\\k\\\\config\",\"outcome\":\"" + kubelet + "\"}]\n"
}
