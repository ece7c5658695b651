package faults_test

import (
	"strings"
	"testing"
)

func TestNetworkAgentNotRunning(t *testing.T) {
	const (
		calico = "-- files/C/etc/cni/net.d/10-calico.conf --\n{\"name\":\"Calico\",\"type\":\"calico\"}\n"
		azure  = "-- files/C/k/azurecni/netconf/10-azure.conflist --\n{\"name\":\"azure\",\"plugins\":[{\"type\":\"azure-vnet\"}]}\n"
		others = `{"pid":4,"name":"System"},{"pid":7,"name":"svchost.exe"},{"pid":8,"name":"kubelet.exe"},{"pid":9,"name":"containerd.exe"}`
		none   = "-- processes.json --\n[" + others + "]\n"
		felix  = "-- processes.json --\n[" + others + `,{"pid":11,"name":"calico-node.exe","args":["-felix"]}]` + "\n"
		booted = "-- os.json --\n{\"bootedAt\":\"2026-11-19T06:00:00Z\"}\n"
		fails  = "; the network and the NetworkPolicies of pods do not follow changes [state]"
	)
	services := func(node, felix string) string {
		return "-- services.json --\n[{\"name\":\"CalicoNode\"," + node + "},{\"name\":\"CalicoFelix\"," + felix + "},{\"name\":\"kubelet\",\"state\":\"running\"}]\n"
	}
	const (
		runs    = `"state":"running","startType":"automatic"`
		ended   = `"state":"stopped","startType":"automatic","exitCode":1067`
		byHand  = `"state":"stopped","startType":"manual","exitCode":1077`
		off     = `"state":"stopped","startType":"disabled","exitCode":1077`
		pending = `"state":"start-pending","startType":"automatic"`
	)
	pod := func(state string) string {
		return podsJSON(podNamed("calico-node-windows-4hf7p", "", `"hostNetwork":true,"securityContext":{"windowsOptions":{"hostProcess":true}}`, "",
			`{"phase":"Running","containerStatuses":[{"name":"felix","state":`+state+`},{"name":"confd","state":{"waiting":{"reason":"CrashLoopBackOff"}}}]}`))
	}
	rke2 := func(since string) string {
		return "-- services.json --\n[{\"name\":\"rke2\",\"state\":\"running\"}]\n-- processes.json --\n[" + others +
			`,{"pid":12,"name":"rke2.exe","startedAt":"` + since + "\"}]\n"
	}
	runLooks(t, "network-agent-not-running", []look{
		{"Felix runs", calico + services(runs, runs) + felix, "pass"},
		{"Felix is stopped, and the program of CalicoNode runs", calico + services(runs, ended) +
			"-- processes.json --\n[" + others + `,{"pid":11,"name":"calico-node.exe","args":["-monitor-addresses"]}]` + "\n",
			"fail: service CalicoFelix is stopped" + fails},
		{"Felix is stopped, and somebody runs it in a console", calico + services(runs, ended) + felix, "pass"},
		{"Felix of a Calico whose programs are one", calico + rke2("2026-11-20T08:00:00Z") + strings.Replace(strings.Replace(felix, "calico-node", "calico", 1),
			`"-felix"`, `"component","felix"`, 1), "pass"},
		{"the token refresher and the CNI plugin of such a Calico", calico + services(runs, ended) + strings.Replace(strings.Replace(felix, "calico-node", "calico", 1),
			`["-felix"]}`, `["component","node","monitor-token"]},{"pid":13,"name":"calico.exe","args":[]}`, 1), "fail: service CalicoFelix is stopped" + fails},
		{"Felix is stopped, and nothing else was recorded", calico + services(runs, ended), "fail: service CalicoFelix is stopped" + fails},
		{"Felix is starting", calico + services(runs, pending), "unknown"},
		{"Windows has just booted", calico + services(runs, ended) + "-- os.json --\n{\"bootedAt\":\"2026-11-20T09:55:00Z\"}\n", "unknown"},
		{"services left over beside HostProcess containers", calico + services(ended, ended) + pod(`{"running":{}}`), "pass"},
		{"services that may be left over", calico + services(ended, ended), "unknown"},
		{"services that may be left over, and few processes", calico + services(ended, ended) + "-- processes.json --\n[{\"name\":\"kubelet.exe\"}]\n", "unknown"},
		{"both services ended", calico + services(ended, ended) + none + booted,
			"fail: service CalicoNode is stopped" + fails + "\nfail: service CalicoFelix is stopped" + fails},
		{"AKS without a policy engine", azure + services(byHand, byHand) + none + booted, "skip"},
		{"AKS with Calico switched off", azure + services(off, off) + none + booted, "skip"},
		{"AKS with the policies of Calico", azure + services(runs, ended) + none + booted, "fail: service CalicoFelix is stopped" + fails},
		{"flannel, and services of an earlier Calico", onFlannel + services(ended, ended) + none + booted, "unknown"},
		{"AKS without Calico", azure + "-- services.json --\n[{\"name\":\"kubelet\",\"state\":\"running\"}]\n" + none, "skip"},
		{"Felix runs in its pod, and confd does not", calico + pod(`{"running":{}}`) + "-- services.json --\n[]\n", "pass"},
		{"Felix of sig-windows-tools runs in its pod", calico + strings.Replace(pod(`{"running":{}}`), `"felix"`, `"calico-node-felix"`, 1) + "-- services.json --\n[]\n", "pass"},
		{"the containers of the pod are not recorded", calico + podsJSON(podNamed("calico-node-windows-4hf7p", "",
			`"hostNetwork":true,"securityContext":{"windowsOptions":{"hostProcess":true}}`, "", `{"phase":"Running"}`)), "unknown"},
		{"Felix does not run in its pod", calico + pod(`{"waiting":{"reason":"CrashLoopBackOff"}}`) + "-- services.json --\n[]\n" + none,
			"fail: HostProcess pod of calico-node is not running: container felix is waiting: CrashLoopBackOff" + fails},
		{"RKE2 has run for long", calico + rke2("2026-11-20T08:00:00Z"), "fail: calico-node is not running" + fails},
		{"RKE2 has just started", calico + rke2("2026-11-20T09:56:00Z"), "unknown"},
		{"RKE2 with flannel", onFlannel + rke2("2026-11-20T08:00:00Z"), "skip"},
		{"only Calico's network in HNS is left", "-- hns-networks.json --\n[{\"Name\":\"Calico\",\"Type\":\"Overlay\"}]\n-- services.json --\n[]\n" + none, "unknown"},
		{"nothing tells which plugin the node uses", "-- services.json --\n[]\n" + none, "unknown"},
		{"OpenShift's agent is stopped", "-- services.json --\n[{\"name\":\"hybrid-overlay-node\",\"state\":\"stopped\",\"startType\":\"automatic\"}]\n" + none,
			"fail: service hybrid-overlay-node is stopped" + fails},
		{"OVN of another recipe", "-- files/C/etc/cni/net.d/ovn.conf --\n{\"name\":\"net\",\"type\":\"ovn_cni.exe\"}\n-- services.json --\n[]\n" + none, "unknown"},
	})
	const dial = `rpc error: code = Unavailable desc = connection error: desc = "transport: Error while dialing open \\.\pipe\cnisock: The system cannot find the file specified."`
	runLooks(t, "network-agent-not-running", []look{
		{"the pipe of Antrea is missing", logTelling("containerd", "time=\"2026-11-20T09:58:00Z\" level=error msg=\"RunPodSandbox\" error=\""+dial+"\"\n"),
			"warn: the agent of Antrea does not serve its pipe: it is not running, or is starting [text]"},
		{"the agent of Antrea runs", logTelling("containerd", "time=\"2026-11-20T09:58:00Z\" level=error msg=\"RunPodSandbox\" error=\""+dial+"\"\n") +
			"-- services.json --\n[{\"name\":\"antrea-agent\",\"state\":\"running\"}]\n-- processes.json --\n[" + others + ",{\"name\":\"antrea-agent.exe\"}]\n",
			"info: the logs say: the agent of Antrea does not serve its pipe: it is not running, or is starting; the node's current state does not confirm it [text]"},
	})
}
