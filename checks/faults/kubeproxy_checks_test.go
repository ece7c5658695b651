package faults_test

import (
	"fmt"
	"strings"
	"testing"
)

// proxyArgs is kube-proxy's process with those arguments, each as it stands in JSON.
func proxyArgs(args ...string) string {
	return "-- processes.json --\n[{\"pid\":7,\"name\":\"kube-proxy.exe\",\"args\":[\"--v=4\"" +
		strings.Join(append([]string{""}, args...), ",") + "]}]\n"
}

const (
	vxlanConf   = "-- files/C/etc/kube-flannel/net-conf.json --\n{\"Network\":\"10.244.0.0/16\",\"Backend\":{\"Type\":\"vxlan\",\"Name\":\"flannel.4096\"}}\n"
	hiddenProxy = "-- api/pods.json --\n{\"items\":[{\"metadata\":{\"namespace\":\"kube-system\",\"name\":\"kube-proxy-windows-1\"},\"spec\":{\"securityContext\":{\"windowsOptions\":{\"hostProcess\":true}}," +
		"\"containers\":[{\"name\":\"kube-proxy\",\"image\":\"ghcr.io/sig-windows-net/kube-proxy:%s\",\"command\":[\"powershell.exe\",\"-file\",\"start.ps1\"]}]}}]}\n"
)

func TestKubeProxyOverlayDSRGates(t *testing.T) {
	at := func(version string) string { return nodeOf(version, "containerd://1.7.20") }
	logged := func(text string) string {
		return "-- logs/kube-proxy/kube-proxy.log --\nE1120 09:00:00.000001 1 server.go:1] \"Error running ProxyServer\" err=\"" + text + "\"\n"
	}
	const both = `"--feature-gates=WinOverlay=true,WinDSR=true"`
	runLooks(t, "kubeproxy-overlay-dsr-gates", []look{
		{"1.19 on an overlay with the gate", at("v1.19.7") + vxlanConf + proxyArgs(both), "pass"},
		{"1.19 on an overlay without it", at("v1.19.7") + vxlanConf + proxyArgs(),
			"fail: kube-proxy v1.19.7 requires feature gate WinOverlay=true, because the pod network is an overlay (on by default from v1.20) [state]"},
		{"1.19 on host-gw needs none", at("v1.19.7") + onFlannel + proxyArgs(), "pass"},
		{"1.29 on an overlay has it on by default", at("v1.29.9") + vxlanConf + proxyArgs(),
			"pass"},
		{"turned off on an overlay",
			at("v1.29.9") + vxlanConf + proxyArgs(`"--feature-gates=WinOverlay=false"`),
			"fail: kube-proxy has feature gate WinOverlay=false, but the pod network is an overlay [state]"},
		{"turned off on host-gw",
			at("v1.29.9") + onFlannel + proxyArgs(`"--feature-gates=WinOverlay=false"`), "pass"},
		{"DSR in 1.31 without its gate", at("v1.31.4") + onFlannel + proxyArgs(`"--enable-dsr"`),
			"fail: kube-proxy v1.31.4 requires feature gate WinDSR=true, because it uses DSR (on by default from v1.33) [state]"},
		{"DSR in the service since, and not in the process", at("v1.31.4") + onFlannel + proxyArgs() +
			"-- services.json --\n[{\"name\":\"kube-proxy\",\"state\":\"running\",\"binPath\":\"C:\\\\k\\\\kube-proxy.exe\",\"args\":[\"--enable-dsr\"]}]\n", "pass"},
		{"DSR in the service, whose process is not recorded", at("v1.31.4") + onFlannel +
			"-- services.json --\n[{\"name\":\"kube-proxy\",\"state\":\"running\",\"binPath\":\"C:\\\\k\\\\kube-proxy.exe\",\"args\":[\"--enable-dsr\"]}]\n",
			"fail: kube-proxy v1.31.4 requires feature gate WinDSR=true, because it uses DSR (on by default from v1.33) [state]"},
		{"DSR in a start script that puts the gates together", at("v1.31.4") + onFlannel +
			"-- services.json --\n[{\"name\":\"kubeproxy\",\"state\":\"stopped\",\"binPath\":\"powershell.exe\",\"args\":[\"C:\\\\k\\\\kubeproxystart.ps1\"]}]\n-- files/C/k/kubeproxystart.ps1 --\n$a += @(\"--enable-dsr=true\")\n$a += @(\"--feature-gates=\" + ($gates -join \",\"))\nkube-proxy.exe $a\n",
			"unknown"},
		{"DSR in 1.31 with its gate", at("v1.31.4") + onFlannel + proxyArgs(`"--enable-dsr=true"`,
			both), "pass"},
		{"the gates on several flags", at("v1.31.4") + onFlannel + proxyArgs(`"--enable-dsr=true"`,
			`"--feature-gates=WinOverlay=true"`, `"--feature-gates=WinDSR=true"`), "pass"},
		{"DSR in 1.33 needs no gate", at("v1.33.1") + onFlannel + proxyArgs(`"--enable-dsr=true"`),
			"pass"},
		{"DSR that is not asked for", at("v1.31.4") + onFlannel + proxyArgs(`"--enable-dsr=false"`),
			"pass"},
		{"DSR by the configuration file",
			at("v1.31.4") + onFlannel +
				"-- files/C/k/kube-proxy.conf --\nwinkernel:\n  enableDSR: true\nfeatureGates:\n  WinDSR: true\n", "pass"},
		{"DSR by the configuration file, without the gate",
			at("v1.31.4") + onFlannel +
				"-- files/C/k/kube-proxy.conf --\nwinkernel:\n  enableDSR: true\n",
			"fail: kube-proxy v1.31.4 requires feature gate WinDSR=true, because it uses DSR (on by default from v1.33) [state]"},
		{"both are set on in 1.34, which takes them still",
			at("v1.34.1") + vxlanConf + proxyArgs(both), "pass"},
		{"turned off in 1.34, which does not take that",
			at("v1.34.1") + onFlannel + proxyArgs(`"--feature-gates=WinDSR=false"`),
			"fail: kube-proxy v1.34.1 has feature gate WinDSR=false, which is an error from v1.34 [state]"},
		{"dual stack turned off in 1.23",
			at("v1.23.4") + onFlannel + proxyArgs(`"--feature-gates=IPv6DualStack=false"`),
			"fail: kube-proxy v1.23.4 has feature gate IPv6DualStack=false, which is an error from v1.23 [state]"},
		{"dual stack turned off in 1.22",
			at("v1.22.4") + onFlannel + proxyArgs(`"--feature-gates=IPv6DualStack=false"`), "pass"},
		{"the image's release counts, not the kubelet's",
			at("v1.34.1") + onFlannel + proxyArgs(`"--enable-dsr=true"`) + fmt.Sprintf(hiddenProxy,
				"v1.31.4-flannel-hostprocess"),
			"fail: kube-proxy v1.31.4 requires feature gate WinDSR=true, because it uses DSR (on by default from v1.33) [state]"},
		{"the type of the network is not known, so nothing asks for the gate",
			at("v1.19.7") + proxyArgs(), "pass"},
		{"what the DaemonSet's script gives is out of sight",
			at("v1.31.4") + vxlanConf + fmt.Sprintf(hiddenProxy, "v1.31.4"), "unknown"},
		{"no Node object", vxlanConf + proxyArgs(), "unknown"},
		{"no settings", at("v1.19.7") + vxlanConf, "unknown"},
		{"the log tells of the gate", logged("WinDSR feature gate not enabled"),
			"fail: kube-proxy exits: DSR requires feature gate WinDSR [text]"},
		{"the log tells of a gate that is gone", logged("unrecognized feature gate: WinOverlay"),
			"fail: this version does not know feature gate WinOverlay [text]"},
		{"a kube-proxy that only warns of it",
			"-- logs/kube-proxy/kube-proxy.log --\nW1120 09:00:00.000001 1 feature_gate.go:352] unrecognized feature gate: WinOverlay\n",
			"unknown"},
		{"of the platform another check tells",
			logged("platform does not support feature Remote Subnet"), "unknown"},
		{"the gate was set, and kube-proxy started", logged("WinDSR feature gate not enabled") +
			"I1120 09:01:00.000001 1 config.go:315] \"Starting service config controller\"\n",
			"info: the logs say: kube-proxy exits: DSR requires feature gate WinDSR; it is over: a later line says: Starting service config controller [text]"},
		{"a gate that is none of these", logged("unrecognized feature gate: Accelerators"),
			"unknown"},
	})
}

func TestKubeProxyNoHostMAC(t *testing.T) {
	adapters := func(ip string) string {
		return "-- adapters.json --\n[{\"name\":\"vEthernet (Ethernet)\",\"addresses\":[\"" + ip +
			"/24\"]}]\n"
	}
	const message = "-- logs/kube-proxy/kube-proxy.log --\nF0729 1 server.go:489] unable to create proxier: unable to create ipv6 proxier: Could not find host mac address for ::, hostname: w\n"
	runLooks(t, "kubeproxy-no-host-mac", []look{
		{"an adapter has the address", vxlanConf + proxyArgs(`"--bind-address=10.0.0.10"`) +
			adapters("10.0.0.10"), "pass"},
		{"none has it", vxlanConf + proxyArgs(`"--bind-address=10.0.0.11"`) + adapters("10.0.0.10"),
			"fail: no adapter has the --bind-address 10.0.0.11 of kube-proxy (found: 10.0.0.10) [state]"},
		{"not set, and an adapter has the Node's address", vxlanConf + proxyArgs() + nodeAt10 +
			adapters("10.0.0.10"), "pass"},
		{"0.0.0.0 stands for the Node's address",
			vxlanConf + proxyArgs(`"--bind-address=0.0.0.0"`) + nodeAt10 + adapters("10.0.0.10"),
			"pass"},
		{"no adapter has the Node's address", vxlanConf + proxyArgs() + nodeAt10 +
			adapters("10.0.0.77"),
			"fail: no adapter has the node's address 10.0.0.10, which kube-proxy uses (found: 10.0.0.77) [state]"},
		{"not set, and no Node object", vxlanConf + proxyArgs() + adapters("10.0.0.10"), "unknown"},
		{"the address may be set out of sight", vxlanConf + fmt.Sprintf(hiddenProxy, "v1.29.9") +
			nodeAt10 + adapters("10.0.0.77"), "unknown"},
		{"adapters without addresses tell nothing", vxlanConf + proxyArgs() + nodeAt10 +
			"-- adapters.json --\n[{\"name\":\"Ethernet\"}]\n", "unknown"},
		{"the log alone", vxlanConf + message, "fail: kube-proxy exits: no adapter has the node's address [text]"},
		{"the address moved to the switch, and kube-proxy found it", vxlanConf + message +
			"I0729 1 config.go:313] Starting service config controller\n",
			"info: the logs say: kube-proxy exits: no adapter has the node's address; it is over: a later line says: Starting service config controller [text]"},
		{"on host-gw kube-proxy does not ask", onFlannel + proxyArgs(`"--bind-address=10.0.0.11"`) +
			adapters("10.0.0.10"), "skip"},
		{"the log alone", message,
			"fail: kube-proxy exits: no adapter has the node's address [text]"},
		{"the log, and it is over", vxlanConf + proxyArgs(`"--bind-address=10.0.0.10"`) +
			adapters("10.0.0.10") + message,
			"info: the logs say: kube-proxy exits: no adapter has the node's address; the node's current state does not confirm it [text]"},
	})
}

func TestKubeProxyFlagsOverlay(t *testing.T) {
	networks := func(names ...string) string {
		var list []string
		for _, n := range names {
			list = append(list,
				`{"ID":"`+n+`","Name":"`+n+`","Type":"Overlay","SchemaVersion":{"Major":2}}`)
		}
		return "-- hns-networks.json --\n[" + strings.Join(list, ",") + "]\n"
	}
	const vip = `"--source-vip=10.244.3.2"`
	two := networks("External", "flannel.4096")
	runLooks(t, "kube-proxy-flags-overlay", []look{
		{"network and source VIP are given", vxlanConf + proxyArgs(`"--network-name=flannel.4096"`,
			vip) + two, "pass"},
		{"the placeholder network", vxlanConf + proxyArgs(`"--network-name=External"`, vip) + two,
			"fail: kube-proxy uses HNS network External (expected: flannel.4096, the network of the pods) [state]"},
		{"the placeholder network by KUBE_NETWORK",
			vxlanConf + proxyArgs(vip) + "-- env.json --\n{\"KUBE_NETWORK\":\"External\"}\n" + two,
			"fail: kube-proxy uses HNS network External (expected: flannel.4096, the network of the pods) [state]"},
		{"a network that is not there is another check's",
			vxlanConf + proxyArgs(`"--network-name=cbr0"`, vip) + two, "pass"},
		{"HNS was not asked", vxlanConf + proxyArgs(`"--network-name=External"`, vip), "pass"},
		{"the script fills in the name", vxlanConf + proxyArgs(`"--network-name=$env:KUBE_NETWORK"`,
			vip) + two, "pass"},
		{"no source VIP on an overlay", vxlanConf + proxyArgs(`"--network-name=flannel.4096"`) +
			two, "fail: kube-proxy has no --source-vip, which an overlay network requires [state]"},
		// kubernetes/kubernetes#70896
		{"kube-proxy had no such flag before 1.14", nodeOf("v1.13.12", "docker://18.9.4") + vxlanConf +
			proxyArgs(`"--network-name=flannel.4096"`) + two, "pass"},
		{"the first that has it", nodeOf("v1.14.1", "docker://18.9.4") + vxlanConf +
			proxyArgs(`"--network-name=flannel.4096"`) + two,
			"fail: kube-proxy has no --source-vip, which an overlay network requires [state]"},
		{"both are wrong", vxlanConf + proxyArgs(`"--network-name=External"`) + two,
			"fail: kube-proxy uses HNS network External (expected: flannel.4096, the network of the pods) [state]\nfail: kube-proxy has no --source-vip, which an overlay network requires [state]"},
		{"the DaemonSet's script gives it out of sight", vxlanConf + fmt.Sprintf(hiddenProxy,
			"v1.29.9") + two, "unknown"},
		{"host-gw needs no source VIP", onFlannel + proxyArgs(`"--network-name=cbr0"`) +
			networks("cbr0"), "pass"},
		{"Calico's own name pattern", onCalico + proxyArgs(`"--network-name=Calico.*"`, vip) +
			networks("External", "Calico"), "pass"},
		{"no settings", vxlanConf + two, "unknown"},
		{"the log alone",
			"-- logs/kube-proxy/kube-proxy.log --\nF0525 1 server.go:475] unable to create proxier: source-vip flag not set\n", "fail: kube-proxy exits: an overlay network requires --source-vip [text]"},
	})
}

func TestDSRUnsupportedBuild(t *testing.T) {
	hns := func(major, minor int) string {
		return fmt.Sprintf("-- hns-globals.json --\n{\"Version\":{\"Major\":%d,\"Minor\":%d}}\n",
			major, minor)
	}
	const preserve = "-- api/services.json --\n{\"items\":[{\"metadata\":{\"namespace\":\"a\",\"name\":\"web\",\"annotations\":{\"preserve-destination\":\"true\"}},\"spec\":{\"clusterIP\":\"10.96.7.7\"}}]}\n"
	dsr := proxyArgs(`"--enable-dsr=true"`)
	fault := func(what string) string {
		return "fail: kube-proxy uses DSR, which requires HNS 9.3 or build 17763.1432 or later; found: " + what + " [state]"
	}
	const ignored = "warn: preserve-destination requires build 18362 and DSR; this node ignores it for a/web [state]"
	runLooks(t, "dsr-unsupported-build", []look{
		{"HNS 9.2 has no DSR", dsr + hns(9, 2), fault("HNS 9.2")},
		{"HNS 9.3 has", dsr + hns(9, 3), "pass"},
		{"HNS 10.1 has not, although it is later", dsr + hns(10, 1), fault("HNS 10.1")},
		{"HNS 15 has", dsr + hns(15, 2), "pass"},
		{"the last build without", dsr + osAt(17763, 1431, true), fault("build 10.0.17763.1431")},
		{"the first build with it", dsr + osAt(17763, 1432, true), "pass"},
		{"Server 2016", dsr + osAt(14393, 9000, true), fault("build 10.0.14393.9000")},
		{"1903", dsr + osAt(18362, 1, true), "pass"},
		{"the revision is not known", dsr + osAt(17763, 0, true), "unknown"},
		{"DSR is not asked for", proxyArgs() + hns(9, 2), "pass"},
		{"the annotation on Server 2019", proxyArgs() + osAt(17763, 8027, true) + preserve,
			ignored},
		{"the annotation on Server 2022", proxyArgs() + osAt(20348, 4171, true) + preserve, "pass"},
		{"DSR may be set out of sight", fmt.Sprintf(hiddenProxy, "v1.29.9") + hns(9, 2), "unknown"},
		{"neither HNS nor Windows was asked", dsr, "unknown"},
		{"the log alone",
			"-- logs/kube-proxy/kube-proxy.log --\nF0903 1 server.go:490] unable to create proxier: platform does not support feature Direct Server Return (DSR)\n", "fail: kube-proxy exits: HNS of this build does not support DSR [text]"},
	})
}

func TestSessionAffinityTimeout(t *testing.T) {
	affine := func(more string) string {
		return serviceTree("a/web 10.96.7.7 80/TCP \"sessionAffinity\":" + more)
	}
	clientIP := affine(`"ClientIP"`)
	timed := func(seconds int) string {
		return affine(
			fmt.Sprintf(`"ClientIP","sessionAffinityConfig":{"clientIP":{"timeoutSeconds":%d}}`,
				seconds))
	}
	const hns9, hns15 = "-- hns-globals.json --\n{\"Version\":{\"Major\":9,\"Minor\":5}}\n",
		"-- hns-globals.json --\n{\"Version\":{\"Major\":15,\"Minor\":2}}\n"
	const spread = "warn: sessionAffinity ClientIP requires HNS 12 (Server 2022) or later (found: %s): it is ignored for a/web [state]"
	const line = "-- logs/kube-proxy/kube-proxy.log --\nI0502 1 proxier.go:1] \"Session Affinity is not supported on this version of Windows\"\n"
	runLooks(t, "session-affinity-timeout", []look{
		{"no affinity", affine(`"None"`) + hns9, "pass"},
		{"affinity that HNS does not know", clientIP + hns9, fmt.Sprintf(spread, "HNS 9.5")},
		{"affinity that HNS knows", clientIP + hns15, "pass"},
		{"affinity on Server 2019, by the build", clientIP + osAt(17763, 8027, true),
			fmt.Sprintf(spread, "build 10.0.17763.8027")},
		{"a timeout of one's own", timed(600) + hns15,
			"info: Windows ignores the session timeout of a/web (600 s) (normal on Windows) [state]"},
		{"a timeout of one's own, and Antrea keeps it",
			"-- services.json --\n[{\"name\":\"antrea-agent\",\"state\":\"running\"}]\n" + timed(600) + hns15, "skip"},
		{"the timeout that the API server fills in", timed(10800) + hns15, "pass"},
		{"empty configurations", affine(`"ClientIP","sessionAffinityConfig":{"clientIP":{}}`) +
			hns15, "pass"},
		{"the Services are not recorded", hns9, "unknown"},
		{"the log alone", line,
			"warn: this Windows build does not support sessionAffinity of Services [text]"},
		{"the log names what the Service wants", clientIP + hns9 + line,
			strings.Replace(fmt.Sprintf(spread, "HNS 9.5"), "[state]", "[state+text]", 1)},
	})
}

func TestDualStackUnsupported(t *testing.T) {
	cidrs := func(list string) string { return nodeWith(`"podCIDRs":[` + list + `]`) }
	const four, six = `"10.244.2.0/24"`, `"fd00:2::/64"`
	const hns9, hns11, hns15 = "-- hns-globals.json --\n{\"Version\":{\"Major\":9,\"Minor\":5}}\n",
		"-- hns-globals.json --\n{\"Version\":{\"Major\":11,\"Minor\":10}}\n",
		"-- hns-globals.json --\n{\"Version\":{\"Major\":15,\"Minor\":2}}\n"
	const fallback = "-- logs/kube-proxy/kube-proxy.log --\nI1120 1 proxier.go:1] \"This version of Windows does not support dual-stack, falling back to single-stack\"\n"
	runLooks(t, "dual-stack-unsupported", []look{
		{"IPv4 only", onFlannel + cidrs(four) + hns9, "pass"},
		{"IPv4 only, and kube-proxy says that it falls back", onFlannel + cidrs(four) + hns9 +
			fallback, "pass"},
		{"both on host-gw of Server 2022", onFlannel + cidrs(four+","+six) + hns15, "pass"},
		{"both on host-gw with the first HNS that can", onFlannel + cidrs(four+","+six) + hns11,
			"pass"},
		{"both on host-gw of Server 2019", onFlannel + cidrs(four+","+six) + hns9,
			"warn: podCIDR fd00:2::/64 is not used: dual stack requires HNS 11.10 (Server 2022) or later; found: HNS 9.5 [state]"},
		{"the same by the build", onFlannel + cidrs(four+","+six) + osAt(17763, 8027, true),
			"warn: podCIDR fd00:2::/64 is not used: dual stack requires HNS 11.10 (Server 2022) or later; found: build 10.0.17763.8027 [state]"},
		{"both on an overlay", vxlanConf + cidrs(four+","+six) + hns15,
			"warn: podCIDR fd00:2::/64 is not used: overlay networks on Windows support only IPv4 [state]"},
		{"IPv6 alone", onFlannel + cidrs(six) + hns15,
			"fail: the node has only the IPv6 podCIDR fd00:2::/64; Windows pods require IPv4 [state]"},
		{"the message alone proves nothing", fallback, "unknown"},
		{"no podCIDR", onFlannel + hns15, "unknown"},
	})
}
