package faults_test

import "testing"

func TestCNINameserverMismatch(t *testing.T) {
	conf := func(servers, capabilities string) string {
		return "-- files/C/k/cni/config/a.conf --\n{\"name\":\"cbr0\",\"type\":\"win-bridge\",\"capabilities\":{" + capabilities + "},\"DNS\":{\"Nameservers\":[" + servers + "]}}\n"
	}
	const services = "-- api/services.json --\n{\"items\":[{\"metadata\":{\"name\":\"kube-dns\",\"namespace\":\"kube-system\"},\"spec\":{\"clusterIP\":\"10.96.0.10\"}}]}\n"
	const custom = "-- services.json --\n[{\"name\":\"kubelet\",\"state\":\"running\",\"args\":[\"--v=2\",\"--cluster-dns=10.96.0.53\"]}]\n"
	runLooks(t, "cni-nameserver-mismatch", []look{
		{"the cluster's DNS and Azure's", services + conf(`"10.96.0.10","168.63.129.16"`, ""),
			"pass"},
		{"a cache on the node", services + conf(`"169.254.20.10"`, ""), "pass"},
		{"a second DNS service, which the kubelet names too",
			services + custom + conf(`"10.96.0.53"`, ""), "pass"},
		{"none is named", services + conf("", ""), "pass"},
		{"another address", services + conf(`"10.0.0.10"`, ""),
			"fail: dns.nameservers is 10.0.0.10, expected the cluster DNS 10.96.0.10: names of the cluster do not resolve in pods [state]"},
		{"another address, which the runtime replaces", services + conf(`"10.0.0.10"`,
			`"dns":true`),
			"warn: dns.nameservers is 10.0.0.10, expected the cluster DNS 10.96.0.10: pods get it wherever the runtime does not pass the kubelet's own [state]"},
		{"another address, and HNS shows that the runtime replaces it", services + conf(`"10.0.0.10"`, `"dns":true`) +
			"-- api/pods.json --\n" + `{"items":[{"metadata":{"name":"p","namespace":"d","creationTimestamp":"2026-11-20T06:00:00Z"},"spec":{"nodeName":"win-1","dnsPolicy":"ClusterFirst"},"status":{"phase":"Running","podIP":"10.244.1.5","conditions":[{"type":"Ready","status":"True"}],"containerStatuses":[{"name":"c","ready":true,"state":{"running":{"startedAt":"2026-11-20T06:00:00Z"}}}]}}]}` +
			"\n-- hns-endpoints.json --\n" + `[{"ID":"1","Name":"e","IPAddress":"10.244.1.5","DNSServerList":"10.96.0.10"}]` + "\n",
			"info: dns.nameservers is 10.0.0.10, expected the cluster DNS 10.96.0.10: pods get it wherever the runtime does not pass the kubelet's own [state]"},
		{"a placeholder", services + conf(`"<clusterDNS>"`, ""),
			"fail: dns.nameservers is <clusterDNS>, expected the cluster DNS 10.96.0.10: names of the cluster do not resolve in pods [state]"},
		{"the cluster's DNS is not recorded", conf(`"10.0.0.10"`, ""), "unknown"},
	})
}
