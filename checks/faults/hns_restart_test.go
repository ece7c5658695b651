package faults_test

import (
	"fmt"
	"strings"
	"testing"
)

// podOf is a pod that has run since then with that address.
func podOf(name, ip, since string) string {
	return fmt.Sprintf(
		`{"metadata":{"name":%q,"namespace":"default"},"status":{"phase":"Running","podIP":%q,"hostIP":"10.0.0.4","conditions":[{"type":"Ready","status":"True"}],"containerStatuses":[{"name":"c","state":{"running":{"startedAt":%q}}}]}}`, name, ip, since)
}

func pods(list ...string) string {
	return "-- api/pods.json --\n[" + strings.Join(list, ",\n") + "]\n"
}

// endpoints are HNS endpoints with these addresses.
func endpoints(ips ...string) string {
	var list []string
	for _, ip := range ips {
		list = append(list,
			fmt.Sprintf(
				`{"Name":"e%s","HostComputeNetwork":"90a3a170-5297-456d-affe-183123f0e4b7","IpConfigurations":[{"IpAddress":%q,"PrefixLength":24}],"SchemaVersion":{"Major":2}}`, ip, ip))
	}
	return "-- hns-endpoints.json --\n[" + strings.Join(list, ",\n") + "]\n"
}

func TestHNSServiceCrashedOrRestarted(t *testing.T) {
	scm := func(id int, at, message string) string {
		return fmt.Sprintf(
			`{"log":"System","provider":"Service Control Manager","id":%d,"time":%q,"message":%q}`,
			id, at, message)
	}
	events := func(list ...string) string {
		return "-- os.json --\n{\"build\":20348,\"bootedAt\":\"2026-11-20T03:00:00Z\"}\n-- events.json --\n[" + strings.Join(list, ",\n") + "]\n"
	}
	crash := scm(7031, "2026-11-20T08:00:00Z",
		"The Host Network Service terminated unexpectedly.  It has done this 1 time(s).")
	first := scm(7036, "2026-11-20T03:01:00Z",
		"The Host Network Service service entered the running state.")
	stop := scm(7036, "2026-11-20T08:00:00Z",
		"The Host Network Service service entered the stopped state.")
	start := scm(7036, "2026-11-20T08:00:05Z",
		"The Host Network Service service entered the running state.")
	german := func(at, state string) string {
		return scm(7036, at, "Dienst \"Host-Netzwerkdienst\" ist jetzt im Status \""+state+"\".")
	}
	const germanService = "-- services.json --\n[{\"name\":\"hns\",\"displayName\":\"Host-Netzwerkdienst\",\"state\":\"running\",\"pid\":1252}]\n"
	process := func(hns, proxy string) string {
		return "-- services.json --\n[{\"name\":\"hns\",\"displayName\":\"Host Network Service\",\"state\":\"running\",\"pid\":1252}]\n" +
			fmt.Sprintf(
				"-- processes.json --\n[{\"pid\":1252,\"name\":\"svchost.exe\",\"startedAt\":%q},{\"pid\":4936,\"name\":\"kube-proxy.exe\",\"startedAt\":%q}]\n", hns, proxy)
	}
	const none, one = "-- hns-loadbalancers.json --\n[]\n",
		"-- hns-loadbalancers.json --\n[{\"ID\":\"ffb14791-f65c-4480-adb5-fd7165793a24\",\"HostComputeEndpoints\":[],\"FrontendVIPs\":[\"10.96.0.1\"],\"PortMappings\":[{\"Protocol\":6,\"InternalPort\":443,\"ExternalPort\":443}],\"SchemaVersion\":{\"Major\":2}}]\n"
	services := func(vips ...string) string {
		var list, slices []string
		for i, vip := range vips {
			list = append(list, fmt.Sprintf(`{"metadata":{"name":"s%d","namespace":"a"},"spec":{"clusterIP":%q,"ports":[{"port":443,"protocol":"TCP"}]}}`, i, vip))
			slices = append(slices, fmt.Sprintf(`{"metadata":{"name":"s%d-1","namespace":"a","labels":{"kubernetes.io/service-name":"s%d"}},"endpoints":[{"addresses":["10.244.9.7"],"nodeName":"lin-1","conditions":{"ready":true}}],"ports":[{"port":443,"protocol":"TCP"}]}`, i, i))
		}
		return "-- api/node.json --\n{\"metadata\":{\"name\":\"win-1\"}}\n-- api/services.json --\n[" + strings.Join(list, ",") +
			"]\n-- api/endpointslices.json --\n[" + strings.Join(slices, ",") + "]\n"
	}
	before, after := podOf("web", "10.244.2.5", "2026-11-20T03:05:00Z"),
		podOf("web", "10.244.2.5", "2026-11-20T08:10:00Z")
	runLooks(t, "hns-service-crashed-or-restarted", []look{
		{"one start since the boot", events(first) + pods(before) + endpoints(), "pass"},
		{"a crash took a pod's endpoint", events(first, crash, start) + pods(before) +
			endpoints("10.244.2.9"),
			"fail: the Host Network Service stopped unexpectedly at 2026-11-20 08:00 UTC, and 1 pods started before then have no HNS endpoint: default/web [state]"},
		{"a restart by hand did", events(first, stop, start) + pods(before) + endpoints(),
			"fail: the Host Network Service was restarted at 2026-11-20 08:00 UTC, and 1 pods started before then have no HNS endpoint: default/web [state]"},
		{"the newest event comes first", events(start, stop, first) + pods(before) + endpoints(),
			"fail: the Host Network Service was restarted at 2026-11-20 08:00 UTC, and 1 pods started before then have no HNS endpoint: default/web [state]"},
		{"in another language", events(german("2026-11-20T03:01:00Z", "Wird ausgeführt"),
			german("2026-11-20T08:00:00Z", "Beendet"), german("2026-11-20T08:00:05Z",
				"Wird ausgeführt")) + germanService + pods(before) + endpoints(),
			"fail: the Host Network Service was restarted at 2026-11-20 08:00 UTC, and 1 pods started before then have no HNS endpoint: default/web [state]"},
		{"the pod was created afterwards, and lacks it for another reason",
			events(first, stop, start) + pods(after) + endpoints(), "pass"},
		{"the kubelet has not reported since the boot", events(first, stop, start) +
			pods(replace(before, "11-20T03:05", "11-19T03:05")) + endpoints(), "pass"},
		{"the pod has its endpoint", events(first, crash, start) + pods(before) +
			endpoints("10.244.2.5"),
			"info: the logs say: the Host Network Service terminated unexpectedly; the node's current state does not confirm it [text]"},
		{"a remote endpoint is not the pod's", events(first, stop, start) + pods(before) +
			strings.Replace(endpoints("10.244.2.5"), `"SchemaVersion"`, `"Flags":1,"SchemaVersion"`,
				1), "fail: the Host Network Service was restarted at 2026-11-20 08:00 UTC, and 1 pods started before then have no HNS endpoint: default/web [state]"},
		{"a crash and nothing else", events(first, crash),
			"warn: the Host Network Service stopped unexpectedly at 2026-11-20 08:00 UTC; pods and HNS endpoints were not collected, so pods may have lost their network [state]"},
		{"a crash before the last boot", events(strings.Replace(crash, "11-20T08", "11-19T08", 1),
			first), "info: the logs say: the Host Network Service terminated unexpectedly; it is over: the node has booted since, at 2026-11-20 03:00 UTC [text]"},
		{"another service crashed",
			events(first, scm(7031, "2026-11-20T08:00:00Z",
				"The Print Spooler service terminated unexpectedly.")), "pass"},
		{"an export without the provider",
			events(`{"log":"System","time":"2026-11-20T08:00:00Z","message":"The Print Spooler service entered the stopped state."}`), "unknown"},
		{"its process is younger than kube-proxy, whose load balancers are gone",
			process("2026-11-20T08:00:00Z", "2026-11-20T03:05:00Z") + none,
			"fail: the HNS process was restarted at 2026-11-20 08:00 UTC, and kube-proxy, started before then, has no load balancers in HNS [state]"},
		{"whose load balancers are there", process("2026-11-20T08:00:00Z", "2026-11-20T03:05:00Z") +
			one, "pass"},
		{"most of whose load balancers are gone", process("2026-11-20T08:00:00Z", "2026-11-20T03:05:00Z") +
			one + services("10.96.0.1", "10.96.0.10"),
			"fail: the HNS process was restarted at 2026-11-20 08:00 UTC, and kube-proxy, started before then, has no load balancers for 1 of 2 ports of Services [state]"},
		{"one of whose many load balancers is gone", process("2026-11-20T08:00:00Z", "2026-11-20T03:05:00Z") +
			one + services("10.96.0.1", "10.96.0.1", "10.96.0.10"), "pass"},
		{"whose load balancers nobody looked at", process("2026-11-20T08:00:00Z",
			"2026-11-20T03:05:00Z"),
			"warn: the HNS process was restarted at 2026-11-20 08:00 UTC, and kube-proxy started before then: its load balancers may be missing [state]"},
		{"kube-proxy is younger", process("2026-11-20T03:01:00Z", "2026-11-20T03:05:00Z") + none,
			"pass"},
		{"they start together", process("2026-11-20T03:05:40Z", "2026-11-20T03:05:00Z") + none,
			"pass"},
		{"a list of processes that says nothing of HNS",
			"-- processes.json --\n[{\"pid\":4,\"name\":\"System\"}]\n", "unknown"},
		{"nobody looked", pods(before) + endpoints(), "unknown"},
	})
}

func TestDockerdRemovesForeignEndpoints(t *testing.T) {
	const log = "-- logs/docker/dockerd.log --\ntime=\"2026-11-20T09:52:15Z\" level=info msg=\"Removing stale HNS endpoint 8F3C94A6\"\n"
	const dockerd = "-- processes.json --\n[{\"pid\":9120,\"name\":\"dockerd.exe\"}]\n"
	const others = "-- processes.json --\n[{\"pid\":9120,\"name\":\"kubelet.exe\"}]\n"
	containerd, docker := nodeOf("v1.28.4", "containerd://1.7.20"),
		nodeOf("v1.19.7", "docker://19.3.14")
	web := podOf("web", "10.244.2.5", "2026-11-20T03:05:00Z")
	runLooks(t, "dockerd-removes-foreign-endpoints", []look{
		{"no dockerd", containerd + others, "pass"},
		{"a dockerd beside containerd", containerd + dockerd,
			"warn: dockerd and containerd both run: each start of it deletes the HNS endpoints of pods [state]"},
		{"it deleted endpoints", containerd + dockerd + log,
			"fail: dockerd deleted HNS endpoints on this node, whose pods run under containerd [state+text]"},
		{"a pod has none", containerd + dockerd + log + pods(web) + endpoints(),
			"fail: dockerd deleted HNS endpoints on this node, and 1 running pods have none: default/web [state+text]"},
		{"the pods were created again", containerd + others + log + pods(web) +
			endpoints("10.244.2.5"),
			"warn: dockerd deleted HNS endpoints on this node; the pods that run now have theirs [state+text]"},
		{"on a docker node they are its own", docker + dockerd + log, "skip"},
		{"nobody looked at the processes", containerd, "unknown"},
		{"its log alone, which may speak of docker's own endpoints", containerd + log,
			"warn: dockerd deletes HNS endpoints as stale, also those of pods [text]"},
	})
}

func TestStaticIPLostOnVSwitchCreation(t *testing.T) {
	adapter := func(name, status, dhcp string, addresses ...string) string {
		return fmt.Sprintf(
			"-- adapters.json --\n[{\"name\":%q,\"status\":%q,\"dhcp\":%s,\"addresses\":[%q]}]\n",
			name, status, dhcp, strings.Join(addresses, `","`))
	}
	const host = "vEthernet (Ethernet0)"
	network := func(ip string) string {
		return "-- hns-networks.json --\n[{\"Name\":\"cbr0\",\"Type\":\"L2Bridge\",\"ManagementIP\":\"" + ip + "\"},{\"Name\":\"nat\",\"Type\":\"NAT\"}]\n"
	}
	runLooks(t, "static-ip-lost-on-vswitch-creation", []look{
		{"the address moved", adapter(host, "up", "false", "10.0.0.4/24"), "pass"},
		{"it did not", adapter(host, "up", "false", "169.254.83.107/16"),
			"fail: Adapter vEthernet (Ethernet0) has only the self-assigned address 169.254.83.107 (expected: the node's address) [state]"},
		{"DHCP does not answer", adapter(host, "up", "true", "169.254.83.107/16"),
			"fail: Adapter vEthernet (Ethernet0) has only the address 169.254.83.107: DHCP did not answer on the virtual switch [state]"},
		{"a switch of its own for storage",
			strings.Replace(adapter(host, "up", "false", "169.254.83.107/16"), "[{",
				`[{"name":"vEthernet (Ethernet1)","status":"up","addresses":["10.0.0.4/24"],"gateways":["10.0.0.1"]},{`, 1), "pass"},
		{"beside the IPv6 address that every adapter has",
			strings.Replace(adapter(host, "up", "false", "169.254.83.107/16"), `"169.254`,
				`"fe80::1/64","169.254`, 1),
			"fail: Adapter vEthernet (Ethernet0) has only the self-assigned address 169.254.83.107 (expected: the node's address) [state]"},
		{"a second adapter without cable", adapter("Ethernet1", "up", "true", "169.254.83.107/16"),
			"skip"},
		{"docker's own", adapter("vEthernet (nat)", "up", "false", "169.254.83.107/16"), "skip"},
		{"IPv6 has such an address always",
			strings.Replace(adapter(host, "up", "false", "10.0.0.4/24"), `"10.0.0.4/24"`,
				`"10.0.0.4/24","fe80::1/64"`, 1), "pass"},
		{"the adapter is down", adapter(host, "down", "false", "169.254.83.107/16"), "pass"},
		{"HNS alone was asked", network("169.254.83.107"),
			"fail: HNS network cbr0 has the management address 169.254.83.107 (expected: the node's address) [state]"},
		{"HNS remembers the first moment", network("169.254.83.107") + adapter(host, "up", "false",
			"10.0.0.4/24"), "pass"},
		{"a good management address", network("10.0.0.4"), "pass"},
		{"nobody looked", onFlannel, "unknown"},
	})
}
