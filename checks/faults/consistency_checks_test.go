package faults_test

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

func TestSettingsAreComparedWithWhatRuns(t *testing.T) {
	process := func(args string) string {
		return "-- processes.json --\n[{\"pid\":10,\"ppid\":4,\"name\":\"kubelet.exe\",\"exe\":\"C:\\\\k\\\\kubelet.exe\",\"args\":[" + args + "]}]\n"
	}
	with := func(args string) string {
		return "-- services.json --\n[{\"name\":\"kubelet\",\"state\":\"running\",\"pid\":10,\"binPath\":\"C:\\\\k\\\\kubelet.exe\",\"args\":[" + args + "]}]\n"
	}
	written := func(at, config string) string {
		return "-- processes.json --\n[{\"pid\":10,\"ppid\":4,\"name\":\"kubelet.exe\",\"args\":[\"--config=C:\\\\k\\\\kubelet.yaml\"],\"startedAt\":\"2026-11-20T08:00:00Z\"}]\n" +
			"-- services.json --\n[{\"name\":\"kubelet\",\"state\":\"running\",\"pid\":10,\"binPath\":\"C:\\\\k\\\\kubelet.exe\",\"args\":[\"--config=C:\\\\k\\\\kubelet.yaml\"]}]\n" +
			"-- files.json --\n[{\"path\":\"C:\\\\k\\\\kubelet.yaml\",\"outcome\":\"copied\",\"modifiedAt\":\"2026-11-20T" + at + "Z\"}]\n" +
			"-- files/C/k/kubelet.yaml --\nkind: KubeletConfiguration\napiVersion: kubelet.config.k8s.io/v1beta1\n" + config +
			"\n-- api/node.json --\n{\"metadata\":{\"name\":\"win-1\"},\"status\":{\"capacity\":{\"pods\":\"110\"}}}\n"
	}
	pauseImages := func(file, used string) string {
		return with(`"--v=2"`) + process(`"--v=2"`) + "-- files/C/Program Files/containerd/config.toml --\nversion = 2\n[plugins.\"io.containerd.grpc.v1.cri\"]\n  sandbox_image = \"" + file + "\"\n" +
			"-- cri.json --\n{\"config\":{\"sandboxImage\":\"" + used + "\"}}\n"
	}
	runLooks(t, "settings-not-applied", []look{
		{"maxPods was changed after the kubelet started (kubernetes-sigs/windows-testing#571)", written("09:00:00", "maxPods: 30"),
			"warn: the kubelet runs with maxPods 110, but its configuration file has 30: it was not restarted since [state]"},
		{"the file was changed before", written("07:00:00", "maxPods: 30"), "pass"},
		{"the file was changed after, and maxPods is the same", written("09:00:00", "maxPods: 110"), "pass"},
		{"the processors limit the pods, too", written("09:00:00", "maxPods: 30\npodsPerCore: 10"), "pass"},
		{"the file is no YAML any more", written("09:00:00", "maxPods: 30\nmemorySwap: {}nodeStatusReportFrequency: 0s"),
			"warn: the configuration of the kubelet cannot be read: it will not start again (line 3: did not find expected key) [state]"},
		{"the same flags, with other slashes",
			with(`"--config=C:\\k\\config.yaml"`) + process(`"--config=C:/k/config.yaml"`), "pass"},
		{"a flag was changed in the service", with(`"--max-pods=40"`) + process(`"--max-pods=30"`),
			"warn: kubelet runs with --max-pods=30, but its configuration (kubelet) has 40: it was not restarted since [state]"},
		{"what Windows fills in is not compared",
			with(`"--config=%ProgramData%\\k"`) + process(`"--config=C:\\ProgramData\\k"`), "unknown"},
		{"the pause image under another name of its registry", pauseImages("index.docker.io/rancher/mirrored-pause:3.6", "rancher/mirrored-pause:3.6"), "pass"},
		{"another pause image", pauseImages("index.docker.io/rancher/mirrored-pause:3.7", "rancher/mirrored-pause:3.6"),
			"warn: containerd runs with sandboxImage rancher/mirrored-pause:3.6, but its file has index.docker.io/rancher/mirrored-pause:3.7: it was not restarted since [state]"},
		{"another service started the process",
			with(`"--max-pods=40"`) + "-- processes.json --\n[{\"pid\":11,\"ppid\":4,\"name\":\"kubelet.exe\",\"args\":[\"--max-pods=30\"]}]\n",
			"unknown"},
	})
}

// podSince is a Ready pod with the address 10.244.2.5 whose container started then.
func podSince(started string) string {
	return "-- api/pods.json --\n{\"items\":[{\"metadata\":{\"name\":\"web\",\"namespace\":\"default\"},\"spec\":{\"containers\":[{\"name\":\"web\"}]},\"status\":{\"phase\":\"Running\",\"podIP\":\"10.244.2.5\",\"conditions\":[{\"type\":\"Ready\",\"status\":\"True\"}],\"containerStatuses\":[{\"name\":\"web\",\"ready\":true,\"state\":{\"running\":{\"startedAt\":\"" + started + "\"}}}]}}]}\n"
}

func TestPodsThatStartDoNotCount(t *testing.T) {
	with := func(last string) string {
		return "-- hns-endpoints.json --\n[{\"ID\":\"a\",\"Name\":\"e\",\"IpConfigurations\":[{\"IpAddress\":\"10.244.2." + last + "\",\"PrefixLength\":24}],\"Flags\":0,\"SchemaVersion\":{\"Major\":2,\"Minor\":0}}]\n"
	}
	sandbox := func(state, made string) string {
		at, err := time.Parse(time.RFC3339, made)
		if err != nil {
			t.Fatal(err)
		}
		return fmt.Sprintf("-- cri.json --\n{\"sandboxes\":[{\"id\":\"a\",\"state\":\"%s\",\"metadata\":{\"name\":\"web\",\"namespace\":\"default\"},\"createdAt\":\"%d\"}]}\n", state, at.UnixNano())
	}
	runLooks(t, "pod-address-mismatch", []look{
		{"its endpoint is there", podSince("2026-11-20T08:00:00Z") + with("5"), "pass"},
		{"its endpoint is gone", podSince("2026-11-20T08:00:00Z") + with("6"),
			"warn: pod default/web has the address 10.244.2.5, but HNS has no endpoint with it [state]"},
		{"it started a minute ago", podSince("2026-11-20T09:59:00Z") + with("6"), "skip"},
		// projectcalico/calico issue 13049: its container is restarted by its probe, the sandbox stays
		{"its container started a minute ago in an old sandbox", podSince("2026-11-20T09:59:00Z") + with("6") + sandbox("SANDBOX_READY", "2026-11-20T08:00:00Z"),
			"warn: pod default/web has the address 10.244.2.5, but HNS has no endpoint with it [state]"},
		{"the sandbox is new as well", podSince("2026-11-20T09:59:00Z") + with("6") + sandbox("SANDBOX_READY", "2026-11-20T09:58:00Z"), "skip"},
		{"the old sandbox ended", podSince("2026-11-20T09:59:00Z") + with("6") + sandbox("SANDBOX_NOTREADY", "2026-11-20T08:00:00Z"), "skip"},
	})
}

func TestRoutesLeadToGateways(t *testing.T) {
	const adapter = "-- adapters.json --\n[{\"name\":\"Ethernet\",\"ifIndex\":4,\"status\":\"up\",\"addresses\":[\"10.0.0.4/24\"],\"gateways\":[\"10.0.0.1\"]}]\n"
	const host = "-- adapters.json --\n[{\"name\":\"Ethernet\",\"ifIndex\":4,\"status\":\"up\",\"addresses\":[\"10.0.0.4/32\"],\"gateways\":[\"10.0.0.1\"]}]\n"
	routes := func(list string) string { return "-- routes.json --\n[" + list + "]\n" }
	const loopback = "{\"destination\":\"127.0.0.0/8\",\"nextHop\":\"0.0.0.0\",\"ifIndex\":1}"
	const own = ",{\"destination\":\"10.0.0.0/24\",\"nextHop\":\"0.0.0.0\",\"ifIndex\":4}"
	const out = ",{\"destination\":\"0.0.0.0/0\",\"nextHop\":\"10.0.0.1\",\"ifIndex\":4}"
	runLooks(t, "node-route-missing", []look{
		{"all routes", adapter + routes(loopback+own+out), "pass"},
		{"no default route", adapter + routes(loopback+own),
			"warn: adapter Ethernet has the gateway 10.0.0.1, but no default route leads to it [state]"},
		{"an address of a cloud that has no subnet", host + routes(loopback+out), "pass"},
		{"the podCIDR of another node, through its gateway, as Antrea routes", adapter + routes(loopback+own+out+`,{"destination":"10.244.1.0/24","nextHop":"10.244.1.1","ifIndex":4}`), "pass"},
		{"a podCIDR through a gateway elsewhere", adapter + routes(loopback+own+out+`,{"destination":"10.244.1.0/24","nextHop":"10.0.9.1","ifIndex":4}`),
			"warn: the route to 10.244.1.0/24 leads through 10.0.9.1, which Ethernet cannot reach [state]"},
		{"route print does not show the numbers of interfaces", adapter + strings.NewReplacer(
			`"ifIndex":4}`, `"ifIndex":0}`).Replace(routes(loopback+own+out)), "pass"},
		{"an adapter of which only the name is known", strings.Replace(adapter, `"ifIndex":4,`, "", 1) +
			routes(loopback+own+out), "pass"},
		{"a list that somebody began by hand", adapter + routes(own[1:]), "unknown"},
	})
}

func TestPortsThatAreOffAreNotMissed(t *testing.T) {
	with := func(port string) string {
		return "-- processes.json --\n[{\"pid\":10,\"name\":\"kubelet.exe\",\"args\":[\"--healthz-port=" + port + "\"],\"startedAt\":\"2026-11-20T08:00:00Z\"}]\n"
	}
	const ports = "-- ports.json --\n{\"listeners\":[{\"protocol\":\"tcp\",\"address\":\"::\",\"port\":135},{\"protocol\":\"tcp\",\"address\":\"::\",\"port\":10250,\"process\":\"kubelet.exe\"}]}\n"
	merged := func(last string) string {
		return strings.Replace(with("x"), `"--healthz-port=x"`,
			`"--config=C:\\k\\config.yaml","--config-dir=C:\\k\\conf.d"`, 1) + ports +
			"-- files/C/k/config.yaml --\nhealthzPort: 10248\n" +
			"-- files/C/k/conf.d/10.conf --\nhealthzPort: 10500\n" +
			"-- files/C/k/conf.d/20.conf --\n" + last + "\n"
	}
	proxy := func(config string) string {
		return "-- processes.json --\n[{\"pid\":11,\"name\":\"kube-proxy.exe\",\"args\":[\"--config=C:\\\\k\\\\kube-proxy.conf\"],\"startedAt\":\"2026-11-20T08:00:00Z\"}]\n" +
			"-- hns-networks.json --\n[{\"Name\":\"cbr0\",\"Type\":\"L2Bridge\"}]\n" +
			"-- files/C/k/kube-proxy.conf --\n" + config + "\n" + strings.NewReplacer("10250", "30999", "kubelet.exe", "kube-proxy.exe").Replace(ports)
	}
	runLooks(t, "component-port-closed", []look{
		{"the last file of --config-dir counts", merged("healthzPort: 10250"), "pass"},
		{"the file before it, where it does not set the port", merged("clusterDomain: a.b"),
			"warn: kubelet runs, but nothing listens on its port 10500 [state]"},
		{"the ports of kube-proxy's file", proxy("healthzBindAddress: 0.0.0.0:30999"), "pass"},
		{"a port of kube-proxy's file that does not listen", proxy("healthzBindAddress: 0.0.0.0:31000"),
			"warn: kube-proxy runs, but nothing listens on its port 31000 [state]"},
		{"kube-proxy opens no port before the pod network is there, and HNS was not asked",
			strings.Replace(proxy("healthzBindAddress: 0.0.0.0:31000"), "hns-networks.json", "other.json", 1), "unknown"},
		{"a file without ports", proxy("mode: kernelspace"), "skip"},
		{"the health endpoint is off", with("0") + ports, "pass"},
		{"the health endpoint does not listen", with("10248") + ports,
			"warn: kubelet runs, but nothing listens on its port 10248 [state]"},
	})
}

func TestOnlyAKubeletThatFitsIsSupported(t *testing.T) {
	of := func(kubelet, v string) string {
		return nodeOf(kubelet, "containerd://1.7.2") + "-- api/version.json --\n{\"gitVersion\":\"" + v + "\"}\n"
	}
	server := func(v string) string { return of("v1.29.4", v) }
	runLooks(t, "version-skew", []look{
		{"the same", server("v1.29.9"), "pass"},
		{"three behind", server("v1.32.0-eks-1a2b3c"), "pass"},
		{"four behind", server("v1.33.0"),
			"warn: the kubelet is v1.29.4, more than 3 minor versions behind the API server (v1.33.0) [state]"},
		{"newer", server("v1.28.1"),
			"warn: the kubelet is v1.29.4, newer than the API server (v1.28.1) [state]"},
		{"the API server does not know its query for Services", of("v1.31.0", "v1.30.4"),
			"fail: the kubelet is v1.31.0, newer than the API server (v1.30.4) [state]"},
		{"the API server knows it", of("v1.32.1", "v1.31.4"),
			"warn: the kubelet is v1.32.1, newer than the API server (v1.31.4) [state]"},
	})
}
