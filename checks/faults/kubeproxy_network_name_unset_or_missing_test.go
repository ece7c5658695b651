package faults_test

import "testing"

func TestKubeproxyNetworkName(t *testing.T) {
	networks := func(list string) string { return "-- hns-networks.json --\n[" + list + "]\n" }
	const cbr0, none = `{"Name":"cbr0","Type":"L2Bridge"}`, "-- env.json --\n{}\n"
	proxy := func(args, env string) string {
		return "-- services.json --\n[{\"name\":\"kube-proxy\",\"state\":\"running\",\"binPath\":\"C:\\\\k\\\\kube-proxy.exe\",\"args\":[\"--v=4\"" + args + "],\"env\":{" + env + "}}]\n"
	}
	const log = "-- logs/kube-proxy/kube-proxy.log --\n"
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
		{"nowhere, and the machine's environment is not recorded", proxy("", "") + networks(cbr0),
			"unknown"},
		{"a network that is not there", proxy("", `"KUBE_NETWORK":"vxlan0"`) + networks(cbr0) +
			none, "fail: HNS network vxlan0 of kube-proxy is missing (found: cbr0 (L2Bridge)) [state]"},
		{"a variable that nobody can look into", proxy(`,"--network-name=$env:KUBE_NETWORK"`, "") +
			networks(cbr0) + none, "unknown"},
		{"its log alone, at the start",
			log + "E1120 proxier.go:171] Unable to find HNS Network specified by vxlan0. Please check network name and CNI deployment\n", "fail: kube-proxy does not find its HNS network [text]"},
		{"its log alone, of a network that went away later",
			log + "E1120 proxier.go:1] The HNS network cbr0 is not present or has changed since the last sync. Please check the CNI deployment\n", "fail: the HNS network of kube-proxy was deleted or replaced [text]"},
	})
}
