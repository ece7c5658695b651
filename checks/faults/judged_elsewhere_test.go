package faults_test

import (
	"fmt"
	"strings"
	"testing"
)

// eventsOf is events.json, of events as they stand.
func eventsOf(events ...string) string {
	return "-- events.json --\n[" + strings.Join(events, ",\n") + "]\n"
}

func managerEvent(id int, at, message string) string {
	return fmt.Sprintf(
		`{"log":"System","provider":"Service Control Manager","id":%d,"time":"2026-11-20T%sZ","message":%q}`,
		id, at, message)
}

func computeEvent(id int, at, system, result string) string {
	return fmt.Sprintf(
		`{"log":"Microsoft-Windows-Hyper-V-Compute-Operational","id":%d,"time":"2026-11-20T%sZ","message":"[%s] Create compute system, result %s"}`,
		id, at, strings.Repeat(system, 32), result)
}

func TestALoopOfCrashesIsToldFromSingleOnes(t *testing.T) {
	const died = "The kubelet service terminated unexpectedly.  It has done this 1 time(s)."
	loop := func(hour string) (list []string) {
		for _, minute := range []string{"40", "43", "46", "49"} {
			list = append(list, managerEvent(7031, hour+":"+minute+":00", died))
		}
		return list
	}
	nssm := func(at string) string {
		return fmt.Sprintf(
			`{"log":"Application","provider":"nssm","id":1013,"time":"2026-11-20T%sZ","message":"Program C:\\k\\kubelet.exe for service kubelet exited with return code 1."}`,
			at)
	}
	delayed := func(at string, by int) string {
		return fmt.Sprintf(
			`{"log":"Application","provider":"nssm","id":1034,"time":"2026-11-20T%sZ","message":"Service kubelet ran for less than 1500 milliseconds.\\r\\nRestart will be delayed by %d milliseconds."}`,
			at, by)
	}
	running := managerEvent(7036, "08:05:00", "The kubelet service entered the running state.")
	// nssm's own words for its wait are "Paused"
	const paused = `-- services.json --
[{"name":"kube-proxy","state":"paused","wrapper":"nssm","startType":"automatic"}]
`
	proxy := strings.ReplaceAll(delayed("09:55:00", 64000), "kubelet", "kube-proxy")
	runLooks(t, "kube-proxy-not-running", []look{
		{"nssm waits before the next start", paused + eventsOf(proxy), "unknown"},
		{"paused, and nobody knows why", paused,
			"fail: service kube-proxy is paused; Services are not programmed on this node [state]"},
		{"paused long after nssm's last wait", paused + eventsOf(strings.ReplaceAll(proxy, "09:55", "08:55")),
			"fail: service kube-proxy is paused; Services are not programmed on this node [state]"},
		{"stopped after nssm's wait", strings.ReplaceAll(paused, `"paused"`, `"stopped"`) + eventsOf(proxy),
			"fail: service kube-proxy is stopped; Services are not programmed on this node [state]"},
	})
	runLooks(t, "component-crash-loop", []look{
		{"four ends within half an hour until now", eventsOf(loop("09")...),
			"fail: kubelet is in a crash loop: 4 unexpected ends in the last day, last at 2026-11-20 09:49 UTC [state]"},
		{"a loop that ended an hour before", eventsOf(loop("06")...),
			"info: unexpected ends of kubelet in the last day: 4, last at 2026-11-20 06:49 UTC; it has run since [state]"},
		{"one end", eventsOf(managerEvent(7034, "08:05:00", died)),
			"warn: unexpected ends of kubelet in the last day: 1, last at 2026-11-20 08:05 UTC [state]"},
		{"one end, in German", eventsOf(managerEvent(7034, "08:05:00",
			`Dienst "kubelet" wurde unerwartet beendet. Dies ist bereits 1 Mal passiert.`)),
			"warn: unexpected ends of kubelet in the last day: 1, last at 2026-11-20 08:05 UTC [state]"},
		{"a program that nssm restarts", eventsOf(nssm("09:40:00"), nssm("09:40:04"),
			nssm("09:40:12"), nssm("09:40:28")),
			"fail: kubelet is in a crash loop: 4 unexpected ends in the last day, last at 2026-11-20 09:40 UTC [state]"},
		{"one exit that nssm tells of", eventsOf(nssm("09:40:00"), running), "pass"},
		{"a program that ends at once, again and again", eventsOf(delayed("09:55:00", 64000)),
			"fail: kubelet is in a crash loop: nssm delays each start because it ends at once, last at 2026-11-20 09:55 UTC [state]"},
		{"a program that ended at once, and has run since", eventsOf(delayed("08:55:00", 64000)),
			"info: the logs say: the program of a service that nssm runs ends again and again, each time right after its start; the node's current state does not confirm it [text]"},
		{"a kubelet that waits for containerd at boot", eventsOf(delayed("09:55:00", 5000), running), "pass"},
		{"a kubelet that waits for kubeadm join", `-- services.json --
[{"name":"kubelet","state":"paused","wrapper":"nssm","binPath":"powershell.exe","args":["-File","C:\\k\\StartKubelet.ps1"]}]
-- files.json --
[{"path":"C:\\var\\lib\\kubelet\\config.yaml","outcome":"absent"}]
-- files/C/k/StartKubelet.ps1 --
C:\k\kubelet.exe --config=C:/var/lib/kubelet/config.yaml
` + eventsOf(delayed("09:55:00", 64000)),
			"info: the logs say: the program of a service that nssm runs ends again and again, each time right after its start; the node's current state does not confirm it [text]"},
		{"what nssm says, as pasted", "-- logs/other/pasted.log --\nService kubelet ran for less than 1500 milliseconds.\nRestart will be delayed by 64000 milliseconds.\n",
			"fail: the program of a service that nssm runs ends again and again, each time right after its start [text]"},
		{"one end of the host compute service", eventsOf(managerEvent(7031, "08:05:00",
			"The Hyper-V Host Compute Service service terminated unexpectedly.")),
			"warn: unexpected ends of vmcompute in the last day: 1, last at 2026-11-20 08:05 UTC [state]"},
		{"the end of another service", eventsOf(managerEvent(7034, "08:05:00",
			"The kubelet-monitor service terminated unexpectedly.")), "pass"},
		{"a start", eventsOf(running), "pass"},
		{"an end before the boot", `-- os.json --
{"build":20348,"bootedAt":"2026-11-20T08:10:00Z"}
` + eventsOf(managerEvent(7034, "08:05:00", died)), "pass"},
		{"events without their providers", `-- events.json --
[{"id":1074,"time":"2026-11-20T08:05:00Z","message":"x"}]
`, "unknown"},
	})
}

func TestResultsOfComputeOperations(t *testing.T) {
	const dockerError = "failed to terminate hccshim container [container=1d39 error=container 1d39 encountered an error during Terminate: "
	dockerSays := func(what string, times ...string) (list []string) {
		for _, at := range times {
			list = append(list, fmt.Sprintf(`{"log":"Application","provider":"docker","id":11,"level":"error","time":"2026-11-20T%sZ","message":%q}`,
				at, dockerError+what+" process=init pid=14648 signal=9]"))
		}
		return list
	}
	unended := func(at string) string {
		return "E1120 " + at + ".511293    3912 kuberuntime_container.go:590] Container \"docker://1d39\" termination failed with gracePeriod 2: rpc error: code = Unknown desc = operation timeout: context deadline exceeded\n"
	}
	const closed, gone = "hcsshim: the handle has already been closed", "failure in a Windows system call: The virtual machine or container with the specified identifier is not running. (0xc0370110)"
	const missed = "info: docker could not end a container [text]"
	running := managerEvent(7036, "08:00:00", "The Hyper-V Host Compute Service service entered the running state.")
	const notEnded = "warn: docker does not end containers in time [text]"
	runLooks(t, "compute-operations-failing", []look{
		{"operations that go on", eventsOf(running, computeEvent(2000, "08:05:00", "a1", "0xC0370103"),
			computeEvent(2001, "08:05:02", "a1", "0x00000000")), "pass"},
		{"stops of what has stopped", eventsOf(running, computeEvent(2003, "08:05:00", "a1", "0xC0370110"),
			computeEvent(2003, "08:05:01", "a2", "0xC037010E")), "pass"},
		{"one container that ended in its start", eventsOf(
			running, computeEvent(2001, "08:05:00", "a1", "0xC0370100")), "pass"},
		{"no compartment left", eventsOf(computeEvent(2000, "08:05:00", "a1", "0x800705AA")),
			"warn: 1 of 1 operations of the host compute service to create a container failed in the last day: 0x800705AA [state]"},
		{"most starts fail", eventsOf(computeEvent(2001, "08:05:00", "a1", "0xC0370106"),
			computeEvent(2001, "08:05:01", "a2", "0xC0370106"),
			computeEvent(2001, "08:05:02", "a3", "0xC0370100"),
			computeEvent(2001, "08:05:03", "a4", "0xC0370106"),
			computeEvent(2001, "08:05:04", "a5", "0xC0370106"),
			computeEvent(2001, "08:05:05", "a6", "0x00000000")),
			"warn: 5 of 6 operations of the host compute service to start a container failed in the last day: 0xC0370106, 0xC0370100 [state]"},
		// kubernetes/kubernetes#76666
		{"docker does not end a container", "-- logs/kubelet/k.log --\n" + unended("08:00:15") + unended("08:07:15") +
			eventsOf(dockerSays(closed, "08:00:14", "08:07:14")...), notEnded + "\n" + missed},
		{"in another order", "-- logs/kubelet/k.log --\n" + unended("08:07:15") + unended("08:00:15"), notEnded},
		{"the kubelet says it once", "-- logs/kubelet/k.log --\n" + unended("08:00:15"),
			"info: the logs say: " + notEnded[len("warn: "):len(notEnded)-len(" [text]")] + "; it may be over: it lasted 0s, as at a start [text]"},
		{"docker alone says it", eventsOf(dockerSays(closed, "08:00:14", "08:07:14")...), missed},
		{"the container is gone", eventsOf(dockerSays(gone, "08:00:14", "08:07:14")...), "unknown"},
		{"the kubelet's words and the service's success", "-- logs/kubelet/k.log --\n" + unended("08:00:15") + unended("08:07:15") +
			eventsOf(running, computeEvent(2003, "08:09:00", "a1", "0x00000000")),
			"info: the logs say: " + notEnded[len("warn: "):len(notEnded)-len(" [text]")] + "; the node's current state does not confirm it [text]"},
		{"the resource exhaustion detector's 2003",
			`-- events.json --
[{"log":"System","provider":"Microsoft-Windows-Resource-Exhaustion-Detector","id":2003,"time":"2026-11-20T08:05:00Z","message":"0xC0370109"}]
`, "unknown"},
	})
}

func TestSlowStartsAreSeveral(t *testing.T) {
	pair := func(system, from, to string) []string {
		return []string{computeEvent(2000, from, system, "0xC0370103"),
			computeEvent(2001, to, system, "0x00000000")}
	}
	runLooks(t, "compute-start-slow", []look{
		{"one that took a minute", eventsOf(pair("a1", "08:05:00", "08:06:00")...), "pass"},
		{"one that took three minutes", eventsOf(pair("a1", "08:05:00", "08:08:00")...),
			"warn: 1 of 1 containers took more than 30s from creation to start in the last day, the slowest 3m0s [state]"},
		{"a creation that was never started", eventsOf(
			computeEvent(2000, "08:05:00", "a1", "0xC0370103")), "unknown"},
	})
}

func TestEndsOfTheSystem(t *testing.T) {
	event := func(provider string, id int, message string) string {
		return fmt.Sprintf(
			`{"log":"System","provider":%q,"id":%d,"time":"2026-11-20T08:05:00Z","message":%q}`,
			provider, id, message)
	}
	const bugcheck = "The bugcheck was: 0x0000007f (0x8, 0x0)."
	runLooks(t, "unexpected-reboot", []look{
		{"Windows Error Reporting has a 1001 of its own", eventsOf(
			event("Windows Error Reporting", 1001, "Fault bucket , type 0")), "pass"},
		{"a planned restart", eventsOf(event("User32", 1074, "restart")), "pass"},
		{"a reset", eventsOf(event("EventLog", 6008, "unexpected")),
			"warn: Windows went down without a shutdown in the last day, reported at 2026-11-20 08:05 UTC [state]"},
		{"two bugchecks", eventsOf(event("BugCheck", 1001, bugcheck),
			event("Microsoft-Windows-WER-SystemErrorReporting", 1001, bugcheck)),
			"fail: Windows crashed in the last day: bugcheck 0x0000007f (crashes: 2), last reported at 2026-11-20 08:05 UTC [state]"},
	})
}

func TestWindowsShutsDownForItsLicense(t *testing.T) {
	event := func(provider string, id int, at, message string) string {
		return eventsOf(fmt.Sprintf(`{"log":"System","provider":%q,"id":%d,"time":"2026-11-20T%sZ","message":%q}`, provider, id, at, message))
	}
	const wlms = `Der Prozess C:\Windows\system32\wlms\wlms.exe (WIN-1) hat das Herunterfahren von Computer WIN-1 initiiert`
	const eval, licensed = "-- os.json --\n{\"edition\":\"ServerStandardEval\"}\n", "-- os.json --\n{\"edition\":\"ServerStandard\"}\n"
	const expired = "fail: the evaluation license of Windows has expired: Windows shuts down every hour, last reported at 2026-11-20 09:05 UTC [state]"
	runLooks(t, "evaluation-expired", []look{
		{"in German", eval + event("User32", 1074, "09:05:00", wlms), expired},
		{"the edition is not recorded", event("User32", 1074, "09:05:00", wlms), expired},
		{"the event of each start, without its text", eval + event("WLMS", 100, "09:05:00", ""), expired},
		{"it has been licensed since", licensed + event("User32", 1074, "09:05:00", wlms), "pass"},
		{"it has been extended, and runs for longer than an hour", eval + event("User32", 1074, "07:05:00", wlms), "pass"},
		{"an evaluation that was restarted by hand", eval + event("User32", 1074, "09:05:00",
			`The process C:\Windows\system32\shutdown.exe (WIN-1) has initiated the restart of computer WIN-1`), "pass"},
		{"event 100 of another program", eval + event("Microsoft-Windows-Diagnostics-Performance", 100, "09:05:00", ""), "pass"},
		{"no events", eval + eventsOf(), "unknown"},
	})
}

func TestPortsThatAreUsedUp(t *testing.T) {
	tcpip := func(at string) string {
		return eventsOf(fmt.Sprintf(`{"log":"System","provider":"Tcpip","id":4231,"time":"2026-11-20T%sZ","message":"A request to allocate an ephemeral port number from the global TCP port space has failed due to all such ports being in use."}`, at))
	}
	kubelet := func(err string) string {
		return eventsOf() + logTelling("kubelet", "E1120 09:58:21.1 3912 controller.go:187] failed to update lease, error: Put \"https://10.0.0.1:6443/x\": dial tcp 10.0.0.1:6443: "+err+"\n")
	}
	runLooks(t, "tcp-ports-exhausted", []look{
		{"the event in English", tcpip("09:58:00") + logTelling("kubelet", "I1120 09:58:00.1 1 a.go:1] x\n"),
			"warn: the logs say: Windows has no free port for a new connection (event 4231); the node's state does not show it [text]"},
		{"hours ago, and the node is well", tcpip("02:58:00") + logTelling("kubelet", "I1120 09:58:00.1 1 a.go:1] x\n"),
			"info: the logs say: Windows has no free port for a new connection (event 4231); the node's current state does not confirm it [text]"},
		{"another language, last week", strings.NewReplacer("11-20T", "11-13T", "A request to allocate an ephemeral", "Fehler beim").Replace(tcpip("09:58:00")) +
			logTelling("kubelet", "I1120 09:58:00.1 1 a.go:1] x\n"), "unknown"},
		{"a connection without a port", kubelet("connectex: Only one usage of each socket address (protocol/network address/port) is normally permitted."),
			"warn: the logs say: Windows has no free port for a new connection; the node's state does not show it [text]"},
		{"a server that is down", kubelet("connectex: No connection could be made because the target machine actively refused it."), "unknown"},
		{"a port that another program listens on", kubelet("bind: Only one usage of each socket address (protocol/network address/port) is normally permitted."), "unknown"},
	})
}

func TestPortsThatWindowsTakesFromNodePorts(t *testing.T) {
	ports := func(dynamic, excluded string) string {
		return `-- ports.json --
{"dynamic":{"tcp":` + dynamic + `},"excluded":[` + excluded + `]}
-- api/services.json --
{"items":[{"metadata":{"name":"web","namespace":"shop"},"spec":{"type":"NodePort","ports":[{"port":80,"nodePort":31080}]}}]}
`
	}
	const usual = `{"start":49152,"count":16384}`
	runLooks(t, "excluded-ports-over-nodeports", []look{
		{"the port that HNS itself serves", ports(usual,
			`{"protocol":"tcp","start":31080,"end":31080}`), "pass"},
		{"a range without a NodePort", ports(usual,
			`{"protocol":"tcp","start":31000,"end":31063}`),
			"info: Windows reserves tcp ports 31000 to 31063 of the NodePort range; no NodePort is among them [state]"},
		{"a range of the other protocol", ports(usual,
			`{"protocol":"udp","start":31040,"end":31103}`),
			"info: Windows reserves udp ports 31040 to 31103 of the NodePort range; no NodePort is among them [state]"},
		{"a range with a NodePort", ports(usual,
			`{"protocol":"tcp","start":31040,"end":31103}`),
			"warn: NodePort 31080 of shop/web is in the ports that Windows reserves: tcp 31040 to 31103 [state]"},
		{"nobody listed them", "-- ports.json --\n{}\n", "unknown"},
	})
}

func TestServicesBetweenTwoStates(t *testing.T) {
	const up = "-- os.json --\n{\"build\":20348,\"bootedAt\":\"2026-11-01T00:00:00Z\"}\n"
	processes := func(pids ...int) string {
		var list []string
		for _, pid := range pids {
			list = append(list, fmt.Sprintf(`{"pid":%d,"name":"p.exe"}`, pid))
		}
		return "-- processes.json --\n[" + strings.Join(list, ",") + "]\n"
	}
	hns := func(state string) string {
		return "-- services.json --\n[{\"name\":\"hns\",\"state\":\"" + state + "\",\"pid\":11}]\n"
	}
	runLooks(t, "service-pending-or-gone", []look{
		{"it stops", hns("stop-pending"), "warn: service hns is in state stop-pending [state]"},
		{"its process is there", up + hns("running") +
			processes(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11), "pass"},
		{"its process is gone", up + hns("running") +
			processes(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12),
			"warn: service hns is reported as running, but its process 11 does not exist [state]"},
		{"a list of some processes", up + hns("running") + processes(1, 2), "pass"},
		{"another service",
			"-- services.json --\n[{\"name\":\"Spooler\",\"state\":\"start-pending\"}]\n", "pass"},
	})
}

func TestWhatAKSLeavesOfItsProvisioning(t *testing.T) {
	runLooks(t, "aks-provisioning-failed", []look{
		{"success", "-- files/C/AzureData/CSEResult.log --\n0\n", "pass"},
		{"the older form", "-- files/C/AzureData/CSEResult.log --\n" +
			`AKS Windows CSE ExitCode: 49 (WINDOWS_CSE_ERROR_NO_CUSTOM_DATA_BIN), ErrorMessage: x`,
			"fail: AKS provisioning ended with exit code 49 (WINDOWS_CSE_ERROR_NO_CUSTOM_DATA_BIN) [state]"},
		{"a code alone", "-- files/C/AzureData/CSEResult.log --\n13\n",
			"fail: AKS provisioning ended with exit code 13 (not recorded) [state]"},
		{"a second run that succeeded", "-- logs/aks/CustomDataSetupScript.log --\n" +
			"2026-11-20T07:12:40+00:00: Set ExitCode to 5 and exit. Error: x\n" +
			"2026-11-20T07:40:40+00:00: Setup Complete, reboot computer\n",
			"info: the logs say: the provisioning script of AKS ended with an exit code; it is over: a later line says: Setup Complete [text]"},
		{"another cloud", "-- files.json --\n" +
			`[{"path":"C:\\AzureData\\CSEResult.log","outcome":"absent"},{"path":"C:\\AzureData\\provision.complete","outcome":"absent"}]`,
			"skip"},
	})
	runLooks(t, "aks-node-reset-failed", []look{
		{"a reset that ended", "-- files/C/k/windowsnodereset.log --\n" +
			"2026-11-20T07:12:40+00:00: Entering windowsnodereset.ps1\n" +
			"2026-11-20T07:13:40+00:00: Exiting windowsnodereset.ps1\n", "pass"},
		{"a reset that goes on", "-- files/C/k/windowsnodereset.log --\n" +
			"2026-11-20T09:55:40+00:00: Entering windowsnodereset.ps1\n", "pass"},
		{"a reset that stopped", "-- files/C/k/windowsnodereset.log --\n" +
			"2026-11-20T02:12:40-05:00: Entering windowsnodereset.ps1\n" +
			"2026-11-20T02:12:41-05:00: Stopping kubeproxy service\n",
			"warn: the node reset of AKS began at 2026-11-20 07:12 UTC and did not end [state]"},
	})
}

func TestStatesOfHNSObjects(t *testing.T) {
	balancer := func(state string) string {
		return `-- hns-loadbalancers.json --
[{"ID":"FFB14791-F65C-4480-ADB5-FD7165793A24","Policies":[{"ExternalPort":443,"InternalPort":6443,"Protocol":6,"Type":"ELB","VIPs":["10.96.0.1"]}],"References":[]` +
			state + `}]
`
	}
	runLooks(t, "hns-object-not-ready", []look{
		{"a balancer that is applied", "-- hns-endpoints.json --\n[]\n" + balancer(`,"State":2`), "pass"},
		{"the endpoints are not recorded", balancer(`,"State":2`), "unknown"},
		{"a balancer that is degraded", balancer(`,"State":5`),
			"fail: HNS load balancer for 10.96.0.1 port 443/tcp is degraded (state 5); expected: state 2 [state]"},
		{"a balancer that is detached", balancer(`,"State":4`),
			"warn: HNS load balancer for 10.96.0.1 port 443/tcp is detached (state 4); expected: state 2 [state]"},
		{"the second interface has no states", balancer(""), "unknown"},
	})
}

func TestOrphansAreOldOrMany(t *testing.T) {
	id := func(pair string) string { return strings.Repeat(pair, 32) }
	cri := "-- cri.json --\n{\"sandboxes\":[{\"id\":\"" + id("31") +
		"\"}],\"containers\":[{\"id\":\"" + id("32") + "\",\"podSandboxId\":\"" + id("31") + "\"}]}\n"
	systems := func(owner string, ids ...string) string {
		var list []string
		for _, id := range ids {
			list = append(list, fmt.Sprintf(
				`{"id":%q,"type":"Container","state":"Running","owner":%q}`, id, owner))
		}
		return "-- compute.json --\n{\"systems\":[" + strings.Join(list, ",") + "]}\n"
	}
	shim := func(namespace, id, since string) string {
		return fmt.Sprintf(`-- processes.json --
[{"pid":7,"name":"containerd-shim-runhcs-v1.exe","startedAt":"2026-11-20T%sZ","args":["--namespace",%q,"--address","x","--id",%q,"serve"]}]
`, since, namespace, id)
	}
	const ofContainerd = "containerd-shim-runhcs-v1.exe"
	runLooks(t, "compute-system-orphaned", []look{
		// containerd 5188
		{"a new container has the identifier of one that is left", logTelling("containerd",
			"hcsshim::CreateComputeSystem test-1: A virtual machine or container with the specified identifier already exists."),
			"fail: Windows still has a container with the identifier of the new one [text]"},
		{"the same in another language", logTelling("docker",
			"container ab encountered an error during CreateContainer: failure in a Windows system call: (0xc037010f)"),
			"fail: Windows still has a container with the identifier of the new one [text]"},
		{"a sandbox and its container", cri + systems(ofContainerd, id("31"), id("32")), "pass"},
		{"ids that crictl cut", strings.NewReplacer(id("31"), id("31")[:13], id("32"),
			id("32")[:13]).Replace(cri) + systems(ofContainerd, id("31"), id("32")), "pass"},
		{"one that has just begun", cri + systems(ofContainerd, id("31"), id("41")),
			"info: compute systems that the container runtime does not know: 1 of 2 (4141414141414) [state]"},
		{"one of Docker", cri + systems("docker", id("41")), "pass"},
		{"a virtual machine of Windows", cri + systems("CmService",
			"9C3F1A5E-4B9C-4D6C-9B6B-8B0C5E8C7A11"), "pass"},
		{"a shim of the pod", cri + shim("k8s.io", id("31"), "07:00:00"), "pass"},
		{"a shim of another namespace", cri + shim("moby", id("41"), "07:00:00"), "pass"},
		{"a shim that has just begun", cri + shim("k8s.io", id("41"), "09:58:00"),
			"info: shims without a sandbox in the container runtime: 1 of 1 (4141414141414) [state]"},
		{"a shim of before", cri + shim("k8s.io", id("41"), "07:00:00"),
			"warn: shims without a sandbox in the container runtime: 1 of 1 (4141414141414) [state]"},
		{"containers that were not listed", "-- cri.json --\n{\"sandboxes\":[]}\n" +
			systems(ofContainerd, id("41")), "unknown"},
	})
}

func TestWhatHostProcessesUse(t *testing.T) {
	process := func(name, fields string) string {
		return "-- processes.json --\n[{\"pid\":7,\"name\":\"" + name + "\"" + fields + "}]\n"
	}
	const hns = "-- services.json --\n[{\"name\":\"hns\",\"state\":\"running\",\"pid\":7}]\n"
	runLooks(t, "hns-many-threads", []look{
		{"a normal number", hns + process("svchost.exe", `,"threads":58`), "pass"},
		{"no number", hns + process("svchost.exe", ""), "unknown"},
		{"very many", hns + process("svchost.exe", `,"threads":640`),
			"warn: the process 7 of HNS has 640 threads; expected: less than 500 [state]"},
	})
	shim := process("containerd-shim-runhcs-v1.exe", `,"workingSetBytes":3972844748`)
	runLooks(t, "containerd-shim-leak", []look{
		// containerd issue 12781
		{"gigabytes", shim, "warn: process 7 of containerd-shim-runhcs-v1.exe uses 3788 MB of memory; expected: less than 200 MB [state]"},
		{"a normal size", process("containerd-shim-runhcs-v1.exe", `,"workingSetBytes":48234496`), "pass"},
		{"another program", process("sqlservr.exe", `,"workingSetBytes":3972844748`), "pass"},
		{"no numbers", process("containerd-shim-runhcs-v1.exe", ""), "unknown"},
	})
	runLooks(t, "vmcompute-leak", []look{
		{"a normal size", process("vmcompute.exe", `,"workingSetBytes":17825792,"handles":900`),
			"pass"},
		{"no numbers", process("vmcompute.exe", ""), "unknown"},
		{"many handles", process("vmcompute.exe", `,"workingSetBytes":17825792,"handles":6000`),
			"warn: vmcompute has 6000 handles; expected: less than 5000 [state]"},
	})
}

func TestPortsOfTheVirtualSwitch(t *testing.T) {
	const endpoint = "-- hns-endpoints.json --\n" +
		`[{"ID":"B5F4E943-756D-4EE8-A70C-DF5AD7C74715","Name":"a","IpConfigurations":[{"IpAddress":"10.224.4.41","PrefixLength":22}],"MacAddress":"00-15-5D-62-5A-1E","SchemaVersion":{"Major":2}}]` + "\n"
	port := func(fields string) string { return "-- vfp.json --\n[{\"name\":\"P1\"" + fields + "}]\n" }
	runLooks(t, "vfp-port-blocked", []look{
		{"a port that forwards", port(`,"blocked":false`), "pass"},
		{"no states", port(""), "unknown"},
		{"the port of an endpoint without a pod", endpoint +
			port(`,"mac":"00-15-5D-62-5A-1E","blocked":true`),
			"warn: the virtual switch port of endpoint a (10.224.4.41/22) is blocked [state]"},
		{"the port to the outside", port(`,"friendly":"ExternalPort","blocked":true`),
			"warn: the virtual switch port ExternalPort is blocked [state]"},
	})
}

func TestDropsThatConcernANode(t *testing.T) {
	drops := func(rows string, total int) string {
		return fmt.Sprintf("-- wfp.json --\n{\"drops\":[%s],\"total\":%d}\n", rows, total)
	}
	runLooks(t, "wfp-drops", []look{
		{"none", drops("", 0), "pass"},
		{"broadcasts", drops(`{"direction":"in","protocol":"udp","localPort":137,"count":50}`, 50),
			"pass"},
		{"many broadcasts", drops(
			`{"direction":"in","protocol":"udp","localPort":137,"count":500}`, 500),
			"info: Windows dropped 500 packets; none is known to concern a node component [state]"},
		{"a few at the boot", drops(
			`{"direction":"in","protocol":"tcp","localPort":10250,"count":3}`, 3), "pass"},
		{"the day before yesterday", drops(
			`{"direction":"in","protocol":"tcp","localPort":10250,"count":30,"last":"2026-11-18T08:00:00Z"}`, 30), "pass"},
		{"packets to the kubelet's port", drops(
			`{"direction":"in","protocol":"tcp","remoteAddress":"10.0.0.9","localPort":10250,"filter":"7","count":30}`, 30),
			"warn: Windows dropped 30 packets from 10.0.0.9 to port 10250/tcp (not recorded), filter 7 [state]"},
		{"packets to a port that the kubelet does not use", drops(
			`{"direction":"in","protocol":"tcp","localPort":10250,"count":30}`, 30) +
			"-- api/node.json --\n{\"status\":{\"daemonEndpoints\":{\"kubeletEndpoint\":{\"Port\":10260}}}}\n",
			"pass"},
		{"packets of the kubelet", drops(
			`{"direction":"out","protocol":"tcp","remoteAddress":"10.0.0.1","remotePort":443,"program":"kubelet.exe","filter":"7","count":30}`, 30),
			"warn: Windows dropped 30 packets to 10.0.0.1 port 443/tcp (kubelet.exe), filter 7 [state]"},
	})
}

func TestRemoteEndpointsWithoutABalancer(t *testing.T) {
	endpoints := func(count int) string {
		var list []string
		for i := range count {
			list = append(list, fmt.Sprintf(
				`{"ID":"aa1ec2d8-9d2c-4fb0-b0dd-b0b8eb3a1f%02d","Name":"Ethernet","IpConfigurations":[{"IpAddress":"10.244.7.%d","PrefixLength":24}],"Flags":1,"SchemaVersion":{"Major":2}}`,
				i, i+2))
		}
		return "-- hns-endpoints.json --\n[" + strings.Join(list, ",") + "]\n"
	}
	const balancer = "-- hns-loadbalancers.json --\n" +
		`[{"ID":"1","HostComputeEndpoints":["aa1ec2d8-9d2c-4fb0-b0dd-b0b8eb3a1f00"],"FrontendVIPs":["10.0.0.1"],"PortMappings":[],"SchemaVersion":{"Major":2}}]` + "\n"
	runLooks(t, "remote-endpoint-unused", []look{
		{"the backend of a balancer", endpoints(1) + balancer, "pass"},
		{"one that is left while a Service changes", endpoints(2) + balancer,
			"info: 1 of 2 remote HNS endpoints belong to no load balancer: endpoint Ethernet (10.244.7.3/24) [state]"},
		{"most of them", endpoints(6) + balancer,
			"warn: 5 of 6 remote HNS endpoints belong to no load balancer: endpoint Ethernet (10.244.7.3/24), endpoint Ethernet (10.244.7.4/24), endpoint Ethernet (10.244.7.5/24) and 2 more [state]"},
		{"no balancer at all", endpoints(6) + "-- hns-loadbalancers.json --\n[]\n", "skip"},
	})
}

func TestRulesOfServicesOnPorts(t *testing.T) {
	const around = "-- hns-endpoints.json --\n" +
		`[{"ID":"B5F4E943-756D-4EE8-A70C-DF5AD7C74715","Name":"a","IpConfigurations":[{"IpAddress":"10.224.4.41","PrefixLength":22}],"SchemaVersion":{"Major":2}},
{"ID":"1666B12E-5204-46FB-A42E-1295AE2DF63A","Name":"b","IpConfigurations":[{"IpAddress":"10.224.4.47","PrefixLength":22}],"SchemaVersion":{"Major":2}}]
-- hns-loadbalancers.json --
[{"ID":"1","HostComputeEndpoints":[],"FrontendVIPs":["10.0.0.1"],"PortMappings":[{"Protocol":6,"InternalPort":8443,"ExternalPort":443}],"Flags":1,"SchemaVersion":{"Major":2}}]
`
	ports := func(first, second string) string {
		return fmt.Sprintf(`-- vfp.json --
[{"name":"P1","friendly":"B5F4E943-756D-4EE8-A70C-DF5AD7C74715"%s},{"name":"P2","friendly":"1666B12E-5204-46FB-A42E-1295AE2DF63A"%s}]
`, first, second)
	}
	const (
		rule  = `,"dsrRules":["LB_DSR_1_10.224.0.6_10.0.0.1_443_8443_6_2"]`
		other = `,"dsrRules":["LB_DSR_1_10.224.0.6_10.0.0.10_443_8443_6_2"]`
	)
	runLooks(t, "vfp-dsr-rule-missing", []look{
		{"both have it", around + ports(rule, rule), "pass"},
		{"none has it, or the names are others", around + ports(other, other), "pass"},
		{"one does not have it", around + ports(rule, other),
			"warn: the virtual switch port of endpoint b (10.224.4.47/22) has no rule for 10.0.0.1 port 443/tcp, which other pods have [state]"},
		{"the rules of one were not listed", around + ports(rule, ""), "unknown"},
	})
}

func TestPodsThatDoNotReachThemselves(t *testing.T) {
	endpoint := func(destinations ...string) string {
		return `-- hns-endpoints.json --
[{"ID":"B5F4E943-756D-4EE8-A70C-DF5AD7C74715","Name":"web","IpConfigurations":[{"IpAddress":"10.244.5.11","PrefixLength":16},{"IpAddress":"fd12:3456:789a:0:1::11","PrefixLength":64}],
"Policies":[{"Type":"OutBoundNAT","Settings":{"Exceptions":["10.244.0.0/16"]}},{"Type":"OutBoundNAT","Settings":{"Destinations":[` + quoted(destinations) + `]}}],"SchemaVersion":{"Major":2}},
{"ID":"1666B12E-5204-46FB-A42E-1295AE2DF63A","Name":"Ethernet","IpConfigurations":[{"IpAddress":"10.244.0.12","PrefixLength":16}],"Flags":1,"SchemaVersion":{"Major":2}}]
`
	}
	balancers := func(flags int, more string) string {
		return fmt.Sprintf(`-- hns-loadbalancers.json --
[{"ID":"1","HostComputeEndpoints":["B5F4E943-756D-4EE8-A70C-DF5AD7C74715"%s],"FrontendVIPs":["10.0.203.65"],"PortMappings":[{"Protocol":6,"InternalPort":8080,"ExternalPort":80}],"Flags":%d,"SchemaVersion":{"Major":2}},
{"ID":"2","HostComputeEndpoints":["B5F4E943-756D-4EE8-A70C-DF5AD7C74715"],"FrontendVIPs":["fd12:3456:789b::4c1a"],"PortMappings":[{"Protocol":6,"InternalPort":8080,"ExternalPort":80}],"Flags":%d,"SchemaVersion":{"Major":2}}]
`, more, flags, flags|2)
	}
	const pod = `-- api/pods.json --
{"items":[{"metadata":{"name":"web","namespace":"shop"},"spec":{"nodeName":"win-1"},"status":{"phase":"Running","podIP":"10.244.5.11","podIPs":[{"ip":"10.244.5.11"},{"ip":"fd12:3456:789a:0:1::11"}]}}]}
`
	probes := func(list ...string) string {
		var all []string
		for i := 0; i < len(list); i += 3 {
			all = append(all, fmt.Sprintf(`{"from":%q,"target":%q,"protocol":"tcp","outcome":%q}`,
				list[i], list[i+1], list[i+2]))
		}
		return pod + "-- probes/reach.json --\n[" + strings.Join(all, ",") + "]\n"
	}
	const (
		web, six, four = "shop/web", "[fd12:3456:789b::4c1a]:80", "10.0.203.65:80"
		both           = `,"1666B12E-5204-46FB-A42E-1295AE2DF63A"`
		info           = "info: pods without a loopback policy may not reach themselves through their Services: web (10.244.5.11/16) [state]"
		lost           = ": pod shop/web does not reach itself at 10.0.203.65:80: its HNS endpoint has no loopback policy for 10.244.5.11 [state]"
	)
	runLooks(t, "loopback-dsr-missing", []look{
		{"IPv4 only", endpoint("10.244.5.11") + balancers(1, "") + probes(web, four, "ok", web, six, "timeout"),
			"fail: pod shop/web does not reach itself at [fd12:3456:789b::4c1a]:80: its HNS endpoint has no loopback policy for fd12:3456:789a:0:1::11 [state]"},
		{"not at all", endpoint() + balancers(1, "") + probes(web, "10.0.0.10:53", "ok", web, four, "timeout"),
			"fail" + lost},
		{"the node does not reach it either, which is normal",
			endpoint() + balancers(1, "") + probes("node", four, "timeout", web, "10.0.0.10:53", "ok", web, four, "timeout"),
			"fail" + lost},
		{"both have the policy", endpoint("10.244.5.11", "fd12:3456:789a:0:1::11") + balancers(1, "") +
			probes(web, four, "ok", web, six, "timeout"), "pass"},
		{"no probe", endpoint("10.244.5.11") + balancers(1, "") + pod, info},
		{"it was answered", endpoint("10.244.5.11") + balancers(1, "") + probes(web, six, "ok"), "pass"},
		{"without DSR", endpoint() + balancers(0, "") + probes(web, "10.0.0.10:53", "ok", web, four, "timeout"), "skip"},
		{"the pod reaches nothing", endpoint("10.244.5.11") + balancers(1, "") + probes(web, "10.0.0.10:53", "timeout", web, six, "timeout"), info},
		{"its program does not answer either", endpoint("10.244.5.11") + balancers(1, "") +
			probes(web, four, "ok", web, "[fd12:3456:789a:0:1::11]:8080", "timeout", web, six, "timeout"), info},
		{"another pod does not reach the Service either", endpoint("10.244.5.11") + balancers(1, "") +
			probes(web, four, "ok", web, six, "timeout", "shop/other", six, "timeout"), info},
		{"one of two backends, now and then", endpoint("fd12:3456:789a:0:1::11") + balancers(1, both) +
			probes(web, four, "ok", web, four, "timeout"), "warn" + lost},
		{"one of two backends, and none ever answered", endpoint("fd12:3456:789a:0:1::11") + balancers(1, both) +
			probes(web, "10.0.0.10:53", "ok", web, four, "timeout"), info},
	})
}
