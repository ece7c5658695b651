package faults_test

import "testing"

func TestKubeproxyNetworkName(t *testing.T) {
	networks := func(list string) string { return "-- hns-networks.json --\n[" + list + "]\n" }
	const cbr0, none = `{"Name":"cbr0","Type":"L2Bridge"}`, "-- env.json --\n{}\n"
	proxy := func(args, env string) string {
		return "-- services.json --\n[{\"name\":\"kube-proxy\",\"state\":\"running\",\"binPath\":\"C:\\\\k\\\\kube-proxy.exe\",\"args\":[\"--v=4\"" + args + "],\"env\":{" + env + "}}]\n"
	}
	const log = "-- logs/kube-proxy/kube-proxy.log --\n"
	misses := func(at string) string {
		return "E1120 " + at + ".000001 1 proxier.go:171] Unable to find HNS Network specified by vxlan0. Please check network name and CNI deployment\n"
	}
	gone := func(at string) string {
		return "E1120 " + at + ".000001 1 proxier.go:1] The HNS network cbr0 is not present or has changed since the last sync. Please check the CNI deployment\n"
	}
	runLooks(t, "kubeproxy-network-name-unset-or-missing", []look{
		{"by variable", proxy("", `"KUBE_NETWORK":"cbr0"`) + networks(cbr0) + none, "pass"},
		{"by the machine's environment, as EKS does",
			proxy("", "") + networks(`{"Name":"vpcbr0A1B2C3D4E5F","Type":"L2Bridge"}`) +
				"-- env.json --\n{\"KUBE_NETWORK\":\"vpcbr0A1B2C3D4E5F\"}\n", "pass"},
		{"the flag wins over the variable", proxy(`,"--network-name=cbr0"`,
			`"KUBE_NETWORK":"vxlan0"`) + networks(cbr0) + none, "pass"},
		{"Calico's pattern", proxy("", `"KUBE_NETWORK":"Calico.*"`) +
			networks(`{"Name":"Calico","Type":"L2Bridge"}`) + none, "pass"},
		{"nowhere", proxy("", "") + networks(cbr0) + none,
			"fail: kube-proxy has no HNS network: --network-name and KUBE_NETWORK are not set [state]"},
		{"nowhere, in the userspace mode", proxy(`,"--proxy-mode=userspace"`, "") + networks(cbr0) + none,
			"skip"},
		{"nowhere, in the mode that needs it", proxy(`,"--proxy-mode=kernelspace"`, "") + networks(cbr0) + none,
			"fail: kube-proxy has no HNS network: --network-name and KUBE_NETWORK are not set [state]"},
		{"nowhere, and the machine's environment is not recorded", proxy("", "") + networks(cbr0),
			"unknown"},
		{"a network that is not there", proxy("", `"KUBE_NETWORK":"vxlan0"`) + networks(cbr0) +
			none, "fail: HNS network vxlan0 of kube-proxy is missing (found: cbr0 (L2Bridge)) [state]"},
		{"a variable that nobody can look into", proxy(`,"--network-name=$env:KUBE_NETWORK"`, "") +
			networks(cbr0) + none, "unknown"},
		{"its log alone, for minutes", log + misses("09:50:01") + misses("09:53:01"),
			"fail: kube-proxy does not find its HNS network [text]"},
		{"its log alone, for seconds", log + misses("09:50:01") + misses("09:50:02"),
			"info: the logs say: kube-proxy does not find its HNS network; it may be over: it lasted 1s, as at a start [text]"},
		{"version 1.10 ends at once", log + "F0518 14:24:32.251322 1 proxier.go:477] Unable to find Hns Network speficied by cbr0. Please check environment variable KUBE_NETWORK\n",
			"fail: kube-proxy does not find its HNS network [text]"},
		{"it waited for minutes, and began to work", log + misses("09:50:01") + misses("09:53:01") +
			"I1120 09:53:02.000001 1 config.go:315] Starting service config controller\n",
			"info: the logs say: kube-proxy does not find its HNS network; it is over: a later line says: Starting service config controller [text]"},
		{"its log alone, of a network that went away later", log + gone("09:50:01") +
			gone("09:52:01"),
			"fail: the HNS network of kube-proxy was deleted or replaced [text]"},
		{"flanneld creates the network anew", log + gone("09:50:01") + gone("09:50:31"),
			"info: the logs say: the HNS network of kube-proxy was deleted or replaced; it may be over: it lasted 30s, as at a start [text]"},
	})
}
