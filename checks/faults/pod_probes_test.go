package faults_test

import "testing"

// projectcalico/calico issue 13049: after a reboot Calico makes its network again, and pods that started
// before it run on without an endpoint.
func TestProbesFromAPodWithoutAnEndpoint(t *testing.T) {
	pods := `-- api/pods.json --
{"items":[{"metadata":{"name":"p","namespace":"a"},"spec":{"nodeName":"win-1"},"status":{"phase":"Running","podIP":"10.244.3.9","conditions":[{"type":"Ready","status":"True"}],
"containerStatuses":[{"name":"c","ready":true,"state":{"running":{"startedAt":"2026-11-20T08:00:00Z"}}}]}}]}
`
	endpoint := func(ip string) string {
		return "-- hns-endpoints.json --\n[{\"ID\":\"E\",\"Name\":\"e\",\"VirtualNetworkName\":\"cbr0\",\"IPAddress\":\"" + ip + "\"}]\n"
	}
	dns := `-- probes/dns.json --
[{"from":"a/p","server":"10.96.0.10:53","transport":"udp","name":"kubernetes.default.svc.cluster.local","form":"windows","outcome":"timeout"},
{"from":"a/p","server":"10.96.0.10:53","transport":"tcp","name":"kubernetes.default.svc.cluster.local","form":"windows","outcome":"timeout"}]
`
	reach := reachTree("node tcp 10.96.0.10:53 timeout", "a/p tcp 10.96.0.10:53 timeout", "a/p icmp 1.1.1.1 timeout", "a/p tcp 1.2.3.4:443 timeout")
	const services = `-- api/services.json --
{"items":[{"metadata":{"name":"kube-dns","namespace":"kube-system"},"spec":{"clusterIP":"10.96.0.10","ports":[{"name":"dns-tcp","port":53}]}}]}
`
	tree := onFlannel + nodeAt10 + services + pods + dns + reach
	with, without := tree+endpoint("10.244.3.9"), tree+endpoint("10.244.3.2")
	for _, row := range []struct{ id, with, without string }{
		{"cluster-dns-unreachable", "fail: a/p gets no answer from the cluster DNS at 10.96.0.10 (UDP: timeout, TCP: timeout) [state]", "unknown"},
		{"dns-pqdn-with-dots", "fail: the full name kubernetes.default.svc.cluster.local does not resolve (timeout): the DNS suffix is not the cause [state]", "unknown"},
		{"node-cannot-use-cluster-ip", "fail: the node and a/p do not reach Service address 10.96.0.10:53; expected: pods reach it [state]",
			"info: node does not reach Service address 10.96.0.10:53 (normal on Windows); probe from a pod [state]"},
		{"icmp-external-not-snated", "fail: ping from a/p to 1.1.1.1 and TCP to 1.2.3.4 fail: ICMP is not the cause [state]", "unknown"},
	} {
		runLooks(t, row.id, []look{{"HNS has its endpoint", with, row.with}, {"HNS has none", without, row.without}})
	}
}
